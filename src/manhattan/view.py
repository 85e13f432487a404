"""Views: what a player or a spectator may see. The only filter of hidden cards.

Hidden are the other hands and the order of the draw pile, in the state as in the events. Players,
bots and screens get nothing that has not passed through this module. (The seed, from which all
cards follow, is part of no state or event; records and the server publish it after the game.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from manhattan.game import Game
from manhattan.rules import (
    DECK,
    Built,
    Card,
    Event,
    Move,
    PublicState,
    Reason,
    Redrew,
    Refusal,
    Shuffled,
    State,
)
from manhattan.rules.legality import legal_moves_for_hand, refusal


class View(NamedTuple):
    """The public state, and the hand and the event history of one viewer."""

    public: PublicState
    player: int | None
    """The viewer: a player's index, or None for a spectator."""
    hand: tuple[Card, ...]
    """The viewer's cards; a spectator has none."""
    events: tuple[Event, ...] = ()
    """The events so far, redacted for the viewer; empty if the caller did not pass them."""

    @property
    def is_to_move(self) -> bool:
        """Whether it is the viewer's turn."""
        return self.player == self.public.mover and self.public.result is None

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards that the viewer can't see, sorted: those in other hands and in the pile."""
        visible = Counter(self.public.played) + Counter(self.hand)
        return tuple(sorted((Counter(DECK) - visible).elements()))

    def legal_moves(self) -> tuple[Move, ...]:
        """List the viewer's legal moves; none when it is not their turn."""
        return legal_moves_for_hand(self.public, self.hand) if self.is_to_move else ()

    def why_not(self, move: Move) -> Refusal | None:
        """Explain why the viewer can't play a move now, or return None if they can."""
        if self.player is None and self.public.result is None:
            return Refusal(Reason.NOT_PLAYING, {"mover": self.public.player.name})
        return refusal(self.public, self.hand, move, self.player)


def view(state: State, player: int | None, events: Iterable[Event] = ()) -> View:
    """Make the view of a player, or with None that of a spectator."""
    history = redact_events(player, events) if events else ()
    if player is None:
        return View(state.public, None, (), history)
    hand = state.hands[state.public.setup.check_player(player)]
    return View(state.public, player, hand, history)


def view_of(game: Game, player: int | None) -> View:
    """Make the view of a player, with all events of the game so far."""
    return view(game.state, player, game.events)


def redact_event(player: int | None, event: Event) -> Event:
    """Remove from an event what a player, or with None a spectator, may not know."""
    match event:
        case Shuffled():
            return event._replace(pile=None)
        case Built() | Redrew() if event.player != player:
            return event._replace(drew=None)
        case _:
            return event


def redact_events(player: int | None, events: Iterable[Event]) -> tuple[Event, ...]:
    """Remove from events what a player, or with None a spectator, may not know."""
    return tuple(redact_event(player, event) for event in events)
