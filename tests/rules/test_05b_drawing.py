"""RULES 5b3: drawing a card, and the pile that runs out."""

from __future__ import annotations

import pytest

from manhattan.game import Game
from manhattan.rules import (
    Build,
    Built,
    Card,
    Removed,
    Shuffled,
    State,
    apply,
    parse_move,
    set_up,
)
from positions import CHANCE, play_out, position

HANDS = {0: [1, 2, 3, 5], 1: [5, 6, 6, 6], 2: [9, 9, 9, 9], 3: [8, 8, 8, 9]}
BLOCKS = {"orange": [1, 1], "blue": [1, 1], "yellow": [1, 1], "purple": [1, 1]}


def unshuffled(number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """A shuffle that leaves the cards sorted, so that a reader can follow them."""
    return cards


def with_pile(*pile: Card, mover: int = 0) -> State:
    """South and west hold a centre card each; the cards that are nowhere else were played."""
    return position(hands=HANDS, pile=pile, tableaus=BLOCKS, mover=mover)


def test_one_card_is_drawn_from_the_front_of_the_pile() -> None:
    """RULES 5b3: the hand is full again, the pile one card shorter."""
    state, _ = apply(with_pile(7, 4, 4), parse_move("A5+1"), unshuffled)
    assert state.hands[0] == (1, 2, 3, 7)
    assert state.pile == (4, 4)


def test_the_other_hands_are_kept() -> None:
    """RULES 5b3: only the mover draws."""
    before = with_pile(7, 4, 4)
    after, _ = apply(before, parse_move("A5+1"), unshuffled)
    assert after.hands[1:] == before.hands[1:]


def test_drawing_the_last_card_shuffles_nothing() -> None:
    """RULES 5b3: the pile is empty afterwards, but that is no moment to draw."""
    state, events = apply(with_pile(7), parse_move("A5+1"), unshuffled)
    assert [type(event) for event in events] == [Built]
    assert (state.pile, state.table.pile_size, state.table.shuffles) == ((), 0, 1)
    assert len(state.table.played) == 29


def test_the_next_draw_shuffles_all_played_cards() -> None:
    """RULES 5b3: the thirty cards that nobody holds, the one just played among them."""
    state, _ = apply(with_pile(7), parse_move("A5+1"), unshuffled)
    _, events = apply(state, parse_move("B5+1"), unshuffled)
    sorted_pile = (*[1] * 4, *[2] * 4, *[3] * 4, *[4] * 5, *[5] * 5, *[6] * 2, *[7] * 4, *[8] * 2)
    assert events[0] == Shuffled(number=1, pile=sorted_pile)


def test_the_shuffle_stands_directly_before_the_draw_that_needed_it() -> None:
    """RULES 5b3, RECORD: first the new pile, then the build whose card comes from it."""
    _, events = apply(with_pile(mover=1), parse_move("B5+1"), unshuffled)
    shuffled, built = events
    assert isinstance(shuffled, Shuffled)
    assert isinstance(built, Built)
    assert (built.card, built.drew) == (5, 1)


def test_after_the_shuffle_nothing_is_played() -> None:
    """RULES 5b3: all played cards are in the new pile, less the one drawn; hands are kept."""
    before = with_pile(mover=1)
    after, _ = apply(before, parse_move("B5+1"), unshuffled)
    assert after.table.played == ()
    assert (len(after.pile), after.table.pile_size) == (29, 29)
    assert [after.hands[n] for n in (0, 2, 3)] == [before.hands[n] for n in (0, 2, 3)]


@pytest.mark.parametrize(("cut", "hand"), [(16, (4, 6, 6, 6)), (17, (5, 6, 6, 6))])
def test_the_card_just_played_can_come_back(cut: int, hand: tuple[Card, ...]) -> None:
    """RULES 5b3: it is shuffled in before the draw: 17 lower ones, then the 5s with west's."""
    state, _ = apply(
        with_pile(mover=1), parse_move("B5+1"), lambda _, cards: cards[cut:] + cards[:cut]
    )
    assert state.hands[1] == hand


def test_shuffles_are_counted() -> None:
    """RECORD: the deal is shuffle 0, then come 1, 2 and 3."""
    asked = []

    def chance(number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        asked.append((number, len(cards)))
        return CHANCE(number, cards)

    play_out(Game(set_up(), chance))
    assert asked == [(0, 45), (1, 30), (2, 30), (3, 30)]


@pytest.mark.parametrize(
    ("players", "edition", "shuffled_at"),
    [
        (4, "hig-2017", [30, 60, 90]),
        (3, "hig-2017", [34, 68]),
        (2, "hig-2017", [38, 76]),
        (2, "foxgames-2018", [38]),
    ],
)
def test_the_builds_that_need_a_shuffle(players: int, edition: str, shuffled_at: list[int]) -> None:
    """RULES 4, 5b3: the first pile is 45 cards less 4 a player; a later one holds one more, the
    card just played, and the build that made it draws from it."""
    game = play_out(Game.new(players, edition=edition, seed=bytes(32)))
    builds, seen = 0, []
    for event in game.events:
        builds += isinstance(event, Built | Removed)
        if isinstance(event, Shuffled):
            seen.append(builds + 1)
    assert seen == shuffled_at


def test_cards_are_still_drawn_in_the_last_turns() -> None:
    """RULES 9: it changes nothing, but after the last build every hand holds four cards."""
    game = play_out(Game.new(seed=bytes(32)))
    last = [event for event in game.events if isinstance(event, Built)][-1]
    assert last.drew is not None
    assert [len(hand) for hand in game.state.hands] == [4, 4, 4, 4]


def test_choosing_blocks_between_rounds_keeps_hand_and_pile() -> None:
    """RULES 5c: players keep their hands when a round is over."""
    before = position(hands=HANDS, pile=[7, 4, 2], tableaus={"orange": [1]}, start_player=1)
    after, _ = apply(before, parse_move("A5+1"), CHANCE)
    assert after.table.round == 2
    assert after.hands == ((1, 2, 3, 7), *before.hands[1:])
    assert after.pile == (4, 2)


def test_the_moves_card_follows_from_seat_and_site() -> None:
    """RULES 3: north plays card 9 to build on site 1, so card 9 is what lies open."""
    state = position(hands={2: [9, 9, 5, 5]}, tableaus={"yellow": [1], "purple": [1]}, mover=2)
    move = parse_move("A1+1")
    assert isinstance(move, Build)
    after, _ = apply(state, move, CHANCE)
    assert after.table.played[-1] == 9
