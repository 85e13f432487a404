"""Many games from one position, on all cores, and what came of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from manhattan.kernel.bits import stream
from manhattan.kernel.jit import compiled
from manhattan.kernel.layout import GAME, OVER
from manhattan.kernel.policies import GREEDY, UNIFORM, finish_game
from manhattan.kernel.position import KernelError, Position
from manhattan.kernel.scoring import winners
from manhattan.kernel.step import act, deal_unseen, pick
from manhattan.kernel.warm import announced

Policy = Literal["uniform", "greedy"]
POLICIES: dict[str, int] = {"uniform": UNIFORM, "greedy": GREEDY}

NOT_AT_ALL = -2
"""Deal nothing anew: all cards are known."""


@dataclass(frozen=True, slots=True)
class Results:
    """What came of many games, game by game."""

    scores: npt.NDArray[np.int32]
    """``[game, player]``: the points at the end."""
    winners: npt.NDArray[np.uint8]
    """``[game]``: who won, a bit for each player."""

    @property
    def win_shares(self) -> npt.NDArray[np.float64]:
        """``[game, player]``: a shared win counts in parts."""
        won = (self.winners[:, None] >> np.arange(self.scores.shape[1])) & 1
        shares: npt.NDArray[np.float64] = won / won.sum(axis=1, keepdims=True)
        return shares


@dataclass(frozen=True, slots=True)
class Playouts(Results):
    """What came of many games from one position, game by game."""

    first: npt.NDArray[np.int32]
    """``[game]``: the number of the first move; -1 if the game was over."""

    def by_first_move(self) -> dict[int, tuple[int, npt.NDArray[np.float64]]]:
        """For each first move that was made: how often, and the mean share of wins after it."""
        shares = self.win_shares
        return {
            int(action): (int((self.first == action).sum()), shares[self.first == action].mean(0))
            for action in np.unique(self.first)
        }


@compiled
def _play(
    root: Any,
    room: Any,
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
    """Games number begin to end. A game's cards and choices follow from the seed and its number,
    whoever plays it, beside whatever others."""
    for number in range(begin, end):
        room[0] = root[0]
        g = room[0]
        g.random = stream(np.uint64(seed), np.uint64(number))
        first[number] = -1
        if g.phase != OVER:
            if viewer > NOT_AT_ALL:
                deal_unseen(g, players, colours, viewer)
            action = pick(g, players, colours, policy)
            act(g, players, colours, action)
            first[number] = action
        finish_game(g, players, colours, policy)
        for player in range(len(players)):
            scores[number, player] = g.scores[player]
        bits, _ = winners(g, players, colours)
        won[number] = bits


def check_amounts(games: int, threads: int | None) -> int:
    """How many threads to play so many games on."""
    if games < 1:
        raise KernelError(f"Play at least one game, not {games}.")
    count = os.cpu_count() or 1 if threads is None else threads
    if count < 1:
        raise KernelError(f"Play on at least one thread, not on {count}.")
    return count


def parts_of(games: int, threads: int, abreast: int = 1) -> Iterator[tuple[int, int]]:
    """From which game to which: the parts get smaller towards the end, so that no thread has to
    wait long for the last one. They begin at multiples of ``abreast``."""
    begin = 0
    while begin < games:
        fair = max(games - begin, games // 16) // (2 * threads)
        end = min(games, begin + max(1, fair // abreast) * abreast)
        yield begin, end
        begin = end


def share_out(
    chunk: Callable[[int, int], None], games: int, threads: int, abreast: int = 1
) -> None:
    """Play the games from one number up to another on so many threads, this one among them.

    Each takes the next part when it is done with one: cores have other things to do too.
    """
    if threads == 1:
        chunk(0, games)
        return
    chunk(0, 0)  # compiles, if need be, before the threads would all wait for it
    parts = iter(list(parts_of(games, threads, abreast)))

    def work() -> None:
        for begin, end in parts:
            chunk(begin, end)

    with ThreadPoolExecutor(threads - 1) as pool:
        helpers = [pool.submit(work) for _ in range(threads - 1)]
        work()
        for helper in helpers:
            helper.result()


def playouts(
    position: Position,
    games: int,
    seed: int = 0,
    policy: Policy = "uniform",
    threads: int | None = None,
    *,
    unseen_by: int | Literal["nobody"] | None = "nobody",
) -> Playouts:
    """Play many games from a position to their ends.

    The same seed gives the same games on any number of threads. With ``unseen_by`` each game
    first deals anew what that player (None: an onlooker) can't see.
    """
    if policy not in POLICIES:
        raise KernelError(f"There is no policy {policy!r}. The policies: {', '.join(POLICIES)}.")
    count = check_amounts(games, threads)
    if unseen_by == "nobody":
        viewer = NOT_AT_ALL
    else:
        viewer = -1 if unseen_by is None else position.setup.check_player(unseen_by)
    players = len(position.setup.players)
    result = Playouts(
        np.zeros((games, players), np.int32), np.zeros(games, np.uint8), np.zeros(games, np.int32)
    )

    def chunk(begin: int, end: int) -> None:
        _play(
            position.data,
            np.zeros(1, GAME).view(np.recarray),
            (0,) * players,
            (0,) * position.setup.schedule.colours,
            POLICIES[policy],
            viewer,
            np.uint64(seed % 2**64),
            begin,
            end,
            result.scores,
            result.winners,
            result.first,
        )

    with announced(position.setup, "playouts"):
        share_out(chunk, games, count)
    return result
