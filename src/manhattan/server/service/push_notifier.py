"""The push notifier: tells people by Web Push what happens at tables that they don't look at."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

from manhattan.server.domain.notices import Notice, is_current
from manhattan.server.domain.state import TableState
from manhattan.server.protocol.messages import PushMessage
from manhattan.server.protocol.serialize import encode
from manhattan.server.service.background import BackgroundTasks
from manhattan.server.service.table_session import TableSession
from manhattan.server.service.web_push import WebPush, count_outcome
from manhattan.server.storage.push_subscriptions import PushSubscriptions

DELAY_S: Final = 5.0
"""A person who reloads the page, or whose turn comes back at once, needs no notification."""
TTL_S: Final = 24 * 60 * 60
"""A message that can't be delivered within a day is dropped."""
_MAX_CONCURRENT: Final = 20


class PushNotifier:
    """Sends notices to the browsers of people who are not at the table."""

    def __init__(
        self, push: WebPush, subscriptions: PushSubscriptions, *, enabled: bool = True
    ) -> None:
        self._push = push
        self._subscriptions = subscriptions
        self._enabled = enabled
        self._tasks = BackgroundTasks()
        self._slots = asyncio.Semaphore(_MAX_CONCURRENT)

    def notify(self, session: TableSession, notices: Iterable[Notice]) -> None:
        """Send notices soon, to those people who are not connected to the table."""
        for notice in notices if self._enabled else ():
            if not session.people.is_connected(notice.person):
                self._tasks.spawn(self._deliver(session, notice))

    async def close(self) -> None:
        await self._tasks.close()
        await self._push.close()

    async def _deliver(self, session: TableSession, notice: Notice) -> None:
        await asyncio.sleep(DELAY_S)
        if session.people.is_connected(notice.person) or not is_current(notice, session.state):
            return
        async with self._slots:
            for subscription in await self._subscriptions.of(notice.person):
                if _category(notice) not in subscription.kinds:
                    continue
                message = encode(_message(session.state, notice, subscription.language))
                outcome = await self._push.send(subscription, message, session.id, TTL_S)
                count_outcome(outcome)
                if outcome == "gone":
                    await self._subscriptions.remove(subscription.endpoint)


def _category(notice: Notice) -> str:
    """Return the kind that a person switches on or off: an offer is about a game's start."""
    return "start" if notice.kind == "offer" else notice.kind


def _message(state: TableState, notice: Notice, language: str) -> PushMessage:
    """Return what the browser is told: nothing that a spectator doesn't see."""
    names = [
        seat.name
        for seat in state.seats
        if seat.name and notice.person not in (seat.person, seat.offered_to)
    ]
    return PushMessage(kind=notice.kind, table=state.id, names=names, language=language)
