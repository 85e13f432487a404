"""The opponent model: it finds the rivals' policies from what lies open, and from that alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from manhattan.ai import opponent_model
from manhattan.ai.model import Kind
from manhattan.ai.opponent_model import infer_policies, placement_likelihood, sample_hand
from manhattan.ai.playout_policy import Policies, new_policy_memory
from manhattan.ai.training.self_play import play_turn, select_all_blocks
from manhattan.bench.kernel import dealt_position
from manhattan.kernel import Position
from manhattan.kernel.bits import U64
from manhattan.kernel.layout import REMOVE, SELECT
from manhattan.kernel.policies import GREEDY_POLICY, UNIFORM_POLICY
from manhattan.rules import Phase, Setup, set_up
from support.positions import position
from support.random_models import lengths, random_weights

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

POOL = np.array([UNIFORM_POLICY, GREEDY_POLICY, 0, 1])
THREE = set_up(3)
POLICIES = Policies(random_weights(Kind.of(THREE), policies=2))


def played_game(setup: Setup, policies: list[int], turns: int, seed: int = 101) -> Position:
    """Return a game after some building turns, in which each player follows a policy."""
    game = dealt_position(setup)
    game.data[0].random = np.uint64(seed)
    plans = np.stack([Kind.of(setup).plans[0]] * len(policies))
    for _ in range(turns):
        if game.data[0].phase == SELECT:
            select_all_blocks(game.data, *lengths(game), plans, 0)
        play_turn(game.data, *lengths(game), policies[game.mover], POLICIES, 0, new_policy_memory())
    game.has_build_order = True
    return game


def infer(game: Position, pool: Any = POOL) -> tuple[Any, Position]:
    """Return the likelihood of each policy, and the board on which the game was replayed."""
    likelihood = np.ones((len(game.setup.players), len(pool)))
    board = game.copy()
    board.data[0].random = np.uint64(1)
    infer_policies(
        game.data, board.data, *lengths(game), pool, POLICIES, new_policy_memory(), likelihood
    )
    return likelihood, board


def test_the_policies_of_rivals_are_found() -> None:
    """After two rounds in which Ada was greedy and Bob followed the second value function, the
    third player is to move."""
    game = played_game(THREE, [GREEDY_POLICY, 1, UNIFORM_POLICY], turns=24)
    assert game.mover == 2
    likelihood, _ = infer(game)
    ada, bob, mover = likelihood
    assert ada[1] > 0.9
    assert bob[3] > 0.9
    assert (mover == 1 / len(POOL)).all()  # the viewer's own row stays uniform
    assert likelihood.sum(axis=1) == pytest.approx(1)


def test_the_likelihood_is_uniform_before_the_first_placement() -> None:
    likelihood, _ = infer(dealt_position(THREE))
    assert (likelihood == 1 / len(POOL)).all()


def test_hidden_cards_do_not_change_the_likelihood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponent_model, "HAND_SAMPLES", 1)
    game = played_game(THREE, [GREEDY_POLICY, 1, UNIFORM_POLICY], turns=13)
    likelihood, _ = infer(game)
    for seed in range(2):
        dealt = game.copy()
        dealt.data[0].random = np.uint64(seed)
        dealt.determinize(dealt.mover)
        dealt.data[0].random = np.uint64(seed)
        assert dealt.state().hands != game.state().hands
        assert (infer(dealt)[0] == likelihood).all()


# --- the replay of the game -------------------------------------------------------------------


def assert_the_same_board(left: Position, right: Position) -> None:
    a, b = left.data[0], right.data[0]
    for field in ("owner", "floors", "heights", "allowed", "tableau", "supply", "built", "start"):
        colours = len(left.setup.colours)  # a record has room for four
        part = slice(colours) if field in ("owner", "allowed", "tableau", "supply") else ...
        assert (np.asarray(a[field])[part] == np.asarray(b[field])[part]).all(), field
    assert (a.log[: a.built] == b.log[: a.built]).all()
    assert a.round_number == b.round_number


@pytest.fixture
def random_only(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A pool of the random policy and one sampled hand, for tests of the board alone."""
    monkeypatch.setattr(opponent_model, "HAND_SAMPLES", 1)
    return np.array([UNIFORM_POLICY])


