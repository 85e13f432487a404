"""The history of an OpenSpiel game: what happened, one number per event.

All players see all events, except that only the player who draws a card sees which it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.actions import BUILDS
from manhattan.kernel.jit import inlined

CARD_KINDS = 9
SHUFFLE = 9
"""The chance outcome that makes the played cards the pile; 0 to 8 draw the cards 1 to 9."""

ACTION_STRIDE = 0x0800
"""An action is this times the player, plus the action."""
DREW = 0x4000
"""A draw is this, plus 16 times the player, plus the card's kind."""
SHUFFLED = 0x7000
REVEALED = 0x8000
"""A revealed hand is this, plus ``HAND_STRIDE`` times the player, plus the kinds of its cards as
four digits to the base of nine."""
HAND_STRIDE = 0x2000
MAX_EVENTS = 768
"""112 decisions, 16 cards dealt, and at most, in each of 96 turns, a hand revealed, four cards
drawn for it and one for the block; 18 shuffles."""

DEALING = 0
"""The reason for drawing cards that is no action; the others are ``ONE_CARD`` and ``NEW_HAND``."""

CHANCE_STATE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("drawer", np.int64),  # the player who draws
                ("to_draw", np.int64),  # how many cards; 0 if a player is to decide
                ("reason", np.int64),  # DEALING, ONE_CARD or NEW_HAND
                ("event_count", np.int64),
                ("events", np.uint16, (MAX_EVENTS,)),
            ],
            align=True,
        ),
    )
)
"""The draws that chance has to make next, and the history."""

ChanceState = Any
"""A record of dtype CHANCE_STATE."""
Event = Any
"""An int64."""


@inlined
def is_action(event: Event) -> Any:
    return event < DREW


@inlined
def is_draw(event: Event) -> Any:
    return DREW <= event < SHUFFLED


@inlined
def is_reveal(event: Event) -> Any:
    return event >= REVEALED


@inlined
def player_of(event: Event) -> Any:
    """Return the player who acted, drew or revealed a hand."""
    if is_action(event):
        return event // ACTION_STRIDE
    return event // 16 % 4 if is_draw(event) else (event - REVEALED) // HAND_STRIDE


@inlined
def is_build(event: Event, per_player: int) -> Any:
    return is_action(event) and event % ACTION_STRIDE < BUILDS * per_player


@inlined
def played_card(g: Any, event: Event) -> Any:
    """Return the kind of the card that a build was made with."""
    position = event % ACTION_STRIDE % BUILDS // 4 % 9
    return np.int64(g.position_to_card[player_of(event), position])


@inlined
def revealed_card(event: Event, place: int) -> Any:
    """Return the kind of one of the four cards of a revealed hand."""
    return event % HAND_STRIDE // CARD_KINDS**place % CARD_KINDS


@inlined
def add_event(c: ChanceState, event: int) -> None:
    c.events[c.event_count] = np.uint16(event)
    c.event_count += 1
