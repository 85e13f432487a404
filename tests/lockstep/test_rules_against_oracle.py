"""Lockstep: the rules and the naive oracle play the same games and agree after every move.

Both start from the same cards. The tests compare the legal moves before each move, the events,
hands, piles, blocks, towers and scores after it, and the result at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from manhattan.game import Game
from manhattan.record import event_json, result_json
from manhattan.rules import (
    DECK,
    EDITIONS,
    SITES,
    Colour,
    Event,
    Phase,
    Redrew,
    Removed,
    SeedShuffler,
    Setup,
    Side,
    State,
    apply,
    draw_start_player,
    legal_moves,
    parse_move,
    set_up,
    shuffle,
)
from manhattan.rules.blocks import SIZES, Stock
from manhattan.rules.play import begin_turn
from support.oracle import Oracle
from support.positions import crowded

CHUNKS = 4
"""Each combination is split into chunks, so that all cores are used."""

HOUSE_RULES: list[tuple[int, str, dict[str, str]]] = [
    (4, "hig-2017", {"four_players": "4x6"}),
    (4, "hig-2017", {"tallest_tie": "one_owner", "final_tie": "board_tallest"}),
    (4, "hig-1994", {"final_tie": "own_tallest"}),
    (3, "hig-1994", {"three_players": "6x4"}),
    (3, "999-games", {"final_tie": "shared"}),
    (2, "hig-1994", {"two_players": "6x4-one-colour"}),
    (2, "foxgames-2018", {"two_players": "4x6"}),
    (2, "999-games", {"two_players": "4x4", "tallest_tie": "nobody"}),
]

Chooser = Callable[[list[str], Oracle], str]


def oracle_for(setup: Setup, seed: bytes) -> Oracle:
    """Create an oracle for the same table and cards."""
    shuffles = 0

    def reshuffle(cards: list[int]) -> list[int]:
        nonlocal shuffles
        shuffles += 1
        return list(shuffle(seed, shuffles, cards))

    rules = setup.rules
    return Oracle(
        rows={row: getattr(rules, row) for row in rules.__slots__},
        sides=[player.side.value for player in setup.players],
        colours=[[colour.value for colour in player.colours] for player in setup.players],
        first=setup.first,
        deck=shuffle(seed, 0, DECK),
        shuffle=reshuffle,
    )


def by_size(stock: Stock) -> dict[int, int]:
    return dict(zip(SIZES, stock, strict=True))


def assert_same(state: State, oracle: Oracle) -> None:
    public = state.public
    assert [list(hand) for hand in state.hands] == oracle.hands
    assert list(state.pile) == oracle.pile
    assert list(public.played) == oracle.played
    assert list(public.scores) == oracle.scores
    assert public.pile_size == len(oracle.pile)
    for name, ours in (
        ("supplies", public.supplies),
        ("tableaus", public.tableaus),
        ("taken_out", public.taken_out),
    ):
        theirs = getattr(oracle, name)
        assert {
            c.value: by_size(s) for c, s in zip(public.setup.colours, ours, strict=True)
        } == theirs
    towers = {
        str(site): [(block.colour.value, block.size) for block in tower.blocks]
        for site, tower in zip(SITES, public.board, strict=True)
        if tower.blocks
    }
    assert towers == oracle.towers
    assert result_json(public.result) == oracle.result
    if public.phase is not Phase.OVER:
        assert (public.mover, public.round, public.start_player) == (
            oracle.mover,
            oracle.round,
            oracle.start,
        )


def events_json(events: tuple[Event, ...], setup: Setup) -> list[object]:
    return [json for event in events if (json := event_json(event, setup)) is not None]


def play_in_lockstep(
    state: State, oracle: Oracle, seed: bytes, choose: Chooser
) -> tuple[State, list[Event]]:
    chance = SeedShuffler(seed)
    all_events: list[Event] = []
    assert_same(state, oracle)
    while moves := legal_moves(state):
        ours = [str(move) for move in moves]
        assert len(set(ours)) == len(ours)
        assert set(ours) == oracle.legal()
        text = choose(ours, oracle)
        state, events = apply(state, parse_move(text), chance)
        assert events_json(events, state.public.setup) == oracle.play(text)
        assert_same(state, oracle)
        all_events += events
    assert oracle.is_over
    return state, all_events


def choose_at_random(rng: Random) -> Chooser:
    return lambda moves, _oracle: rng.choice(moves)


def prefer_empty_sites(rng: Random) -> Chooser:
    """Place large blocks on empty sites first: the board fills up, and hands without a placement
    occur in every third game instead of every five-hundredth."""

    def choose(moves: list[str], oracle: Oracle) -> str:
        if moves[0].startswith("["):
            return max(moves)
        empty = [move for move in moves if move[:2] not in oracle.towers]
        return rng.choice(empty or moves)

    return choose


def whole_games(setup: Setup, games: range) -> list[Event]:
    all_events: list[Event] = []
    for number in games:
        rng = Random(f"{setup.edition} {setup.house_rules} {len(setup.players)} {number}")
        seed = rng.randbytes(32)
        first = draw_start_player(seed, len(setup.players))
        drawn_setup = Setup(setup.players, setup.edition, setup.house_rules, first)
        choose = prefer_empty_sites(rng) if number % 5 == 0 else choose_at_random(rng)
        start = Game.from_seed(drawn_setup, seed).state
        _, events = play_in_lockstep(start, oracle_for(drawn_setup, seed), seed, choose)
        all_events += events
    return all_events


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("edition", EDITIONS)
def test_every_edition_and_player_count(
    edition: str, players: int, chunk: int, request: pytest.FixtureRequest
) -> None:
    games: int = request.config.getoption("--games") // 2  # the oracle is slow
    whole_games(set_up(players, edition=edition), range(chunk, games, CHUNKS))


@pytest.mark.parametrize(("players", "edition", "changes"), HOUSE_RULES)
def test_house_rules(
    players: int, edition: str, changes: dict[str, str], request: pytest.FixtureRequest
) -> None:
    games: int = request.config.getoption("--games")
    whole_games(set_up(players, edition=edition, house_rules=changes), range(max(1, games // 10)))


@pytest.mark.parametrize(
    "sides",
    [
        [Side.EAST, Side.SOUTH, Side.WEST, Side.NORTH],
        [Side.SOUTH, Side.SOUTH, Side.SOUTH, Side.SOUTH],
        [Side.WEST, Side.WEST, Side.EAST, Side.SOUTH],
    ],
)
def test_other_sides(sides: list[Side], request: pytest.FixtureRequest) -> None:
    games: int = request.config.getoption("--games")
    setup = set_up(4, edition="hig-1994", sides=sides)
    whole_games(setup, range(max(1, games // 10)))


def copy_to_oracle(state: State, oracle: Oracle) -> None:
    public = state.public
    oracle.hands = [list(hand) for hand in state.hands]
    oracle.pile = list(state.pile)
    oracle.played = list(public.played)
    oracle.phase = public.phase.value
    for colour, supply, tableau in zip(
        public.setup.colours, public.supplies, public.tableaus, strict=True
    ):
        oracle.supplies[colour.value] = by_size(supply)
        oracle.tableaus[colour.value] = by_size(tableau)
    oracle.towers = {
        str(site): [(Colour(block.colour).value, block.size) for block in tower.blocks]
        for site, tower in zip(SITES, public.board, strict=True)
        if tower.blocks
    }


@pytest.mark.parametrize("players", [2, 3, 4])
def test_crowded_boards_with_few_legal_placements(
    players: int, request: pytest.FixtureRequest
) -> None:
    """They have redraws, removals and their shuffles, which are rare in ordinary games."""
    games = request.config.getoption("--games") // 3  # the soak test of the kernel has more
    all_events: list[Event] = []
    for number in range(games):
        rng = Random(f"crowded {players} {number}")
        seed = rng.randbytes(32)
        setup = set_up(players, first=rng.randrange(players))
        state = crowded(setup, rng)
        oracle = oracle_for(setup, seed)
        copy_to_oracle(state, oracle)
        state, events = begin_turn(state, SeedShuffler(seed))
        assert events_json(events, setup) == oracle.begin_turn()
        all_events += events
        all_events += play_in_lockstep(state, oracle, seed, choose_at_random(rng))[1]
    redraws = sum(isinstance(event, Redrew) for event in all_events)
    removals = sum(isinstance(event, Removed) for event in all_events)
    assert redraws > games
    assert removals > games / 4