@pytest.mark.parametrize("turns", [1, 13, 17, 30])
def test_the_replay_ends_at_the_same_board(random_only: Any, turns: int) -> None:
    game = played_game(THREE, [UNIFORM_POLICY] * 3, turns)
    likelihood, board = infer(game, random_only)
    assert_the_same_board(board, game)
    assert (likelihood == 1).all()


@pytest.mark.parametrize("players", [2, 4])
def test_the_replay_works_for_other_numbers_of_players(random_only: Any, players: int) -> None:
    game = played_game(set_up(players), [UNIFORM_POLICY] * players, 30)
    assert_the_same_board(infer(game, random_only)[1], game)


def test_the_replay_works_between_selections(random_only: Any) -> None:
    game = played_game(THREE, [UNIFORM_POLICY] * 3, 12)
    assert game.state().public.phase is Phase.SELECT
    game.apply(game.legal_actions()[3])
    board = infer(game, random_only)[1]
    board.data[0].start = game.data[0].start  # unknown until the first placement
    assert_the_same_board(board, game)


@pytest.mark.parametrize("turns", [5, 14])
def test_the_replay_works_after_a_removal(random_only: Any, turns: int) -> None:
    """In the current round, or in the one before."""
    game = played_game(THREE, [UNIFORM_POLICY] * 3, 4)
    game.data[0].phase = REMOVE
    game.apply(game.legal_actions()[0])
    for _ in range(5, turns):
        if game.data[0].phase == SELECT:
            plans = np.full((3, 6), -1)
            select_all_blocks(game.data, *lengths(game), plans, 0)
        play_turn(game.data, *lengths(game), UNIFORM_POLICY, POLICIES, 0, new_policy_memory())
    assert sum(map(sum, game.state().public.taken_out)) == 1
    assert_the_same_board(infer(game, random_only)[1], game)


# --- one placement ----------------------------------------------------------------------------


def test_a_sampled_hand_holds_the_played_card_and_three_others() -> None:
    board, positions = dealt_position(THREE), set()
    for _ in range(30):
        sample_hand(board.data[0], 1, U64(7))
        copies = [int(board.data[0].copies[1]) >> 4 * n & 15 for n in range(9)]
        assert sum(copies) == 4
        assert copies[7] >= 1
        held = int(board.data[0].hand_mask[1])
        assert [bool(count) for count in copies] == [bool(held >> n & 1) for n in range(9)]
        positions |= {n for n in range(9) if copies[n]}
    assert positions == set(range(9))


def test_the_likelihood_of_one_placement() -> None:
    """Blue has a 2 for A1, where orange has one floor, or for position 1 of another city. The
    greedy policy takes the tower over, the random policy does so one time in six."""
    state = position("A1:o1", players=3, tableaus={"blue": [2]}, hands={1: [7, 7, 7, 7]}, mover=1)
    board = Position.from_state(state)

    def likelihood(site: int, policy_id: int) -> float:
        bit = U64(1) << U64(site)
        return float(
            placement_likelihood(
                board.data[0], *lengths(board), 1, 1, bit, policy_id, POLICIES, new_policy_memory()
            )
        )

    assert likelihood(0, UNIFORM_POLICY) == likelihood(9, UNIFORM_POLICY) == pytest.approx(1 / 6)
    assert [likelihood(site, GREEDY_POLICY) for site in (0, 9, 18)] == [1, 0, 0]
    by_value = [likelihood(site, 0) for site in range(0, 54, 9)]
    assert sorted(by_value) == [0, 0, 0, 0, 0, 1]
