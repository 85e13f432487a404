"""Batched steps of the vector environment: one action in every game.

Each game is stepped by the kernel's scalar transition; only the loop is here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.envs.common.rewards import AT_END, SCORE, WIN_SHARE
from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.observation import write_observation
from manhattan.kernel.action_api import fill_mask, is_legal, step
from manhattan.kernel.jit import inlined, never_inlined
from manhattan.kernel.layout import OVER, GameRecord
from manhattan.kernel.policies import UNIFORM_POLICY, pick
from manhattan.kernel.reset import start_game
from manhattan.kernel.scoring import winners

ALL_PLAYERS = -1
"""The agent that decides for every player; otherwise it is one player's number."""
NOT_AN_ACTION = -1

BATCH = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("seed", np.uint64),
                ("agent", np.int64),  # the player who decides, or ALL_PLAYERS
                ("policy", np.int64),  # the policy of the other players
                ("utility", np.int64),
                ("timing", np.int64),
                ("same_step_reset", np.int64),
                ("illegal_penalty", np.float64),
            ],
            align=True,
        ),
    )
)
"""The settings that all games of a batch share."""
Batch = Any
"""A record of dtype BATCH."""


@inlined
def convert_to_rewards(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    utility: int,
    timing: int,
    out: Any,
) -> None:
    """Convert the points that the players gained, in ``out``, to rewards."""
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
    if timing == AT_END:
        for player in range(n):
            out[player] = g.scores[player] if over else 0
    if utility == SCORE:
        return
    total = np.float32(0)
    for player in range(n):
        total += out[player]
    for player in range(n):
        out[player] -= (total - out[player]) / (n - 1)


@never_inlined
def play_opponents(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], agent: int, policy: int
) -> None:
    """Let the policy play until it is the agent's turn."""
    while g.phase != OVER and g.mover != agent:
        step(g, players, colours, pick(g, players, colours, policy))


@compiled
def reset_game(
    g: GameRecord, b: Batch, players: tuple[int, ...], colours: tuple[int, ...], number: int
) -> None:
    """Start a game, up to the agent's first decision."""
    start_game(g, players, number % len(players), b.seed, number)
    if b.agent != ALL_PLAYERS:
        play_opponents(g, players, colours, b.agent, b.policy)


@compiled
def first_illegal(colours: tuple[int, ...], games: Any, waiting: Any, actions: Any) -> int:
    """Return the first game whose action is illegal, or -1. A game that waits for its reset takes
    any action."""
    for i in range(len(games)):
        if not waiting[i] and not is_legal(games[i], colours, actions[i]):
            return i
    return -1


@compiled
def reset_all(
    batch: Any,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    games: Any,
    numbers: Any,
    observations: Any,
    masks: Any,
    viewers: Any,
) -> None:
    """Start every game."""
    words = observations.view(np.uint32)
    for i in range(len(games)):
        g = games[i]
        reset_game(g, batch[0], players, colours, numbers[i])
        viewers[i] = g.mover
        write_observation(g, players, colours, g.mover, observations[i], words[i])
        fill_mask(g, colours, masks[i])


@inlined
def step_and_reward(
    g: GameRecord,
    b: Batch,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    action: int,
    out: Any,
) -> None:
    """Apply a legal action, let the opponents play, and write every player's reward."""
    round_number = g.round_number
    for player in range(len(players)):
        out[player] = -g.scores[player]
    step(g, players, colours, action)
    if b.agent != ALL_PLAYERS:
        play_opponents(g, players, colours, b.agent, b.policy)
    scored = g.phase == OVER or g.round_number != round_number
    for player in range(len(players)):
        out[player] = out[player] + g.scores[player] if scored else 0
    if scored:
        convert_to_rewards(g, players, colours, b.utility, b.timing, out)


@inlined
def are_actions(actions: Any, size: int) -> bool:
    """Return whether all numbers are actions, legal or not."""
    wrong = 0
    for i in range(len(actions)):
        wrong += (actions[i] < 0) | (actions[i] >= size)
    return wrong == 0


@compiled
def step_all(
    batch: Any,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    games: Any,
    numbers: Any,
    waiting: Any,
    actions: Any,
    final_observations: Any,
    final_viewers: Any,
    observations: Any,
    masks: Any,
    viewers: Any,
    rewards: Any,
    own_rewards: Any,
    terminations: Any,
    illegal: Any,
) -> int:
    """Apply an action in every game; return how many games end with it.

    An illegal action is not applied and costs the penalty. ``own_rewards`` are those of the
    players who moved. If a number is no action at all, nothing changes, and the result is
    ``NOT_AN_ACTION``. A game that ended is reset in the next step, which ignores its action; or in
    the same step, and then its last observation is in ``final_observations``.
    """
    b = batch[0]
    if not are_actions(actions, masks.shape[1]):
        return NOT_AN_ACTION
    endings, words = 0, observations.view(np.uint32)
    for i in range(len(games)):
        g, out = games[i], rewards[i]
        waited, mover = waiting[i], g.mover
        legal = not waited and is_legal(g, colours, actions[i])
        if legal:
            step_and_reward(g, b, players, colours, actions[i], out)
        else:
            for player in range(len(players)):
                out[player] = 0
            if not waited:
                out[mover] = b.illegal_penalty
        illegal[i] = not waited and not legal
        own_rewards[i] = 0 if waited else out[mover]
        over = g.phase == OVER
        terminations[i] = over and legal
        if over and legal:
            endings += 1
            if b.same_step_reset:
                row = final_observations[i]
                write_observation(g, players, colours, mover, row, row.view(np.uint32))
                final_viewers[i] = mover
        if over and (b.same_step_reset or waited):
            numbers[i] += len(games)
            reset_game(g, b, players, colours, numbers[i])
            over = False
        waiting[i] = over
        viewers[i] = mover if over else g.mover
        write_observation(g, players, colours, viewers[i], observations[i], words[i])
        fill_mask(g, colours, masks[i])
    return endings


@compiled
def pick_all(players: tuple[int, ...], colours: tuple[int, ...], games: Any, actions: Any) -> None:
    """Pick a random legal action for each game; 0 where a game is over."""
    for i in range(len(games)):
        # The policy is a constant: the compiler specializes ``pick`` for it, twice as fast.
        g = games[i]
        actions[i] = 0 if g.phase == OVER else pick(g, players, colours, UNIFORM_POLICY)
