"""Training data: shards of self-play games.

A shard follows from its seed and the number of its first game alone, so shards can be played on
any machine and in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from manhattan.ai.features import (
    FEATURE_COUNT,
)
from manhattan.ai.model import Kind
from manhattan.ai.playout_policy import Policies, new_policy_memory
from manhattan.ai.training.fitting import (
    NormalEquations,
    equations_from_outcomes,
)
from manhattan.ai.training.self_play import (
    NO_LEARNER,
    Results,
    Samples,
    play_games,
)
from manhattan.kernel.layout import GAME, SELECTIONS, table_shape
from manhattan.kernel.policies import GREEDY_POLICY
from manhattan.kernel.position import Position
from manhattan.rules import SeedShuffler, Setup, deal, set_up

EPSILON: Final = 64
"""The exploration rate of self-play, in parts of EPSILON_SCALE."""


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

    def sample_plans(
        self, rng: np.random.Generator, most_changes: int = 0
    ) -> npt.NDArray[np.int64]:
        """Draw a selection plan for every game and player; exchange some of its blocks, one at a
        time, up to so often."""
        plans = self.kind.plans
        drawn = plans[rng.integers(len(plans), size=(self.games, self.kind.players))]
        if most_changes == 0:
            return drawn
        changes = rng.integers(most_changes + 1, size=drawn.shape[:2])
        near = selections_one_block_apart(self.kind.schedule.blocks)
        for number in range(most_changes):
            for game, player in np.argwhere(changes > number):
                plan = drawn[game, player]
                round_number = rng.integers(len(plan))
                plan[round_number] = rng.choice(near[plan[round_number]])
        return drawn


@cache
def selections_one_block_apart(blocks: int) -> tuple[tuple[int, ...], ...]:
    """Return, for each selection of this number of blocks, those that differ by one block."""
    stocks = np.array(SELECTIONS[blocks])
    distances = np.abs(stocks[:, None] - stocks).sum(axis=2)
    return tuple(tuple(map(int, np.flatnonzero(row == 2))) for row in distances)


@dataclass(frozen=True)
class PlayedGames:
    """The results and samples of some games."""

    results: Results
    samples: Samples

    @property
    def win_shares(self) -> npt.NDArray[np.float64]:
        return win_shares(self.results)


def win_shares(results: Results) -> npt.NDArray[np.float64]:
    """Return ``[game, player]``: 1 for a win, an equal part of a shared one."""
    players = np.arange(results.scores.shape[1])
    bits = (results.winner_bits[:, None] >> players) & 1
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


def new_game(kind: Kind) -> Any:
    """Return the record of a game of this kind, for ``start_game``."""
    return Position.from_state(deal(setup_for_kind(kind), SeedShuffler(bytes(32)))).data


def new_results(kind: Kind, games: int, *, keep_boundaries: bool) -> Results:
    """Allocate arrays for the results of games."""
    boundary_count = kind.schedule.rounds - 1 if keep_boundaries else 0
    return Results(
        boundaries=np.zeros((games, boundary_count), GAME).view(np.recarray),
        scores=np.zeros((games, kind.players), np.int32),
        winner_bits=np.zeros(games, np.uint8),
    )


def play(
    shard: Shard,
    policy_ids: npt.NDArray[np.int64],
    plans: npt.NDArray[np.int64],
    *,
    learner: int = NO_LEARNER,
    epsilon: int = 0,
    keep_boundaries: bool = False,
    policies: Policies | None = None,
) -> PlayedGames:
    """Play games with the given policies (``policy_ids[game, player]``) and sample the learner's
    positions."""
    kind, games = shard.kind, len(policy_ids)
    max_samples = games * kind.players * kind.weight_sets if learner != NO_LEARNER else 0
    samples = Samples(
        features=np.zeros((max_samples, FEATURE_COUNT), np.uint8),
        headers=np.zeros((max_samples, 3), np.int64),
        targets=np.zeros((max_samples, 2), np.float32),
    )
    results = new_results(kind, games, keep_boundaries=keep_boundaries)
    count = play_games(
        new_game(kind),
        *table_shape(kind.players, kind.schedule.colours),
        policy_ids,
        plans,
        policies or Policies(shard.value_weights),
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
