"""The table service: the write path of all tables in this process.

A command is decided here; its event is evolved, appended and broadcast together with those of other
tables (``group_commit``); one command at a time at each table. If another process was first with an
event's number, its event is read and the command decided again (optimistic concurrency).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from manhattan.rules import ManhattanError
from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.commands import (
    Actor,
    ClientCommand,
    CloseTable,
    OpenRematch,
    StartGame,
    SubstitutePlayer,
    TableCommand,
    TakeSeat,
)
from manhattan.server.domain.decide import decide
from manhattan.server.domain.decide_lobby import check_rematch, offered_seats
from manhattan.server.domain.errors import CommandRejected, CommandSuperseded, ErrorCode
from manhattan.server.domain.events import (
    ChatSent,
    MovePlayed,
    PersonId,
    ReservedSeat,
    TableEvent,
    TableOpened,
    event_type,
)
from manhattan.server.domain.evolve import initial_state
from manhattan.server.domain.notices import notices_of, offers_of
from manhattan.server.domain.options import NonceHash, TableOptions
from manhattan.server.domain.state import REVEAL_TIMEOUT
from manhattan.server.ops import metrics
from manhattan.server.protocol.updates import TableUpdate
from manhattan.server.pubsub.base import Bus
from manhattan.server.service.background import BackgroundTasks
from manhattan.server.service.bot_pool import BotPool
from manhattan.server.service.clock_and_secrets import new_seed, now_ms
from manhattan.server.service.group_commit import Change, GroupCommit
from manhattan.server.service.live_lists import LiveLists
from manhattan.server.service.push_notifier import PushNotifier
from manhattan.server.service.rematch import rematch_offers, rematch_options
from manhattan.server.service.scheduler import TableScheduler
from manhattan.server.service.table_change import TableChange, TableCreation
from manhattan.server.service.table_registry import TableRegistry
from manhattan.server.service.table_session import TableSession, Viewer
from manhattan.server.storage import DeviceId, Store, StoreUnavailable

_ID_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without characters that look alike, since people read table ids to each other."""
_ID_LENGTH: Final = 14
_MAX_ATTEMPTS: Final = 8
_PRESENCE_PAUSE_S: Final = 0.25
"""The least time between two messages about the presence of people at a table."""
_PRESENCE_MESSAGES_PER_S: Final = 2000
"""With many viewers it is longer, so that they cost no more than this."""


