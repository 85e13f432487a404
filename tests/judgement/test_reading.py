"""Reading the others: who plays how, from nothing but what lies open."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from manhattan.judgement import reading
from manhattan.judgement.mind import Kind
from manhattan.judgement.reading import fits, imagine_hand, read_styles_once
from manhattan.judgement.selfplay import CHANCE, GREED, choose_all_blocks, take_turn_once
from manhattan.kernel import Position
from manhattan.kernel.bits import U64
from manhattan.kernel.layout import REMOVE, SELECT
from manhattan.kernel.speed import start_of
from manhattan.rules import Phase, Setup, set_up
from minds import lengths, room, some_values
from positions import position

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

POOL = np.array([CHANCE, GREED, 0, 1])
THREE = set_up(3)
VALUES = some_values(Kind.of(THREE), ways=2)


def game_of(setup: Setup, ways: list[int], turns: int, seed: int = 101) -> Position:
    """A game after some building turns of players who each have a way of their own."""
    game = start_of(setup)
    game.data[0].random = np.uint64(seed)
    plans = np.stack([Kind.of(setup).plans[0]] * len(ways))
    for _ in range(turns):
        if game.data[0].phase == SELECT:
            choose_all_blocks(game.data, *lengths(game), plans, 0)
        take_turn_once(game.data, *lengths(game), ways[game.mover], VALUES, 0, room())
    game.traced = True
    return game


def read(game: Position, pool: Any = POOL, values: Any = VALUES) -> tuple[Any, Position]:
    """How likely each plays in each way; and the board on which that was found out."""
    likely = np.ones((len(game.setup.players), len(pool)))
    board = game.copy()
    board.data[0].random = np.uint64(1)
    read_styles_once(game.data, board.data, *lengths(game), pool, values, room(), likely)
    return likely, board


def test_it_is_seen_who_is_greedy_and_who_plays_by_which_values() -> None:
    """Two rounds in which Ada is greedy and Bob plays by the second set of values. Now it is the
    third player's turn."""
    game = game_of(THREE, [GREED, 1, CHANCE], turns=24)
    assert game.mover == 2
    likely, _ = read(game)
    ada, bob, me = likely
    assert ada[1] > 0.9
    assert bob[3] > 0.9
    assert (me == 1 / len(POOL)).all()  # one does not judge oneself
    assert likely.sum(axis=1) == pytest.approx(1)


def test_before_anything_was_built_all_ways_are_alike() -> None:
    likely, _ = read(start_of(THREE))
    assert (likely == 1 / len(POOL)).all()


def test_only_what_lies_open_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SAMPLES", 1)
    game = game_of(THREE, [GREED, 1, CHANCE], turns=13)
    likely, _ = read(game)
    for seed in range(2):
        dealt = game.copy()
        dealt.data[0].random = np.uint64(seed)
        dealt.deal_unseen(dealt.mover)
        dealt.data[0].random = np.uint64(seed)
        assert dealt.state().hands != game.state().hands
        assert (read(dealt)[0] == likely).all()


# --- the game played again --------------------------------------------------------------------


def assert_the_same_board(one: Position, other: Position) -> None:
    a, b = one.data[0], other.data[0]
    for field in ("owner", "floors", "heights", "allowed", "tableau", "supply", "built", "start"):
        colours = len(one.setup.colours)  # there may be room for more
        many = slice(colours) if field in ("owner", "allowed", "tableau", "supply") else ...
        assert (np.asarray(a[field])[many] == np.asarray(b[field])[many]).all(), field
    assert (a.log[: a.built] == b.log[: a.built]).all()
    assert a.round_number == b.round_number


@pytest.fixture
def by_chance(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Only chance is thought of, and one hand: for those who look at the board alone."""
    monkeypatch.setattr(reading, "SAMPLES", 1)
    return np.array([CHANCE])


@pytest.mark.parametrize("turns", [1, 13, 17, 30])
def test_the_game_is_played_again_up_to_where_it_stands(by_chance: Any, turns: int) -> None:
    game = game_of(THREE, [CHANCE] * 3, turns)
    likely, board = read(game, by_chance)
    assert_the_same_board(board, game)
    assert (likely == 1).all()


@pytest.mark.parametrize("players", [2, 4])
def test_so_is_a_game_of_others(by_chance: Any, players: int) -> None:
    game = game_of(set_up(players), [CHANCE] * players, 30)
    assert_the_same_board(read(game, by_chance)[1], game)


def test_so_is_one_in_which_some_have_chosen_their_blocks(by_chance: Any) -> None:
    game = game_of(THREE, [CHANCE] * 3, 12)
    assert game.state().table.phase is Phase.SELECT
    game.act(game.legal_actions()[3])
    board = read(game, by_chance)[1]
    board.data[0].start = game.data[0].start  # nobody has begun yet, so it can't be read
    assert_the_same_board(board, game)


@pytest.mark.parametrize("turns", [5, 14])
def test_so_is_one_in_which_a_block_had_to_go(by_chance: Any, turns: int) -> None:
    """In this round, or in the one before."""
    game = game_of(THREE, [CHANCE] * 3, 4)
    game.data[0].phase = REMOVE
    game.act(game.legal_actions()[0])
    for _ in range(5, turns):
        if game.data[0].phase == SELECT:
            plans = np.full((3, 6), -1)
            choose_all_blocks(game.data, *lengths(game), plans, 0)
        take_turn_once(game.data, *lengths(game), CHANCE, VALUES, 0, room())
    assert sum(map(sum, game.state().table.taken_out)) == 1
    assert_the_same_board(read(game, by_chance)[1], game)


# --- one block --------------------------------------------------------------------------------


def test_a_hand_holds_the_card_that_was_played_and_three_others() -> None:
    board, others = start_of(THREE), set()
    for _ in range(30):
        imagine_hand(board.data[0], 1, U64(7))
        copies = [int(board.data[0].copies[1]) >> 4 * n & 15 for n in range(9)]
        assert sum(copies) == 4
        assert copies[7] >= 1
        held = int(board.data[0].points_at[1])
        assert [bool(count) for count in copies] == [bool(held >> n & 1) for n in range(9)]
        others |= {n for n in range(9) if copies[n]}
    assert others == set(range(9))


def test_how_well_a_block_fits_a_way_of_playing() -> None:
    """Blue has a 2 for A1, where orange has one floor, or for the other five first sites.
    The greedy take the tower over; chance does so one time in six."""
    state = position("A1:o1", players=3, tableaus={"blue": [2]}, hands={1: [7, 7, 7, 7]}, mover=1)
    board = Position.of_state(state)

    def fit(site: int, way: int) -> float:
        bit = U64(1) << U64(site)
        found = fits(board.data[0], *lengths(board), 1, 1, bit, way, VALUES, room())
        return float(found)

    assert fit(0, CHANCE) == fit(9, CHANCE) == pytest.approx(1 / 6)
    assert [fit(site, GREED) for site in (0, 9, 18)] == [1, 0, 0]
    by_value = [fit(site, 0) for site in range(0, 54, 9)]
    assert sorted(by_value) == [0, 0, 0, 0, 0, 1]
