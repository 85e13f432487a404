"""Games that go abreast on the vector units are games by the rules, turn by turn.

They are played first, leaving a note of every turn, and then played again by the rules with the
same cards: every hand, the number of legal placements, each move's legality, the points and the
winners must come out the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from chances import chi_square
from manhattan.kernel import KernelError, Position, playouts, random_games
from manhattan.kernel.jit import COMPILED
from manhattan.kernel.layout import RING
from manhattan.kernel.mass import play_noted, rows_of
from manhattan.kernel.rows import GAMES, NOTED
from manhattan.rules import (
    EDITIONS,
    SITES,
    Build,
    Card,
    Move,
    Phase,
    Remove,
    Seat,
    SeedShuffler,
    Select,
    Setup,
    Table,
    Tower,
    apply,
    deal,
    legal_moves,
    set_up,
)
from manhattan.rules.blocks import SIZES
from positions import crowded
from tables import HOUSE_RULES, ODD_SEATS, group

SITE_OF_RING = [SITES[9 * city + RING[i]] for city in range(6) for i in range(9)]
"""Our sites by the numbers that go clockwise."""


def by_group(setup: Setup) -> pytest.MarkDecorator:
    return pytest.mark.xdist_group(group(setup))


def cards_of(bits: int, quarters: int) -> set[int]:
    """A hand as its single cards: kind in reading order + 9 * copy."""
    found = set()
    for bit in range(45):
        if bits >> bit & 1:
            place = bit % 9
            kind = place if place == 8 else (place - 2 * quarters) % 8
            found.add(RING[kind] + bit // 9 * 9)
    return found


class Notes:
    """The notes of one game, and the piles that explain them."""

    def __init__(self, setup: Setup, room: Any, notes: Any, game: int) -> None:
        self.setup = setup
        self.count = len(setup.players)
        self.a_round = setup.schedule.blocks * len(setup.colours)
        self.turned = [int(room[0].turned[player]) for player in range(self.count)]
        self.turns = notes[:, :, game].tolist()
        self.piles: list[list[int]] = [[]]
        self._follow_the_cards()

    def mover(self, ply: int) -> int:
        return (self.setup.first + ply // self.a_round + ply % self.a_round) % self.count

    def cards(self, ply: int, what: int) -> set[int]:
        return cards_of(self.turns[ply][what], self.turned[self.mover(ply)])

    def _follow_the_cards(self) -> None:
        """Every card that is drawn is the next one of a pile."""
        self.pile, self.held = set(range(45)), [set[int]() for _ in range(self.count)]
        for ply in range(self.count):
            self._draw(self.mover(ply), self.cards(ply, 2))
        for ply in range(len(self.turns)):
            player = self.mover(ply)
            before, shown, after = (self.cards(ply, what) for what in (2, 3, 7))
            assert self.held[player] == before
            if shown != before:
                self.held[player] = set()
                self._draw(player, shown)
            if self.turns[ply][6]:
                self.held[player] = shown & after
                if shown == after:  # the card that was played came back with a new pile
                    self.held[player].remove(self._played(ply, player))
                assert len(self.held[player]) == 3
                self._draw(player, after - self.held[player])
            assert self.held[player] == after

    def _played(self, ply: int, player: int) -> int:
        place = (self.turns[ply][6].bit_length() - 1) % 9
        kind = place if place == 8 else (place - 2 * self.turned[player]) % 8
        return next(card for card in self.held[player] if card % 9 == RING[kind])

    def _draw(self, player: int, cards: set[int]) -> None:
        """Some cards, those first that the pile still has; a new one has what is in no hand."""
        for card in sorted(cards, key=lambda card: (card not in self.pile, card)):
            if not self.pile:
                self.piles.append([])
                self.pile = set(range(45)).difference(*self.held)
            self.pile.remove(card)
            self.piles[-1].append(card)
            self.held[player].add(card)

    def shuffle(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """The order of a pile, as far as it was drawn from; the rest in any order."""
        left = list(cards)
        drawn = [card % 9 + 1 for card in self.piles[number]]
        for card in drawn:
            left.remove(card)
        return (*drawn, *left)

    def chosen(self, player: int, start_player: int, number: int) -> Select:
        """What a player has on his tableaus at his first turn of a round."""
        ply = number * self.a_round + (player - start_player) % self.count
        stocks = self.turns[ply][: self.setup.schedule.colours]
        return Select(
            tuple(
                tuple(size for size in SIZES for _ in range(stock >> 8 * (size - 1) & 255))
                for stock in stocks
            )
        )

    def turn(self, ply: int) -> Move:
        own = self.setup.players[self.mover(ply)].colours
        kind, bit = self.turns[ply][5:7]
        colour = own[kind // 4] if len(own) == 2 else None
        if not bit:
            return Remove(SIZES[kind % 4], colour)
        return Build(SITE_OF_RING[bit.bit_length() - 1], SIZES[kind % 4], colour)


def check_game(notes: Notes, board: Sequence[Tower] | None) -> tuple[Table, Counter[str]]:
    """Play the noted game by the rules."""
    setup, seen, ply = notes.setup, Counter[str](), 0
    state = deal(setup, notes.shuffle)
    if board is not None:
        state = state._replace(table=state.table._replace(board=tuple(board)))
    while state.table.phase is not Phase.OVER:
        table, player = state.table, state.table.mover
        if table.phase is Phase.SELECT:
            move: Move = notes.chosen(player, table.start_player, table.round - 1)
        else:
            assert player == notes.mover(ply)
            move = notes.turn(ply)
            hand = sorted(card % 9 + 1 for card in notes.cards(ply, 3))
            assert list(state.hands[player]) == hand
            if table.phase is Phase.BUILD:
                assert len(legal_moves(state)) == notes.turns[ply][4]
            ply += 1
        state, events = apply(state, move, notes.shuffle)
        seen.update(type(event).__name__ for event in events)
    return state.table, seen


def check_table(setup: Setup, parts: int, board: Sequence[Tower] | None = None) -> Counter[str]:
    """Play a table's games abreast, and each again by the rules."""
    seen = Counter[str]()
    for seed in range(parts):
        room = rows_of(setup)
        if board is not None:
            put_up(room[0], setup, board)
        turns = setup.schedule.rounds * setup.schedule.blocks * len(setup.colours)
        notes = np.zeros((turns, NOTED, GAMES), np.uint64)
        result = play_noted(setup, room, GAMES, seed, notes)
        for game in range(GAMES):
            table, events = check_game(Notes(setup, room, notes, game), board)
            assert table.scores == tuple(result.scores[game])
            assert table.result is not None
            assert sum(1 << p for p in table.result.winners) == result.winners[game]
            seen += events
    return seen


