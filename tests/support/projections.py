"""Rows of the projection, for tests of the store that need no real game."""

from __future__ import annotations

from manhattan.server.storage import Store
from manhattan.server.storage.projection import GameSummary, Holding, Summary, Turn


def holders(*people: str, stage: str = "playing", at: int = 0) -> dict[str, Holding | None]:
    """Return rows of people who have the first seat of a table."""
    return {person: Holding(stage, at, "0") for person in people}


def summary(
    stage: str = "playing", *, due: int | None = None, public: bool = True, turn: Turn | None = None
) -> Summary:
    game = GameSummary("hig-2017", (), 4, 1, (), ())
    listing = {"host": "Ada", "round": 1}
    timed = due is not None
    return Summary(stage, public, 1, due, listing, timed=timed, game=game, turn=turn or Turn())


async def stored_holdings(store: Store, table: str) -> dict[str, Holding]:
    """Return the rows of people at a table, as they are in the database."""
    rows = await store.read(
        f"SELECT person_id, {', '.join(Holding._fields)} FROM seat_holders WHERE table_id = $1",
        table,
    )
    return {person: Holding(*row) for person, *row in rows}
