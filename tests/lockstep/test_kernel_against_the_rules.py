"""The kernel and the rules play the same games, and must agree after every move.

They share the cards: where the rules shuffle, the kernel is told how. Before each move the legal
moves are compared, after it hands, pile, played cards, blocks, the tower that changed and the
scores; every few moves, and at the end, the whole state, which is made of the kernel's record.
These games go through ``Position``, as a user's do; ``test_soak.py`` plays hundreds more of each
kind with less ado.
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
    Seat,
    SeedShuffler,
    Setup,
    Shuffled,
    State,
    Stock,
    apply,
    legal_moves,
    lot,
    set_up,
)
from manhattan.rules.play import begin_turn
from positions import crowded
from tables import HOUSE_RULES, ODD_SEATS, group

WHOLE_EVERY = 23


def by_group(setup: Setup) -> pytest.MarkDecorator:
    """Tables that are compiled alike run in one worker, so that each is compiled once."""
    return pytest.mark.xdist_group(group(setup))


def packed(stock: Stock) -> int:
    return stock[0] | stock[1] << 8 | stock[2] << 16 | stock[3] << 24


def assert_same(position: Position, state: State) -> None:
    g, table = position.data[0], state.table
    names = g.names.tolist()
    hands = [
        sum(1 << 4 * names[p][card - 1] for card in hand) for p, hand in enumerate(state.hands)
    ]
    assert g.copies.tolist()[: len(hands)] == hands
    assert bytes(g.cards[: g.pile][::-1] + 1) == bytes(state.pile)
    assert bytes(g.cards[::-1][: g.played] + 1) == bytes(table.played)
    count = len(table.setup.colours)
    assert g.supply.tolist()[:count] == [packed(stock) for stock in table.supplies]
    assert g.tableau.tolist()[:count] == [packed(stock) for stock in table.tableaus]
    assert g.taken_out.tolist()[:count] == [packed(stock) for stock in table.taken_out]
    assert g.shuffles == table.shuffles
    assert position.scores == table.scores
    assert (position.mover, position.over) == (table.mover, table.phase is Phase.OVER)


def play_in_lockstep(position: Position, state: State, seed: bytes, rng: Random) -> list[object]:
    chance = SeedShuffler(seed)
    happened: list[object] = []
    assert position.state() == state
    for ply in range(1000):
        moves = legal_moves(state)
        own = state.table.player.colours
        numbers = {position.numbering.number(move, own): move for move in moves}
        assert len(numbers) == len(moves)
        assert sorted(numbers) == position.legal_actions()
        if not moves:
            break
        action = rng.choice(list(numbers))
        move = numbers[action]
        assert position.move(action) == move
        assert position.action(move) == action
        state, events = apply(state, move, chance)
        piles = [event.pile for event in events if isinstance(event, Shuffled)]
        position.act(action, piles[0] or () if piles else ())
        assert_same(position, state)
        if isinstance(move, Build):
            tower = state.table.board[move.site]
            assert position.data[0].heights[move.site] == tower.height
        if ply % WHOLE_EVERY == 0:
            assert position.state() == state
        happened += events
    assert position.state() == state
    result = state.table.result
    assert result is not None
    assert position.winners() == (result.winners, result.decided_by)
    return happened


def whole_games(setup: Setup, games: range) -> None:
    for number in games:
        rng = Random(f"kernel {setup.edition} {setup.house_rules} {len(setup.players)} {number}")
        seed = rng.randbytes(32)
        first = lot(seed, len(setup.players))
        table = Setup(setup.players, setup.edition, setup.house_rules, first)
        state = Game.from_seed(table, seed).state
        play_in_lockstep(Position.of_state(state), state, seed, rng)


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
    whole_games(set_up(players, edition=edition), range(max(1, games // 10)))


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
    whole_games(set_up(players, edition=edition, house_rules=changes), range(max(1, games // 10)))


@pytest.mark.parametrize(
    "seats",
    [pytest.param(seats, marks=by_group(set_up(4))) for seats in ODD_SEATS],
)
def test_other_seats(seats: tuple[Seat, ...], request: pytest.FixtureRequest) -> None:
    games: int = request.config.getoption("--games")
    whole_games(set_up(4, edition="hig-1994", seats=seats), range(max(1, games // 10)))


@pytest.mark.parametrize("players", [pytest.param(n, marks=by_group(set_up(n))) for n in (2, 3, 4)])
def test_crowded_boards_where_hardly_anything_can_be_placed(
    players: int, request: pytest.FixtureRequest
) -> None:
    """Redraws and removals, which free play hardly ever meets."""
    games: int = request.config.getoption("--games")
    games = max(1, games // 5)
    redraws = removals = 0
    for number in range(games):
        rng = Random(f"kernel crowded {players} {number}")
        seed = rng.randbytes(32)
        setup = set_up(players, first=rng.randrange(players))
        state, _ = begin_turn(crowded(setup, rng, low=True), SeedShuffler(seed))
        happened = play_in_lockstep(Position.of_state(state), state, seed, rng)
        redraws += sum(isinstance(event, Redrew) for event in happened)
        removals += sum(isinstance(event, Removed) for event in happened)
    assert redraws > games
    assert removals > games / 4
