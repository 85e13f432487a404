"""The opponent model: a likelihood of each policy, given a rival's placements so far.

For every block that a rival has placed, it estimates how often each policy would have made exactly
that placement, with the card that the rival played and three random others. Bayes' rule then gives
a posterior over policies (``Searcher.posterior``), from which rollouts sample the rivals' policies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.ai.jit import compiled, inlined
from manhattan.ai.playout_policy import (
    NETWORK_POLICY,
    Policies,
    PolicyMemory,
    pick_by_policy,
)
from manhattan.ai.policy_network import placement_probability
from manhattan.kernel.bits import U64, below, trailing_zeros
from manhattan.kernel.layout import GameRecord
from manhattan.kernel.policies import UNIFORM_POLICY
from manhattan.kernel.reset import start_game
from manhattan.kernel.transition import list_placements, next_random, place_block

HAND_SAMPLES = 6
"""Hands that are sampled for each placement."""

_DEVIATION = 0.1
_ALTERNATIVES = 40.0
"""A player deviates from their policy with the first probability, and then makes one of about this
many other placements: no single placement rules a policy out."""


@inlined
def restore_tableaus(
    g: GameRecord, source: GameRecord, colour_count: int, begin: Any, end: Any, is_current: bool
) -> None:
    """Set the tableaus to the blocks selected for a round: those placed in it, given by their
    part of the log, and in the current round those still left."""
    for q in range(colour_count):
        g.tableau[q] = source.tableau[q] if is_current else np.uint32(0)
    for i in range(begin, end):
        entry = np.int64(source.log[i])
        g.tableau[entry // 4 % 4] += np.uint32(1) << np.uint32(8 * (entry % 4))
    for q in range(colour_count):
        g.supply[q] -= g.tableau[q]


@inlined
def sample_hand(g: GameRecord, player: Any, position: Any) -> None:
    """Give a player the card that they played and three random others."""
    g.hand_mask[player] = U64(1) << position
    g.copies[player] = U64(1) << (U64(4) * position)
    for _ in range(3):
        other = below(next_random(g), U64(9))
        g.hand_mask[player] |= U64(1) << other
        g.copies[player] += U64(1) << (U64(4) * other)


@inlined
def placement_likelihood(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: Any,
    block: Any,
    bit: Any,
    policy_id: int,
    policies: Policies,
    memory: PolicyMemory,
) -> Any:
    """Return the probability that a policy makes this placement with the sampled hand."""
    count = list_placements(g, colours, player)
    if policy_id == UNIFORM_POLICY:
        return 1.0 / np.float64(count)
    if policy_id <= NETWORK_POLICY:
        placement = (block, np.int64(trailing_zeros(bit)))
        network = policies.network[NETWORK_POLICY - policy_id]
        return placement_probability(
            g, players, colours, player, placement, network, memory.buffers[0]
        )
    picked, picked_bit = pick_by_policy(g, players, colours, player, policy_id, policies, memory)
    return 1.0 if picked == block and picked_bit == bit else 0.0


@inlined
def add_log_likelihoods(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    colour: Any,
    size: Any,
    site: Any,
    pool: Any,
    policies: Policies,
    memory: PolicyMemory,
    log_likelihood: Any,
) -> None:
    """Add the log-likelihood of one placement under each policy of the pool."""
    per_player = len(colours)
    player, bit = colour // per_player, U64(1) << U64(site)
    block = colour % per_player * 4 + size - 1
    for n in range(len(pool)):
        total = 0.0
        for _ in range(HAND_SAMPLES):
            sample_hand(g, player, U64(site % 9))
            total += placement_likelihood(
                g, players, colours, player, block, bit, pool[n], policies, memory
            )
        log_likelihood[n] += np.log(
            (1.0 - _DEVIATION) * total / np.float64(HAND_SAMPLES) + _DEVIATION / _ALTERNATIVES
        )


@inlined
def normalize_likelihoods(log_likelihood: Any) -> None:
    """Replace log-likelihoods by likelihoods that add up to 1."""
    greatest = log_likelihood.max()
    total = 0.0
    for n in range(len(log_likelihood)):
        log_likelihood[n] = np.exp(log_likelihood[n] - greatest)
        total += log_likelihood[n]
    for n in range(len(log_likelihood)):
        log_likelihood[n] /= total


@compiled
def infer_policies(
    root: Any,
    work: Any,
    players: Any,
    colours: Any,
    pool: Any,
    policies: Policies,
    memory: PolicyMemory,
    likelihood: Any,
) -> None:
    """Replay the game of ``root`` in ``work`` and fill ``likelihood[player, n]`` for the n-th
    policy of the pool, normalized per player; the row of the mover, who needs no model, is uniform.
    """
    per_player = len(colours)
    colour_count = len(players) * per_player
    source, g = root[0], work[0]
    likelihood[:] = 0.0
    start_game(g, players, 0, g.random, 0)  # clears the board
    for q in range(colour_count):
        g.supply[q] -= source.taken_out[q]  # the record does not say in which round
    begin: Any = 0
    for number in range(source.round_number + 1):
        is_current = number == source.round_number
        end: Any = source.built if is_current else np.int64(source.scored_at[number])
        restore_tableaus(g, source, colour_count, begin, end, is_current)
        g.round_number = number
        if begin < end:
            g.start = np.int64(source.log[begin]) // 4 % 4 // per_player
        for i in range(begin, end):
            entry: Any = np.int64(source.log[i])
            site, colour, size = entry // 16, entry // 4 % 4, entry % 4 + 1
            if colour // per_player != source.mover:
                add_log_likelihoods(
                    g,
                    players,
                    colours,
                    colour,
                    size,
                    site,
                    pool,
                    policies,
                    memory,
                    likelihood[colour // per_player],
                )
            g.tableau[colour] -= np.uint32(1) << np.uint32(8 * (size - 1))
            place_block(g, players, colours, colour, size, U64(1) << U64(site))
        begin = end
    for player in range(len(players)):
        normalize_likelihoods(likelihood[player])
