"""RULES 9: rulings where the rulebooks are silent: no legal placement, redraw and removal."""

from __future__ import annotations

import pytest

from manhattan.rules import (
    Built,
    Card,
    Ended,
    Event,
    Phase,
    Redrew,
    Removed,
    Scored,
    Selected,
    Shuffled,
    State,
    apply,
    legal_moves,
    parse_move,
)
from support.positions import position

# Orange sits at the south side. Blue has 3 floors on every centre and yellow 3 on every site 1, so
# orange can't place blocks of 1 and 2 floors with the cards 5 and 1.
CENTRES = " ".join(f"{city}5:b2b1" for city in "ABCDEF")
CORNERS = " ".join(f"{city}1:y2y1" for city in "ABCDEF")
# Purple, at the east side, moves before orange; purple's card 2 names site 4.
PURPLE = [2, 3, 4, 6]


def unshuffled(number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """A shuffle that keeps the cards sorted, so that the tests are easy to follow."""
    return cards


def before_orange(
    board: str,
    pile: list[Card],
    orange: tuple[int, ...] = (1, 2),
    round: int = 1,
    start_player: int = 0,
) -> State:
    """Purple is to move and draws the first card of the pile; then orange, who has four centre
    cards."""
    others = [1] * len(orange)
    last = start_player == 1
    return position(
        board,
        hands={0: [5, 5, 5, 5], 3: PURPLE},
        pile=pile,
        tableaus={
            "orange": orange,
            "blue": [] if last else others,
            "yellow": [] if last else others,
            "purple": others if last else [1, *others],
        },
        mover=3,
        round=round,
        start_player=start_player,
    )


def purple_builds(state: State) -> tuple[State, tuple[Event, ...]]:
    return apply(state, parse_move("A4+1"), unshuffled)


def test_a_player_without_a_placement_redraws_automatically() -> None:
    """RULES 9.1: it is forced, so it follows the previous move without a decision."""
    state, events = purple_builds(before_orange(CENTRES, [9, 8, 3, 3, 7, 6]))
    assert [type(event) for event in events] == [Built, Redrew]
    assert (state.public.mover, state.public.phase) == (0, Phase.BUILD)


def test_a_redraw_has_the_old_and_the_new_hand() -> None:
    """RULES 9.1: four cards are shown, and four drawn, in the order of the draw."""
    _, events = purple_builds(before_orange(CENTRES, [9, 8, 3, 3, 7, 6]))
    assert events[1] == Redrew(player=0, hand=(5, 5, 5, 5), drew=(8, 3, 3, 7))


def test_after_a_redraw_the_player_has_the_new_hand() -> None:
    """RULES 9.1: the shown cards are played cards now, and the pile has four cards less."""
    state, _ = purple_builds(before_orange(CENTRES, [9, 8, 3, 3, 7, 6]))
    assert state.hands[0] == (3, 3, 7, 8)
    assert state.public.played[-5:] == (2, 5, 5, 5, 5)
    assert state.pile == (6,)
    assert {str(move)[1] for move in legal_moves(state)} == {"3", "7", "8"}


def test_no_redraw_while_one_placement_is_left() -> None:
    """RULES 9: a block of 3 floors can be placed on 3 floors of another colour."""
    state, events = purple_builds(before_orange(CENTRES, [9, 8, 3, 3, 7, 6], orange=(1, 3)))
    assert [type(event) for event in events] == [Built]
    assert state.hands[0] == (5, 5, 5, 5)
    assert {str(move)[2:] for move in legal_moves(state)} == {"+3"}


def test_no_redraw_before_the_players_own_turn() -> None:
    """RULES 9.1: it comes at the start of a building turn, and blue moves before orange."""
    state = position(
        CENTRES,
        hands={0: [5, 5, 5, 5], 1: [1, 1, 1, 1], 2: [9, 9, 9, 9]},
        tableaus={"orange": [1], "blue": [1, 1], "yellow": [1, 1], "purple": [1, 1]},
        mover=1,
    )
    after, _ = apply(state, parse_move("A3+1"), unshuffled)
    assert after.hands[0] == (5, 5, 5, 5)


def test_a_shuffle_in_the_middle_of_a_redraw() -> None:
    """RULES 9.1: the rest of the pile is drawn first, then the played cards are shuffled."""
    state, events = purple_builds(before_orange(CENTRES, [9, 7, 7]))
    built, shuffled, redrew = events
    assert isinstance(built, Built)
    assert isinstance(shuffled, Shuffled)
    assert shuffled.number == 1
    assert redrew == Redrew(player=0, hand=(5, 5, 5, 5), drew=(7, 7, 1, 1))
    assert state.public.played == ()


def test_the_new_pile_contains_the_shown_hand() -> None:
    """RULES 9.1, RECORD: 45 cards less three hands and the two drawn before make 31. They include
    all five 5s, and all five 2s with the one that purple just played."""
    state, events = purple_builds(before_orange(CENTRES, [9, 7, 7]))
    pile = events[1].pile if isinstance(events[1], Shuffled) else None
    assert pile is not None
    assert (len(pile), pile.count(5), pile.count(2)) == (31, 5, 5)
    assert state.pile == pile[2:]


def test_an_empty_pile_is_replaced_before_the_first_card() -> None:
    """RULES 9.1: purple drew the last card; the redraw needs four new ones."""
    _, events = purple_builds(before_orange(CENTRES, [9]))
    assert [type(event) for event in events] == [Built, Shuffled, Redrew]
    assert events[2] == Redrew(player=0, hand=(5, 5, 5, 5), drew=(1, 1, 1, 1))


def test_a_redraw_from_four_cards_causes_no_shuffle() -> None:
    """RULES 9.1: the pile is empty afterwards, but no further card is needed."""
    state, events = purple_builds(before_orange(CENTRES, [9, 8, 3, 3, 7]))
    assert [type(event) for event in events] == [Built, Redrew]
    assert state.pile == ()


def test_a_shuffle_for_the_build_and_then_a_redraw() -> None:
    """RULES 5b3, 9.1: purple's draw needed the shuffle, so it comes before purple's build."""
    _, events = purple_builds(before_orange(CENTRES, []))
    assert [type(event) for event in events] == [Shuffled, Built, Redrew]


def test_a_redraw_in_the_first_building_turn_of_a_round() -> None:
    """RULES 9.1: it follows the last choice of blocks."""
    state = position(
        CENTRES,
        hands={0: [5, 5, 5, 5]},
        pile=[8, 3, 3, 7, 6],
        tableaus={"orange": [1] * 6, "blue": [3] * 4 + [4] * 2, "yellow": [1] * 6},
        mover=3,
        phase=Phase.SELECT,
        round=2,
    )
    state, events = apply(state, parse_move("[111111]"), unshuffled)
    assert [type(event) for event in events] == [Selected, Redrew]
    assert (state.hands[0], state.public.mover) == ((3, 3, 7, 8), 0)


def test_no_redraw_while_blocks_are_being_chosen() -> None:
    """RULES 9.1: only building turns need a legal placement."""
    state = position(
        CENTRES, hands={0: [5, 5, 5, 5]}, mover=0, start_player=0, phase=Phase.SELECT, round=2
    )
    _, events = apply(state, parse_move("[111111]"), unshuffled)
    assert [type(event) for event in events] == [Selected]


def still_blocked(orange: tuple[int, ...] = (1, 2), round: int = 1, start_player: int = 0) -> State:
    """Orange's new hand, all corner cards, has no legal placement either."""
    pile = [9, 1, 1, 1, 1, 8, 8, 8, 8]
    state = before_orange(f"{CENTRES} {CORNERS}", pile, orange, round, start_player)
    return purple_builds(state)[0]


def test_there_is_at_most_one_redraw_in_a_turn() -> None:
    """RULES 9.2: the eights that would help stay in the pile."""
    state = before_orange(f"{CENTRES} {CORNERS}", [9, 1, 1, 1, 1, 8, 8, 8, 8])
    after, events = purple_builds(state)
    assert [type(event) for event in events] == [Built, Redrew]
    assert (after.public.phase, after.pile) == (Phase.REMOVE, (8, 8, 8, 8))


def test_a_player_takes_out_one_block_of_their_choice() -> None:
    """RULES 9.2: any size on the tableau, and no other move."""
    assert [str(move) for move in legal_moves(still_blocked())] == ["-1", "-2"]


@pytest.mark.parametrize(
    ("move", "left", "out"),
    [("-1", (0, 1, 0, 0), (1, 0, 0, 0)), ("-2", (1, 0, 0, 0), (0, 1, 0, 0))],
)
def test_the_block_leaves_the_game(move: str, left: tuple[int, ...], out: tuple[int, ...]) -> None:
    """RULES 9.2, 11: from the tableau to the blocks taken out; the supply does not change."""
    before = still_blocked()
    after, _ = apply(before, parse_move(move), unshuffled)
    assert (after.public.tableaus[0], after.public.taken_out[0]) == (left, out)
    assert after.public.supplies == before.public.supplies


def test_a_removal_plays_and_draws_no_card() -> None:
    """RULES 9.2: hands, pile and played cards stay, and the turn is over."""
    before = still_blocked()
    after, events = apply(before, parse_move("-2"), unshuffled)
    assert [type(event) for event in events] == [Removed]
    assert (after.hands, after.pile) == (before.hands, before.pile)
    assert after.public.played == before.public.played
    assert (after.public.mover, after.public.phase) == (1, Phase.BUILD)


def test_the_event_of_a_removal() -> None:
    """RULES 9: a separate event with the player and the block."""
    (removed,) = apply(still_blocked(), parse_move("-2"), unshuffled)[1]
    assert isinstance(removed, Removed)
    assert (removed.player, str(removed.move), str(removed.block)) == (0, "-2", "o2")


def test_the_next_turn_may_redraw_again() -> None:
    """RULES 9.2: the limit of one redraw is for each turn."""
    state = still_blocked()
    for move in ("-2", "A7+1", "A3+1"):
        state, _ = apply(state, parse_move(move), unshuffled)
    state, events = apply(state, parse_move("A8+1"), unshuffled)
    assert [type(event) for event in events] == [Built, Shuffled, Redrew]
    assert isinstance(events[-1], Redrew)
    assert (events[-1].player, events[-1].hand) == (0, (1, 1, 1, 1))
    assert state.public.phase is Phase.BUILD


def test_a_removal_that_ends_the_round() -> None:
    """RULES 9.2, 5c: the last block of the round is taken out, and the scoring follows."""
    state = still_blocked(orange=(2,), start_player=1)
    after, events = apply(state, parse_move("-2"), unshuffled)
    assert [type(event) for event in events] == [Removed, Scored]
    assert (after.public.phase, after.public.round) == (Phase.SELECT, 2)
    assert (after.public.start_player, after.public.mover) == (2, 2)


def test_a_removal_that_ends_the_game() -> None:
    """RULES 9.2, 7: in the last round, the end follows the scoring. Blue and yellow own six towers
    each; purple's tower is one of three in A."""
    state = still_blocked(orange=(2,), start_player=1, round=4)
    after, events = apply(state, parse_move("-2"), unshuffled)
    assert [type(event) for event in events] == [Removed, Scored, Ended]
    assert after.public.phase is Phase.OVER
    assert after.public.scores == (0, 6, 6, 1)
    assert legal_moves(after) == ()


def test_two_players_may_take_out_either_colour() -> None:
    """RULES 6, 9.2: one block of either colour; the move names the colour."""
    state = position(
        " ".join(f"{city}5:y2y1" for city in "ABCDEF"),
        players=2,
        hands={0: [5, 5, 5, 5]},
        tableaus={"orange": [1, 2], "blue": [1]},
        phase=Phase.REMOVE,
    )
    assert [str(move) for move in legal_moves(state)] == ["-1o", "-2o", "-1b"]


def test_one_placeable_colour_is_enough_to_build() -> None:
    """RULES 6, 9: orange can't build, but blue owns the centres, so there is no redraw."""
    state = position(
        CENTRES,
        players=2,
        hands={0: [5, 5, 5, 5], 1: [1, 1, 1, 1]},
        tableaus={"orange": [1, 2], "blue": [1], "yellow": [1, 1, 1, 1]},
        mover=1,
    )
    state, events = apply(state, parse_move("A9+1y"), unshuffled)
    assert [type(event) for event in events] == [Built]
    assert {str(move)[2:] for move in legal_moves(state)} == {"+1b"}


def test_a_colour_without_blocks_has_no_placement() -> None:
    """RULES 6, 9: orange owns the centres but has no block left, and blue's 1 is too small."""
    state = position(
        CENTRES.replace("b", "o"),
        players=2,
        hands={0: [5, 5, 5, 5], 1: [1, 1, 1, 1]},
        tableaus={"blue": [1], "yellow": [1, 1]},
        mover=1,
    )
    _, events = apply(state, parse_move("A9+1y"), unshuffled)
    assert [type(event) for event in events] == [Built, Redrew]
