"""RULES 5b3: the draw of a card, and an empty pile."""

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
from support.positions import CHANCE, play_out, position

HANDS = {0: [1, 2, 3, 5], 1: [5, 6, 6, 6], 2: [9, 9, 9, 9], 3: [8, 8, 8, 9]}
BLOCKS = {"orange": [1, 1], "blue": [1, 1], "yellow": [1, 1], "purple": [1, 1]}


def unshuffled(number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """A shuffle that keeps the cards sorted, so that the tests are easy to follow."""
    return cards


def with_pile(*pile: Card, mover: int = 0) -> State:
    """South and west have a centre card each; all cards not in a hand or the pile were played."""
    return position(hands=HANDS, pile=pile, tableaus=BLOCKS, mover=mover)


def test_one_card_is_drawn_from_the_front_of_the_pile() -> None:
    """RULES 5b3: the hand has four cards again, and the pile has one less."""
    state, _ = apply(with_pile(7, 4, 4), parse_move("A5+1"), unshuffled)
    assert state.hands[0] == (1, 2, 3, 7)
    assert state.pile == (4, 4)


def test_other_hands_do_not_change() -> None:
    """RULES 5b3: only the mover draws."""
    before = with_pile(7, 4, 4)
    after, _ = apply(before, parse_move("A5+1"), unshuffled)
    assert after.hands[1:] == before.hands[1:]


def test_drawing_the_last_card_causes_no_shuffle() -> None:
    """RULES 5b3: the pile is empty afterwards, but no card is needed."""
    state, events = apply(with_pile(7), parse_move("A5+1"), unshuffled)
    assert [type(event) for event in events] == [Built]
    assert (state.pile, state.public.pile_size, state.public.shuffles) == ((), 0, 1)
    assert len(state.public.played) == 29


def test_the_next_draw_shuffles_all_played_cards() -> None:
    """RULES 5b3: the thirty cards that are not in a hand, including the one just played."""
    state, _ = apply(with_pile(7), parse_move("A5+1"), unshuffled)
    _, events = apply(state, parse_move("B5+1"), unshuffled)
    sorted_pile = (*[1] * 4, *[2] * 4, *[3] * 4, *[4] * 5, *[5] * 5, *[6] * 2, *[7] * 4, *[8] * 2)
    assert events[0] == Shuffled(number=1, pile=sorted_pile)


def test_a_shuffle_comes_directly_before_the_draw_that_needed_it() -> None:
    """RULES 5b3, RECORD: first the new pile, then the build whose card comes from it."""
    _, events = apply(with_pile(mover=1), parse_move("B5+1"), unshuffled)
    shuffled, built = events
    assert isinstance(shuffled, Shuffled)
    assert isinstance(built, Built)
    assert (built.card, built.drew) == (5, 1)


def test_there_are_no_played_cards_after_a_shuffle() -> None:
    """RULES 5b3: all played cards but the one drawn are in the new pile; hands are kept."""
    before = with_pile(mover=1)
    after, _ = apply(before, parse_move("B5+1"), unshuffled)
    assert after.public.played == ()
    assert (len(after.pile), after.public.pile_size) == (29, 29)
    assert [after.hands[n] for n in (0, 2, 3)] == [before.hands[n] for n in (0, 2, 3)]


@pytest.mark.parametrize(("cut", "hand"), [(16, (4, 6, 6, 6)), (17, (5, 6, 6, 6))])
def test_the_card_just_played_can_be_drawn_again(cut: int, hand: tuple[Card, ...]) -> None:
    """RULES 5b3: it is shuffled in before the draw: 17 lower cards, then the 5s with west's."""
    state, _ = apply(
        with_pile(mover=1), parse_move("B5+1"), lambda _, cards: cards[cut:] + cards[:cut]
    )
    assert state.hands[1] == hand


def test_shuffles_are_counted() -> None:
    """RECORD: the deal is shuffle 0, followed by 1, 2 and 3."""
    shuffles = []

    def chance(number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        shuffles.append((number, len(cards)))
        return CHANCE(number, cards)

    play_out(Game(set_up(), chance))
    assert shuffles == [(0, 45), (1, 30), (2, 30), (3, 30)]


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
    """RULES 4, 5b3: the first pile has 45 cards less 4 for each player. A later pile has one
    more, the card just played, and the build that caused the shuffle draws from it."""
    game = play_out(Game.new(players, edition=edition, seed=bytes(32)))
    builds, needed = 0, []
    for event in game.events:
        builds += isinstance(event, Built | Removed)
        if isinstance(event, Shuffled):
            needed.append(builds + 1)
    assert needed == shuffled_at


def test_players_still_draw_in_the_last_turns() -> None:
    """RULES 9: after the last build every hand has four cards."""
    game = play_out(Game.new(seed=bytes(32)))
    last = [event for event in game.events if isinstance(event, Built)][-1]
    assert last.drew is not None
    assert [len(hand) for hand in game.state.hands] == [4, 4, 4, 4]


def test_hands_and_pile_are_kept_between_rounds() -> None:
    """RULES 5c: players keep their hands when a round is over."""
    before = position(hands=HANDS, pile=[7, 4, 2], tableaus={"orange": [1]}, start_player=1)
    after, _ = apply(before, parse_move("A5+1"), CHANCE)
    assert after.public.round == 2
    assert after.hands == ((1, 2, 3, 7), *before.hands[1:])
    assert after.pile == (4, 2)


def test_side_and_site_determine_the_card_of_a_move() -> None:
    """RULES 3: north plays card 9 to build on site 1."""
    state = position(hands={2: [9, 9, 5, 5]}, tableaus={"yellow": [1], "purple": [1]}, mover=2)
    move = parse_move("A1+1")
    assert isinstance(move, Build)
    after, _ = apply(state, move, CHANCE)
    assert after.public.played[-1] == 9
