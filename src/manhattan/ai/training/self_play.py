"""Self-play: compiled games between playout policies, and samples to train on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from manhattan.ai.features import blocks_on_tableau, extract_features, weight_set_index
from manhattan.ai.jit import compiled, inlined, never_inlined
from manhattan.ai.playout_policy import (
    Policies,
    PolicyMemory,
    end_selection,
    end_turn,
    select_by_plan,
    take_turn,
)
from manhattan.kernel.layout import OVER, SELECT, GameRecord
from manhattan.kernel.reset import start_game
from manhattan.kernel.scoring import winners

NO_LEARNER = -3
"""A policy number that no player has: no samples are recorded."""


class Samples(NamedTuple):
    """Arrays for the samples of games: one row each."""

    features: npt.NDArray[np.uint8]
    headers: npt.NDArray[np.int64]
    """The player, the weight set and the lead (times the number of rivals)."""
    targets: npt.NDArray[np.float32]
    """By how much the lead grew until the end, and the share of the win."""


class Results(NamedTuple):
    """Arrays for the results of games: one row each."""

    boundaries: Any
    """``[game, round]``: the positions between two rounds, as far as there is room."""
    scores: npt.NDArray[np.int32]
    winner_bits: npt.NDArray[np.uint8]
    """The winners, one bit each."""


@inlined
def record_sample(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: int,
    blocks_left: int,
    scratch: Any,
    samples: Samples,
    count: int,
) -> Any:
    """Record the features from a player's viewpoint, the weight set and the player's lead (times
    the number of rivals); return the new number of samples."""
    headers = samples.headers
    extract_features(g, players, colours, player, scratch, samples.features[count])
    headers[count, 0] = player
    headers[count, 1] = weight_set_index(g, colours, blocks_left)
    total = 0
    for other in range(len(players)):
        total += g.scores[other]
    headers[count, 2] = len(players) * g.scores[player] - total
    return count + 1


@never_inlined
def play_game(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    policy_ids: Any,
    plans: Any,
    policies: Policies,
    epsilon: int,
    learner: int,
    memory: PolicyMemory,
    samples: Samples,
    count: int,
    boundaries: Any,
) -> Any:
    """Play a whole game; record samples of the players who follow the learner's policy, and the
    positions at the round boundaries for which there is room. Return the number of samples."""
    full = g.blocks * len(colours)
    while g.phase != OVER:
        if 0 < g.round_number <= len(boundaries):
            boundaries[g.round_number - 1] = g
        for player in range(len(players)):
            if policy_ids[player] == learner:
                count = record_sample(
                    g, players, colours, player, full + 1, memory.scratch, samples, count
                )
        while g.phase == SELECT:
            select_by_plan(g, colours, g.mover, plans[g.mover], epsilon)
            end_selection(g, players, colours)
        for player in range(len(players)):
            if policy_ids[player] == learner:
                count = record_sample(
                    g, players, colours, player, full, memory.scratch, samples, count
                )
        while g.blocks_left > 0:
            mover, policy_id = g.mover, policy_ids[g.mover]
            has_built = take_turn(g, players, colours, policy_id, policies, epsilon, memory)
            if policy_id == learner:
                left = blocks_on_tableau(g, colours, mover)
                count = record_sample(
                    g, players, colours, mover, left, memory.scratch, samples, count
                )
            end_turn(g, players, colours, has_built)
    return count


@inlined
def write_targets(
    g: GameRecord,
    players: tuple[int, ...],
    winner_bits: Any,
    samples: Samples,
    begin: int,
    end: int,
) -> None:
    """Write the targets of a game's samples: by how much the player's lead grew from there to the
    end, and the player's share of the win."""
    n, headers, targets = len(players), samples.headers, samples.targets
    total, winner_count = 0, 0
    for player in range(n):
        total += g.scores[player]
        winner_count += winner_bits >> player & 1
    for i in range(begin, end):
        player = headers[i, 0]
        growth = np.float32(n * g.scores[player] - total - headers[i, 2])
        targets[i, 0] = growth / np.float32(n - 1)
        targets[i, 1] = np.float32(winner_bits >> player & 1) / np.float32(winner_count)


@inlined
def write_result(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    results: Results,
    game: int,
) -> None:
    """Write the scores and the winners of a finished game."""
    for player in range(len(players)):
        results.scores[game, player] = g.scores[player]
    results.winner_bits[game] = winners(g, players, colours)[0]


@compiled
def record_result(data: Any, players: Any, colours: Any, results: Results, game: int) -> None:
    """Write the scores and the winners of a finished game, called from Python."""
    write_result(data[0], players, colours, results, game)


@compiled
def play_games(
    data: Any,
    players: Any,
    colours: Any,
    policy_ids: Any,
    plans: Any,
    policies: Policies,
    epsilon: int,
    learner: int,
    seed: Any,
    begin: int,
    memory: PolicyMemory,
    samples: Samples,
    results: Results,
) -> Any:
    """Play games with the given policies (``policy_ids[game, player]``); return the number of
    samples."""
    n = len(players)
    g = data[0]
    count = 0
    for game in range(len(policy_ids)):
        start_game(g, players, (begin + game) % n, seed, begin + game)
        first = count
        count = play_game(
            g,
            players,
            colours,
            policy_ids[game],
            plans[game],
            policies,
            epsilon,
            learner,
            memory,
            samples,
            count,
            results.boundaries[game],
        )
        write_result(g, players, colours, results, game)
        write_targets(g, players, results.winner_bits[game], samples, first, count)
    return count


@compiled
def select_all_blocks(data: Any, players: Any, colours: Any, plans: Any, epsilon: int) -> None:
    """Select every player's blocks for a round, called from Python."""
    g = data[0]
    while g.phase == SELECT:
        select_by_plan(g, colours, g.mover, plans[g.mover], epsilon)
        end_selection(g, players, colours)


@compiled
def play_turn(
    data: Any,
    players: Any,
    colours: Any,
    policy_id: int,
    policies: Policies,
    epsilon: int,
    memory: PolicyMemory,
) -> None:
    """Play the mover's turn and go on to the next decision, called from Python."""
    g = data[0]
    has_built = take_turn(g, players, colours, policy_id, policies, epsilon, memory)
    end_turn(g, players, colours, has_built)
