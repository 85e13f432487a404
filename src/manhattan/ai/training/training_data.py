"""Training data: shards of self-play games, and of games whose moves are searched.

A shard follows from its seed and the number of its first game alone, so shards can be played on
any machine and in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from manhattan.ai.features import (
    FEATURE_COUNT,
    blocks_on_tableau,
    extract_features,
    weight_set_index,
)
from manhattan.ai.jit import compiled
from manhattan.ai.model import Kind, Model
from manhattan.ai.playout_policy import EPSILON_SCALE, Policies, new_policy_memory
from manhattan.ai.search import Searcher, SearchLimits
from manhattan.ai.training.fitting import (
    NormalEquations,
    equations_from_outcomes,
    equations_from_search,
)
from manhattan.ai.training.self_play import (
    NO_LEARNER,
    Results,
    Samples,
    play_games,
    play_turn,
    select_all_blocks,
)
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.bits import U64
from manhattan.kernel.layout import BUILD, GAME, OVER, SELECT, table_shape
from manhattan.kernel.policies import GREEDY_POLICY
from manhattan.kernel.position import Position
from manhattan.kernel.reset import start_game_of
from manhattan.kernel.transition import apply_build
from manhattan.rules import SeedShuffler, Setup, deal, set_up

EPSILON: Final = 64
"""The exploration rate of self-play, in parts of EPSILON_SCALE."""
_SEARCHING_SHARE = 0.75
"""The share of seats that search in games for search targets; the others follow any policy."""


@dataclass(frozen=True)
class Shard:
    """Some games of a training stage."""

    kind: Kind
    value_weights: npt.NDArray[np.float32]
    seed: int
    begin: int
    end: int

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.begin])

    @property
    def games(self) -> int:
        return self.end - self.begin

    def sample_plans(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Draw a selection plan for every game and player."""
        plans = self.kind.plans
        return plans[rng.integers(len(plans), size=(self.games, self.kind.players))]


@dataclass(frozen=True)
class PlayedGames:
    """The results and samples of some games."""

    results: Results
    samples: Samples

    @property
    def win_shares(self) -> npt.NDArray[np.float64]:
        """``[game, player]``: 1 for a win, an equal part of a shared one."""
        scores, winner_bits = self.results.scores, self.results.winner_bits
        bits = (winner_bits[:, None] >> np.arange(scores.shape[1])) & 1
        shares: npt.NDArray[np.float64] = bits / bits.sum(axis=1, keepdims=True)
        return shares


def setup_for_kind(kind: Kind) -> Setup:
    """Return a table of this kind."""
    schedule = kind.schedule
    row = {4: "four_players", 3: "three_players", 2: "two_players"}[kind.players]
    value = f"{schedule.blocks}x{schedule.rounds}"
    if kind.players == 2 and schedule.colours == 1:
        value += "-one-colour"
    return set_up(kind.players, house_rules={row: value})


def _new_game(kind: Kind) -> Any:
    return Position.from_state(deal(setup_for_kind(kind), SeedShuffler(bytes(32)))).data


def play(
    shard: Shard,
    policy_ids: npt.NDArray[np.int64],
    plans: npt.NDArray[np.int64],
    *,
    learner: int = NO_LEARNER,
    epsilon: int = 0,
    keep_boundaries: bool = False,
) -> PlayedGames:
    """Play games with the given policies (``policy_ids[game, player]``) and sample the learner's
    positions."""
    kind, games = shard.kind, len(policy_ids)
    max_samples = games * kind.players * kind.weight_sets if learner != NO_LEARNER else 0
    boundary_count = kind.schedule.rounds - 1 if keep_boundaries else 0
    samples = Samples(
        features=np.zeros((max_samples, FEATURE_COUNT), np.uint8),
        headers=np.zeros((max_samples, 3), np.int64),
        targets=np.zeros((max_samples, 2), np.float32),
    )
    results = Results(
        boundaries=np.zeros((games, boundary_count), GAME).view(np.recarray),
        scores=np.zeros((games, kind.players), np.int32),
        winner_bits=np.zeros(games, np.uint8),
    )
    count = play_games(
        _new_game(kind),
        *table_shape(kind.players, kind.schedule.colours),
        policy_ids,
        plans,
        Policies(shard.value_weights),
        epsilon,
        learner,
        np.uint64(shard.seed),
        shard.begin,
        new_policy_memory(),
        samples,
        results,
    )
    features, headers, targets = samples
    return PlayedGames(results, Samples(features[:count], headers[:count], targets[:count]))


