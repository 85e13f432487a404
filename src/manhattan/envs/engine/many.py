"""Many games a step: for learners that ask for a thousand decisions at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import SIZE
from manhattan.envs.engine.memory import GAME_SIZE, Address, beyond, game_at
from manhattan.envs.engine.observing import allow, see
from manhattan.envs.utility import AT_THE_END, SCORE, WIN_SHARE
from manhattan.kernel.jit import inlined, never_inlined
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


def _play_others(
    g: Game, players: tuple[int, ...], colours: tuple[int, ...], asked: int, policy: int
) -> None:
    """Let the others move until the one who is asked has to."""
    while g.phase != OVER and g.mover != asked:
        act(g, players, colours, pick(g, players, colours, policy))


play_others = never_inlined(_play_others)


@compiled
def deal_one(
    g: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    seed: Any,
    number: int,
    asked: int,
    policy: int,
) -> None:
    """Start a game, up to the first decision of the one who is asked."""
    start_game(g, players, number % len(players), seed, number)
    if asked != EVERYBODY:
        play_others(g, players, colours, asked, policy)


@compiled
def first_illegal(games: Address, colours: tuple[int, ...], actions: Any, waiting: Any) -> int:
    """The first game whose action is illegal, or -1. A game that waits for a new deal takes any."""
    for i in range(len(actions)):
        g = game_at(beyond(games, GAME_SIZE * i))
        if waiting[i] == 0 and not is_legal(g, colours, actions[i]):
            return i
    return -1


@compiled
def deal_all(
    games: Address,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    policy: int,
    seed: Any,
    numbers: Any,
    asked: int,
    rows: Address,
    masks: Address,
    size: int,
    viewers: Any,
) -> None:
    """Start every game, and let the others move until the one who is asked has to. ``size`` is the
    number of actions."""
    for i in range(len(numbers)):
        where = beyond(games, GAME_SIZE * i)
        g = game_at(where)
        deal_one(g, players, colours, seed, numbers[i], asked, policy)
        viewers[i] = g.mover
        see(where, players, colours, g.mover, beyond(rows, SIZE * i))
        allow(where, colours, beyond(masks, size * i), size)


@compiled
def step_all(
    games: Address,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    policy: int,
    seed: Any,
    numbers: Any,
    asked: int,
    actions: Any,
    utility: int,
    payday: int,
    at_once: int,
    waiting: Any,
    rows: Address,
    masks: Address,
    size: int,
    viewers: Any,
    rewards: Any,
    own: Any,
    ended: Any,
    last_rows: Address,
    last_viewers: Any,
    illegal: Any,
    fine: float,
) -> int:
    """Make a move in every game; how many ended with it. An illegal one is not made, and whoever
    wanted to is fined. ``own`` is what was paid to whoever moved.

    A game that ended is dealt anew in the next step, whose action for it is left aside; or
    ``at_once``: then what was seen of its end is in ``last_rows``.
    """
    endings = 0
    for i in range(len(actions)):
        where = beyond(games, GAME_SIZE * i)
        g = game_at(where)
        out = rewards[i]
        for player in range(len(players)):
            out[player] = 0
        mover = g.mover
        legal = waiting[i] == 0 and is_legal(g, colours, actions[i])
        illegal[i] = waiting[i] == 0 and not legal
        if legal:
            round_number = g.round_number
            for player in range(len(players)):
                out[player] = -g.scores[player]
            act(g, players, colours, actions[i])
            if asked != EVERYBODY:
                play_others(g, players, colours, asked, policy)
            scored = g.phase == OVER or g.round_number != round_number
            for player in range(len(players)):
                out[player] = out[player] + g.scores[player] if scored else 0
            if scored:
                pay(g, players, colours, utility, payday, out)
        elif waiting[i] == 0:
            out[mover] = fine
        own[i] = 0 if waiting[i] != 0 else out[mover]
        over = g.phase == OVER
        ended[i] = over and legal
        if ended[i]:
            endings += 1
            if at_once:
                see(where, players, colours, mover, beyond(last_rows, SIZE * i))
                last_viewers[i] = mover
        if over and (at_once or waiting[i] != 0):
            numbers[i] += len(actions)
            deal_one(g, players, colours, seed, numbers[i], asked, policy)
            over = False
        waiting[i] = over
        viewers[i] = mover if over else g.mover
        see(where, players, colours, viewers[i], beyond(rows, SIZE * i))
        allow(where, colours, beyond(masks, size * i), size)
    return endings


@compiled
def pick_all(
    games: Address, players: tuple[int, ...], colours: tuple[int, ...], actions: Any
) -> None:
    """Any legal action for each game, all alike; 0 where a game is over."""
    for i in range(len(actions)):
        g = game_at(beyond(games, GAME_SIZE * i))
        # A policy that the compiler knows is compiled for itself, and twice as fast.
        actions[i] = 0 if g.phase == OVER else pick(g, players, colours, UNIFORM)
