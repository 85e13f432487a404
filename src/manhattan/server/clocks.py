"""Clocks: none, real-time (a bank and an increment) or correspondence (days a move).

Pure arithmetic on milliseconds. Bots, and people for whom a bot plays, have no clock running.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

Milliseconds = int

_SECOND: Final = 1000
_DAY: Final = 24 * 60 * 60 * _SECOND
_BACK: Final = 30 * _SECOND
"""So much at least has who comes back, or he would run out again before he has looked."""


def now() -> Milliseconds:
    """The time, as it is written down."""
    return time.time_ns() // 1_000_000


def _says_its_kind(schema: JsonDict) -> None:
    """It has a default for programs; who sends a clock has to say which."""
    required = schema.setdefault("required", [])
    assert isinstance(required, list)
    required.append("kind")


class _Terms(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, json_schema_extra=_says_its_kind
    )


class NoClock(_Terms):
    """Everybody takes the time he likes."""

    kind: Literal["none"] = "none"


class RealTime(_Terms):
    """A bank of seconds for the whole game, and some more after every move."""

    kind: Literal["real_time"] = "real_time"
    bank: int = Field(ge=10, le=4 * 60 * 60, description="Seconds for the whole game.")
    increment: int = Field(default=0, ge=0, le=10 * 60, description="Seconds more for each move.")


class Correspondence(_Terms):
    """Some days for every move."""

    kind: Literal["correspondence"] = "correspondence"
    days: int = Field(ge=1, le=60, description="Days for each move.")


ClockTerms = Annotated[NoClock | RealTime | Correspondence, Field(discriminator="kind")]


class Clocks(NamedTuple):
    """What everybody's clock shows. (A named tuple, because every move makes new ones.)"""

    terms: NoClock | RealTime | Correspondence
    left: tuple[Milliseconds, ...]
    """What each player had left when it was last written down."""
    running: int | None = None
    """Whose clock runs."""
    since: Milliseconds = 0
    """From when."""

    @property
    def due(self) -> Milliseconds | None:
        """When the running clock has run out."""
        if self.running is None or isinstance(self.terms, NoClock):
            return None
        return self.since + self.left[self.running]

    def left_at(self, now: Milliseconds) -> tuple[Milliseconds, ...]:
        """What everybody has left now; never less than nothing."""
        if self.running is None or isinstance(self.terms, NoClock):
            return self.left
        gone = max(0, now - self.since)
        return _with(self.left, self.running, max(0, self.left[self.running] - gone))


def wound_up(terms: NoClock | RealTime | Correspondence, players: int) -> Clocks:
    """The clocks before the game."""
    return Clocks(terms, (_full(terms),) * players)


def passed_on(clocks: Clocks, to: int | None, now: Milliseconds, *, moved: bool = False) -> Clocks:
    """The clock runs for another player, or for nobody. Who has moved gets his increment, or his
    days anew."""
    terms, player = clocks.terms, clocks.running
    if isinstance(terms, NoClock):  # to ask pydantic what else it may be takes a while
        return Clocks(terms, clocks.left, to, now)
    left = clocks.left_at(now)
    if moved and player is not None and isinstance(terms, RealTime):
        left = _with(left, player, left[player] + terms.increment * _SECOND)
    if to is not None and (moved or to != player) and isinstance(terms, Correspondence):
        left = _with(left, to, _full(terms))
    return Clocks(terms, left, to, now)


def taken_back(clocks: Clocks, moves: Mapping[int, int]) -> Clocks:
    """The clocks when so many moves of each player were taken back, and with them what they gave.
    Who has little left keeps enough to look around."""
    terms, left = clocks.terms, clocks.left
    if isinstance(terms, RealTime):
        for player, count in moves.items():
            least = min(left[player], _BACK)
            left = _with(left, player, max(least, left[player] - count * terms.increment * _SECOND))
    return clocks._replace(left=left)


def given_time(clocks: Clocks, player: int) -> Clocks:
    """The clocks when somebody comes back whose time had run out."""
    terms = clocks.terms
    least = _full(terms) if isinstance(terms, Correspondence) else _BACK
    return clocks._replace(left=_with(clocks.left, player, max(clocks.left[player], least)))


def _full(terms: NoClock | RealTime | Correspondence) -> Milliseconds:
    match terms:
        case RealTime():
            return terms.bank * _SECOND
        case Correspondence():
            return terms.days * _DAY
        case NoClock():
            return 0


def _with(
    left: tuple[Milliseconds, ...], player: int, time: Milliseconds
) -> tuple[Milliseconds, ...]:
    return (*left[:player], time, *left[player + 1 :])
