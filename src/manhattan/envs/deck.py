"""A game whose cards somebody else draws: the engine object of an OpenSpiel state."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from manhattan.envs.engine import chance
from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import CARD_KINDS, DRAWING, SHUFFLE, SIZE, TABLE_SIZE
from manhattan.envs.engine.memory import Bytes, address_of, room
from manhattan.envs.engine.resampling import resample_at
from manhattan.envs.seats import Seats, seats
from manhattan.envs.utility import EnvError
from manhattan.kernel.layout import GAME
from manhattan.kernel.warm import announced

_TRIES: Final = 100_000
"""One in a few is enough, as a rule."""
_ROOM: Final = 2048
"""There are never more legal actions, nor actions in a game."""
HouseRules = tuple[tuple[str, str], ...]
_KINDS: Final = tuple(range(CARD_KINDS))
_numbers = room(8 * _ROOM)
_as_numbers: npt.NDArray[np.int64] = _numbers.view(np.int64)
_numbers_at = address_of(_numbers)
_row = room(SIZE)
_row_at = address_of(_row)


class Deck:
    """One record, and who acts next. Copying it is copying some bytes."""

    __slots__ = ("_actions", "_where", "actor", "record", "seats", "untouched")

    def __init__(self, seats: Seats, record: Bytes, actor: int) -> None:
        self.seats = seats
        self.record = record
        self.actor = actor
        """Who acts next: a player, or chance; at the end nobody (as OpenSpiel numbers them)."""
        self.untouched = False
        """Is it one that many begin with, and must copy first?"""
        self._where = address_of(record)
        self._actions: list[int] | None = None

    def copy(self) -> Deck:
        copy = Deck(self.seats, self.record.copy(), self.actor)
        copy._actions = self._actions
        return copy

    def __deepcopy__(self, memo: object) -> Deck:
        return self.copy()

    def __reduce__(self) -> tuple[Callable[..., Deck], tuple[Any, ...]]:
        setup = self.seats.setup
        table = (len(setup.players), setup.edition, setup.house_rules)
        return _unpacked, (*table, self.record.tobytes(), self.actor)

    def apply(self, action: int) -> bool:
        """Let an action or an outcome happen; false, and nothing has changed, if it can't."""
        actor = chance.apply_at(self._where, self.seats.players, self.seats.colours, action)
        if actor == chance.ILLEGAL:
            return False
        self.actor = actor
        self._actions = None
        return True

    def actions(self) -> list[int]:
        """The legal actions of the player who is to decide, ascending. Nobody may change it."""
        if self._actions is None:
            found = chance.legal_at(self._where, self.seats.colours, _numbers_at, _ROOM)
            self._actions = _as_numbers[:found].tolist()
        return self._actions

    def outcomes(self) -> list[tuple[int, float]]:
        """What chance may do, and how likely: a card of each kind, or the shuffle."""
        counts = chance.pile_at(self._where)
        if not counts:
            return [(SHUFFLE, 1.0)]
        cards = counts >> 36
        return [(kind, count / cards) for kind in _KINDS if (count := counts >> 4 * kind & 15)]

    def seen_by(self, player: int) -> Bytes:
        """What a player sees. The next call writes over it."""
        chance.see_at(self._where, self.seats.players, self.seats.colours, player, _row_at)
        return _row

    def winners(self) -> int:
        """A bit for each."""
        return chance.winners_at(self._where, self.seats.players, self.seats.colours)

    @property
    def game(self) -> Any:
        """The kernel's record of the game, its fields by name."""
        return self.record[: GAME.itemsize].view(GAME)[0]

    @property
    def drawing(self) -> Any:
        """What chance has to do next, and what happened, by name."""
        return self.record[GAME.itemsize : TABLE_SIZE].view(DRAWING)[0]

    @property
    def scores(self) -> list[int]:
        scores: list[int] = self.game["scores"][: len(self.seats.players)].tolist()
        return scores

    @property
    def told(self) -> npt.NDArray[np.int64]:
        """What happened so far, hidden cards and all."""
        drawing = self.drawing
        return np.asarray(drawing["told"][: drawing["events"]], np.int64)

    def resampled(self, player: int, seed: int) -> list[int]:
        """The actions, chance's too, of another game that a player can't tell from this one."""
        other = self.record.copy()
        found = resample_at(
            self._where,
            address_of(other),
            self.seats.players,
            self.seats.colours,
            player,
            np.uint64(seed),
            _numbers_at,
            _ROOM,
            _TRIES,
        )
        if found < 0:
            raise EnvError(f"No other game was found in {_TRIES} tries that fits what is known.")
        actions: list[int] = _as_numbers[:found].tolist()
        return actions


@lru_cache(64)
def new_deck(players: int, edition: str, house_rules: HouseRules = ()) -> Deck:
    """A table before the deal. It is to be copied, not played."""
    table = seats(players, edition, dict(house_rules))
    record = table.blank(TABLE_SIZE)
    with announced(table.setup, "chance", compiled.cache):  # all of it now, not bit by bit
        actor = chance.new_table(address_of(record), table.players, table.setup.first)
        deck = Deck(table, record, actor)
        deck.untouched = True
        rehearsed = deck.copy()
        while rehearsed.actor == chance.CHANCE:
            rehearsed.apply(rehearsed.outcomes()[0][0])
        rehearsed.apply(rehearsed.actions()[0])
        rehearsed.seen_by(0)
        rehearsed.winners()
        rehearsed.resampled(0, 0)
    return deck


def _unpacked(
    players: int, edition: str, house_rules: HouseRules, record: bytes, actor: int
) -> Deck:
    if len(record) < TABLE_SIZE:
        raise EnvError(f"A game is {TABLE_SIZE} bytes, not {len(record)}.")
    copy = room(TABLE_SIZE)
    copy[:] = np.frombuffer(record, np.uint8)
    return Deck(new_deck(players, edition, house_rules).seats, copy, actor)
