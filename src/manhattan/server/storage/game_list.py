"""The lists of a person's games: pages by keyset, counts, removal, statistics.

No query reads more rows than it needs: a page takes its rows from an index, wherever it begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.events import PersonId, TableId
from manhattan.server.storage.database import Database, Row, Statement
from manhattan.server.storage.projection import GAME_STATES, GameState, GameSummary
from manhattan.server.storage.readable_rows import readable_rows

_IS_YOUR_TURN: Final = "(h.stage = 'playing' AND h.seats LIKE '%' || t.awaited || '%')"
"""Whether a game waits for the person: the one thing that changes with every move. It isn't stored
for each person, because each move would write two more rows."""
_DEADLINE: Final = "CASE WHEN t.timed = 1 THEN t.due END"
_COLUMNS: Final = (
    f"h.table_id, h.stage, h.since, h.seats, h.removed, {_IS_YOUR_TURN}, {_DEADLINE}, t.moved_at, "
    "t.mover, t.board, t.game"
)
_FROM: Final = (
    "FROM seat_holders h JOIN tables t ON t.id = h.table_id WHERE h.person_id = $1 "
    "AND t.game <> '{}'"  # a table that couldn't be read when its projection was rebuilt
)
_NO_DEADLINE: Final[Milliseconds] = 10**15
"""Later than any deadline: games without a clock follow those with one, the longest wait first."""


class _Listing(NamedTuple):
    """How the games of a state are found and ordered."""

    stage: str
    condition: str
    sort_key: str
    """The greatest comes first."""


_LISTINGS: Final[Mapping[GameState, _Listing]] = {
    # A game that waits for the person is listed though they removed it: the others wait in vain.
    "your_turn": _Listing(
        "playing",
        f"AND {_IS_YOUR_TURN} AND $2 = 0",
        f"-coalesce({_DEADLINE}, t.moved_at + {_NO_DEADLINE})",
    ),
    "running": _Listing(
        "playing", f"AND h.removed = $2 AND NOT coalesce({_IS_YOUR_TURN}, FALSE)", "t.moved_at"
    ),
    "lobby": _Listing("lobby", "AND h.removed = $2", "h.since"),
    "finished": _Listing("over", "AND h.removed = $2", "h.since"),
}
_DECODER: Final = msgspec.json.Decoder(GameSummary)


class Place(NamedTuple):
    """A place in a list, after a row."""

    state: GameState
    sort_key: int
    table: TableId


class ListedGame(NamedTuple):
    """A row of a list."""

    table: TableId
    state: GameState
    sort_key: int
    since: Milliseconds
    """The last move of a running game; otherwise the beginning of the stage."""
    stage_since: Milliseconds
    deadline: Milliseconds | None
    seats: tuple[int, ...]
    removed: bool
    mover: int | None
    board: str
    game: GameSummary

    @property
    def place(self) -> Place:
        return Place(self.state, self.sort_key, self.table)


class GameCount(NamedTuple):
    """The number of a person's games."""

    your_turn: int
    running: int
    lobby: int
    finished: int
    removed: int


class GameFilter(NamedTuple):
    """Which games to list; None for all."""

    players: int | None = None
    bots: str | None = None
    """The level of the strongest bot; empty for games among people."""

    def condition(self, first: int) -> tuple[str, tuple[object, ...]]:
        """Return the condition of a query and its values, which are numbered from ``first``."""
        values = {name: value for name, value in self._asdict().items() if value is not None}
        conditions = (f" AND h.{name} = ${n}" for n, name in enumerate(values, start=first))
        return "".join(conditions), tuple(values.values())


ALL_GAMES: Final = GameFilter()


class StatisticsRow(NamedTuple):
    """A person's finished games of one kind."""

    players: int
    bots: str
    """The level of the strongest bot; empty among people."""
    games: int
    wins: int
    best_score: int


