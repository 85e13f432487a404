"""Thinking a move over: which moves are worth trying, and trials until they can be told apart.

The moves that look best at first sight are all tried alike; then the worse half goes, and the
rest is tried again, until one is left or the time is over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from manhattan.judgement.features import ROOM
from manhattan.judgement.jit import compiled
from manhattan.judgement.mind import Kind, Mind, mind_for
from manhattan.judgement.outlook import SIGHT
from manhattan.judgement.plans import PLANS, affordable
from manhattan.judgement.reading import read_styles_once
from manhattan.judgement.search import FOR_ALL, WORTH, try_moves, weigh_placements
from manhattan.kernel import Position
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.layout import BUILD, SELECT
from manhattan.kernel.position import unpacked
from manhattan.kernel.warm import announced
from manhattan.rules import ManhattanError, Select, Stock
from manhattan.rules.blocks import sizes_in
from manhattan.view import View

MOST: Final = 16
"""So many placements are tried at most."""
POINTS_WORTH: Final = 0.005
"""A point of lead beside the whole win: it breaks ties, and one does not lose by more than one
must."""
PRIOR: Final = 0.1
"""So much of what was thought of the others before they had played always stays."""

_SLICE = 64
"""Trials between two looks at the clock: two or three milliseconds."""


class ThinkingError(ManhattanError, ValueError):
    """Nothing to think about."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop thinking: after so many trials, or seconds, whichever is first."""

    trials: int
    seconds: float | None = None
    pause: Callable[[], None] = lambda: None
    """Called every few milliseconds; what it raises ends the thinking."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What the trials of one move came to."""

    action: int
    trials: int
    worth: float
    """The part in the win, and a little for the points."""
    chances: tuple[float, ...]
    """Each player's part in the win. Only when asked for, like what follows."""
    errors: tuple[float, ...]
    """The standard error of each of these; infinite after a single trial."""
    points: tuple[float, ...]
    """Each player's points at the end."""


