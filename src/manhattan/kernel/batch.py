"""Many games side by side: one step for all of them at a time, for learners.

A game that ends gives its result and starts anew by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from manhattan.kernel.actions import Numbering
from manhattan.kernel.jit import compiled
from manhattan.kernel.layout import OVER
from manhattan.kernel.policies import UNIFORM
from manhattan.kernel.position import KernelError, Position
from manhattan.kernel.scoring import winners
from manhattan.kernel.start import start_game
from manhattan.kernel.step import act, fill_mask, is_legal, pick
from manhattan.kernel.warm import announced
from manhattan.rules import SeedShuffler, Setup, deal


@compiled
def _start_all(games: Any, players: Any, first: Any, seed: Any, numbers: Any) -> None:
    for i in range(len(games)):
        start_game(games[i], players, first[i], seed, numbers[i])


@compiled
def _first_illegal(games: Any, colours: Any, actions: Any) -> int:
    """The first game whose action is illegal, or -1."""
    for i in range(len(games)):
        if not is_legal(games[i], colours, actions[i]):
            return i
    return -1


@compiled
def _step_all(
    games: Any,
    players: Any,
    colours: Any,
    actions: Any,
    seed: Any,
    numbers: Any,
    first: Any,
    gained: Any,
    ended: Any,
    results: Any,
) -> None:
    """Make a legal move in every game."""
    for i in range(len(games)):
        g = games[i]
        for player in range(len(players)):
            gained[i, player] = -g.scores[player]
        act(g, players, colours, actions[i])
        for player in range(len(players)):
            gained[i, player] += g.scores[player]
        ended[i] = 0
        if g.phase == OVER:
            bits, _ = winners(g, players, colours)
            ended[i] = bits
            for player in range(len(players)):
                results[i, player] = g.scores[player]
            numbers[i] += len(games)
            first[i] = 0 if first[i] + 1 == len(players) else first[i] + 1
            start_game(g, players, first[i], seed, numbers[i])


@compiled
def _mask_all(games: Any, colours: Any, masks: Any) -> None:
    for i in range(len(games)):
        fill_mask(games[i], colours, masks[i])


@compiled
def _pick_all(games: Any, players: Any, colours: Any, actions: Any) -> None:
    for i in range(len(games)):
        actions[i] = pick(games[i], players, colours, UNIFORM)


class Batch:
    """So many games at tables of one set-up. Start players take turns, game by game."""

    def __init__(self, setup: Setup, count: int, seed: int = 0) -> None:
        if count < 1:
            raise KernelError(f"A batch has at least one game, not {count}.")
        self.setup = setup
        self.count = count
        self.seed = np.uint64(seed % 2**64)
        self.numbering = Numbering.of(setup)
        self._players = (0,) * len(setup.players)
        self._colours = (0,) * setup.schedule.colours
        blank = Position.of_state(deal(setup, SeedShuffler(bytes(32)))).data
        self.games = np.repeat(blank, count).view(np.recarray)
        self.gained = np.zeros((count, len(setup.players)), np.int32)
        """``[game, player]``: the points of the last step."""
        self.ended = np.zeros(count, np.uint8)
        """``[game]``: who won, a bit each, if the game ended in the last step; else 0."""
        self.results = np.zeros((count, len(setup.players)), np.int32)
        """``[game, player]``: the final points of the last game that ended there."""
        if count > 1:
            with announced(setup, "batches"):  # all of it now, not one wait after the other
                self._rehearse(setup)
        self.reset()

    @staticmethod
    def _rehearse(setup: Setup) -> None:
        single = Batch(setup, 1)
        single.masks()
        single.step(single.random_actions())

    def reset(self) -> None:
        """Deal all games anew: the same ones."""
        self._numbers = np.arange(self.count, dtype=np.int64)
        self._first = (self._numbers % len(self._players)).astype(np.int32)
        _start_all(self.games, self._players, self._first, self.seed, self._numbers)

    @property
    def movers(self) -> npt.NDArray[np.int64]:
        """``[game]``: who is to move."""
        return np.asarray(self.games.mover)

    def masks(self, out: npt.NDArray[np.uint8] | None = None) -> npt.NDArray[np.uint8]:
        """``[game, action]``: 1 for what is legal."""
        if out is None:
            out = np.empty((self.count, self.numbering.size), np.uint8)
        elif out.shape != (self.count, self.numbering.size) or out.dtype != np.uint8:
            raise KernelError(f"Masks are bytes of shape {(self.count, self.numbering.size)}.")
        _mask_all(self.games, self._colours, out)
        return out

    def random_actions(self) -> npt.NDArray[np.int64]:
        """``[game]``: any legal action for each game, all alike."""
        actions = np.empty(self.count, np.int64)
        _pick_all(self.games, self._players, self._colours, actions)
        return actions

    def step(self, actions: npt.ArrayLike) -> None:
        """Make a move in every game; ``gained``, ``ended`` and ``results`` tell what came of it.

        If one action is illegal, none is made.
        """
        chosen = np.asarray(actions)
        if chosen.shape != (self.count,) or not np.issubdtype(chosen.dtype, np.integer):
            raise KernelError(
                f"A step takes {self.count} whole numbers, one for each game, "
                f"not {chosen.dtype} of shape {chosen.shape}."
            )
        chosen = chosen.astype(np.int64)
        wrong = int(_first_illegal(self.games, self._colours, chosen))
        if wrong >= 0:
            raise KernelError(f"Action {chosen[wrong]} is illegal in game {wrong} of the batch.")
        _step_all(
            self.games,
            self._players,
            self._colours,
            chosen,
            self.seed,
            self._numbers,
            self._first,
            self.gained,
            self.ended,
            self.results,
        )
