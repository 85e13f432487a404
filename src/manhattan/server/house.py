"""All tables of this process: whatever happens at one of them goes through here.

Something is decided by how the table stands, written down, and told; in this order, one thing at
a time at each table. If another process was first, what it wrote is read and everything decided
anew.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from manhattan.rules import ManhattanError
from manhattan.server import decisions, metrics
from manhattan.server.bus import Bus
from manhattan.server.caretaking import GRACE, Caretaker, Stale
from manhattan.server.clocks import Milliseconds, now
from manhattan.server.committing import Change, Committer, Untold
from manhattan.server.denials import Denial, Denied, Unreadable
from manhattan.server.entries import Awaited, Entry, Opened, PersonId, from_text, to_text
from manhattan.server.folding import folded, opened
from manhattan.server.happening import FirstEntry, Happening
from manhattan.server.live import LiveTable, Viewer, summary_of
from manhattan.server.news import News
from manhattan.server.rematching import again, others
from manhattan.server.sitting import Sitting
from manhattan.server.store import Append, Store, StoreAway
from manhattan.server.terms import Terms
from manhattan.server.thinking import Thinkers

log = logging.getLogger("manhattan.server")

Decide = Callable[[Sitting, Milliseconds], Entry]
"""What is to happen at a table as it stands now; raises if it can't."""

_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without what looks alike, since people read tables' names to each other."""
_ID_LENGTH: Final = 14
_TRIES: Final = 8
_AT_A_TIME: Final = 100
"""Entries of a table that are read in one go: three milliseconds."""
_AGAIN: Final[Milliseconds] = 60_000
"""So long a table that can't be read is left alone."""


