"""Many games a step: for learners that ask for a thousand decisions at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.observing import allow, see
from manhattan.envs.utility import AT_THE_END, SCORE, WIN_SHARE
from manhattan.kernel.jit import inlined
from manhattan.kernel.layout import OVER
from manhattan.kernel.policies import UNIFORM
from manhattan.kernel.scoring import winners
from manhattan.kernel.start import start_game
from manhattan.kernel.step import act, is_legal, pick
from manhattan.kernel.turn import Game

EVERYBODY = -1
"""The one who is asked: whoever is to move. Else it is a player's number, and others play."""


@inlined
def pay(
    g: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    utility: int,
    payday: int,
    out: Any,
) -> None:
    """From the points that the players gained, in ``out``, to what that is worth to them."""
    n = len(players)
    over = g.phase == OVER
    if utility == WIN_SHARE:
        bits, count = 0, 1
        if over:
            bits, _ = winners(g, players, colours)
            count = 0
            for player in range(n):
                count += bits >> player & 1
        for player in range(n):
            out[player] = (bits >> player & 1) / count
        return
    if payday == AT_THE_END:
        for player in range(n):
            out[player] = g.scores[player] if over else 0
    if utility == SCORE:
        return
    total = np.float32(0)
    for player in range(n):
        total += out[player]
    for player in range(n):
        out[player] -= (total - out[player]) / (n - 1)


@inlined
def play_others(
    g: Game, players: tuple[int, ...], colours: tuple[int, ...], asked: int, policy: int
) -> None:
    """Let the others move until the one who is asked has to."""
    if asked != EVERYBODY:
        while g.phase != OVER and g.mover != asked:
            act(g, players, colours, pick(g, players, colours, policy))


@inlined
def tell(
    g: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    viewer: int,
    row: Any,
    mask: Any,
) -> None:
    """What a player sees, and what he may do."""
    see(g, row, players, colours, viewer)
    allow(g, colours, mask)


@compiled
def first_illegal(games: Any, colours: tuple[int, ...], actions: Any, waiting: Any) -> int:
    """The first game whose action is illegal, or -1. A game that waits for a new deal takes any."""
    for i in range(len(games)):
        if waiting[i] == 0 and not is_legal(games[i], colours, actions[i]):
            return i
    return -1


@compiled
def deal_all(
    games: Any,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    policy: int,
    seed: Any,
    numbers: Any,
    asked: Any,
    rows: Any,
    masks: Any,
    viewers: Any,
) -> None:
    """Start every game, and let the others move until the one who is asked has to."""
    n = len(players)
    for i in range(len(games)):
        g = games[i]
        start_game(g, players, numbers[i] % n, seed, numbers[i])
        play_others(g, players, colours, asked[i], policy)
        viewers[i] = g.mover
        tell(g, players, colours, g.mover, rows[i], masks[i])


@compiled
def step_all(
    games: Any,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    policy: int,
    seed: Any,
    numbers: Any,
    asked: Any,
    actions: Any,
    utility: int,
    payday: int,
    at_once: int,
    waiting: Any,
    rows: Any,
    masks: Any,
    viewers: Any,
    rewards: Any,
    ended: Any,
    last_rows: Any,
    last_viewers: Any,
    illegal: Any,
    fine: float,
) -> int:
    """Make a move in every game; how many ended with it. An illegal one is not made, and whoever
    wanted to is fined.

    A game that ended is dealt anew in the next step, whose action for it is left aside; or
    ``at_once``: then what was seen of its end is in ``last_rows``.
    """
    n = len(players)
    endings = 0
    for i in range(len(games)):
        g = games[i]
        out = rewards[i]
        if waiting[i] != 0:
            numbers[i] += len(games)
            start_game(g, players, numbers[i] % n, seed, numbers[i])
            play_others(g, players, colours, asked[i], policy)
            for player in range(n):
                out[player] = 0
            ended[i] = 0
            waiting[i] = 0
            illegal[i] = 0
            viewer = g.mover
        elif not is_legal(g, colours, actions[i]):
            for player in range(n):
                out[player] = 0
            out[g.mover] = fine
            ended[i] = 0
            illegal[i] = 1
            viewer = g.mover
        else:
            illegal[i] = 0
            viewer = g.mover
            for player in range(n):
                out[player] = -g.scores[player]
            act(g, players, colours, actions[i])
            play_others(g, players, colours, asked[i], policy)
            for player in range(n):
                out[player] += g.scores[player]
            pay(g, players, colours, utility, payday, out)
            over = g.phase == OVER
            ended[i] = over
            if over:
                endings += 1
                if at_once:
                    see(g, last_rows[i], players, colours, viewer)
                    last_viewers[i] = viewer
                    numbers[i] += len(games)
                    start_game(g, players, numbers[i] % n, seed, numbers[i])
                    play_others(g, players, colours, asked[i], policy)
                    viewer = g.mover
                else:
                    waiting[i] = 1
            else:
                viewer = g.mover
        viewers[i] = viewer
        tell(g, players, colours, viewer, rows[i], masks[i])
    return endings


@compiled
def pick_all(games: Any, players: tuple[int, ...], colours: tuple[int, ...], actions: Any) -> None:
    """Any legal action for each game, all alike; 0 where a game is over."""
    for i in range(len(games)):
        actions[i] = 0 if games[i].phase == OVER else pick(games[i], players, colours, UNIFORM)
