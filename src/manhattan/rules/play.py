"""The course of a game: the deal, and the effects of a move (RULES 4, 5, 9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from manhattan.rules.blocks import (
    EMPTY_STOCK,
    FULL_STOCK,
    ONE_BLOCK,
    Block,
    Stock,
    add,
    stock_of,
    subtract,
)
from manhattan.rules.board import DECK, HAND_SIZE, Card, card_for
from manhattan.rules.chance import Shuffler
from manhattan.rules.errors import ChanceError
from manhattan.rules.events import Built, Ended, Event, Redrew, Removed, Scored, Selected, Shuffled
from manhattan.rules.legality import IllegalMove, can_build, colour_of, why_not
from manhattan.rules.moves import Build, Move, Remove, Select
from manhattan.rules.scoring import determine_result, score_round
from manhattan.rules.setup import Setup
from manhattan.rules.state import Phase, PublicState, State
from manhattan.rules.towers import EMPTY_BOARD

T = TypeVar("T")


def deal(setup: Setup, chance: Shuffler) -> State:
    """Deal a game: four cards in a row to each player, clockwise from the start player."""
    deck = _shuffled(chance, 0, DECK)
    count = len(setup.players)
    public = PublicState(
        setup=setup,
        board=EMPTY_BOARD,
        supplies=(FULL_STOCK,) * len(setup.colours),
        tableaus=(EMPTY_STOCK,) * len(setup.colours),
        taken_out=(EMPTY_STOCK,) * len(setup.colours),
        played=(),
        shuffles=1,
        round=1,
        start_player=setup.first,
        mover=setup.first,
        phase=Phase.SELECT,
    )
    turns = [(player - setup.first) % count for player in range(count)]
    hands = (tuple(sorted(deck[HAND_SIZE * t : HAND_SIZE * (t + 1)])) for t in turns)
    return State(public, tuple(hands), deck[HAND_SIZE * count :])


def apply(
    state: State, move: Move, chance: Shuffler, player: int | None = None
) -> tuple[State, tuple[Event, ...]]:
    """Return the state after a move, and all events up to the next decision.

    An illegal move raises ``IllegalMove`` and changes nothing.
    """
    if refusal := why_not(state, move, player):
        raise IllegalMove(move, refusal)
    public, events, drawn = take_turn(
        state.public, move, lambda public, count: _draw(public, state.pile, count, chance)
    )
    if drawn is None:
        return begin_turn(state._replace(public=public), chance, events)
    assert isinstance(move, Build)  # only a placement draws a card
    hand = [*state.hand, *drawn.cards]
    hand.remove(card_for(state.public.side, move.site))
    hands = _with(state.hands, state.public.mover, tuple(sorted(hand)))
    return begin_turn(State(public, hands, drawn.pile), chance, events)


class Drawn(NamedTuple):
    """The result of a draw. There are no cards in it for a caller who can't see them."""

    cards: tuple[Card, ...]
    public: PublicState
    pile: tuple[Card, ...]
    shuffles: tuple[Shuffled, ...]


Draw = Callable[[PublicState, int], Drawn]
"""Draws a number of cards, for a caller who can see them or one who can't."""


def take_turn(
    public: PublicState, move: Move, draw: Draw
) -> tuple[PublicState, tuple[Event, ...], Drawn | None]:
    """Return the public state after a legal move, the events, and the cards that were drawn.

    It needs no hands, so it also serves the replay of a record without hidden cards.
    """
    mover = public.mover
    if isinstance(move, Select):
        return after_select(public, move), (Selected(mover, move),), None
    colour = colour_of(public, move)
    block = Block(colour, move.size)
    if isinstance(move, Remove):
        public, scored = after_turn(after_remove(public, block))
        return public, (Removed(mover, move, block), *scored), None
    card = card_for(public.side, move.site)
    owner = public.board[move.site].owner
    taken_from = None if owner is colour else owner
    drawn = draw(after_build(public, move, block, card), 1)
    public, scored = after_turn(drawn.public)
    drew = drawn.cards[0] if drawn.cards else None
    built = Built(mover, move, block, card, taken_from, drew)
    return public, (*drawn.shuffles, built, *scored), drawn


def after_select(public: PublicState, move: Select) -> PublicState:
    """The public state after the mover's choice of blocks. Building follows the last choice."""
    supplies, tableaus = list(public.supplies), list(public.tableaus)
    for own, sizes in zip(public.setup.colours_by_player[public.mover], move.blocks, strict=True):
        supplies[own.slot] = subtract(supplies[own.slot], stock_of(sizes))
        tableaus[own.slot] = stock_of(sizes)
    following = public.setup.left_of(public.mover)
    return public._replace(
        supplies=tuple(supplies),
        tableaus=tuple(tableaus),
        mover=following,
        phase=Phase.BUILD if following == public.start_player else Phase.SELECT,
    )