class Thinker:
    """One mind at work on one position, which it knows as its mover knows it."""

    def __init__(self, mind: Mind, position: Position, seed: int) -> None:
        if position.over:
            raise ThinkingError("The game is over.")
        self.mind = mind
        self.position = position
        self.seed = np.uint64(seed % 2**64)
        self._players = (0,) * len(position.setup.players)
        self._colours = (0,) * position.setup.schedule.colours
        self._board = position.data.copy()
        self._room = np.zeros(1, ROOM).view(np.recarray)
        self._sight = np.zeros(1, SIGHT).view(np.recarray)

    def values(self, way: int) -> dict[int, float]:
        """What each placement is worth by value alone, in one way of playing; the best first."""
        worth = np.full(BUILDS * len(self._colours), -np.inf, np.float32)
        with announced(self.position.setup, "values", compiled.cache):
            weigh_placements(
                self.position.data,
                self._players,
                self._colours,
                way,
                self.mind.values,
                self._room,
                worth,
            )
        best = np.argsort(-worth, kind="stable")
        return {int(action): float(worth[action]) for action in best if worth[action] > -np.inf}

    def styles(self) -> npt.NDArray[np.float64]:
        """``[player, n]``: how likely each plays in the n-th way of the pool."""
        pool, prior = self.mind.pool, self.mind.prior
        fits = np.ones((len(self._players), len(pool)))
        if self.position.traced:
            self._board[0] = self.position.data[0]
            self._board[0].random = self.seed
            read_styles_once(
                self.position.data,
                self._board,
                self._players,
                self._colours,
                pool,
                self.mind.values,
                self._room,
                fits,
            )
        likely = fits * prior
        likely /= likely.sum(axis=1, keepdims=True)
        blend: npt.NDArray[np.float64] = PRIOR * prior + (1 - PRIOR) * likely
        return blend

    def candidates(self) -> list[int]:
        """Moves worth trying, by their numbers."""
        phase = self.position.data[0].phase
        if phase == BUILD:
            return list(self.values(self.mind.best))[:MOST]
        return self._choices() if phase == SELECT else self.position.legal_actions()

    def _choices(self) -> list[int]:
        """What the best plan wants, and every choice that differs from it by one block."""
        g, setup = self.position.data[0], self.position.setup
        wanted = PLANS[setup.schedule][-1][int(g.round_number)]
        own = [slot.slot for slot in setup.own[int(g.mover)]]
        supplies = [unpacked(g.supply[slot]) for slot in own]
        planned = [affordable(wanted, supply) for supply in supplies]
        choices = [planned]
        for n, (plan, supply) in enumerate(zip(planned, supplies, strict=True)):
            others = _one_block_apart(plan, supply)
            choices += [[*planned[:n], other, *planned[n + 1 :]] for other in others]
        moves = [Select(tuple(map(sizes_in, choice))) for choice in choices]
        return [self.position.action(move) for move in moves]

    def try_out(self, moves: list[int], limits: Limits, *, for_all: bool = False) -> list[Tried]:
        """Try moves, the worse half of them less and less. The best first."""
        players = len(self._players)
        order = np.array(moves, np.int64)
        sums = np.zeros((len(order), FOR_ALL + 3 * players))
        counts = np.zeros(len(order), np.int64)
        with announced(self.position.setup, "thinking", compiled.cache):
            likely = self.styles()
            self._try(order, 0, 0, likely, for_all, sums)
        stages = max(1, (len(order) - 1).bit_length())
        begin = time.monotonic()
        alive, done = len(order), 0
        for stage in range(stages):
            until = done + max(1, limits.trials // (stages * alive))
            late = None if limits.seconds is None else begin + limits.seconds * (stage + 1) / stages
            while done < until and (late is None or done == 0 or time.monotonic() < late):
                limits.pause()
                end = min(until, done + max(1, _SLICE // alive))
                self._try(order[:alive], done, end, likely, for_all, sums[:alive])
                done = end
            counts[:alive] = done
            rank = np.argsort(-sums[:alive, WORTH], kind="stable")
            for array in (order, sums, counts):
                array[:alive] = array[:alive][rank]
            alive = (alive + 1) // 2
        return [
            _tried(int(action), int(count), total, players)
            for action, count, total in zip(order, counts, sums, strict=True)
        ]

    def _try(self, moves: Any, begin: int, end: int, likely: Any, for_all: bool, sums: Any) -> None:
        try_moves(
            self.position.data,
            self._board,
            self._players,
            self._colours,
            moves,
            begin,
            end,
            self.seed,
            self.mind.best,
            self.mind.pool,
            likely,
            self.mind.values,
            self.mind.kind.plans,
            self.mind.outlook,
            POINTS_WORTH,
            for_all,
            self._room,
            self._sight,
            sums,
        )


def thinker_for(view: View, seed: int) -> Thinker:
    """A mind at work on what a player sees."""
    position = Position.of_view(view, seed)
    return Thinker(mind_for(Kind.of(view.table.setup)), position, seed)


def _one_block_apart(plan: Stock, supply: Stock) -> Iterator[Stock]:
    """The choices that have one block of another size, as far as the supply has it."""
    for less in range(4):
        for more in range(4):
            if less != more and plan[less] > 0 and plan[more] < supply[more]:
                changed = list(plan)
                changed[less] -= 1
                changed[more] += 1
                ones, twos, threes, fours = changed
                yield ones, twos, threes, fours


def _tried(action: int, count: int, sums: Any, players: int) -> Tried:
    mean = sums / count
    chances, points, squares = mean[FOR_ALL:].reshape(3, players)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(np.maximum(0.0, squares - chances**2) / (count - 1))
    return Tried(
        action,
        count,
        worth=float(mean[WORTH]),
        chances=tuple(map(float, chances)),
        errors=tuple(map(float, errors)) if count > 1 else (np.inf,) * players,
        points=tuple(map(float, points)),
    )
