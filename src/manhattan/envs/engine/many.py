"""Many games a step: for learners that ask for a thousand decisions at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import SIZE
from manhattan.envs.engine.memory import (
    GAME_SIZE,
    Address,
    amounts_at,
    batch_at,
    beyond,
    bytes_at,
    game_at,
    numbers_at,
)
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
NO_ACTION = -1

Batch = Any
"""A record of dtype BATCH."""


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
    g: Game, b: Batch, players: tuple[int, ...], colours: tuple[int, ...], number: int
) -> None:
    """Start a game, up to the first decision of the one who is asked."""
    start_game(g, players, number % len(players), b.seed, number)
    if b.asked != EVERYBODY:
        play_others(g, players, colours, b.asked, b.policy)


@compiled
def first_illegal(
    batch: Address, colours: tuple[int, ...], games: Address, waiting: Address, actions: Address
) -> int:
    """The first game whose action is illegal, or -1. A game that waits for a new deal takes any."""
    count = batch_at(batch).count
    numbers, waits = numbers_at(actions, count), bytes_at(waiting, count)
    for i in range(count):
        g = game_at(beyond(games, GAME_SIZE * i))
        if waits[i] == 0 and not is_legal(g, colours, numbers[i]):
            return i
    return -1


@compiled
def deal_all(
    batch: Address,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    games: Address,
    numbers: Address,
    rows: Address,
    masks: Address,
    viewers: Address,
) -> None:
    """Start every game, and let the others move until the one who is asked has to."""
    b = batch_at(batch)
    for i in range(b.count):
        where = beyond(games, GAME_SIZE * i)
        g = game_at(where)
        deal_one(g, b, players, colours, numbers_at(numbers, b.count)[i])
        numbers_at(viewers, b.count)[i] = g.mover
        see(where, players, colours, g.mover, beyond(rows, SIZE * i))
        allow(where, colours, beyond(masks, b.actions * i), b.actions)


@inlined
def move_and_pay(
    g: Game, b: Batch, players: tuple[int, ...], colours: tuple[int, ...], action: int, out: Any
) -> None:
    """Make a legal move, and what others make after it; ``out`` is what all that paid."""
    round_number = g.round_number
    for player in range(len(players)):
        out[player] = -g.scores[player]
    act(g, players, colours, action)
    if b.asked != EVERYBODY:
        play_others(g, players, colours, b.asked, b.policy)
    scored = g.phase == OVER or g.round_number != round_number
    for player in range(len(players)):
        out[player] = out[player] + g.scores[player] if scored else 0
    if scored:
        pay(g, players, colours, b.utility, b.payday, out)


@inlined
def all_there(actions: Any, size: int) -> bool:
    """Are all of them numbers of actions? Asked in one go, as vector units like it."""
    wrong = 0
    for i in range(len(actions)):
        wrong += (actions[i] < 0) | (actions[i] >= size)
    return wrong == 0


@compiled
def step_all(
    batch: Address,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    games: Address,
    numbers: Address,
    waiting: Address,
    actions: Address,
    last_rows: Address,
    last_viewers: Address,
    rows: Address,
    masks: Address,
    viewers: Address,
    rewards: Address,
    own: Address,
    ended: Address,
    illegal: Address,
) -> int:
    """Make a move in every game; how many ended with it. An illegal one is not made, and whoever
    wanted to is fined. ``own`` is what was paid to whoever moved. If one is no action at all,
    nothing has changed, and it is ``NO_ACTION``.

    A game that ended is dealt anew in the next step, whose action for it is left aside; or at
    once: then what was seen of its end is in ``last_rows``.
    """
    b = batch_at(batch)
    n, count = len(players), b.count
    chosen, dealt = numbers_at(actions, count), numbers_at(numbers, count)
    if not all_there(chosen, b.actions):
        return NO_ACTION
    waits, paid = bytes_at(waiting, count), amounts_at(own, count)
    viewer_of, last_viewer_of = numbers_at(viewers, count), numbers_at(last_viewers, count)
    has_ended, is_illegal = bytes_at(ended, count), bytes_at(illegal, count)
    endings = 0
    for i in range(count):
        where = beyond(games, GAME_SIZE * i)
        g = game_at(where)
        out = amounts_at(beyond(rewards, 4 * n * i), n)
        waited, mover = waits[i] != 0, g.mover
        legal = not waited and is_legal(g, colours, chosen[i])
        if legal:
            move_and_pay(g, b, players, colours, chosen[i], out)
        else:
            for player in range(n):
                out[player] = 0
            if not waited:
                out[mover] = b.fine
        is_illegal[i] = not waited and not legal
        paid[i] = 0 if waited else out[mover]
        over = g.phase == OVER
        has_ended[i] = over and legal
        if over and legal:
            endings += 1
            if b.at_once:
                see(where, players, colours, mover, beyond(last_rows, SIZE * i))
                last_viewer_of[i] = mover
        if over and (b.at_once or waited):
            dealt[i] += count
            deal_one(g, b, players, colours, dealt[i])
            over = False
        waits[i] = over
        viewer = mover if over else g.mover
        viewer_of[i] = viewer
        see(where, players, colours, viewer, beyond(rows, SIZE * i))
        allow(where, colours, beyond(masks, b.actions * i), b.actions)
    return endings


@compiled
def pick_all(
    batch: Address,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    games: Address,
    actions: Address,
) -> None:
    """Any legal action for each game, all alike; 0 where a game is over."""
    count = batch_at(batch).count
    chosen = numbers_at(actions, count)
    for i in range(count):
        g = game_at(beyond(games, GAME_SIZE * i))
        # A policy that the compiler knows is compiled for itself, and twice as fast.
        chosen[i] = 0 if g.phase == OVER else pick(g, players, colours, UNIFORM)
