"""Explicit chance for OpenSpiel: every card is a chance node.

The transition is the kernel's own, ``apply_action`` and ``after_draw``; this module only draws the
card that it is given between the two, and keeps the history. A shuffled pile is equivalent to one
from which every draw takes a random card, so a shuffle is an outcome with probability 1. It is an
outcome nevertheless, because all players see it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.envs.engine.history import (
    ACTION_STRIDE,
    CARD_KINDS,
    DEALING,
    DREW,
    HAND_STRIDE,
    REVEALED,
    SHUFFLE,
    SHUFFLED,
    ChanceState,
    add_event,
)
from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.observation import write_observation
from manhattan.kernel.action_api import apply_action, fill_mask, is_legal
from manhattan.kernel.bits import U64
from manhattan.kernel.jit import inlined, never_inlined
from manhattan.kernel.layout import OVER, GameRecord
from manhattan.kernel.reset import clear_game
from manhattan.kernel.scoring import winners
from manhattan.kernel.transition import (
    NEW_HAND,
    NO_FORCED_PILE,
    after_draw,
    next_player,
    reshuffle,
    take_card,
)
from manhattan.rules.board import HAND_SIZE

CHANCE, TERMINAL, ILLEGAL = -1, -4, -9
"""OpenSpiel's numbers for chance and for the end; and the result of an illegal action."""


@inlined
def current_actor(g: GameRecord, c: ChanceState) -> int:
    """Return the player who is to decide, or CHANCE, or TERMINAL."""
    if c.to_draw > 0:
        return CHANCE
    return TERMINAL if g.phase == OVER else g.mover


@inlined
def request_cards(g: GameRecord, c: ChanceState, cards: int) -> None:
    """Make chance draw the cards that the transition asks for. The hand that a new one replaces is
    revealed: its cards are the last ones that were played."""
    c.drawer, c.to_draw, c.reason = g.mover, cards, cards
    if cards == NEW_HAND:
        hand: Any = 0
        first = len(g.cards) - g.played + HAND_SIZE - 1
        for i in range(HAND_SIZE):
            hand = hand * CARD_KINDS + np.int64(g.cards[first - i])
        add_event(c, REVEALED + HAND_STRIDE * g.mover + hand)


@inlined
def draw_kind(g: GameRecord, player: int, kind: int) -> bool:
    """Draw a card of this kind; return False if the pile has none."""
    for i in range(g.pile):
        if g.cards[i] == kind:
            take_card(g, player, i)
            return True
    return False


@inlined
def apply_outcome(
    g: GameRecord, c: ChanceState, players: tuple[int, ...], colours: tuple[int, ...], outcome: int
) -> bool:
    """Apply a chance outcome; return False, and change nothing, if it is impossible."""
    if g.pile == 0:
        if outcome != SHUFFLE:
            return False
        reshuffle(g, NO_FORCED_PILE)
        add_event(c, SHUFFLED)
        return True
    if outcome < 0 or outcome >= CARD_KINDS or not draw_kind(g, c.drawer, outcome):
        return False
    add_event(c, DREW + 16 * c.drawer + outcome)
    c.to_draw -= 1
    if c.to_draw > 0:
        return True
    if c.reason == DEALING:
        drawer = next_player(c.drawer, players)
        if drawer != g.start:
            c.drawer, c.to_draw = drawer, HAND_SIZE
    else:
        request_cards(g, c, after_draw(g, players, colours, c.reason))
    return True


@never_inlined
def apply(
    g: GameRecord, c: ChanceState, players: tuple[int, ...], colours: tuple[int, ...], action: int
) -> bool:
    """Apply an action or a chance outcome; return False, and change nothing, if it is illegal."""
    if c.to_draw > 0:
        return apply_outcome(g, c, players, colours, action)
    if g.phase == OVER or not is_legal(g, colours, action):
        return False
    add_event(c, ACTION_STRIDE * g.mover + action)
    request_cards(g, c, apply_action(g, players, colours, action))
    return True


@never_inlined
def start(g: GameRecord, c: ChanceState, first: int) -> None:
    """Set up a table before the first card is dealt."""
    clear_game(g, first)
    g.random = U64(0)
    c.drawer, c.to_draw, c.reason, c.event_count = first, HAND_SIZE, DEALING, 0


# Entry points from Python: a game and its chance state are arrays of one record each.


@compiled
def start_table(games: Any, chances: Any, first: int) -> int:
    start(games[0], chances[0], first)
    return current_actor(games[0], chances[0])


@compiled
def apply_to_table(
    games: Any, chances: Any, players: tuple[int, ...], colours: tuple[int, ...], action: int
) -> int:
    """Apply an action or an outcome; return the next actor, or ILLEGAL."""
    g, c = games[0], chances[0]
    return current_actor(g, c) if apply(g, c, players, colours, action) else ILLEGAL


@compiled
def list_legal_actions(games: Any, colours: tuple[int, ...], mask: Any, out: Any) -> Any:
    """Write the mover's legal actions, ascending; return their number."""
    fill_mask(games[0], colours, mask)
    count: Any = 0
    for action in range(len(mask)):
        out[count] = action
        count += np.int64(mask[action])
    return count


@compiled
def count_pile(games: Any) -> Any:
    """Return the number of cards of each kind in the pile, 4 bits each, and of all, above them."""
    g = games[0]
    counts = g.pile << 36
    for i in range(g.pile):
        counts += 1 << (4 * np.int64(g.cards[i]))
    return counts


@compiled
def observe_table(
    games: Any, players: tuple[int, ...], colours: tuple[int, ...], viewer: int, row: Any
) -> None:
    write_observation(games[0], players, colours, viewer, row, row.view(np.uint32))


@compiled
def winners_of_table(games: Any, players: tuple[int, ...], colours: tuple[int, ...]) -> int:
    """Return the winners, one bit each."""
    bits, _ = winners(games[0], players, colours)
    return bits
