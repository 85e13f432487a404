"""Training data: which policies play on which seats, and what the shards return."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest

from manhattan.ai.features import BIAS
from manhattan.ai.training import training_data
from manhattan.ai.training.search_games import SearchTargets, play_search_games
from manhattan.ai.training.self_play import Results, Samples
from manhattan.ai.training.training_data import (
    PlayedGames,
    RoundRobin,
    Shard,
    play_for_network,
    play_generation,
    play_round_robin,
)
from manhattan.kernel.layout import SELECT
from manhattan.kernel.policies import GREEDY_POLICY
from support.random_models import SHORT, random_model, random_weights, short_games

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


@pytest.fixture(autouse=True)
def short() -> Iterator[None]:
    with short_games():
        yield


def shard(begin: int, end: int, policies: int = 2, seed: int = 1) -> Shard:
    return Shard(SHORT, random_weights(SHORT, policies), seed, begin, end)


def games_won_by(winner_bits: list[int]) -> PlayedGames:
    """Return three-player games with these winners and no samples."""
    games = len(winner_bits)
    none: Any = np.zeros((0, 3), np.int64)
    scores = np.zeros((games, 3), np.int32)
    results = Results(None, scores, np.array(winner_bits, np.uint8))
    return PlayedGames(results, Samples(none, none, none))


class RecordedPlay:
    """Takes the place of ``play``: records the policies and plays nothing."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(training_data, "play", self.play)

    def play(self, shard: Shard, policy_ids: Any, plans: Any, **options: Any) -> PlayedGames:
        self.policy_ids, self.plans, self.options = policy_ids, plans, options
        return games_won_by([0b111] * len(policy_ids))


def test_a_shared_win_counts_in_equal_parts() -> None:
    played = games_won_by([0b001, 0b110, 0b111])
    third = 1 / 3
    assert played.win_shares == pytest.approx(np.array([[1, 0, 0], [0, 0.5, 0.5], [third] * 3]))


# --- the round robin --------------------------------------------------------------------------