def after_build(public: PublicState, move: Build, block: Block, card: Card) -> PublicState:
    """The public state after a placement, with the next player to move. The caller draws."""
    return public._replace(
        board=_with(public.board, move.site, public.board[move.site].topped(block)),
        tableaus=_without(public, block),
        played=(*public.played, card),
        mover=public.setup.left_of(public.mover),
    )


def after_remove(public: PublicState, block: Block) -> PublicState:
    """The public state after the removal of a block, with the next player to move."""
    index = public.setup.colour_index(block.colour)
    return public._replace(
        tableaus=_without(public, block),
        taken_out=_with(
            public.taken_out, index, add(public.taken_out[index], ONE_BLOCK[block.size])
        ),
        mover=public.setup.left_of(public.mover),
        phase=Phase.BUILD,
    )


def after_turn(public: PublicState) -> tuple[PublicState, tuple[Event, ...]]:
    """End a building turn: score the round after its last turn, and end the game after the last
    round."""
    setup = public.setup
    if any(map(any, public.tableaus)):
        return public, ()
    sheet = score_round(public.board, setup, public.round, public.scores)
    start = setup.left_of(public.start_player)
    public = public._replace(sheets=(*public.sheets, sheet), start_player=start, mover=start)
    if public.round < setup.schedule.rounds:
        return public._replace(round=public.round + 1, phase=Phase.SELECT), (Scored(sheet),)
    result = determine_result(public.board, setup, sheet.scores)
    return public._replace(phase=Phase.OVER, result=result), (Scored(sheet), Ended(result))


def begin_turn(
    state: State, chance: Shuffler, events: tuple[Event, ...] = ()
) -> tuple[State, tuple[Event, ...]]:
    """Redraw before a decision, if the player to move has no legal placement.

    If the new hand has none either, the player must take a block out of the game: there is at most
    one redraw in a turn.
    """
    public = state.public
    if public.phase is not Phase.BUILD or can_build(public, state.hand):
        return state, events
    public, events_of_redraw, drawn = redraw(
        public, state.hand, lambda public, count: _draw(public, state.pile, count, chance)
    )
    hand = tuple(sorted(drawn.cards))
    if not can_build(public, hand):
        public = public._replace(phase=Phase.REMOVE)
    state = State(public, _with(state.hands, public.mover, hand), drawn.pile)
    return state, (*events, *events_of_redraw)


def redraw(
    public: PublicState, shown: tuple[Card, ...], draw: Draw
) -> tuple[PublicState, tuple[Event, ...], Drawn]:
    """Return the public state and the events after the mover showed their hand and redrew."""
    drawn = draw(public._replace(played=(*public.played, *shown)), HAND_SIZE)
    return drawn.public, (*drawn.shuffles, Redrew(public.mover, shown, drawn.cards or None)), drawn


def _draw(public: PublicState, pile: tuple[Card, ...], count: int, chance: Shuffler) -> Drawn:
    """Draw cards from the pile.

    If the pile runs out, all played cards are shuffled into a new one, and not before. One shuffle
    is always enough: at least 29 cards are not in the players' hands.
    """
    if len(pile) >= count:
        return Drawn(pile[:count], public, pile[count:], ())
    new_pile = _shuffled(chance, public.shuffles, tuple(sorted(public.played)))
    event = Shuffled(public.shuffles, new_pile)
    missing = count - len(pile)
    return Drawn(pile + new_pile[:missing], after_shuffle(public), new_pile[missing:], (event,))


def after_shuffle(public: PublicState) -> PublicState:
    """The public state after the played cards became the new draw pile."""
    return public._replace(played=(), shuffles=public.shuffles + 1)


def _shuffled(chance: Shuffler, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    pile = tuple(chance(number, cards))
    if tuple(sorted(pile)) != cards:
        raise ChanceError(
            f"Shuffle {number} must return the {len(cards)} cards that it was given; "
            f"it returned {len(pile)} cards, or different ones."
        )
    return pile


def _without(public: PublicState, block: Block) -> tuple[Stock, ...]:
    """The tableaus without one block."""
    index = public.setup.colour_index(block.colour)
    return _with(public.tableaus, index, subtract(public.tableaus[index], ONE_BLOCK[block.size]))


def _with(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    changed = list(items)
    changed[index] = item
    return tuple(changed)
