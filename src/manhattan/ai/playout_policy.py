"""Policies of simulated players, in rollouts and in self-play: how they select and build.

A policy is known by its id, because compiled code takes no functions as arguments: those below 0
are the kernel's (``kernel.policies``) and the policy network, the others build by the value
function of that number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from manhattan.ai.features import blocks_on_tableau, new_scratch, weight_set_index
from manhattan.ai.jit import inlined, never_inlined
from manhattan.ai.policy_network import (
    NO_NETWORK,
    new_policy_buffers,
    packed,
    pick_by_network,
)
from manhattan.ai.value_function import pick_by_value
from manhattan.kernel.bits import U64, below
from manhattan.kernel.layout import PACKED_SELECTIONS, REMOVE, GameRecord
from manhattan.kernel.policies import (
    GREEDY_POLICY,
    UNIFORM_POLICY,
    pick_greedy,
    pick_removal,
    pick_selection,
    pick_uniform,
)
from manhattan.kernel.transition import (
    NO_FORCED_PILE,
    ONE_CARD,
    apply_build,
    draw_cards,
    next_random,
    next_turn,
    pass_selection,
    remove_block,
    select_blocks,
)

NETWORK_POLICY, RIVAL_NETWORK_POLICY = -4, -5
"""The policies that build by a policy network: the first or the second of ``Policies.network``.
-3 is no player's (``training.self_play``)."""


class Policies(NamedTuple):
    """What the policies need to build. Compiled code takes named tuples as they are."""

    value_weights: npt.NDArray[np.float32]
    network: Any = packed(NO_NETWORK)
    """The packed parameters of the policy networks."""
    temperature: np.float32 = np.float32(0)
    """How much the policy network varies its placements: 0 for the most likely ones, 1 for its own
    probabilities."""


class PolicyMemory(NamedTuple):
    """Working memory of the policies."""

    scratch: Any
    buffers: Any


def new_policy_memory() -> PolicyMemory:
    return PolicyMemory(new_scratch(), new_policy_buffers())


EPSILON_SCALE = 1024
"""Compiled code takes the exploration rate epsilon in these parts of 1."""


@inlined
def explores(g: GameRecord, epsilon: int) -> Any:
    """Decide at random, with probability epsilon, whether to deviate from the policy."""
    return epsilon > 0 and below(next_random(g), U64(EPSILON_SCALE)) < U64(epsilon)


@inlined
def affordable_blocks(g: GameRecord, colour: int, selection: Any) -> Any:
    """Return the planned blocks, a byte for each size, with the largest blocks left in place of
    missing ones: ``selection_plans.affordable``, compiled."""
    planned, supply = PACKED_SELECTIONS[g.blocks, selection], g.supply[colour]
    selected, missing = np.uint32(0), np.uint32(0)
    for t in range(4):
        wanted = (planned >> np.uint32(8 * t)) & np.uint32(255)
        left = (supply >> np.uint32(8 * t)) & np.uint32(255)
        selected += min(wanted, left) << np.uint32(8 * t)
        missing += wanted - min(wanted, left)
    for t in range(3, -1, -1):
        left = ((supply - selected) >> np.uint32(8 * t)) & np.uint32(255)
        extra = min(missing, left)
        selected += extra << np.uint32(8 * t)
        missing -= extra
    return selected


@never_inlined
def select_by_plan(
    g: GameRecord, colours: tuple[int, ...], player: int, plan: Any, epsilon: int
) -> None:
    """Select a player's blocks for a round by a plan (``plan[round]``, -1: no plan); at random
    without a plan or when exploring."""
    per_player = len(colours)
    selection: Any = np.int64(plan[g.round_number])
    at_random = explores(g, epsilon) or selection < 0
    for colour in range(player * per_player, player * per_player + per_player):
        if at_random:
            select_blocks(g, colour, pick_selection(g, colour))
        else:
            selected = affordable_blocks(g, colour, selection)
            g.supply[colour] -= selected
            g.tableau[colour] = selected


@inlined
def pick_by_policy(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: Any,
    policy_id: int,
    policies: Policies,
    memory: PolicyMemory,
) -> Any:
    """Pick a placement greedily, by the policy network or by a value function: colour and size,
    and the site's bit."""
    if policy_id == GREEDY_POLICY:
        return pick_greedy(g, players, colours, player)
    if policy_id <= NETWORK_POLICY:
        return pick_by_network(
            g,
            players,
            colours,
            player,
            policies.network[NETWORK_POLICY - policy_id],
            policies.temperature,
            memory.buffers[0],
        )
    weight_set = weight_set_index(g, colours, blocks_on_tableau(g, colours, player) - 1)
    weights = policies.value_weights[policy_id, weight_set]
    return pick_by_value(g, players, colours, player, weights, memory.scratch[0])


@never_inlined
def take_turn(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    policy_id: int,
    policies: Policies,
    epsilon: int,
    memory: PolicyMemory,
) -> Any:
    """Play the mover's building turn up to the draw; return False if they removed a block."""
    player = g.mover
    if g.phase == REMOVE:
        block = pick_removal(g, colours, player)
        remove_block(g, colours, block // 4, block % 4 + 1)
        return False
    if policy_id == UNIFORM_POLICY or explores(g, epsilon):
        block, bit = pick_uniform(g, colours, next_random(g))
    else:
        block, bit = pick_by_policy(g, players, colours, player, policy_id, policies, memory)
    apply_build(g, players, colours, block // 4, block % 4 + 1, bit)
    return True


@inlined
def end_turn(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], has_built: Any
) -> None:
    """Draw a card after a block, and go on to the next decision."""
    if has_built:
        random = next_random(g) >> U64(32)
        draw_cards(g, players, colours, ONE_CARD, random, NO_FORCED_PILE)
    else:
        cards = next_turn(g, players, colours)
        draw_cards(g, players, colours, cards, U64(0), NO_FORCED_PILE)


@inlined
def end_selection(g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...]) -> None:
    """Go on to the next decision after a selection."""
    cards = pass_selection(g, players, colours)
    draw_cards(g, players, colours, cards, U64(0), NO_FORCED_PILE)