class GameList:
    """The games of people."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(
        self,
        person: PersonId,
        state: GameState | None,
        after: Place | None,
        limit: int,
        *,
        removed: bool = False,
        filter: GameFilter = ALL_GAMES,
    ) -> list[ListedGame]:
        """Return games of one state, or of all states in their order, from a place on."""
        states = list(GAME_STATES) if state is None else [state]
        if after is not None:
            states = states[states.index(after.state) :]
        games: list[ListedGame] = []
        for each in states:
            if len(games) < limit:
                start = after if after is not None and after.state == each else None
                wanted = limit - len(games)
                games += await self._page(person, each, start, wanted, int(removed), filter)
        return games

    async def _page(
        self,
        person: PersonId,
        state: GameState,
        after: Place | None,
        limit: int,
        removed: int,
        filter: GameFilter,
    ) -> list[ListedGame]:
        games: list[ListedGame] = []
        while True:
            wanted = limit - len(games)
            sql, values = page_query(person, state, after, wanted, removed, filter)
            rows = await self._database.read(sql, *values)
            games += readable_rows(rows, _listed)
            if len(games) == limit or len(rows) < wanted:
                return games
            after = Place(state, rows[-1][-1], rows[-1][0])  # behind those that can't be read

    async def find(self, person: PersonId, table: TableId) -> ListedGame | None:
        """Return a person's game, unless its table was closed."""
        rows = await self._database.read(
            f"SELECT {_COLUMNS}, 0 {_FROM} AND h.table_id = $2 AND h.stage <> 'closed'",
            person,
            table,
        )
        return next(iter(readable_rows(rows, _listed)), None)

    async def active_tables(self, person: PersonId, limit: int) -> list[TableId]:
        """Return tables whose game isn't over, the latest first."""
        tables: list[TableId] = []
        for stage in ("playing", "lobby"):
            rows = await self._database.read(
                "SELECT table_id FROM seat_holders WHERE person_id = $1 AND stage = $2 "
                "ORDER BY since DESC LIMIT $3",
                person,
                stage,
                limit - len(tables),
            )
            tables += [row[0] for row in rows]
        return tables

    async def counts(self, person: PersonId, filter: GameFilter = ALL_GAMES) -> GameCount:
        """Return the number of games by state, and of those removed."""
        condition, values = filter.condition(2)
        stages = await self._database.read(
            "SELECT stage, removed, count(*) FROM seat_holders h "  # noqa: S608 - our own names
            f"WHERE person_id = $1 AND stage IN ('lobby', 'over'){condition} "
            "GROUP BY stage, removed",
            person,
            *values,
        )
        playing = await self._database.read(
            f"SELECT coalesce({_IS_YOUR_TURN}, FALSE), h.removed {_FROM} "
            f"AND h.stage = 'playing'{condition}",
            person,
            *values,
        )
        count = {(stage, bool(removed)): number for stage, removed, number in stages}
        turns = sum(bool(is_your_turn) for is_your_turn, _ in playing)
        hidden = sum(bool(removed) and not is_your_turn for is_your_turn, removed in playing)
        return GameCount(
            your_turn=turns,
            running=len(playing) - turns - hidden,
            lobby=count.get(("lobby", False), 0),
            finished=count.get(("over", False), 0),
            removed=hidden + count.get(("lobby", True), 0) + count.get(("over", True), 0),
        )

    async def set_removed(self, person: PersonId, table: TableId, *, removed: bool) -> bool:
        """Remove a game from the person's list, or restore it. Returns whether that was possible:
        a game that waits for the person can't be removed."""
        rows = await self._database.write(
            Statement(
                "UPDATE seat_holders AS h SET removed = $3 WHERE person_id = $1 AND table_id = $2 "  # noqa: S608 - our own names
                "AND ($3 = 0 OR NOT EXISTS "
                f"(SELECT 1 FROM tables t WHERE t.id = h.table_id AND {_IS_YOUR_TURN})) "
                "RETURNING table_id",
                (person, table, int(removed)),
            )
        )
        return bool(rows)

    async def statistics(self, person: PersonId) -> list[StatisticsRow]:
        """Return the person's results; removed games count as well."""
        rows = await self._database.read(
            "SELECT players, bots, count(*), sum(won), max(score) FROM seat_holders "
            "WHERE person_id = $1 AND counted = 1 GROUP BY players, bots",
            person,
        )
        return [StatisticsRow(*row) for row in rows]


def page_query(
    person: PersonId,
    state: GameState,
    after: Place | None,
    limit: int,
    removed: int,
    filter: GameFilter = ALL_GAMES,
) -> tuple[str, tuple[object, ...]]:
    """Return the query of a page, for a test of its plan."""
    listing = _LISTINGS[state]
    key = listing.sort_key
    values: tuple[object, ...] = (person, removed, limit)
    start = ""
    if after is not None:
        start = f"AND ({key}, h.table_id) < (CAST($4 AS BIGINT), $5) "
        values += (after.sort_key, after.table)
    condition, filter_values = filter.condition(len(values) + 1)
    sql = (
        f"SELECT {_COLUMNS}, {key} {_FROM} AND h.stage = '{listing.stage}' {listing.condition}"
        f"{condition} {start}ORDER BY {key} DESC, h.table_id DESC LIMIT $3"
    )
    return sql, values + filter_values


def _listed(row: Row) -> ListedGame:
    (
        table,
        stage,
        since,
        seats,
        removed,
        is_your_turn,
        deadline,
        moved_at,
        mover,
        board,
        game,
        sort_key,
    ) = row
    return ListedGame(
        table,
        _state(stage, is_your_turn=bool(is_your_turn)),
        sort_key,
        moved_at if stage == "playing" else since,
        since,
        deadline if is_your_turn else None,
        tuple(map(int, seats)),
        bool(removed) and not is_your_turn,
        mover,
        board,
        _DECODER.decode(game),
    )


def _state(stage: str, *, is_your_turn: bool) -> GameState:
    if stage == "playing":
        return "your_turn" if is_your_turn else "running"
    return "lobby" if stage == "lobby" else "finished"
