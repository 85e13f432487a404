"""Rollouts to the end of the round, on determinizations of the hidden cards.

A rollout ends with the round, where the value network takes over; a playout (``kernel.playouts``)
goes on to the end of the game and needs no evaluation.

A rollout deals the unseen cards at random (determinization), samples a policy for each rival from
the posterior, makes the move, plays the round to its end by those policies and evaluates the
position at the round boundary with the value network. Rollouts use common random numbers: rollout
n deals the same cards and samples the same policies for every move, so that moves are compared
under the same luck.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from manhattan.ai.endgame import (
    is_last_placement,
    lead,
    pick_last_placement,
    result_value,
    win_share,
)
from manhattan.ai.jit import compiled, inlined, never_inlined
from manhattan.ai.playout_policy import (
    Policies,
    PolicyMemory,
    end_selection,
    end_turn,
    select_by_plan,
    take_turn,
)
from manhattan.ai.value_network import (
    LEAD,
    POINTS,
    POINTS_PER_UNIT,
    WIN,
    ValueNetwork,
    encode,
    forward,
)
from manhattan.kernel.action_api import step
from manhattan.kernel.bits import U64, below, stream_start
from manhattan.kernel.determinization import determinize
from manhattan.kernel.layout import OVER, SELECT, GameRecord
from manhattan.kernel.transition import apply_build, next_random

VALUE, ALL_PLAYERS = 0, 1
"""Columns of the sums: the value to the mover; then, if requested, for each player the win share,
then the final score, then the square of the win share."""


class RolloutModel(NamedTuple):
    """What rollouts need of a model. Compiled code takes named tuples as they are."""

    mover_policy: int
    """The policy by which the mover plays on."""
    policy_pool: npt.NDArray[np.int64]
    """The policies that a rival may follow."""
    policies: Policies
    plans: npt.NDArray[np.int64]
    network: ValueNetwork
    is_normalized: bool
    """The network's log-odds of all players together make a softmax; otherwise those of each
    player stand alone."""
    ends_exactly: bool
    """The last placement of a game is the best one, whatever the player's policy is."""


class RolloutMemory(NamedTuple):
    """Working memory of rollouts."""

    work: Any
    """The record on which a rollout is played."""
    policies: PolicyMemory
    buffers: Any
    final: Any
    """The record on which last placements are tried."""


@inlined
def sample_policy(g: GameRecord, posterior: Any) -> Any:
    """Draw an index with the given probabilities."""
    left = np.float64(next_random(g) >> U64(11)) / np.float64(1 << 53)
    n = 0
    while n < len(posterior) - 1 and left >= posterior[n]:
        left -= posterior[n]
        n += 1
    return n


@inlined
def sample_policies(
    g: GameRecord,
    players: tuple[int, ...],
    mover: int,
    mover_policy: int,
    pool: Any,
    posterior: Any,
    policy_ids: Any,
) -> None:
    """Fill in a policy for each player: the mover's own, and for rivals one from the posterior."""
    for player in range(len(players)):
        policy_ids[player] = pool[sample_policy(g, posterior[player])]
    policy_ids[mover] = mover_policy


