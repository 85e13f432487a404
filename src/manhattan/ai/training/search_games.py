"""Games whose moves are searched: training data for value functions and for the policy network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from manhattan.ai.features import (
    FEATURE_COUNT,
    blocks_on_tableau,
    extract_features,
    new_scratch,
    weight_set_index,
)
from manhattan.ai.jit import compiled
from manhattan.ai.model import Model
from manhattan.ai.networks import Networks
from manhattan.ai.playout_policy import (
    EPSILON_SCALE,
    NETWORK_POLICY,
    Policies,
    new_policy_memory,
)
from manhattan.ai.policy_network import packed
from manhattan.ai.search import MAX_CANDIDATES, TEMPERATURE, MoveStats, Searcher, SearchLimits
from manhattan.ai.training.fitting import NormalEquations, equations_from_search
from manhattan.ai.training.policy_fitting import Decisions
from manhattan.ai.training.self_play import Results, play_turn, record_result, select_all_blocks
from manhattan.ai.training.training_data import (
    EPSILON,
    Shard,
    new_game,
    new_results,
    setup_for_kind,
)
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.bits import U64
from manhattan.kernel.layout import BUILD, GAME, OVER, SELECT, table_shape
from manhattan.kernel.policies import GREEDY_POLICY
from manhattan.kernel.position import Position
from manhattan.kernel.reset import start_game_of
from manhattan.kernel.transition import apply_build

_SEARCHING_SHARE: Final = 0.75
"""The share of seats that search in games for search targets; the others follow any policy."""


@dataclass(frozen=True)
class SearchTargets(Shard):
    """Some games whose moves are searched: the rollouts' values are the targets."""

    model: Model
    rollouts: int
    networks: Networks | None = None
    searching_share: float = _SEARCHING_SHARE
    plain_share: float = 0.0
    """With networks: the share of seats that search without them. Their searches are no targets."""
    plan_changes: int = 0
    """How many blocks of a selection plan are exchanged at most."""


def play_searched(
    shard: SearchTargets, on_search: Callable[[Any, list[MoveStats]], None]
) -> Results:
    """Play games in which most seats search each placement; report each search with the position
    before it. The other seats follow any policy."""
    kind, model, rng = shard.kind, shard.model, shard.rng
    players, colours = table_shape(kind.players, kind.schedule.colours)
    policies, memory = _policies(shard), new_policy_memory()
    pool = [*range(GREEDY_POLICY, len(model.value_weights))]
    if shard.networks is not None:
        pool += [NETWORK_POLICY] * len(pool)
    data, setup = new_game(kind), setup_for_kind(kind)
    plans = shard.sample_plans(rng, shard.plan_changes)
    results = new_results(kind, shard.games, keep_boundaries=True)
    for number in range(shard.games):
        game = shard.begin + number
        start_game_of(data, players, game % kind.players, np.uint64(shard.seed), game)
        policy_ids = rng.choice(pool, size=kind.players)
        chance = rng.random(kind.players)
        searches = chance < shard.searching_share + shard.plain_share
        while data[0].phase != OVER:
            if data[0].phase == SELECT:
                if data[0].round_number > 0:
                    results.boundaries[number, data[0].round_number - 1] = data[0]
                select_all_blocks(data, players, colours, plans[number], EPSILON)
                continue
            mover = int(data[0].mover)
            if data[0].phase != BUILD or not searches[mover]:
                play_turn(data, players, colours, policy_ids[mover], policies, EPSILON, memory)
                continue
            position = Position(setup, data.copy(), has_build_order=True)
            networks = shard.networks if chance[mover] < shard.searching_share else None
            searcher = Searcher(model, position, int(rng.integers(2**63)), networks)
            stats = searcher.search(searcher.candidates(), SearchLimits(shard.rollouts))
            if networks is shard.networks:
                on_search(data, stats)
            explores = rng.random() < EPSILON / EPSILON_SCALE
            position.apply(stats[rng.integers(len(stats)) if explores else 0].action)
            data = position.data
        record_result(data, players, colours, results, number)
    return results


def _policies(shard: SearchTargets) -> Policies:
    """Return the policies of the seats that don't search."""
    if shard.networks is None:
        return Policies(shard.model.value_weights)
    network = packed(shard.networks.policy)
    return Policies(shard.model.value_weights, network, np.float32(TEMPERATURE))


@compiled
def _extract_features_after(
    data: Any, work: Any, players: Any, colours: Any, actions: Any, scratch: Any, features: Any
) -> Any:
    """Write the features from the mover's viewpoint after each placement; return the weight
    set."""
    index = 0
    for i in range(len(actions)):
        work[0] = data[0]
        g = work[0]
        player = g.mover
        own, site, size = actions[i] // BUILDS, actions[i] % BUILDS // 4, actions[i] % 4 + 1
        apply_build(g, players, colours, own, size, U64(1) << U64(site))
        extract_features(g, players, colours, player, scratch, features[i])
        index = weight_set_index(g, colours, blocks_on_tableau(g, colours, player))
    return index


def play_search_games(shard: SearchTargets) -> NormalEquations:
    """Play games in which most seats search, and sum up how the moves compared, for a value
    function."""
    players, colours = table_shape(shard.kind.players, shard.kind.schedule.colours)
    scratch, work = new_scratch(), new_game(shard.kind)
    features: list[Any] = []
    rows: list[tuple[int, int, int, float]] = []

    def on_search(data: Any, stats: list[MoveStats]) -> None:
        actions = np.array([move.action for move in stats], np.int64)
        after = np.zeros((len(stats), FEATURE_COUNT), np.uint8)
        index = _extract_features_after(data, work, players, colours, actions, scratch, after)
        rows.extend((index, len(features), move.rollouts, move.value) for move in stats)
        features.append(after)

    play_searched(shard, on_search)
    weight_sets = shard.kind.weight_sets
    if not rows:  # no seat of these games searched
        return NormalEquations.zeros(weight_sets)
    indices, decision, rollouts = np.array([row[:3] for row in rows], np.int64).T
    values = np.array([row[3] for row in rows])
    return equations_from_search(
        weight_sets, indices, decision, rollouts, np.concatenate(features), values
    )


def play_for_policy(shard: SearchTargets) -> tuple[Decisions, Results]:
    """Play games in which most seats search, and keep every search that had a choice."""
    states: list[Any] = []
    rows: list[list[MoveStats]] = []

    def on_search(data: Any, stats: list[MoveStats]) -> None:
        if len(stats) > 1:
            states.append(data[0].copy())
            rows.append(stats[:MAX_CANDIDATES])  # at the end of a game more are searched

    results = play_searched(shard, on_search)
    actions = np.full((len(rows), MAX_CANDIDATES), -1, np.int16)
    rollouts = np.zeros((len(rows), MAX_CANDIDATES), np.int32)
    values = np.zeros((len(rows), MAX_CANDIDATES), np.float32)
    for row, stats in enumerate(rows):
        actions[row, : len(stats)] = [move.action for move in stats]
        rollouts[row, : len(stats)] = [move.rollouts for move in stats]
        values[row, : len(stats)] = [move.value for move in stats]
    kept = np.array(states, GAME).view(np.recarray)
    return Decisions(kept, actions, rollouts, values), results
