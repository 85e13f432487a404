"""Playing: the deal, and what a move does (RULES 4, 5, 9)."""

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
from manhattan.rules.scoring import decide, score_round
from manhattan.rules.setup import Setup
from manhattan.rules.state import Phase, State, Table
from manhattan.rules.towers import EMPTY_BOARD

T = TypeVar("T")


def deal(setup: Setup, chance: Shuffler) -> State:
    """The start of a game: four cards in a row to each player, from the start player clockwise."""
    deck = _shuffled(chance, 0, DECK)
    count = len(setup.players)
    table = Table(
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
    return State(table, tuple(hands), deck[HAND_SIZE * count :])


def apply(
    state: State, move: Move, chance: Shuffler, player: int | None = None
) -> tuple[State, tuple[Event, ...]]:
    """The state after a move, and everything that happened, up to the next decision.

    A refused move raises ``IllegalMove`` and changes nothing.
    """
    if refused := why_not(state, move, player):
        raise IllegalMove(move, refused)
    table, events, drawn = take_turn(
        state.table, move, lambda table, count: _draw(table, state.pile, count, chance)
    )
    if drawn is None:
        return begin_turn(state._replace(table=table), chance, events)
    assert isinstance(move, Build)  # only who builds draws
    hand = [*state.hand, *drawn.cards]
    hand.remove(card_for(state.table.seat, move.site))
    hands = _with(state.hands, state.table.mover, tuple(sorted(hand)))
    return begin_turn(State(table, hands, drawn.pile), chance, events)


class Drawn(NamedTuple):
    """Cards that were drawn, and what is left. Whoever can't see cards has none here."""

    cards: tuple[Card, ...]
    table: Table
    pile: tuple[Card, ...]
    shuffles: tuple[Shuffled, ...]


Draw = Callable[[Table, int], Drawn]
"""Draw so many cards, with the cards in sight or without."""


def take_turn(
    table: Table, move: Move, draw: Draw
) -> tuple[Table, tuple[Event, ...], Drawn | None]:
    """What a legal move does to the open table, and what was drawn for it. The hands are not its
    business, so it serves those who can't see them too."""
    mover = table.mover
    if isinstance(move, Select):
        return after_select(table, move), (Selected(mover, move),), None
    colour = colour_of(table, move)
    block = Block(colour, move.size)
    if isinstance(move, Remove):
        table, scored = after_turn(after_remove(table, block))
        return table, (Removed(mover, move, block), *scored), None
    card = card_for(table.seat, move.site)
    owner = table.board[move.site].owner
    taken_from = None if owner is colour else owner
    drawn = draw(after_build(table, move, block, card), 1)
    table, scored = after_turn(drawn.table)
    drew = drawn.cards[0] if drawn.cards else None
    built = Built(mover, move, block, card, taken_from, drew)
    return table, (*drawn.shuffles, built, *scored), drawn


def after_select(table: Table, move: Select) -> Table:
    """The table after the mover's choice of blocks; the last choice opens the building."""
    supplies, tableaus = list(table.supplies), list(table.tableaus)
    for own, sizes in zip(table.setup.own[table.mover], move.blocks, strict=True):
        supplies[own.slot] = subtract(supplies[own.slot], stock_of(sizes))
        tableaus[own.slot] = stock_of(sizes)
    following = table.setup.left_of(table.mover)
    return table._replace(
        supplies=tuple(supplies),
        tableaus=tuple(tableaus),
        mover=following,
        phase=Phase.BUILD if following == table.start_player else Phase.SELECT,
    )


def after_build(table: Table, move: Build, block: Block, card: Card) -> Table:
    """The table after a card was played, its block placed and the turn passed on. What is drawn
    for the card is seen to by the caller."""
    return table._replace(
        board=_with(table.board, move.site, table.board[move.site].topped(block)),
        tableaus=_without(table, block),
        played=(*table.played, card),
        mover=table.setup.left_of(table.mover),
    )


def after_remove(table: Table, block: Block) -> Table:
    """The table after a block was taken out of the game and the turn passed on."""
    index = table.setup.colour_index(block.colour)
    return table._replace(
        tableaus=_without(table, block),
        taken_out=_with(table.taken_out, index, add(table.taken_out[index], ONE_BLOCK[block.size])),
        mover=table.setup.left_of(table.mover),
        phase=Phase.BUILD,
    )


def after_turn(table: Table) -> tuple[Table, tuple[Event, ...]]:
    """The table when a building turn is over: a round's last one is followed by the scoring, and
    the last round by the end."""
    setup = table.setup
    if any(map(any, table.tableaus)):
        return table, ()
    sheet = score_round(table.board, setup, table.round, table.scores)
    start = setup.left_of(table.start_player)
    table = table._replace(sheets=(*table.sheets, sheet), start_player=start, mover=start)
    if table.round < setup.schedule.rounds:
        return table._replace(round=table.round + 1, phase=Phase.SELECT), (Scored(sheet),)
    result = decide(table.board, setup, sheet.scores)
    return table._replace(phase=Phase.OVER, result=result), (Scored(sheet), Ended(result))


def begin_turn(
    state: State, chance: Shuffler, events: tuple[Event, ...] = ()
) -> tuple[State, tuple[Event, ...]]:
    """What happens by itself before a decision: who can place nothing shows his hand and redraws.

    If the new hand gives no placement either, he has to take a block out: there is one redraw
    in a turn and never a second.
    """
    table = state.table
    if table.phase is not Phase.BUILD or can_build(table, state.hand):
        return state, events
    table, events_of_redraw, drawn = redraw(
        table, state.hand, lambda table, count: _draw(table, state.pile, count, chance)
    )
    hand = tuple(sorted(drawn.cards))
    if not can_build(table, hand):
        table = table._replace(phase=Phase.REMOVE)
    state = State(table, _with(state.hands, table.mover, hand), drawn.pile)
    return state, (*events, *events_of_redraw)


def redraw(
    table: Table, shown: tuple[Card, ...], draw: Draw
) -> tuple[Table, tuple[Event, ...], Drawn]:
    """What a redraw does to the open table: the mover shows his hand and draws another."""
    drawn = draw(table._replace(played=(*table.played, *shown)), HAND_SIZE)
    return drawn.table, (*drawn.shuffles, Redrew(table.mover, shown, drawn.cards or None)), drawn


def _draw(table: Table, pile: tuple[Card, ...], count: int, chance: Shuffler) -> Drawn:
    """Draw some cards. A pile that is empty when a card is needed, not earlier, is made anew from
    all played cards. One shuffle is always enough: at least 29 cards are neither held nor drawn."""
    if len(pile) >= count:
        return Drawn(pile[:count], table, pile[count:], ())
    fresh = _shuffled(chance, table.shuffles, tuple(sorted(table.played)))
    event = Shuffled(table.shuffles, fresh)
    missing = count - len(pile)
    return Drawn(pile + fresh[:missing], after_shuffle(table), fresh[missing:], (event,))


def after_shuffle(table: Table) -> Table:
    """The table after the played cards became the new draw pile."""
    return table._replace(played=(), shuffles=table.shuffles + 1)


def _shuffled(chance: Shuffler, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    pile = tuple(chance(number, cards))
    if tuple(sorted(pile)) != cards:
        raise ChanceError(
            f"Shuffle {number} must give back the {len(cards)} cards that it was given; "
            f"it gave {len(pile)} cards, or other ones."
        )
    return pile


def _without(table: Table, block: Block) -> tuple[Stock, ...]:
    """The tableaus without a block."""
    index = table.setup.colour_index(block.colour)
    return _with(table.tableaus, index, subtract(table.tableaus[index], ONE_BLOCK[block.size]))


def _with(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    changed = list(items)  # half as long as putting slices together
    changed[index] = item
    return tuple(changed)
