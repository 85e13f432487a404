"""What is told piece by piece comes to what is told as a whole."""

from __future__ import annotations

from random import Random
from typing import Any

import orjson

from manhattan.server import decisions
from manhattan.server.live import encoded
from manhattan.server.news import News
from manhattan.server.seen import view_message
from manhattan.server.sitting import Sitting
from sittings import ADA, BOB, ME, OPEN, Gathering, bot

NOBODY_THERE: Any = {"type": "presence", "present": [], "watching": 0}


def seen(sitting: Sitting, person: str | None) -> dict[str, Any]:
    told = orjson.loads(encoded(view_message(sitting, person, NOBODY_THERE, 0)))
    return {name: told[name] for name in ("position", "own")}


class Follower:
    """Somebody who keeps up with the news, as a page does."""

    def __init__(self, sitting: Sitting, person: str | None) -> None:
        self._person = person
        self.seen = seen(sitting, person)

    def hears(self, news: News) -> None:
        told = orjson.loads(encoded(news.told(self._person, news.after)))
        changes = told["changes"]
        towers = self.seen["position"]["towers"] | changes.pop("towers", {})
        self.seen["position"] |= changes
        self.seen["position"]["towers"] = {at: one for at, one in towers.items() if one}
        self.seen["own"] = told["own"]

    def checks(self, sitting: Sitting) -> None:
        assert self.seen == seen(sitting, self._person)


def follow(table: Gathering, *people: str | None) -> None:
    """A game to its end, now and then with a move taken back."""
    dice = Random(5)
    followers = [Follower(table.sitting, person) for person in people]
    known = None
    while table.sitting.stage == "playing":
        before = table.sitting
        mover, game = before.mover, before.game
        assert mover is not None
        assert game is not None
        person = before.chairs[mover].person
        if person is None:
            table.bot_plays()
        elif dice.random() < 0.2 and len(before.people()) == 1 and table.ply > 9:
            table.does(person, decisions.ask_undo, table.ply, None)
        else:
            table.plays(person, str(dice.choice(game.legal_moves())))
        news = News(before, table.sitting, table.entries[-1], known)
        for follower in followers:
            follower.hears(news)
            follower.checks(table.sitting)
        known = news.handed_on()


def test_among_people() -> None:
    follow(Gathering(ME, OPEN).begins(BOB), ADA, BOB, None)


def test_alone_against_a_bot_with_moves_taken_back() -> None:
    follow(Gathering(ME, bot()).begins(), ADA, None)
