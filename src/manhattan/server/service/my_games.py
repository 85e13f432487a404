"""A person's games: pages, removal and statistics, as the client gets them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from manhattan.bots import LEVELS
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.domain.events import PersonId, TableId
from manhattan.server.protocol.requests import MyGamesQuery
from manhattan.server.protocol.responses import (
    BotsStatistics,
    GameCounts,
    MyGame,
    MyGameEntry,
    MyGameList,
    MyGamePlayer,
    PlayersStatistics,
    Statistics,
)
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.storage.game_list import (
    ALL_GAMES,
    GameFilter,
    GameList,
    ListedGame,
    Place,
    StatisticsRow,
)
from manhattan.server.storage.projection import GameState

PAGE_SIZE: Final = 20
_MAX_SORT_KEY: Final = 2**62
_BOTS: Final[Mapping[str, str | None]] = {"anyone": None, "people": ""}
"""The strongest bot of the games that a query asks for, if it isn't the level of one."""
_TABLE: Final = re.compile("[a-z0-9]{1,40}")


class MyGames:
    """The games of people."""

    def __init__(self, games: GameList) -> None:
        self._games = games

    async def list(self, person: PersonId, query: MyGamesQuery) -> MyGameList:
        """Return a page of a person's games."""
        state = None if query.state == "all" else query.state
        after = _decode_cursor(query.cursor, state) if query.cursor else None
        filter = GameFilter(query.players, _BOTS.get(query.opponents, query.opponents))
        rows = await self._games.page(
            person, state, after, PAGE_SIZE + 1, removed=query.removed, filter=filter
        )
        page = rows[:PAGE_SIZE]
        return MyGameList(
            now=now_ms(),
            games=[_my_game(row) for row in page],
            next=_encode_cursor(page[-1].place) if len(rows) > PAGE_SIZE else None,
            counts=await self._counts(person, filter),
        )

    async def find(self, person: PersonId, table: TableId) -> MyGameEntry:
        """Return one of a person's games."""
        row = await self._games.find(person, table)
        if row is None:
            raise CommandRejected(ErrorCode.NOT_AT_THE_TABLE)
        return MyGameEntry(game=_my_game(row), counts=await self._counts(person))

    async def set_removed(self, person: PersonId, table: TableId, *, removed: bool) -> MyGameEntry:
        """Remove a game from a person's list, or restore it there."""
        is_done = await self._games.set_removed(person, table, removed=removed)
        entry = await self.find(person, table)
        if not is_done:
            raise CommandRejected(ErrorCode.YOUR_TURN)
        return entry

    async def statistics(self, person: PersonId) -> Statistics:
        """Return a person's results."""
        rows = await self._games.statistics(person)
        players = sorted({row.players for row in rows})
        levels = [level for level in ("", *LEVELS) if any(row.bots == level for row in rows)]
        return Statistics(
            games=_games(rows),
            wins=_wins(rows),
            best_score=max((row.best_score for row in rows), default=None),
            by_players=[
                PlayersStatistics(players=number, games=_games(some), wins=_wins(some))
                for number in players
                if (some := [row for row in rows if row.players == number])
            ],
            by_bots=[
                BotsStatistics(level=level or None, games=_games(some), wins=_wins(some))
                for level in levels
                if (some := [row for row in rows if row.bots == level])
            ],
        )

    async def _counts(self, person: PersonId, filter: GameFilter = ALL_GAMES) -> GameCounts:
        return GameCounts(**(await self._games.counts(person, filter))._asdict())


def _games(rows: Iterable[StatisticsRow]) -> int:
    return sum(row.games for row in rows)


def _wins(rows: Iterable[StatisticsRow]) -> int:
    return sum(row.wins for row in rows)


def _my_game(row: ListedGame) -> MyGame:
    game = row.game
    scores = game.scores[-1] if game.scores else (0,) * len(game.seats)
    places = _places(scores, game.winners) if game.winners else None
    return MyGame(
        id=row.table,
        state=row.state,
        removed=row.removed,
        since=row.since,
        deadline=row.deadline,
        edition=game.edition,
        round=game.round,
        rounds=game.rounds,
        players=[
            MyGamePlayer(
                name=seat.name,
                level=seat.level,
                open=seat.open,
                colours=list(seat.colours),
                you=number in row.seats,
                points=scores[number],
                place=places[number] if places else None,
            )
            for number, seat in enumerate(game.seats)
        ],
        mover=row.mover,
        board=row.board,
        leads=_leads(game.scores, row.seats),
    )


def _places(scores: tuple[int, ...], winners: tuple[int, ...]) -> list[int]:
    """Return the place of each player: winners share the first, equal points share another."""
    order = sorted(((n not in winners, -points) for n, points in enumerate(scores)))
    return [1 + order.index((n not in winners, -points)) for n, points in enumerate(scores)]


def _leads(scores: tuple[tuple[int, ...], ...], seats: tuple[int, ...]) -> list[int]:
    if len(seats) != 1:
        return []
    [own] = seats
    return [
        points[own] - max(other for n, other in enumerate(points) if n != own) for points in scores
    ]


# Cursors: the place of the last row of a page. They are no secret, and any place is a valid one.


def _encode_cursor(place: Place) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def _decode_cursor(cursor: str, state: GameState | None) -> Place:
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True)
        place = msgspec.json.decode(text, type=Place)
    except (binascii.Error, ValueError, msgspec.DecodeError) as error:
        raise _unknown_cursor() from error
    is_valid = abs(place.sort_key) < _MAX_SORT_KEY and _TABLE.fullmatch(place.table)
    if not is_valid or (state is not None and place.state != state):
        raise _unknown_cursor()
    return place


def _unknown_cursor() -> CommandRejected:
    what = "The cursor is none of a page of this list: begin with the first page."
    return CommandRejected(ErrorCode.BAD_REQUEST, what=what)
