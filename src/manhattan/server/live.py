"""A table in this process: how it stands, who looks at it, and what was told last."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final, Protocol

import orjson

from manhattan.rules import State
from manhattan.server import metrics
from manhattan.server.answers import LessonTold
from manhattan.server.clocks import Milliseconds
from manhattan.server.entries import Entry, PersonId
from manhattan.server.folding import fold
from manhattan.server.news import News
from manhattan.server.protocol import Message, PresenceTold
from manhattan.server.seen import view_message
from manhattan.server.sitting import Sitting
from manhattan.server.store import Summary

RECENT: Final = 32
"""News that are kept for those who were away for a moment; others get a fresh view."""
SEEN_ELSEWHERE: Final[Milliseconds] = 30_000
"""So long what another process said of its viewers is believed."""


class Viewer(Protocol):
    """Somebody who looks at a table through a websocket."""

    person: PersonId | None
    generation: int
    """That of his cookie."""

    def put(self, message: bytes) -> None:
        """Send something as soon as he can take it. Never waits."""

    def turn_away(self) -> None:
        """He is not who he was when he came: he has to come again."""

    def missed_something(self) -> None:
        """He has to come again, and gets what he has not heard."""


class LiveTable:
    """A table that somebody plays or looks at, or that has something to do by itself."""

    def __init__(self, sitting: Sitting, now: Milliseconds) -> None:
        self.sitting = sitting
        self.used = now
        """When it was last needed."""
        self.viewers: set[Viewer] = set()
        self.lock = asyncio.Lock()
        """Held by who decides what happens next."""
        self.unsure = False
        """Something was perhaps written down and perhaps not: look first."""
        self.timer: asyncio.TimerHandle | None = None
        self.thinking: asyncio.Task[None] | None = None
        self.thought_about: State | None = None
        self.told_present = now
        self._recent: deque[News] = deque(maxlen=RECENT)
        self._elsewhere: dict[str, tuple[tuple[PersonId | None, ...], Milliseconds]] = {}
        self._presence: PresenceTold | None = None

    @property
    def id(self) -> str:
        return self.sitting.id

    @property
    def thinks(self) -> bool:
        """Does a bot think here?"""
        return self.thinking is not None and not self.thinking.done()

    def thinks_about(self, sitting: Sitting) -> bool:
        """Does a bot think, and is that still how the game stands?"""
        same = sitting.game is not None and sitting.game.state is self.thought_about
        return self.thinks and same

    def happened(self, entry: Entry, after: Sitting | None = None) -> News:
        """An entry was written down: the table stands differently."""
        known = self._recent[-1].handed_on() if self._recent else None
        news = News(self.sitting, after or fold(self.sitting, entry), entry, known)
        self.sitting = news.after
        self._recent.append(news)
        metrics.ENTRIES[entry.type] += 1
        return news

    def tell(self, news: News) -> None:
        """Tell all viewers."""
        for viewer, message in self.worded(news):
            viewer.put(message)

    def worded(
        self, news: News, answered: Viewer | None = None, command: str | None = None
    ) -> list[tuple[Viewer, bytes]]:
        """What each viewer is to be told; who asked for it is told that, too."""
        told: dict[PersonId | None, bytes] = {}
        words: list[tuple[Viewer, bytes]] = []
        for viewer in self.viewers:
            if viewer is answered:
                continue
            if viewer.person not in told:
                told[viewer.person] = encoded(news.told(viewer.person, self.sitting))
            words.append((viewer, told[viewer.person]))
        if answered is not None:
            message = news.told(answered.person, self.sitting)
            if command is not None:
                message["answers"] = command
            words.append((answered, encoded(message)))
        return words

    def tell_all(self, message: Message, but_not: Viewer | None = None) -> None:
        text = encoded(message)
        for viewer in self.viewers:
            if viewer is not but_not:
                viewer.put(text)

    def welcome(
        self,
        viewer: Viewer,
        since: int | None,
        now: Milliseconds,
        command: str | None = None,
    ) -> None:
        """Somebody looks on from now on; perhaps by a command of his, which is answered so. If he
        has what happened before a number, he gets the rest, otherwise everything."""
        self.viewers.add(viewer)
        self.used = now
        self.tell_presence(now, but_not=viewer)  # he is told with all the rest
        missed = self._since(since)
        if missed is None:
            view = view_message(self.sitting, viewer.person, self.presence(now), now)
            if command is not None:
                view["answers"] = command
            viewer.put(encoded(view))
        else:
            assert since is not None
            presence = self.presence(now)
            resumed: Message = {
                "type": "resumed",
                "number": since,
                "now": now,
                "presence": presence,
            }
            viewer.put(encoded(resumed))
            for news in missed:
                viewer.put(encoded(news.told(viewer.person, self.sitting)))

    def farewell(self, viewer: Viewer, now: Milliseconds) -> None:
        """He looks no more."""
        self.viewers.discard(viewer)
        self.used = now
        self.tell_presence(now)

    def present_here(self) -> tuple[PersonId | None, ...]:
        """Who looks on through this process; each None is somebody without a name."""
        people = {viewer.person for viewer in self.viewers} - {None}
        nameless = [viewer.person for viewer in self.viewers if viewer.person is None]
        return (*people, *nameless)

    def heard_from(
        self, process: str, people: tuple[PersonId | None, ...], now: Milliseconds
    ) -> bool:
        """Another process has told who looks on there. Is that process new here?"""
        new = process not in self._elsewhere
        self._elsewhere[process] = (people, now + SEEN_ELSEWHERE)
        self.tell_presence(now)
        return new

    def presence(self, now: Milliseconds) -> PresenceTold:
        """Who is there."""
        everybody = [*self.present_here()]
        for process, (theirs, until) in list(self._elsewhere.items()):
            if until < now:  # it may have died before it could tell what it wrote last
                del self._elsewhere[process]
                self.unsure = True
            else:
                everybody += theirs
        people = set(everybody) - {None}
        watching = len(people - self.sitting.people()) + everybody.count(None)
        present = [
            chair.person in people if chair.person is not None else chair.level is not None
            for chair in self.sitting.chairs
        ]
        return {"type": "presence", "present": present, "watching": watching}

    def tell_presence(self, now: Milliseconds, but_not: Viewer | None = None) -> None:
        """Tell who is there, if that has changed."""
        presence = self.presence(now)
        if presence != self._presence:
            self._presence = presence
            self.tell_all(presence, but_not)

    def _since(self, since: int | None) -> list[News] | None:
        if since is None or not 0 < since <= self.sitting.number:
            return None
        missing = self.sitting.number - since
        if missing > len(self._recent):
            return None
        return list(self._recent)[len(self._recent) - missing :]


def summary_of(sitting: Sitting) -> Summary:
    """What lists and timers need to know."""
    told = {
        "edition": sitting.terms.edition,
        "house_rules": sitting.terms.house_rules,
        "players": [
            {"name": chair.name, "level": chair.level, "open": chair.open}
            for chair in sitting.chairs
        ],
        "host": sitting.host_name,
        "clock": sitting.terms.clock.model_dump(),
        "serious": sitting.terms.serious,
        "round": _round(sitting),
        "opened_at": sitting.opened_at,
    }
    return Summary(
        sitting.stage, sitting.terms.public, sitting.opened_at, sitting.due, told, sitting.host
    )


def changed_summary(before: Sitting, after: Sitting) -> Summary | None:
    """What lists and timers need to know, if it has changed."""
    same = (
        before.chairs is after.chairs
        and before.stage == after.stage
        and before.host == after.host
        and _round(before) == _round(after)
        and before.due == after.due
    )
    return None if same else summary_of(after)


def _round(sitting: Sitting) -> int:
    return sitting.game.table.round if sitting.game else 0


def encoded(message: Message | LessonTold) -> bytes:
    return orjson.dumps(message)
