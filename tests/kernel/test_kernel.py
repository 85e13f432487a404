"""The kernel's public interface: action space, positions, playouts, and what it rejects."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from manhattan import Game
from manhattan.bots.greedy import lead_gains
from manhattan.kernel import GAME, ActionSpace, KernelError, Position, playouts
from manhattan.kernel.jit import COMPILED
from manhattan.kernel.playouts import chunk_ranges
from manhattan.rules import Build, Colour, NotationError, Phase, parse_move, set_up
from manhattan.view import view
from support import positions
from support.kernel_games import dealt_games, legal_masks, random_actions
from support.stats import chi_square

FOUR = pytest.mark.xdist_group("4-1")
TWO = pytest.mark.xdist_group("2-2")


def amount(compiled: int, uncompiled: int) -> int:
    """Uncompiled, a game takes some thousand times as long: then fewer games are enough."""
    return compiled if COMPILED else uncompiled


def midgame(players: int = 4, plies: int = 60) -> Game:
    """A game in progress, by fixed choices."""
    game = Game.new(players, seed=bytes(32))
    for ply in range(plies):
        moves = game.legal_moves()
        game.play(moves[ply * 7919 % len(moves)])
    return game


# --- the action space -------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "size"), [((1, 6), 304), ((1, 4), 255), ((2, 4), 1665)])
def test_every_action_decodes_to_a_move_and_back(shape: tuple[int, int], size: int) -> None:
    own = (Colour.ORANGE, Colour.BLUE)[: shape[0]]
    space = ActionSpace(*shape)
    assert space.size == size
    moves = [space.decode(action, own) for action in range(size)]
    assert [space.encode(move, own) for move in moves] == list(range(size))
    assert len(set(map(str, moves))) == size


@pytest.mark.parametrize(
    ("text", "action"),
    [("A1+1", 0), ("A1+4", 3), ("F9+4", 215), ("-1", 216), ("[111111]", 220), ("[444444]", 303)],
)
def test_the_documented_actions(text: str, action: int) -> None:
    assert ActionSpace(1, 6).encode(parse_move(text), (Colour.ORANGE,)) == action


@pytest.mark.parametrize("action", [-1, 304])
def test_other_numbers_are_rejected(action: int) -> None:
    with pytest.raises(NotationError, match="0 to 303"):
        ActionSpace(1, 6).decode(action, (Colour.ORANGE,))


# --- positions --------------------------------------------------------------------------------


@FOUR
def test_a_sampled_position_agrees_with_the_player_s_view() -> None:
    """Whatever is dealt behind the player's back, their view stays, and all 45 cards are there."""
    game = midgame()
    own_view = view(game.state, game.public.mover)
    hands = set()
    for seed in range(30):
        position = Position.from_view(own_view, seed)
        state = position.state()
        assert view(state, own_view.player) == own_view
        cards = Counter([c for hand in state.hands for c in hand])
        assert cards + Counter(state.pile) + Counter(state.public.played) == Counter(
            dict.fromkeys(range(1, 10), 5)
        )
        hands.add(state.hands)
    assert len(hands) > 20


@FOUR
def test_a_spectator_s_position_deals_every_hand() -> None:
    game = midgame()
    public_view = view(game.state, None)
    hands = {
        Position.from_view(public_view, seed).state().hands[game.public.mover] for seed in range(20)
    }
    assert len(hands) > 5


@FOUR
def test_a_copy_is_independent() -> None:
    position = Position.from_state(midgame().state)
    before, copied = position.state(), position.copy()
    copied.apply(copied.legal_actions()[0])
    assert position.state() == before != copied.state()


@FOUR
@pytest.mark.parametrize("action", [-1, 304, 10**6, 219, 303, True, 1.5, "1"])
def test_an_illegal_action_changes_nothing(action: Any) -> None:
    position = Position.from_state(midgame().state)
    before = position.state()
    with pytest.raises(KernelError):
        position.apply(action)
    assert position.state() == before


@pytest.mark.parametrize(
    "data", [np.zeros(1), np.zeros(2, GAME), np.zeros((1, 1), GAME), None, b""]
)
def test_a_position_is_one_record(data: Any) -> None:
    with pytest.raises(KernelError, match="one record"):
        Position(set_up(4), data)


def test_a_record_is_small() -> None:
    assert GAME.itemsize < 2000


# --- playouts ---------------------------------------------------------------------------------


