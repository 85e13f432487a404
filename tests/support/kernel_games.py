"""Games of the kernel for the tests: many at once, and whole ones to compare across machines.

Run as a program, this prints the endings of whole games, so that a test can compare them with
those of another process.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import numpy as np

from manhattan.bench.kernel import dealt_position, play_games
from manhattan.kernel.action_api import fill_mask, step
from manhattan.kernel.actions import ActionSpace
from manhattan.kernel.bits import HAS_PDEP
from manhattan.kernel.jit import CACHE, compiled
from manhattan.kernel.layout import OVER, table_shape
from manhattan.kernel.policies import GREEDY_POLICY, UNIFORM_POLICY, pick
from manhattan.kernel.reset import start_game
from manhattan.rules import Setup, set_up

GAMES = 3


@compiled
def _start_all(games: Any, players: Any, first: int, seed: int) -> None:
    for number in range(len(games)):
        start_game(games[number], players, first, seed, number)


@compiled
def _pick_all(games: Any, players: Any, colours: Any, actions: Any) -> None:
    for i in range(len(games)):
        actions[i] = pick(games[i], players, colours, UNIFORM_POLICY)


@compiled
def _mask_all(games: Any, colours: Any, masks: Any) -> None:
    for i in range(len(games)):
        fill_mask(games[i], colours, masks[i])


@compiled
def _step_all(games: Any, players: Any, colours: Any, policy: int) -> None:
    for i in range(len(games)):
        if games[i].phase != OVER:
            step(games[i], players, colours, pick(games[i], players, colours, policy))


def _shape(setup: Setup) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return table_shape(len(setup.players), setup.schedule.colours)


def dealt_games(setup: Setup, count: int, seed: int) -> Any:
    """Many games after the deal, dealt by the kernel's own generator."""
    games = np.repeat(dealt_position(setup).data, count)
    _start_all(games, _shape(setup)[0], setup.first, seed)
    return games


def random_actions(setup: Setup, games: Any) -> Any:
    """A random legal action for each game."""
    actions = np.zeros(len(games), np.int64)
    _pick_all(games, *_shape(setup), actions)
    return actions


def legal_masks(setup: Setup, games: Any) -> Any:
    """The mask of legal actions of each game."""
    masks = np.zeros((len(games), ActionSpace.for_setup(setup).size), np.uint8)
    _mask_all(games, _shape(setup)[1], masks)
    return masks


def step_randomly(setup: Setup, games: Any) -> None:
    """Play one random move in each game that isn't over."""
    _step_all(games, *_shape(setup), UNIFORM_POLICY)


def endings() -> list[str]:
    """A hash of the whole record at the end of some games of each policy."""
    setup = set_up(4)
    work = dealt_position(setup).data
    hashes = []
    for policy in (UNIFORM_POLICY, GREEDY_POLICY):
        for seed in range(GAMES):
            points = play_games(work, *_shape(setup), policy, seed, 1)
            hashes.append(f"{points} {sha256(work.tobytes()).hexdigest()}")
    return hashes


if __name__ == "__main__":
    print(json.dumps({"pdep": HAS_PDEP, "cache": CACHE.name, "endings": endings()}))
