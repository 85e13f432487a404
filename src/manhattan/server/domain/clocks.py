"""Clocks: none, real-time (a bank and an increment) or correspondence (days per move).

Pure arithmetic on milliseconds. No clock runs for a bot, or for a person whose seat a bot controls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

Milliseconds = int

_SECOND_MS: Final = 1000
_DAY_MS: Final = 24 * 60 * 60 * _SECOND_MS
_RETURN_TIME_MS: Final = 30 * _SECOND_MS
"""The least that a returning player has left, so that they can look at the board before they run
out of time again."""


class _ClockOptions(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    pass


class NoClock(_ClockOptions, frozen=True, tag="none"):
    """Unlimited time."""


class RealTime(_ClockOptions, frozen=True, tag="real_time"):
    """A bank of seconds for the whole game, and an increment after each move."""

    bank: Annotated[int, Meta(ge=10, le=4 * 60 * 60, description="Seconds for the whole game.")]
    increment: Annotated[
        int, Meta(ge=0, le=10 * 60, description="Seconds added after each move.")
    ] = 0


class Correspondence(_ClockOptions, frozen=True, tag="correspondence"):
    """Some days for each move."""

    days: Annotated[int, Meta(ge=1, le=60, description="Days for each move.")]


ClockOptions = NoClock | RealTime | Correspondence


class Clocks(msgspec.Struct, frozen=True):
    """The clocks of all players."""

    options: ClockOptions
    left: tuple[Milliseconds, ...]
    """The time that each player had left at ``since``."""
    running: int | None = None
    """The player whose clock runs."""
    since: Milliseconds = 0
    """The moment from which it runs."""

    @property
    def due(self) -> Milliseconds | None:
        """The moment at which the running clock expires."""
        if self.running is None or isinstance(self.options, NoClock):
            return None
        return self.since + self.left[self.running]

    def left_at(self, now: Milliseconds) -> tuple[Milliseconds, ...]:
        """Return the time that each player has left, never below zero."""
        if self.running is None or isinstance(self.options, NoClock):
            return self.left
        elapsed = max(0, now - self.since)
        return _set(self.left, self.running, max(0, self.left[self.running] - elapsed))


def initial_clocks(options: ClockOptions, players: int) -> Clocks:
    """Return the clocks before the game."""
    return Clocks(options, (_full_time(options),) * players)


def switch_clock(
    clocks: Clocks, to: int | None, now: Milliseconds, *, moved: bool = False
) -> Clocks:
    """Stop the running clock and start another player's, or none. After a move the mover gets the
    increment, and the next player the full days."""
    options, player = clocks.options, clocks.running
    left = clocks.left_at(now)
    if moved and player is not None and isinstance(options, RealTime):
        left = _set(left, player, left[player] + options.increment * _SECOND_MS)
    if to is not None and (moved or to != player) and isinstance(options, Correspondence):
        left = _set(left, to, _full_time(options))
    return Clocks(options, left, to, now)


def undo_moves(clocks: Clocks, moves: Mapping[int, int]) -> Clocks:
    """Take back the increments of undone moves, given as a count for each player. A player who has
    little left keeps enough to look at the board."""
    options, left = clocks.options, clocks.left
    if isinstance(options, RealTime):
        for player, count in moves.items():
            least = min(left[player], _RETURN_TIME_MS)
            reduced = left[player] - count * options.increment * _SECOND_MS
            left = _set(left, player, max(least, reduced))
    return replace(clocks, left=left)


def time_after_return(clocks: Clocks, player: int) -> Milliseconds:
    """Return what a player for whom a bot plays has left when they return: what they had, or the
    least time that they need."""
    options = clocks.options
    least = _full_time(options) if isinstance(options, Correspondence) else _RETURN_TIME_MS
    return max(clocks.left[player], least)


def grant_time(clocks: Clocks, player: int) -> Clocks:
    """Give a returning player the least time that they need."""
    return replace(clocks, left=_set(clocks.left, player, time_after_return(clocks, player)))


def _full_time(options: ClockOptions) -> Milliseconds:
    match options:
        case RealTime():
            return options.bank * _SECOND_MS
        case Correspondence():
            return options.days * _DAY_MS
        case NoClock():
            return 0


def _set(
    left: tuple[Milliseconds, ...], player: int, time: Milliseconds
) -> tuple[Milliseconds, ...]:
    return (*left[:player], time, *left[player + 1 :])