class TableService:
    """The tables: commands, subscriptions, rematches."""

    def __init__(
        self,
        store: Store,
        bus: Bus,
        bots: BotPool,
        notifier: PushNotifier | None = None,
        reveal_ms: Milliseconds = REVEAL_TIMEOUT,
    ) -> None:
        """Without a notifier, nobody is notified."""
        self._reveal_ms = reveal_ms
        self.store = store
        self._notifier = notifier
        self.bus = bus
        self.bots = bots
        self.tasks = BackgroundTasks()
        self.scheduler = TableScheduler(self, bots, self.tasks)
        self.registry = TableRegistry(store, bus, self.scheduler, self.tasks)
        self.live_lists = LiveLists(store, bus, self.tasks)
        self.last_activity = now_ms()
        """When the last command was executed at any table."""
        self._commits = GroupCommit(store)
        self._subscribing: set[Viewer] = set()
        """Viewers who are about to be attached."""
        self._devices_unsure = False
        """Revocations may have been missed: look them up in the database."""

    async def start(self) -> None:
        self.bus.set_listeners(
            self._on_update,
            self._on_presence,
            self._on_revocation,
            self.live_lists.notify_people,
            self._on_reload,
        )
        await self.bus.start()

    async def stop(self) -> None:
        """Finish what is being written, drop everything else, and close the store."""
        for session in self.sessions:
            self.scheduler.cancel(session)
            if session.presence_timer is not None:
                session.presence_timer.cancel()
        # A commit that ends now would start the next bot or timer.
        await self.tasks.close()
        await self._commits.finish()
        await self.bots.stop()
        if self._notifier is not None:
            await self._notifier.close()
        await self.bus.close()
        await self.store.close()

    # Tables.

    @property
    def sessions(self) -> tuple[TableSession, ...]:
        """The tables in this process's memory."""
        return self.registry.sessions

    @property
    def storage_error(self) -> str | None:
        """Why the database can't be used at the moment."""
        return self.registry.storage_error

    async def session(self, table: str) -> TableSession:
        """Return a table's session, loading it if needed."""
        return await self.registry.get(table)

    async def open_table(
        self,
        actor: Actor,
        options: TableOptions,
        rematch_of: str | None = None,
        offered: tuple[ReservedSeat, ...] = (),
    ) -> TableSession:
        """Open a new table."""
        table = "".join(secrets.choice(_ID_ALPHABET) for _ in range(_ID_LENGTH))
        event = TableOpened(
            at=now_ms(),
            by=actor.person,
            options=options,
            name=actor.name,
            rematch_of=rematch_of,
            offered=offered,
            bot_names=options.bot_names([actor.name, *(offer.name for offer in offered)]),
            server_seed=new_seed(),
        )
        state = initial_state(table, event)
        await self.bus.subscribe(table)  # first, so that no event is missed
        try:
            if not await self._commit(TableCreation(state, event)):
                raise CommandRejected(ErrorCode.BUSY)  # the id is taken: next to impossible
        except BaseException:
            await self.bus.unsubscribe(table)
            raise
        _count(event)
        self._publish_seats(table, state.people())
        return self.registry.add(state)

    # The write path.

    async def execute(
        self,
        table: str,
        command: TableCommand,
        actor: Actor | None = None,
        viewer: Viewer | None = None,
    ) -> TableUpdate:
        """Execute a command: decide, evolve, append, broadcast. The viewer who sent the command
        gets the update as the reply to it."""
        session = self.registry.find(table) or await self.registry.get(table)
        async with session.lock:
            session.last_used = self.last_activity = now_ms()
            for _ in range(_MAX_ATTEMPTS):
                if session.needs_sync:
                    await self.registry.sync(session)
                before = session.state
                try:
                    event = decide(before, command, actor, max(now_ms(), before.changed_at))
                except ManhattanError:  # not AlreadyProcessed or CommandSuperseded: they stand
                    if self.bus.assumes_single_process or not await self.registry.sync(session):
                        raise
                    continue  # another process has written an event that changes the decision
                command_id = command.id if isinstance(command, ClientCommand) else None
                change = TableChange(session, event, viewer, command_id)
                if await self._commit(change, session):
                    _count(event)
                    self.bus.publish_update(table, session.state.number)
                    if before.seats is not session.state.seats:
                        self._publish_seats(table, before.people() | session.state.people())
                    elif not isinstance(event, ChatSent):
                        self.live_lists.notify(table)
                    self.scheduler.schedule(session)
                    if self._notifier is not None:
                        self._notifier.notify(session, notices_of(before, session.state, event))
                    return change.update
                await self.registry.sync(session)  # another process was first
        raise CommandRejected(ErrorCode.BUSY)

    async def _commit(self, change: Change, session: TableSession | None = None) -> bool:
        """Evolve, append and broadcast a change, together with those of other tables."""
        try:
            return await self._commits.commit(change)
        except CommandRejected:
            raise
        except StoreUnavailable as error:
            if session is not None:
                session.needs_sync = True  # the event may have been written all the same
            self.registry.report_storage_error(error)
            raise CommandRejected(ErrorCode.STORAGE_UNAVAILABLE) from error
        except Exception:  # a bug: viewers get what they missed when they reconnect
            if session is not None:
                session.needs_sync = True
                for viewer in session.viewers:
                    viewer.close_for_resync()
            raise

    def _publish_seats(self, table: str, people: frozenset[PersonId]) -> None:
        """Tell people, here and in other processes, about a change of seats."""
        self.live_lists.notify_people(table, people)
        self.bus.publish_seats(table, tuple(people))

    async def sync_from_store(self, session: TableSession) -> None:
        """Apply what other processes have written at a table."""
        async with session.lock:
            await self.registry.sync(session)

    async def start_game(self, table: str, actor: Actor) -> TableUpdate:
        """Start a game; the cards are dealt when the clients have revealed their nonces."""
        return await self.execute(table, StartGame(new_seed(), self._reveal_ms), actor)

    async def substitute_player(self, table: str, player: int, actor: Actor) -> TableUpdate:
        """Let a bot play for an absent player."""
        session = await self.session(table)
        absent_since = session.absent_since(player, now_ms())
        return await self.execute(table, SubstitutePlayer(player, absent_since), actor)

    # The next game.

    async def rematch(
        self,
        table: str,
        actor: Actor,
        *,
        start: bool = False,
        nonce_hashes: tuple[NonceHash, ...] = (),
    ) -> str:
        """Return the table of the next game. The first person who asks opens it; the others are
        offered their seats, and accept by asking, too. With ``start``, the game starts as soon as
        every seat is taken."""
        following = await self._find_or_open_rematch(table, actor, nonce_hashes)
        if offered_seats((await self.session(following)).state, actor.person):
            await self.execute(following, TakeSeat(nonce_hashes=nonce_hashes), actor)
        if start:
            with suppress(CommandRejected):  # not everybody has accepted, or it has started
                await self.start_game(following, actor)
        return following

    async def _find_or_open_rematch(
        self, table: str, actor: Actor, nonce_hashes: tuple[NonceHash, ...]
    ) -> str:
        session = await self.session(table)
        if session.needs_sync or not self.bus.assumes_single_process:
            await self.sync_from_store(session)
        old = session.state
        check_rematch(old, actor.person)
        closed = old.rematch
        if closed is not None and (await self.session(closed)).state.stage != "closed":
            return closed
        options = rematch_options(old, actor.person, nonce_hashes)
        offered = rematch_offers(old, actor.person)
        opened = await self.open_table(actor, options, old.id, offered)
        try:
            await self.execute(table, OpenRematch(opened.id, replaces=closed), actor)
            if self._notifier is not None:
                self._notifier.notify(opened, offers_of(opened.state))
        except CommandSuperseded:  # another person was quicker
            await self.execute(opened.id, CloseTable(), actor)
        following = (await self.session(table)).state.rematch
        assert following is not None
        return following

    # Viewers.

    async def subscribe(
        self, table: str, viewer: Viewer, since: int | None, command_id: str | None = None
    ) -> TableSession:
        """Attach a viewer to a table. If a command of the viewer asked for it, its id is given."""
        self._subscribing.add(viewer)  # from now on a revocation finds the viewer
        try:
            await self._disconnect_revoked([viewer])  # the identity may just have been revoked
            session = await self.session(table)
            async with session.lock:
                # A viewer may have got later updates from another process.
                if session.needs_sync or (since or 0) > session.state.number:
                    await self.registry.sync(session)
                session.attach(viewer, since, now_ms(), command_id)
        finally:
            self._subscribing.discard(viewer)
        self._on_viewers_changed(session)
        return session

    def unsubscribe(self, session: TableSession, viewer: Viewer) -> None:
        """Detach a viewer."""
        session.detach(viewer, now_ms())
        self._on_viewers_changed(session)

    def _on_viewers_changed(self, session: TableSession) -> None:
        """Tell everyone soon who watches a table. Those who come and go within a moment are told of
        together: each message goes to all viewers."""
        if session.presence_timer is None:
            pause = _PRESENCE_PAUSE_S + len(session.viewers) / _PRESENCE_MESSAGES_PER_S
            loop = asyncio.get_running_loop()
            at = max(loop.time(), session.presence_sent_at + pause)
            session.presence_timer = loop.call_at(at, self._flush_presence, session)

    def _flush_presence(self, session: TableSession) -> None:
        session.presence_timer = None
        session.presence_sent_at = asyncio.get_running_loop().time()
        session.broadcast_presence(now_ms())
        self.scheduler.on_viewers_changed(session)
        self.publish_presence(session)

    def publish_presence(self, session: TableSession) -> None:
        """Tell other processes who watches a table here."""
        session.presence_published_at = now_ms()
        people = tuple(person or "" for person in session.people.here())
        self.bus.publish_presence(session.id, people)

    async def subscribe_person(self, viewer: Viewer) -> None:
        """Tell a viewer from now on which of their person's games have changed."""
        assert viewer.person is not None
        self._subscribing.add(viewer)  # from now on a revocation finds the viewer
        try:
            await self._disconnect_revoked([viewer])  # the identity may just have been revoked
            await self.live_lists.subscribe(viewer.person, viewer)
        finally:
            self._subscribing.discard(viewer)

    def unsubscribe_person(self, viewer: Viewer) -> None:
        """Stop that."""
        assert viewer.person is not None
        self.live_lists.unsubscribe(viewer.person, viewer)

    async def reload(self, table: str) -> None:
        """Read a table again in every process: its stored events were rewritten."""
        self.bus.publish_reload(table)
        await self._reload(table)

    async def _reload(self, table: str) -> None:
        session = self.registry.find(table)
        if session is not None:
            async with session.lock:
                try:
                    await self.registry.reload(session)
                except CommandRejected as error:
                    if error.reason is not ErrorCode.NO_SUCH_TABLE:
                        raise
                    for viewer in session.viewers:  # the table was deleted
                        viewer.close_for_resync()
                    self.registry.unload(session)

    def disconnect(self, revoked: PersonId | DeviceId) -> None:
        """Disconnect a device that was revoked, or a person who was deleted, in every process."""
        self._disconnect(revoked)
        self.bus.publish_revocation(revoked)

    async def disconnect_revoked(self) -> None:
        """Disconnect devices whose revocation this process may have missed."""
        if not (self._devices_unsure or self.bus.error):
            return
        self._devices_unsure = False  # first: another revocation may be missed meanwhile
        try:
            await self._disconnect_revoked(self._viewers())
        except Exception:
            self._devices_unsure = True
            raise

    def disconnect_banned(self, is_banned: Callable[[Viewer], bool]) -> None:
        """Disconnect viewers whom the operator has excluded."""
        for viewer in self._viewers():
            if is_banned(viewer):
                viewer.disconnect_banned()

    def connected_people(self) -> set[PersonId]:
        """Return the people who are connected to this process."""
        return {viewer.person for viewer in self._viewers() if viewer.person is not None}

    def _disconnect(self, revoked: PersonId | DeviceId) -> None:
        for viewer in self._viewers():
            if revoked in (viewer.person, viewer.device):
                viewer.disconnect()

    async def _disconnect_revoked(self, viewers: list[Viewer]) -> None:
        devices = {viewer.device for viewer in viewers if viewer.device is not None}
        active = await self.store.identities.active_devices(devices)
        for viewer in viewers:
            if viewer.device is not None and viewer.device not in active:
                viewer.disconnect()

    def _viewers(self) -> list[Viewer]:
        """Return the viewers of all tables and those of notifications, and those who are about to
        be."""
        attached = (viewer for session in self.sessions for viewer in session.viewers)
        return [*attached, *self.live_lists.subscribers, *self._subscribing]

    # Messages of other processes.

    def _on_update(self, table: str, number: int) -> None:
        self.live_lists.notify(table)
        session = self.registry.find(table)
        if session is not None and session.state.number < number:
            self.tasks.spawn(self.sync_from_store(session))

    def _on_presence(self, table: str, process: str, people: tuple[str, ...]) -> None:
        session = self.registry.find(table)
        if session is not None:
            viewers = tuple(person or None for person in people)
            is_new = session.people.report_elsewhere(process, viewers, now_ms())
            if is_new and session.viewers:  # it has no report of ours yet
                self.publish_presence(session)
            session.broadcast_presence(now_ms())
            self.scheduler.on_viewers_changed(session)

    def _on_revocation(self, revoked: PersonId | DeviceId | None) -> None:
        if revoked is None:
            self._devices_unsure = True
            self.live_lists.notify_all()  # seats may have changed as well
        else:
            self._disconnect(revoked)

    def _on_reload(self, table: str) -> None:
        self.tasks.spawn(self._reload(table))


def _count(event: TableEvent) -> None:
    """Count an event that this process has written."""
    if isinstance(event, MovePlayed):
        (metrics.MOVES_OF_BOTS if event.by is None else metrics.MOVES_OF_PEOPLE).inc()
    else:
        metrics.EVENTS.labels(event_type(event)).inc()