def play_generation(shard: Shard) -> NormalEquations:
    """Play the newest policy against all before it; half the seats are its own."""
    rng = shard.rng
    learner = len(shard.value_weights) - 1  # before the first value function: the greedy policy
    pool = np.arange(GREEDY_POLICY, len(shard.value_weights))
    policy_ids = rng.choice(pool, size=(shard.games, shard.kind.players))
    is_learner = rng.random(policy_ids.shape) < 0.5
    learner_seats = rng.integers(shard.kind.players, size=shard.games)
    is_learner[np.arange(shard.games), learner_seats] = True
    policy_ids = np.where(is_learner, learner, policy_ids)
    played = play(shard, policy_ids, shard.sample_plans(rng), learner=learner, epsilon=EPSILON)
    features, headers, targets = played.samples
    return equations_from_outcomes(shard.kind.weight_sets, headers[:, 1], features, targets[:, 0])


def play_for_network(shard: Shard, best_policy: int) -> PlayedGames:
    """Play the whole pool against each other; half the seats follow the best policy."""
    rng = shard.rng
    pool = np.arange(GREEDY_POLICY, len(shard.value_weights))
    policy_ids = rng.choice(pool, size=(shard.games, shard.kind.players))
    policy_ids = np.where(rng.random(policy_ids.shape) < 0.5, best_policy, policy_ids)
    plans = shard.sample_plans(rng)
    return play(shard, policy_ids, plans, epsilon=EPSILON, keep_boundaries=True)


@dataclass(frozen=True)
class RoundRobin:
    """Some games of a round robin: one policy against a table of another."""

    shard: Shard
    policy_id: int
    opponent_id: int

    @property
    def games(self) -> int:
        return self.shard.games


def play_round_robin(pairing: RoundRobin) -> npt.NDArray[np.float64]:
    """Play one policy against others, from every seat in turn; return its share of each win.

    The players select blocks as the bots do: greedy ones by the first plan, others by the last.
    """
    shard = pairing.shard
    games = np.arange(shard.games)
    policy_ids = np.full((shard.games, shard.kind.players), pairing.opponent_id)
    seat = (shard.begin + games) // shard.kind.players % shard.kind.players
    policy_ids[games, seat] = pairing.policy_id
    plans = shard.kind.plans[np.where(policy_ids == GREEDY_POLICY, 0, -1)]
    shares: npt.NDArray[np.float64] = play(shard, policy_ids, plans).win_shares
    return shares[games, seat]


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


@dataclass(frozen=True)
class SearchTargets(Shard):
    """Some games whose moves are searched: the rollouts' values are the targets."""

    model: Model
    rollouts: int


def play_search_games(shard: SearchTargets) -> NormalEquations:
    """Play games in which most seats search each placement, and sum up how the moves compared."""
    kind, model, rng = shard.kind, shard.model, shard.rng
    players, colours = table_shape(kind.players, kind.schedule.colours)
    policies, memory = Policies(model.value_weights), new_policy_memory()
    data, work = _new_game(kind), _new_game(kind)
    setup, plans = setup_for_kind(kind), shard.sample_plans(rng)
    features: list[Any] = []
    rows: list[tuple[int, int, int, float]] = []
    for game in range(shard.begin, shard.end):
        start_game_of(data, players, game % kind.players, np.uint64(shard.seed), game)
        policy_ids = rng.integers(GREEDY_POLICY, len(model.value_weights), size=kind.players)
        searches = rng.random(kind.players) < _SEARCHING_SHARE
        while data[0].phase != OVER:
            if data[0].phase == SELECT:
                select_all_blocks(data, players, colours, plans[game - shard.begin], EPSILON)
                continue
            mover = int(data[0].mover)
            if data[0].phase != BUILD or not searches[mover]:
                policy_id = policy_ids[mover]
                play_turn(data, players, colours, policy_id, policies, EPSILON, memory)
                continue
            position = Position(setup, data.copy(), has_build_order=True)
            searcher = Searcher(model, position, int(rng.integers(2**63)))
            stats = searcher.search(searcher.candidates(), SearchLimits(shard.rollouts))
            actions = np.array([move.action for move in stats], np.int64)
            after = np.zeros((len(stats), FEATURE_COUNT), np.uint8)
            index = _extract_features_after(
                data, work, players, colours, actions, memory.scratch, after
            )
            rows += [(index, len(features), move.rollouts, move.value) for move in stats]
            features.append(after)
            explores = rng.random() < EPSILON / EPSILON_SCALE
            choice = rng.integers(len(actions)) if explores else 0
            position.apply(int(actions[choice]))
            data = position.data
    if not rows:  # no seat of these games searched
        return NormalEquations.zeros(kind.weight_sets)
    indices, decision, rollouts = np.array([row[:3] for row in rows], np.int64).T
    values = np.array([row[3] for row in rows])
    return equations_from_search(
        kind.weight_sets, indices, decision, rollouts, np.concatenate(features), values
    )
