"""What one player, or an onlooker, may see: the only filter of hidden information.

Hidden are the other hands, the order of the draw pile and the seed. Everything that leaves the
whole game for somebody's eyes, his bot's or his file goes through here.
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
    Reason,
    Redrew,
    Refusal,
    Shuffled,
    State,
    Table,
)
from manhattan.rules.legality import moves_with, refusal


class View(NamedTuple):
    """The open table, and the hand of the one who looks."""

    table: Table
    player: int | None
    """Who looks: a player's number, or None for an onlooker."""
    hand: tuple[Card, ...]
    """His own cards; an onlooker has none."""
    events: tuple[Event, ...] = ()
    """What has happened so far, as he may know it; nothing if it was not told."""

    @property
    def to_move(self) -> bool:
        """Is it his turn?"""
        return self.player == self.table.mover and self.table.result is None

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards that he can't see, sorted: those in other hands and in the pile."""
        seen = Counter(self.table.played) + Counter(self.hand)
        return tuple(sorted((Counter(DECK) - seen).elements()))

    def legal_moves(self) -> tuple[Move, ...]:
        """His legal moves; none when it is not his turn."""
        return moves_with(self.table, self.hand) if self.to_move else ()

    def why_not(self, move: Move) -> Refusal | None:
        """Why he may not make a move now, or None if he may."""
        if self.player is None and self.table.result is None:
            return Refusal(Reason.NOT_PLAYING, {"mover": self.table.player.name})
        return refusal(self.table, self.hand, move, self.player)


def view(state: State, player: int | None, events: Iterable[Event] = ()) -> View:
    """Exactly what a player may know; with None, what everybody may."""
    seen = all_seen_by(player, events) if events else ()
    if player is None:
        return View(state.table, None, (), seen)
    hand = state.hands[state.table.setup.check_player(player)]
    return View(state.table, player, hand, seen)


def view_of(game: Game, player: int | None) -> View:
    """What a player may know of a game, and of all that has happened in it."""
    return view(game.state, player, game.events)


def seen_by(player: int | None, event: Event) -> Event:
    """An event as a player, or with None an onlooker, may know it."""
    match event:
        case Shuffled():
            return event._replace(pile=None)
        case Built() | Redrew() if event.player != player:
            return event._replace(drew=None)
        case _:
            return event


def all_seen_by(player: int | None, events: Iterable[Event]) -> tuple[Event, ...]:
    """Several events as one may know them."""
    return tuple([seen_by(player, event) for event in events])  # quicker than one by one
