"""Lockstep of the kernel and the rules: they play the same games and agree after every move.

They share the cards: where the rules shuffle, the kernel gets the same pile. The tests compare the
legal moves before each move; hands, pile, played cards, blocks, the tower that changed and the
scores after it; and every few moves, and at the end, the whole state. These games use ``Position``,
as users do; ``test_soak.py`` plays hundreds more of each kind in compiled code.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from manhattan.game import Game
from manhattan.kernel import Position
from manhattan.rules import (
    EDITIONS,
    Build,
    Phase,
    Redrew,
    Removed,
    SeedShuffler,
    Setup,
    Shuffled,
    Side,
    State,
    Stock,
    apply,
    draw_start_player,
    legal_moves,
    set_up,
)
from manhattan.rules.play import begin_turn
from support.lockstep_tables import HOUSE_RULES, UNUSUAL_SIDES, group
from support.positions import crowded

pytestmark = pytest.mark.uncompiled

COMPARE_STATES_EVERY = 23


def by_group(setup: Setup) -> pytest.MarkDecorator:
    """Run tables that share compiled code in one worker, which compiles it once."""
    return pytest.mark.xdist_group(group(setup))


def packed(stock: Stock) -> int:
    return stock[0] | stock[1] << 8 | stock[2] << 16 | stock[3] << 24


def assert_same(position: Position, state: State) -> None:
    g, public = position.data[0], state.public
    positions = g.card_to_position.tolist()
    hands = [
        sum(1 << 4 * positions[p][card - 1] for card in hand) for p, hand in enumerate(state.hands)
    ]
    assert g.copies.tolist()[: len(hands)] == hands
    assert bytes(g.cards[: g.pile][::-1] + 1) == bytes(state.pile)
    assert bytes(g.cards[::-1][: g.played] + 1) == bytes(public.played)
    count = len(public.setup.colours)
    assert g.supply.tolist()[:count] == [packed(stock) for stock in public.supplies]
    assert g.tableau.tolist()[:count] == [packed(stock) for stock in public.tableaus]
    assert g.taken_out.tolist()[:count] == [packed(stock) for stock in public.taken_out]
    assert g.shuffles == public.shuffles
    assert position.scores == public.scores
    assert (position.mover, position.is_over) == (public.mover, public.phase is Phase.OVER)


def play_in_lockstep(position: Position, state: State, seed: bytes, rng: Random) -> list[object]:
    chance = SeedShuffler(seed)
    all_events: list[object] = []
    assert position.state() == state
    for ply in range(1000):
        moves = legal_moves(state)
        own = state.public.player.colours
        actions = {position.action_space.encode(move, own): move for move in moves}
        assert len(actions) == len(moves)
        assert sorted(actions) == position.legal_actions()
        if not moves:
            break
        action = rng.choice(list(actions))
        move = actions[action]
        assert position.decode(action) == move
        assert position.encode(move) == action
        state, events = apply(state, move, chance)
        piles = [event.pile for event in events if isinstance(event, Shuffled)]
        position.apply(action, piles[0] or () if piles else ())
        assert_same(position, state)
        if isinstance(move, Build):
            tower = state.public.board[move.site]
            assert position.data[0].heights[move.site] == tower.height
        if ply % COMPARE_STATES_EVERY == 0:
            assert position.state() == state
        all_events += events
    assert position.state() == state
    result = state.public.result
    assert result is not None
    assert position.winners() == (result.winners, result.decided_by)
    return all_events


def play_whole_games(setup: Setup, games: range) -> None:
    for number in games:
        rng = Random(f"kernel {setup.edition} {setup.house_rules} {len(setup.players)} {number}")
        seed = rng.randbytes(32)
        first = draw_start_player(seed, len(setup.players))
        drawn_setup = Setup(setup.players, setup.edition, setup.house_rules, first)
        state = Game.from_seed(drawn_setup, seed).state
        play_in_lockstep(Position.from_state(state), state, seed, rng)


@pytest.mark.parametrize(
    ("edition", "players"),
    [
        pytest.param(edition, players, marks=by_group(set_up(players, edition=edition)))
        for edition in EDITIONS
        for players in (2, 3, 4)
    ],
)
def test_every_edition_and_player_count(
    edition: str, players: int, request: pytest.FixtureRequest
) -> None:
    games: int = request.config.getoption("--games")
    play_whole_games(set_up(players, edition=edition), range(max(1, games // 10)))


@pytest.mark.parametrize(
    ("players", "edition", "changes"),
    [
        pytest.param(p, e, changes, marks=by_group(set_up(p, edition=e, house_rules=changes)))
        for p, e, changes in HOUSE_RULES
    ],
)
def test_house_rules(
    players: int, edition: str, changes: Mapping[str, str], request: pytest.FixtureRequest
) -> None:
    games: int = request.config.getoption("--games")
    play_whole_games(
        set_up(players, edition=edition, house_rules=changes), range(max(1, games // 10))
    )


@pytest.mark.parametrize(
    "sides",
    [pytest.param(sides, marks=by_group(set_up(4))) for sides in UNUSUAL_SIDES],
)
def test_unusual_sides(sides: tuple[Side, ...], request: pytest.FixtureRequest) -> None:
    games: int = request.config.getoption("--games")
    play_whole_games(set_up(4, edition="hig-1994", sides=sides), range(max(1, games // 10)))


@pytest.mark.parametrize("players", [pytest.param(n, marks=by_group(set_up(n))) for n in (2, 3, 4)])
def test_crowded_boards_where_hardly_anything_can_be_placed(
    players: int, request: pytest.FixtureRequest
) -> None:
    """Redraws and removals, which are rare in free play."""
    games: int = request.config.getoption("--games")
    games = max(1, games // 5)
    redraws = removals = 0
    for number in range(games):
        rng = Random(f"kernel crowded {players} {number}")
        seed = rng.randbytes(32)
        setup = set_up(players, first=rng.randrange(players))
        state, _ = begin_turn(crowded(setup, rng, low=True), SeedShuffler(seed))
        all_events = play_in_lockstep(Position.from_state(state), state, seed, rng)
        redraws += sum(isinstance(event, Redrew) for event in all_events)
        removals += sum(isinstance(event, Removed) for event in all_events)
    assert redraws > games
    assert removals > games / 4
