"""Updates add up to views, and their parts to what a record says."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import msgspec

from manhattan.record import event_json
from manhattan.server.domain.state import TableState
from manhattan.server.protocol.messages import PresenceMessage
from manhattan.server.protocol.serialize import encode, game_events, view_message
from manhattan.server.protocol.updates import TableUpdate
from manhattan.view import redact_events
from support.table_builder import ADA, BOB, ME, OPEN, TableBuilder, bot, undo

NO_PRESENCE = PresenceMessage(present=[], away_since=[None] * 4, spectators=0)


def view_of(state: TableState, person: str | None) -> dict[str, Any]:
    view = json.loads(encode(view_message(state, person, NO_PRESENCE, 0)))
    return {name: view[name] for name in ("position", "private")}


class Follower:
    """A viewer that applies updates, as the page does."""

    def __init__(self, state: TableState, person: str | None) -> None:
        self._person = person
        self.view = view_of(state, person)

    def apply(self, update: TableUpdate) -> None:
        message = json.loads(encode(update.message_for(self._person, update.after)))
        patch = message["patch"]
        towers = self.view["position"]["towers"] | patch.pop("towers", {})
        self.view["position"] |= patch
        self.view["position"]["towers"] = {site: tower for site, tower in towers.items() if tower}
        self.view["private"] = message["private"]

    def check(self, state: TableState) -> None:
        assert self.view == view_of(state, self._person)


def follow(table: TableBuilder, *people: str | None) -> None:
    """Play a game to its end, with undos where one person plays alone."""
    rng = Random(5)
    followers = [Follower(table.state, person) for person in people]
    scores = None
    while table.state.stage == "playing":
        before = table.state
        mover, game = before.mover, before.game
        assert mover is not None
        assert game is not None
        person = before.seats[mover].person
        if person is None:
            table.play_bot_move()
        elif rng.random() < 0.2 and len(before.people()) == 1 and table.ply > 9:
            table.execute(person, undo(table.ply))
        else:
            table.play(person, str(rng.choice(game.legal_moves())))
        update = TableUpdate(before, table.state, table.events[-1], scores)
        for follower in followers:
            follower.apply(update)
            follower.check(table.state)
        scores = update.take_scores()


def test_updates_lead_to_the_view_of_each_viewer() -> None:
    follow(TableBuilder(ME, OPEN).start(BOB), ADA, BOB, None)


def test_updates_lead_to_the_view_after_undos() -> None:
    follow(TableBuilder(ME, bot()).start(), ADA, None)


def test_game_events_are_those_of_a_record() -> None:
    table = TableBuilder(ME, OPEN).start(BOB)
    while table.state.stage == "playing":
        assert table.state.mover is not None
        person = table.state.seats[table.state.mover].person
        assert person is not None
        table.play(person)
    game = table.state.game
    assert game is not None
    for player in (0, 1, None):
        expected = [event_json(event, game.setup) for event in redact_events(player, game.events)]
        payload = msgspec.to_builtins(game_events(game.events, game.setup, player))
        assert payload == [event for event in expected if event is not None]