class House:
    """The tables."""

    def __init__(self, store: Store, bus: Bus, thinkers: Thinkers) -> None:
        self.store = store
        self.thinkers = thinkers
        self.bus = bus
        self.trouble: str | None = None
        """Why nothing could be written down. That something small could be since does not end it,
        but that there is space for all that a table needs: the caretaker looks for it."""
        self.last_played = now()
        """When something last happened at any table."""
        self._committer = Committer(store)
        self._tables: dict[str, LiveTable] = {}
        self._loading: dict[str, asyncio.Task[LiveTable]] = {}
        self.unreadable: dict[str, Milliseconds] = {}
        """Tables that can't be read, and when they will be tried again."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._caretaker = Caretaker(self)
        self._unsure_who = False
        """Somebody who looks on may be nobody any more: look first."""
        self._reading = asyncio.Lock()
        """Held by who reads a table from the beginning: one after the other, and a bit at a time,
        so that those who play don't wait for it."""
        self._coming: set[Viewer] = set()
        """Who will look at a table in a moment."""

    # Beginning and end.

    async def start(self) -> None:
        self.bus.listen(self._heard_of, self._heard_from, self._heard_gone)
        await self.bus.start()
        self._caretaker.start()

    async def stop(self) -> None:
        """What was begun is written down; what is thought about is dropped."""
        self._caretaker.stop()
        for task in list(self._tasks):
            task.cancel()
        await self._committer.finish()
        await self.thinkers.stop()
        await self.bus.close()
        await self.store.close()

    # Tables.

    @property
    def tables(self) -> tuple[LiveTable, ...]:
        """Those in this process's memory."""
        return tuple(self._tables.values())

    async def open(
        self,
        person: PersonId,
        name: str,
        terms: Terms,
        after: str | None = None,
        awaited: tuple[Awaited, ...] = (),
    ) -> LiveTable:
        """A new table."""
        table = "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))
        at = now()
        entry = Opened(at=at, by=person, terms=terms, name=name, after=after, awaited=awaited)
        sitting = opened(table, entry)
        first = Append(table, 0, to_text(entry), entry.at, summary_of(sitting), sitting.people())
        await self.bus.follow(table)  # first, so that nothing is missed meanwhile
        try:
            if not await self._written(None, FirstEntry(first)):
                raise Denied(Denial.BUSY)  # that name is taken: once in a thousand lives
        except BaseException:
            await self.bus.forget(table)
            raise
        metrics.ENTRIES[entry.type] += 1
        return self._keep(sitting)

    async def table(self, table: str) -> LiveTable:
        """The table of this name."""
        if (live := self._tables.get(table)) is not None:
            return live
        if self.unreadable.get(table, 0) > now():
            raise Unreadable
        if table not in self._loading:
            loading = self.spawn(self._load(table))
            self._loading[table] = loading
            loading.add_done_callback(lambda _: self._loading.pop(table, None))
        return await asyncio.shield(self._loading[table])

    async def look(
        self, table: str, viewer: Viewer, since: int | None, command: str | None = None
    ) -> LiveTable:
        """Somebody looks at a table from now on; perhaps by a command of his."""
        self._coming.add(viewer)  # from now on he is found when he becomes nobody
        try:
            await self._turn_away_gone([viewer])  # he may have since his cookie was looked at
            live = await self.table(table)
            async with live.lock:
                if live.unsure or (since or 0) > live.sitting.number:  # another told him more
                    await self._catch_up(live)
                live.welcome(viewer, since, now(), command)
        finally:
            self._coming.discard(viewer)
        self.tell_present(live)
        return live

    def look_away(self, live: LiveTable, viewer: Viewer) -> None:
        live.farewell(viewer, now())
        self.tell_present(live)

    def turn_away(self, person: PersonId) -> None:
        """Somebody is nobody any more: so is whoever looks at a table in his name, in whatever
        process."""
        self._turn_away(person)
        self.bus.tell_gone(person)

    async def look_for_gone(self) -> None:
        """Turn away who may have become nobody without our hearing of it."""
        if not (self._unsure_who or self.bus.trouble):
            return
        self._unsure_who = False  # first: while we look, it may have to be looked for again
        try:
            await self._turn_away_gone(self._viewers())
        except Exception:
            self._unsure_who = True
            raise

    async def act(
        self,
        table: str,
        decide: Decide,
        viewer: Viewer | None = None,
        command: str | None = None,
    ) -> News:
        """Have something happen: decided, written down and told to all."""
        live = self._tables.get(table) or await self.table(table)
        async with live.lock:
            live.used = self.last_played = now()
            for _ in range(_TRIES):
                if live.unsure:
                    await self._catch_up(live)
                before = live.sitting
                try:
                    entry = decide(before, max(now(), before.changed_at))
                except ManhattanError:
                    if self.bus.alone or not await self._catch_up(live):
                        raise
                    continue  # another process had written what we had not heard of yet
                happening = Happening(live, entry, viewer, command)
                if not await self._written(live, happening):
                    await self._catch_up(live)  # somebody else was first
                    continue
                assert happening.news is not None
                self.bus.tell(table, live.sitting.number)
                self._caretaker.see_to(live)
                return happening.news
        raise Denied(Denial.BUSY)

    async def rematch(self, table: str, person: PersonId, name: str, *, begin: bool = False) -> str:
        """A new table for the same people; whoever asks first opens it, and may begin at once."""
        following = await self._following(table, person, name)
        if begin:
            with suppress(Denied):  # another was first, and begins it
                await self.act(following, lambda s, at: decisions.begin(s, person, at))
        return following

    async def _following(self, table: str, person: PersonId, name: str) -> str:
        old = await self._as_it_stands(table)
        decisions.check_rematch(old, person)
        if old.next is not None:
            return old.next
        fresh = await self.open(person, name, again(old, person), old.id, others(old, person))

        def decide(sitting: Sitting, at: Milliseconds) -> Entry:
            if sitting.next is not None:
                raise Stale
            return decisions.rematch(sitting, person, fresh.id, at)

        try:
            await self.act(table, decide)
        except Stale:  # another was quicker
            await self.act(fresh.id, lambda sitting, at: decisions.close(sitting, person, at))
        following = (await self.table(table)).sitting.next
        assert following is not None
        return following

    # How it is done.

    async def _as_it_stands(self, table: str) -> Sitting:
        """How a table stands, with what other processes have written and we have not heard of."""
        live = await self.table(table)
        if live.unsure or not self.bus.alone:
            await self.look_for_news(live)
        return live.sitting

    async def _load(self, table: str) -> LiveTable:
        await self.bus.follow(table)  # first, so that nothing is missed meanwhile
        try:
            sitting = await self._read(table)
        except Exception:
            await self.bus.forget(table)  # or strangers could have us follow any number of names
            raise
        self.unreadable.pop(table, None)
        return self._keep(sitting)

    async def _read(self, table: str) -> Sitting:
        texts = await self.store.entries(table)
        sitting: Sitting | None = None
        async with self._reading:
            for first in range(0, len(texts), _AT_A_TIME):
                part = map(from_text, texts[first : first + _AT_A_TIME])
                try:
                    sitting = folded(table, part, sitting)
                except Exception as error:
                    raise self._unreadable(table, error) from error
                await asyncio.sleep(0)
        if sitting is None:
            raise Denied(Denial.NO_SUCH_TABLE, table=table)
        return sitting

    def _unreadable(self, table: str, error: Exception) -> Unreadable:
        """It is told once, or the logs would be full of it."""
        if table not in self.unreadable:
            log.error("a table can't be read", exc_info=error)
        self.unreadable[table] = now() + _AGAIN
        return Unreadable()

    def _keep(self, sitting: Sitting) -> LiveTable:
        if (known := self._tables.get(sitting.id)) is not None:
            return known  # who comes at once may have read it before who opened it is done
        live = self._tables[sitting.id] = LiveTable(sitting, now())
        metrics.TABLES.set(len(self._tables))
        self._caretaker.see_to(live)
        return live

    async def _written(self, live: LiveTable | None, change: Change) -> bool:
        """Have something happen, perhaps a new table's first entry; false if another was first with
        its number."""
        try:
            return await self._committer.append(change)
        except (StoreAway, Untold, asyncio.CancelledError) as error:
            if live is not None:
                live.unsure = True
                for viewer in live.viewers if isinstance(error, Untold) else ():
                    viewer.missed_something()
            if isinstance(error, StoreAway):
                self.storage_is_away(error)
                raise Denied(Denial.STORAGE_AWAY) from error
            raise

    def storage_is_away(self, error: Exception) -> None:
        if self.trouble is None:
            log.error("storage is away", extra={"why": str(error)})
        self.trouble = str(error)

    def storage_is_back(self) -> None:
        if self.trouble is not None:
            log.warning("storage is back")
        self.trouble = None

    async def _catch_up(self, live: LiveTable) -> bool:
        """Read what others have written meanwhile, and tell it. Was there anything?"""
        try:
            texts = await self.store.entries(live.id, live.sitting.number)
        except StoreAway as error:
            live.unsure = True  # there may be something: it is looked for again
            self.storage_is_away(error)
            raise Denied(Denial.STORAGE_AWAY) from error
        unsure, live.unsure = live.unsure, False
        for text in texts:
            try:
                news = live.happened(from_text(text))
            except Exception as error:
                raise self._unreadable(live.id, error) from error
            live.tell(news)
        if unsure:  # what was written last may be ours, and nobody has heard of it
            self.bus.tell(live.id, live.sitting.number)
        if texts or unsure:
            self._caretaker.see_to(live, delay=GRACE)
        return bool(texts)

    async def look_for_news(self, live: LiveTable) -> None:
        async with live.lock:
            await self._catch_up(live)

    def forget(self, live: LiveTable) -> None:
        """Drop a table from memory: whoever needs it reads it again."""
        del self._tables[live.id]
        metrics.TABLES.set(len(self._tables))
        self.spawn(self.bus.forget(live.id))

    # What other processes say.

    def _heard_of(self, table: str, number: int) -> None:
        live = self._tables.get(table)
        if live is not None and live.sitting.number < number:
            self.spawn(self.look_for_news(live))

    def _heard_from(self, table: str, process: str, people: tuple[str, ...]) -> None:
        live = self._tables.get(table)
        if live is not None:
            new = live.heard_from(process, tuple(person or None for person in people), now())
            if new and live.viewers:  # it has not heard yet who is here
                self.tell_present(live)

    def _heard_gone(self, person: PersonId | None) -> None:
        if person is None:
            self._unsure_who = True
        else:
            self._turn_away(person)

    def _turn_away(self, person: PersonId) -> None:
        for viewer in self._viewers():
            if viewer.person == person:
                viewer.turn_away()

    async def _turn_away_gone(self, viewers: list[Viewer]) -> None:
        people = {viewer.person for viewer in viewers if viewer.person is not None}
        found = await self.store.generations(people)
        for viewer in viewers:
            if viewer.person in found and found[viewer.person] != viewer.generation:
                viewer.turn_away()

    def _viewers(self) -> list[Viewer]:
        """Everybody who looks on through this process, or is about to."""
        looking = (viewer for live in self._tables.values() for viewer in live.viewers)
        return [*looking, *self._coming]

    def tell_present(self, live: LiveTable) -> None:
        live.told_present = now()
        self.bus.tell_present(live.id, tuple(person or "" for person in live.present_here()))

    async def apart(self, work: Any) -> None:
        """Do something that may go wrong at one table, and must not keep others from anything."""
        await asyncio.wait({self.spawn(work)})

    def spawn(self, work: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, Denied | StoreAway):
            log.error("something went wrong", exc_info=error)