def put_up(r: Any, setup: Setup, board: Sequence[Tower]) -> None:
    """Let every game begin with this board."""
    for number, site in enumerate(SITE_OF_RING):
        tower, bit = board[site], np.uint64(1 << number)
        for slot, colour in enumerate(setup.colours):
            r.first_floors[number] += np.uint32(tower.floors.get(colour, 0) << 8 * slot)
            if tower.owner is colour:
                r.first_owner[slot] |= bit
            for size in SIZES:
                if size < tower.smallest_for(colour):
                    r.first_allowed[slot, size - 1] &= ~bit


@pytest.mark.parametrize(
    ("edition", "players"),
    [
        pytest.param(
            edition,
            players,
            # Uncompiled, one edition has to do.
            marks=[
                by_group(set_up(players, edition=edition)),
                *([] if edition == "hig-2017" else [pytest.mark.compiled]),
            ],
        )
        for edition in EDITIONS
        for players in (2, 3, 4)
    ],
)
def test_every_edition_and_player_count(
    edition: str, players: int, request: pytest.FixtureRequest
) -> None:
    games: int = request.config.getoption("--games")
    setup = set_up(players, edition=edition, first=games % players)
    check_table(setup, max(1, games // (8 * GAMES)))


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("players", "edition", "changes"),
    [
        pytest.param(p, e, changes, marks=by_group(set_up(p, edition=e, house_rules=changes)))
        for p, e, changes in HOUSE_RULES
    ],
)
def test_house_rules(players: int, edition: str, changes: Mapping[str, str]) -> None:
    check_table(set_up(players, edition=edition, house_rules=changes), 1)


@by_group(set_up(4))
@pytest.mark.compiled
@pytest.mark.parametrize("seats", ODD_SEATS)
def test_other_seats(seats: Sequence[Seat]) -> None:
    check_table(set_up(4, edition="hig-1994", seats=seats), 1)


@pytest.mark.parametrize("players", [pytest.param(n, marks=by_group(set_up(n))) for n in (2, 3, 4)])
def test_crowded_boards_where_hardly_anything_can_be_placed(players: int) -> None:
    """Hands that are shown, blocks that are taken out, piles that run out in between."""
    setup = set_up(players)
    seen = Counter[str]()
    boards = 4 if COMPILED else 1
    for number in range(boards):
        seen += check_table(setup, 1, crowded(setup, Random(number)).table.board)
    assert seen["Redrew"] > 25 * boards
    assert seen["Removed"] > 5 * boards
    assert seen["Shuffled"] > boards * GAMES


# --- as many as one likes ---------------------------------------------------------------------


@by_group(set_up(4))
@pytest.mark.compiled
def test_the_same_games_on_any_number_of_threads() -> None:
    one, three = random_games(set_up(4), 1000, 7, threads=1), random_games(set_up(4), 1000, 7, 3)
    assert (one.scores == three.scores).all()
    assert (one.winners == three.winners).all()
    assert (random_games(set_up(4), 70, 7).scores == one.scores[:70]).all()
    assert (random_games(set_up(4), 1000, 8).scores != one.scores).any()


@pytest.mark.compiled
@pytest.mark.parametrize("players", [pytest.param(n, marks=by_group(set_up(n))) for n in (2, 4)])
def test_they_end_as_single_games_do(players: int) -> None:
    """The means of points and wins, by seat, differ by no more than chance: five deviations."""
    setup = set_up(players)
    games = 40_000
    abreast = random_games(setup, games, 1)
    start = Position.of_state(deal(setup, SeedShuffler(bytes(32))))
    single = playouts(start, games, 2, unseen_by=None)
    for a, b in ((abreast.scores, single.scores), (abreast.win_shares, single.win_shares)):
        deviation = np.sqrt(a.var(0) / games + b.var(0) / games)
        assert (np.abs(a.mean(0) - b.mean(0)) < 5 * deviation).all()


@by_group(set_up(4))
@pytest.mark.compiled
def test_no_card_site_or_choice_of_blocks_is_favoured() -> None:
    """In many games' first turns, where everything is equal."""
    setup = set_up(4)
    cities, dealt, chosen = np.zeros(6), np.zeros((4, 9)), Counter[int]()
    notes = np.zeros((96, NOTED, GAMES), np.uint64)
    for seed in range(400):
        room = rows_of(setup)
        play_noted(setup, room, GAMES, seed, notes)
        for game in range(GAMES):
            cities[(int(notes[0, 6, game]).bit_length() - 1) // 9] += 1
            chosen[int(notes[0, 0, game])] += 1
            for player in range(4):
                for card in cards_of(int(notes[player, 2, game]), int(room[0].turned[player])):
                    dealt[player, card % 9] += 1
    assert abs(chi_square(cities)) < 5
    assert abs(chi_square(list(chosen.values()))) < 5
    fitting = len(legal_moves(deal(setup, SeedShuffler(bytes(32)))))
    assert len(chosen) == fitting
    for hand in dealt:
        assert abs(chi_square(hand)) < 5


@pytest.mark.parametrize(("games", "threads"), [(0, 1), (-1, 1), (10, 0), (10, -2)])
def test_bad_amounts_are_refused(games: int, threads: int) -> None:
    with pytest.raises(KernelError, match="at least one"):
        random_games(set_up(4), games, threads=threads)