@FOUR
@pytest.mark.parametrize("policy", ["uniform", "greedy"])
def test_playouts_depend_only_on_the_seed(policy: Any) -> None:
    position = Position.from_state(midgame().state)
    games = amount(600, 3)
    one = playouts(position, games, 7, policy, threads=1)
    three = playouts(position, games, 7, policy, threads=3)
    fewer = playouts(position, games // 3, 7, policy, threads=2)
    for name in ("scores", "winners", "first"):
        assert (getattr(one, name) == getattr(three, name)).all()
        assert (getattr(one, name)[: games // 3] == getattr(fewer, name)).all()
    assert (playouts(position, games, 8, policy).scores != one.scores).any()


@pytest.mark.parametrize("games", [1, 2, 5, 31, 32, 33, 1000, 50_000])
@pytest.mark.parametrize("threads", [2, 3, 64])
def test_chunks_cover_all_games(games: int, threads: int) -> None:
    chunks = list(chunk_ranges(games, threads))
    ends = [end for _, end in chunks]
    assert [begin for begin, _ in chunks] == [0, *ends[:-1]]
    assert ends[-1] == games
    assert all(begin < end for begin, end in chunks)
    if threads < games // 100:  # no thread waits long for the last chunk
        assert chunks[-1][1] - chunks[-1][0] <= games // 30


@FOUR
def test_playouts_report_results_by_first_action() -> None:
    game = midgame(plies=amount(60, 108))  # uncompiled, a game that is nearly over
    position = Position.from_state(game.state)
    games = amount(2000, 200)
    result = playouts(position, games, 1)
    by_action = result.by_first_action()
    assert set(by_action) == set(position.legal_actions())
    assert sum(count for count, _ in by_action.values()) == games
    assert np.allclose(result.win_shares.sum(axis=1), 1)
    assert position.state() == game.state


@pytest.mark.compiled
@pytest.mark.parametrize("edition", ["hig-2017", "999-games"])
@pytest.mark.parametrize("players", [pytest.param(4, marks=FOUR), pytest.param(2, marks=TWO)])
def test_the_greedy_policy_plays_all_best_placements_and_no_others(
    players: int, edition: str
) -> None:
    """The readable bot says on the rules' own board which placements are best."""
    game = Game.new(players, edition=edition, seed=bytes(32))
    compared = 0
    for ply in range(70):
        moves = game.legal_moves()
        builds = [move for move in moves if isinstance(move, Build)]
        if builds and ply % 3 == 0:
            position = Position.from_state(game.state)
            rated = lead_gains(game.public, game.state.hand)
            most = max(worth for _, worth in rated)
            best = {position.encode(build) for build, worth in rated if worth == most}
            played = playouts(position, 40 * len(best), ply, "greedy", threads=1).first
            assert set(played.tolist()) == best
            compared += 1
        game.play(moves[ply * 7919 % len(moves)])
    assert compared > 15


@FOUR
def test_a_player_without_a_placement_removes_each_size_with_equal_probability() -> None:
    blocks = {colour.value: [1, 1, 1, 3, 4] for colour in set_up(4).colours}
    stuck = positions.position("A5:b3", tableaus=blocks, phase=Phase.REMOVE, round=4)
    first = playouts(Position.from_state(stuck), amount(3_000, 45), 5).first
    assert set(first.tolist()) == {216, 218, 219}
    assert abs(chi_square(np.unique_counts(first).counts)) < 5


@FOUR
def test_bad_arguments_of_playouts_are_rejected() -> None:
    position = Position.from_state(midgame().state)
    bad_arguments: list[dict[str, Any]] = [
        {"games": 0},
        {"games": -5},
        {"games": 1, "threads": 0},
        {"games": 1, "policy": "best"},
    ]
    for arguments in bad_arguments:
        with pytest.raises(KernelError):
            playouts(position, **arguments)


# --- chance -----------------------------------------------------------------------------------


@FOUR
@pytest.mark.compiled
def test_no_move_is_favoured() -> None:
    position = Position.from_state(midgame().state)
    first = playouts(position, 200_000, 3).first
    assert abs(chi_square([(first == a).sum() for a in position.legal_actions()])) < 5


@FOUR
@pytest.mark.compiled
def test_no_card_seat_or_selection_is_favoured() -> None:
    setup = set_up(4)
    games = dealt_games(setup, 20_000, seed=5)
    for player in range(4):
        positions = games[0].card_to_position[player]
        counts = games["copies"][:, player]
        held = [((counts >> np.uint64(4 * at)) & np.uint64(15)).sum() for at in positions]
        assert abs(chi_square(held)) < 5
    chosen = Counter(random_actions(setup, games).tolist())
    legal = np.flatnonzero(legal_masks(setup, games[:1])[0]).tolist()
    assert set(chosen) == set(legal)
    assert abs(chi_square([chosen[action] for action in legal])) < 5
