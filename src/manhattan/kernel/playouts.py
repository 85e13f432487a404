"""Playouts: many games from one position to their ends, on all cores."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from manhattan.kernel.action_api import step
from manhattan.kernel.bits import stream_start
from manhattan.kernel.compile_notice import announce_compilation
from manhattan.kernel.determinization import determinize
from manhattan.kernel.errors import KernelError
from manhattan.kernel.jit import compiled
from manhattan.kernel.layout import GAME, OVER, table_shape
from manhattan.kernel.policies import GREEDY_POLICY, UNIFORM_POLICY, finish_game, pick
from manhattan.kernel.position import Position
from manhattan.kernel.scoring import winners
from manhattan.parallel import map_threads

Policy = Literal["uniform", "greedy"]
POLICIES: dict[str, int] = {"uniform": UNIFORM_POLICY, "greedy": GREEDY_POLICY}

_SEES_ALL = -2
"""The viewer who sees every card: nothing is determinized."""


@dataclass(frozen=True, slots=True)
class Playouts:
    """The results of many games from one position."""

    scores: npt.NDArray[np.int32]
    """``[game, player]``: the points at the end."""
    winners: npt.NDArray[np.uint8]
    """``[game]``: the winners, one bit per player."""
    first: npt.NDArray[np.int32]
    """``[game]``: the first action; -1 if the game was already over."""

    @property
    def win_shares(self) -> npt.NDArray[np.float64]:
        """``[game, player]``: 1 for the winner; several winners share it."""
        won = (self.winners[:, None] >> np.arange(self.scores.shape[1])) & 1
        shares: npt.NDArray[np.float64] = won / won.sum(axis=1, keepdims=True)
        return shares

    def by_first_action(self) -> dict[int, tuple[int, npt.NDArray[np.float64]]]:
        """Return, for each first action, how often it was played and the mean win shares."""
        shares = self.win_shares
        return {
            int(action): (int((self.first == action).sum()), shares[self.first == action].mean(0))
            for action in np.unique(self.first)
        }


@compiled
def _play(
    root: Any,
    work: Any,
    players: Any,
    colours: Any,
    policy: int,
    viewer: int,
    seed: Any,
    begin: int,
    end: int,
    scores: Any,
    won: Any,
    first: Any,
) -> None:
    """Play the games number ``begin`` to ``end``. The seed and its number determine a game, not
    the thread that plays it."""
    for number in range(begin, end):
        work[0] = root[0]
        g = work[0]
        g.random = stream_start(np.uint64(seed), np.uint64(number))
        first[number] = -1
        if g.phase != OVER:
            if viewer > _SEES_ALL:
                determinize(g, players, colours, viewer)
            action = pick(g, players, colours, policy)
            step(g, players, colours, action)
            first[number] = action
        finish_game(g, players, colours, policy)
        for player in range(len(players)):
            scores[number, player] = g.scores[player]
        bits, _ = winners(g, players, colours)
        won[number] = bits


def chunk_ranges(games: int, threads: int) -> Iterator[tuple[int, int]]:
    """Split the games into ranges that get smaller towards the end, so that the threads finish at
    about the same time."""
    begin = 0
    while begin < games:
        size = max(games - begin, games // 16) // (2 * threads)
        end = min(games, begin + max(1, size))
        yield begin, end
        begin = end


def playouts(
    position: Position,
    games: int,
    seed: int = 0,
    policy: Policy = "uniform",
    threads: int | None = None,
    *,
    viewer: int | Literal["all"] | None = "all",
) -> Playouts:
    """Play many games from a position to their ends.

    The same seed gives the same games on any number of threads. With a player as ``viewer`` (or
    None, a spectator) each game starts from another determinization: the cards that the viewer
    can't see are dealt at random.
    """
    if policy not in POLICIES:
        raise KernelError(f"There is no policy {policy!r}. The policies: {', '.join(POLICIES)}.")
    if games < 1:
        raise KernelError(f"Play at least one game, not {games}.")
    workers = os.cpu_count() or 1 if threads is None else threads
    if workers < 1:
        raise KernelError(f"Play on at least one thread, not on {workers}.")
    if viewer == "all":
        viewer_number = _SEES_ALL
    else:
        viewer_number = -1 if viewer is None else position.setup.check_player(viewer)
    players = len(position.setup.players)
    result = Playouts(
        np.zeros((games, players), np.int32), np.zeros(games, np.uint8), np.zeros(games, np.int32)
    )

    def play_range(bounds: tuple[int, int]) -> None:
        _play(
            position.data,
            np.zeros(1, GAME),
            *table_shape(players, position.setup.schedule.colours),
            POLICIES[policy],
            viewer_number,
            np.uint64(seed % 2**64),
            *bounds,
            result.scores,
            result.winners,
            result.first,
        )

    with announce_compilation(position.setup, "playouts"):
        play_range((0, 0))  # compile before the threads would all wait for it
        for _ in map_threads(play_range, chunk_ranges(games, workers), workers):
            pass
    return result
