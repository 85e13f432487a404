"""One game that chance plays along with: what the environments for agents are made of."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from manhattan.envs.engine import single
from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import SIZE
from manhattan.envs.engine.memory import Bytes, address_of, room
from manhattan.envs.seats import Seats, position_of
from manhattan.envs.utility import AT_THE_END, WIN_SHARE, paid, win_shares
from manhattan.kernel.layout import GAME, OVER
from manhattan.kernel.position import Position
from manhattan.kernel.warm import announced


class Play:
    """A game at a table, from one deal to the next."""

    def __init__(self, seats: Seats, utility: int, payday: int) -> None:
        self.seats = seats
        self.utility = utility
        self.payday = payday
        self.mover = 0
        self.over = True
        self.scored = False
        """Was a round scored with the last move?"""
        self._paid = [0] * len(seats.players)
        """The points that were told as rewards already."""
        self._record = seats.blank()
        self._scores = self._record[: GAME.itemsize].view(GAME)[0]["scores"]
        self._where = address_of(self._record)
        actions = seats.numbering.size
        self._room = room(SIZE + actions)
        self._size = SIZE + actions
        self._looked = (
            address_of(self._room),
            address_of(self._room, SIZE),
            actions,
        )
        with announced(seats.setup, "single games", compiled.cache):
            self.deal(0, 0)
            self.look(0)
            self.move(int(np.flatnonzero(self.look(0)[1])[0]))
            self._winners()

    def deal(self, seed: int, first: int) -> None:
        """Begin: a start player, and a seed for all cards of the game."""
        after = single.start(self._where, self.seats.players, first, np.uint64(seed), 0)
        self.mover, self.over, self.scored = after & 3, False, False
        self._paid = [0] * len(self.seats.players)

    def move(self, action: int) -> bool:
        """Make a move; false, and nothing has changed, if it is illegal."""
        after = single.move(self._where, self.seats.players, self.seats.colours, action)
        if after == single.ILLEGAL:
            return False
        self.scored = after >= single.SCORED
        self.mover = after & 3
        self.over = after >> 2 & 3 == OVER
        return True

    def look(self, viewer: int) -> tuple[Bytes, Mask]:
        """What a player sees, and the mask of what he may do now: arrays of their own."""
        single.look(self._where, self.seats.players, self.seats.colours, viewer, *self._looked)
        both = self._room[: self._size].copy()
        return both[:SIZE], both[SIZE:].view(np.int8)

    @property
    def scores(self) -> list[int]:
        scores: list[int] = self._scores[: len(self.seats.players)].tolist()
        return scores

    def rewards(self) -> list[float]:
        """What is to be paid for the last move: to be asked for once, if a round was scored."""
        if self.utility == WIN_SHARE:
            winners = self._winners() if self.over else 0
            return win_shares(winners, len(self.seats.players))
        if self.payday == AT_THE_END and not self.over:
            return [0.0] * len(self.seats.players)
        scores = self.scores
        gained = [now - before for now, before in zip(scores, self._paid, strict=True)]
        self._paid = scores
        return paid(self.utility, gained)

    def _winners(self) -> int:
        bits: int = single.who_won(self._where, self.seats.players, self.seats.colours)
        return bits

    def position(self) -> Position:
        """A copy, for what knows the rules' own words."""
        return position_of(self.seats, self._record)

    @classmethod
    def again(cls, seats: Seats, utility: int, payday: int, state: tuple[Any, ...]) -> Play:
        """One that was copied or pickled, as it stood."""
        play = cls(seats, utility, payday)
        record, play.mover, play.over, play.scored, already = state
        play._record[:] = np.frombuffer(record, np.uint8)
        play._paid = list(already)
        return play

    def __reduce__(self) -> tuple[Any, ...]:
        record = self._record.tobytes()
        state = (record, self.mover, self.over, self.scored, tuple(self._paid))
        return Play.again, (self.seats, self.utility, self.payday, state)


_NEVER: Final = 1 << 31
"""More than any action's number."""
_NUMBERS: Final = (int, np.integer)


def action_number(action: object) -> int:
    """An action as a number, of whichever type it came; -1 if it is none."""
    if isinstance(action, np.ndarray) and action.shape == ():
        action = action[()]
    if not isinstance(action, _NUMBERS) or isinstance(action, bool):
        return -1
    return int(action) if 0 <= action < _NEVER else -1  # compiled code takes no larger ones


Row = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.int8]
"""Of this type, as Gymnasium's spaces take masks of no other."""