@never_inlined
def finish_round(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    policy_ids: Any,
    model: RolloutModel,
    point_value: Any,
    memory: RolloutMemory,
) -> None:
    """Play on by plans and policies until the round is scored."""
    plans = model.plans
    while g.phase == SELECT:
        plan = np.int64(below(next_random(g), U64(len(plans))))
        select_by_plan(g, colours, g.mover, plans[plan], 0)
        end_selection(g, players, colours)
    while g.blocks_left > 0:
        policy_id, has_built = policy_ids[g.mover], True
        if model.ends_exactly and is_last_placement(g):
            block, bit = pick_last_placement(g, players, colours, point_value, memory.final)
            apply_build(g, players, colours, block // 4, block % 4 + 1, bit)
        else:
            has_built = take_turn(
                g, players, colours, policy_id, model.policies, 0, memory.policies
            )
        end_turn(g, players, colours, has_built)


@inlined
def win_log_odds(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: int,
    net: Any,
    buffers: Any,
) -> Any:
    """Evaluate a position at a round boundary for a player; the other outputs stay in
    ``buffers``."""
    encode(g, players, colours, player, buffers[0])
    forward(buffers[0], len(players) * len(colours), g.round_number, net)
    return np.float64(buffers[0].outputs[WIN])


@inlined
def evaluate(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: int,
    model: RolloutModel,
    buffers: Any,
    point_value: Any,
) -> Any:
    """Return the value of a position at a round boundary, or at the end, to a player: the
    probability of a win, plus ``point_value`` for each point of expected final lead."""
    if g.phase == OVER:
        return result_value(g, players, colours, player, point_value)
    final_lead = lead(g, players, player)
    log_odds = win_log_odds(g, players, colours, player, model.network, buffers)
    final_lead += POINTS_PER_UNIT * np.float64(buffers[0].outputs[LEAD])
    if not model.is_normalized:
        return 1.0 / (1.0 + np.exp(-log_odds)) + point_value * final_lead
    total = 1.0
    for k in range(1, len(players)):
        rival = (player + k) % len(players)
        rivals_log_odds = win_log_odds(g, players, colours, rival, model.network, buffers)
        total += np.exp(rivals_log_odds - log_odds)
    return 1.0 / total + point_value * final_lead


@never_inlined
def evaluate_all_players(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    model: RolloutModel,
    buffers: Any,
    sums: Any,
) -> None:
    """Add every player's win probability, expected final score and squared win probability."""
    n = len(players)
    if g.phase == OVER:
        for player in range(n):
            share = win_share(g, players, colours, player)
            sums[player] += share
            sums[n + player] += np.float64(g.scores[player])
            sums[2 * n + player] += share * share
        return
    total = 0.0
    win_probabilities = buffers[0].win_probabilities
    for player in range(n):
        log_odds = win_log_odds(g, players, colours, player, model.network, buffers)
        odds = np.exp(log_odds)
        win_probabilities[player] = odds if model.is_normalized else odds / (1.0 + odds)
        total += win_probabilities[player]
        future_points = POINTS_PER_UNIT * np.float64(buffers[0].outputs[POINTS])
        sums[n + player] += np.float64(g.scores[player]) + future_points
    for player in range(n):
        share = win_probabilities[player] / total
        sums[player] += share
        sums[2 * n + player] += share * share


@compiled
def run_rollouts(
    root: Any,
    players: Any,
    colours: Any,
    actions: Any,
    begin: int,
    end: int,
    seed: Any,
    model: RolloutModel,
    posterior: Any,
    point_value: Any,
    all_players: bool,
    memory: RolloutMemory,
    sums: Any,
) -> None:
    """Run the rollouts numbered ``begin`` to ``end`` of each action and add to its ``sums``."""
    mover, current_round = root[0].mover, root[0].round_number
    work, buffers = memory.work, memory.buffers
    policy_ids = memory.policies.scratch[0].policy_ids
    for i in range(len(actions)):
        for number in range(begin, end):
            work[0] = root[0]
            g = work[0]
            g.random = stream_start(seed, U64(number))  # common random numbers
            determinize(g, players, colours, mover)
            sample_policies(
                g, players, mover, model.mover_policy, model.policy_pool, posterior, policy_ids
            )
            step(g, players, colours, actions[i])
            if g.phase != OVER and g.round_number == current_round:
                finish_round(g, players, colours, policy_ids, model, point_value, memory)
            value = evaluate(g, players, colours, mover, model, buffers, point_value)
            sums[i, VALUE] += value
            if all_players:
                evaluate_all_players(g, players, colours, model, buffers, sums[i, ALL_PLAYERS:])