def test_a_policy_plays_from_every_seat_with_every_start_player(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It keeps a seat for three games, in which each player starts once."""
    recorded = RecordedPlay(monkeypatch)
    shares = play_round_robin(RoundRobin(shard(0, 9), policy_id=1, opponent_id=GREEDY_POLICY))
    assert recorded.policy_ids.tolist() == [
        *[[1, GREEDY_POLICY, GREEDY_POLICY]] * 3,
        *[[GREEDY_POLICY, 1, GREEDY_POLICY]] * 3,
        *[[GREEDY_POLICY, GREEDY_POLICY, 1]] * 3,
    ]
    assert shares == pytest.approx([1 / 3] * 9)
    # The next shard continues where the last one ended.
    play_round_robin(RoundRobin(shard(4, 7), policy_id=1, opponent_id=0))
    assert recorded.policy_ids.tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 1]]


def test_greedy_players_use_the_first_plan_and_others_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorded = RecordedPlay(monkeypatch)
    first, last = SHORT.plans[0].tolist(), SHORT.plans[-1].tolist()
    play_round_robin(RoundRobin(shard(0, 1), policy_id=1, opponent_id=GREEDY_POLICY))
    assert recorded.plans.tolist() == [[last, first, first]]
    play_round_robin(RoundRobin(shard(0, 1), policy_id=GREEDY_POLICY, opponent_id=1))
    assert recorded.plans.tolist() == [[first, last, last]]


def test_a_round_robin_returns_the_win_shares_of_the_policy() -> None:
    shares = play_round_robin(RoundRobin(shard(0, 2), policy_id=0, opponent_id=GREEDY_POLICY))
    played = training_data.play(
        shard(0, 2),
        np.array([[0, GREEDY_POLICY, GREEDY_POLICY]] * 2),
        np.tile(SHORT.plans[[-1, 0, 0]], (2, 1, 1)),
    )
    assert (shares == played.win_shares[:, 0]).all()


# --- self-play --------------------------------------------------------------------------------


@pytest.mark.parametrize("policies", [0, 1, 3])
def test_a_generation_plays_against_all_before_it(
    monkeypatch: pytest.MonkeyPatch, policies: int
) -> None:
    """It has a seat in every game, and about two of three; the first learner is greedy."""
    recorded = RecordedPlay(monkeypatch)
    monkeypatch.setattr(training_data, "equations_from_outcomes", lambda *_: None)
    play_generation(shard(0, 200, policies))
    learner = policies - 1
    assert recorded.options["learner"] == learner
    assert (recorded.policy_ids == learner).any(axis=1).all()
    assert set(recorded.policy_ids.flat) == set(range(GREEDY_POLICY, policies))
    if policies:
        assert 0.5 < (recorded.policy_ids == learner).mean() < 0.85
    assert {tuple(plan) for plan in recorded.plans.reshape(-1, 2)} == set(map(tuple, SHORT.plans))


def test_the_samples_of_a_generation_cover_every_weight_set() -> None:
    equations = play_generation(shard(0, 2, policies=0))
    sample_counts = equations.gram[:, BIAS, BIAS]
    assert sample_counts == pytest.approx([2 * 3] * SHORT.weight_sets)  # two games, three learners


def test_a_shard_is_reproducible() -> None:
    first, same, other = (play_for_network(shard(n, n + 1), 0) for n in (3, 3, 4))
    assert (first.results.scores == same.results.scores).all()
    assert (first.results.boundaries == same.results.boundaries).all()
    assert (first.results.boundaries.log != other.results.boundaries.log).any()


def test_games_for_the_network_keep_the_round_boundaries() -> None:
    played = play_for_network(shard(0, 2), 0)
    assert played.results.boundaries.shape == (2, 1)
    assert (played.results.boundaries.round_number == 1).all()
    assert (played.results.boundaries.phase == SELECT).all()
    assert (played.results.boundaries.scores[:, 0, :3] <= played.results.scores).all()
    assert played.win_shares.sum(axis=1) == pytest.approx(1)
    assert len(played.samples.features) == 0


def test_half_the_seats_of_games_for_the_network_follow_the_best_policy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorded = RecordedPlay(monkeypatch)
    play_for_network(shard(0, 400, policies=3), best_policy=1)
    shares = {n: float((recorded.policy_ids == n).mean()) for n in range(GREEDY_POLICY, 3)}
    assert 0.55 < shares.pop(1) < 0.7  # half, and a quarter of the other half
    assert all(0.08 < share < 0.17 for share in shares.values())


# --- search targets ---------------------------------------------------------------------------


def search_shard(seed: int) -> SearchTargets:
    model = random_model(SHORT)
    return SearchTargets(SHORT, model.value_weights, seed, 0, 1, model, rollouts=2)


def searching_seats(shard: SearchTargets) -> list[bool]:
    """Return which seats search in the first game of a shard."""
    rng = shard.rng
    shard.sample_plans(rng)
    rng.integers(GREEDY_POLICY, len(shard.model.value_weights), size=3)
    return [bool(draw < 0.75) for draw in rng.random(3)]


def test_games_without_a_searching_seat_give_no_targets() -> None:
    seed = next(seed for seed in count() if not any(searching_seats(search_shard(seed))))
    equations = play_search_games(search_shard(seed))
    assert not equations.gram.any()
    assert not equations.moments.any()


def test_only_searched_placements_give_targets() -> None:
    """One searching seat has eight turns with two candidates each. The weight sets before the
    selection and before the first placement get no targets."""
    seed = next(seed for seed in count() if sum(searching_seats(search_shard(seed))) == 1)
    equations = play_search_games(search_shard(seed))
    has_targets = equations.gram.any(axis=(1, 2)).reshape(2, 6)
    assert not has_targets[:, 4:].any()
    assert has_targets[:, :4].sum() >= 4  # on an empty board two moves may have equal features
    assert not equations.gram[:, BIAS].any()  # moves never differ in the bias
