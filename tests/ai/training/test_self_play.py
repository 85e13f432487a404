"""Self-play: whole games, their samples, and the positions at the round boundaries."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from manhattan.ai.features import FEATURE_COUNT
from manhattan.ai.model import Kind
from manhattan.ai.playout_policy import Policies, new_policy_memory
from manhattan.ai.training import self_play
from manhattan.ai.training.self_play import NO_LEARNER, Results, Samples, play_games
from manhattan.bench.kernel import dealt_position
from manhattan.kernel import GAME, Position
from manhattan.kernel.layout import SELECTIONS
from manhattan.kernel.policies import GREEDY_POLICY, UNIFORM_POLICY
from manhattan.rules import Phase, Setup, set_up
from support.random_models import lengths, random_weights

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

GAMES = 2


@dataclass
class SelfPlay:
    """Some games, with the arrays that receive their samples and results."""

    setup: Setup
    policy_ids: list[int]
    boundary_count: int = 0
    learner: int = NO_LEARNER

    def __post_init__(self) -> None:
        players, rounds = len(self.setup.players), self.setup.schedule.rounds
        self.plans = np.full((GAMES, players, rounds), -1, np.int64)
        self.features = np.zeros((200, FEATURE_COUNT), np.uint8)
        self.headers, self.targets = np.zeros((200, 3), np.int64), np.zeros((200, 2), np.float32)
        self.boundaries: Any = np.zeros((GAMES, self.boundary_count), GAME).view(np.recarray)
        self.scores = np.zeros((GAMES, players), np.int32)
        self.winner_bits = np.zeros(GAMES, np.uint8)

    def play(self, epsilon: int = 0) -> int:
        """Play the games; return the number of samples."""
        start = dealt_position(self.setup)
        count: int = play_games(
            start.data,
            *lengths(start),
            np.array([self.policy_ids] * GAMES),
            self.plans,
            Policies(random_weights(Kind.of(self.setup), seed=1)),
            epsilon,
            self.learner,
            np.uint64(1),
            0,
            new_policy_memory(),
            Samples(self.features, self.headers, self.targets),
            Results(self.boundaries, self.scores, self.winner_bits),
        )
        return count


@pytest.mark.parametrize("players", [2, 4])
def test_samples_of_the_learner_have_their_targets(players: int) -> None:
    setup = set_up(players)
    schedule = setup.schedule
    policy_ids = [0, GREEDY_POLICY, UNIFORM_POLICY, UNIFORM_POLICY][:players]
    games = SelfPlay(setup, policy_ids, schedule.rounds - 1, learner=0)
    games.plans[:, 0, 0] = SELECTIONS[schedule.blocks].index((schedule.blocks, 0, 0, 0))
    count = games.play(epsilon=100)
    turns = schedule.blocks * schedule.colours
    assert count == GAMES * schedule.rounds * (turns + 2)
    assert set(games.headers[:count, 0]) == {0}
    assert set(games.headers[:count, 1]) == set(range(Kind.of(setup).weight_sets))
    lead = games.scores[:, 0] - games.scores[:, 1:].mean(axis=1)
    per_game = count // GAMES
    assert games.targets[[0, per_game], 0] == pytest.approx(lead)
    shares = [(bits & 1) / int(bits).bit_count() for bits in games.winner_bits.tolist()]
    assert games.targets[[0, per_game], 1] == pytest.approx(shares)
    # In later rounds the target is the growth of the lead from there on.
    for game in range(GAMES):
        for n in range(schedule.rounds - 1):
            points = games.scores[game] - games.boundaries[game, n].scores[:players]
            sample = per_game * game + (turns + 2) * (n + 1)
            assert games.targets[sample, 0] == pytest.approx(points[0] - points[1:].mean())


def test_a_shared_win_counts_in_equal_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_play, "winners", lambda *_: (0b101, 3))
    games = SelfPlay(set_up(3), [UNIFORM_POLICY, 0, 0], learner=UNIFORM_POLICY)
    count = games.play(epsilon=1024)
    assert (games.targets[:count, 1] == 0.5).all()
    assert (games.winner_bits == 0b101).all()


@pytest.mark.parametrize("boundary_count", [3, 2])
def test_positions_at_round_boundaries_are_kept(boundary_count: int) -> None:
    """As many as there is room for. The last round has been scored as the rules score it, and no
    player has selected blocks yet."""
    games = SelfPlay(set_up(4), [UNIFORM_POLICY] * 4, boundary_count)
    assert games.play() == 0
    for game in range(GAMES):
        for n in range(boundary_count):
            boundary = Position(games.setup, games.boundaries[game, n : n + 1])
            public = boundary.state().public
            assert (public.round, public.phase) == (n + 2, Phase.SELECT)
            assert public.mover == public.start_player == (game + n + 1) % 4
            assert not any(map(any, public.tableaus))
            assert public.scores == boundary.scores  # state() scores all rounds by the rules
            assert int(boundary.data[0].built) + sum(map(sum, public.taken_out)) == (n + 1) * 24


def test_round_boundaries_follow_each_other() -> None:
    games = SelfPlay(set_up(3), [GREEDY_POLICY] * 3, boundary_count=5)
    games.play()
    for boundaries, scores in zip(games.boundaries, games.scores, strict=True):
        for earlier, later in pairwise(boundaries):
            assert later.built > earlier.built
            assert (later.log[: earlier.built] == earlier.log[: earlier.built]).all()
            assert (later.scores >= earlier.scores).all()
        assert (scores > boundaries[-1].scores[:3]).all()
