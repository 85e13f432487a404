"""Everything that the server knows about a person: its export, its deletion, and the games that a
person takes along to another account."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Final

from manhattan.rules import ManhattanError
from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.commands import (
    Actor,
    ClaimSeatTransfer,
    CreateSeatTransfer,
    DeclineOffer,
    LeaveTable,
    Resign,
    TableCommand,
)
from manhattan.server.domain.decide_lobby import offered_seats
from manhattan.server.domain.erasure import erase_person
from manhattan.server.domain.events import PersonId, TableEvent, decode_event, encode_event
from manhattan.server.domain.evolve import evolve, replay_events
from manhattan.server.domain.state import TableState
from manhattan.server.protocol.responses import (
    ExportedAccount,
    ExportedDevice,
    ExportedEvent,
    ExportedPasskey,
    ExportedPushSubscription,
    ExportedTable,
)
from manhattan.server.protocol.serialize import game_events, log_viewpoint, table_info
from manhattan.server.protocol.table_events import table_event_payload
from manhattan.server.service.table_service import TableService
from manhattan.server.storage import Identity, Person, Rewrite, Store
from manhattan.server.storage.projection import summarize
from manhattan.server.storage.push_subscriptions import PushSubscriptions

log = logging.getLogger("manhattan.server")

_EVENTS_IN_ONE_GO: Final = 100
"""Events that are replayed before other work gets its turn: three milliseconds."""
_DEAL_CHECKS: Final = 100
_DEAL_CHECK_S: Final = 0.1
_MAX_ATTEMPTS: Final = 8
"""Attempts at a table where bots play on meanwhile."""


# Export.


async def export_account(store: Store, identity: Identity, now: Milliseconds) -> ExportedAccount:
    """Return what the server knows about a person, apart from their tables."""
    person, identities = identity.person, store.identities
    unused, _ = await identities.recovery_codes_of(person.id)
    return ExportedAccount(
        name=person.name,
        exported_at=now,
        devices=[
            ExportedDevice(label=device.label, created_at=device.created_at, seen_at=device.seen_at)
            for device in await identities.devices_of(person.id)
        ],
        passkeys=[
            ExportedPasskey(
                label=passkey.label,
                host=passkey.rp_id,
                created_at=passkey.created_at,
                used_at=passkey.used_at,
            )
            for passkey in await identities.passkeys_of(person.id)
        ],
        recovery_codes_left=unused,
        push_subscriptions=[
            ExportedPushSubscription(
                endpoint=subscription.endpoint,
                language=subscription.language,
                kinds=sorted(subscription.kinds),
            )
            for subscription in await PushSubscriptions(store).of(person.id)
        ],
    )


async def export_tables(store: Store, person: PersonId) -> AsyncIterator[ExportedTable]:
    """Return the tables at which a person did something, as far as they may know them."""
    async for table in store.tables_naming(person):
        texts = await store.events(table)
        try:
            exported = await _export_table(table, list(map(decode_event, texts)), person)
        except Exception:  # an unreadable table doesn't stop the export
            log.warning("a table can't be exported", exc_info=True)
            continue
        if exported is not None:
            yield exported


async def _export_table(
    table: str, events: list[TableEvent], person: PersonId
) -> ExportedTable | None:
    state: TableState | None = None
    exported = []
    for number, event in enumerate(events):
        state = evolve(state, event) if state is not None else replay_events(table, [event])
        assert state is not None
        chat_seat = state.chat[-1].seat if state.chat else None
        payload = table_event_payload(event, chat_seat)
        exported.append(
            ExportedEvent(number=number, at=event.at, you=event.by == person, event=payload)
        )
        if number % _EVENTS_IN_ONE_GO == 0:
            await asyncio.sleep(0)
    if state is None:
        return None
    game = state.game
    viewpoint = log_viewpoint(state, person)
    return ExportedTable(
        table=table_info(state, person),
        table_events=exported,
        game_events=game_events(game.events, game.setup, viewpoint) if game else [],
    )


# Another account.


async def give_seats(tables: TableService, source: Person, target: PersonId) -> None:
    """Give a person's seats at all tables to another account of theirs. Where both have one, each
    keeps its own: a player doesn't get to see two hands."""
    actor = Actor(source.id, source.name)
    naming = [table async for table in tables.store.tables_naming(source.id)]
    for table in naming:
        with suppress(ManhattanError):  # the table has changed meanwhile, or can't be read
            state = (await tables.session(table)).state
            if state.seats_of(target):
                continue
            for seat in state.seats_of(source.id):
                secret = secrets.token_urlsafe(16)
                await tables.execute(table, CreateSeatTransfer(seat, secret), actor)
                await tables.execute(table, ClaimSeatTransfer(secret), Actor(target, source.name))


# Deletion.


async def delete_account(tables: TableService, person: Person) -> None:
    """Delete a person: their seats before a game are open again, bots play on for them, and their
    name and chat messages are erased from all tables."""
    store = tables.store
    tables.disconnect(person.id)
    naming = [table async for table in store.tables_naming(person.id)]
    for table in await store.unfinished_tables(naming):
        await _leave(tables, table, person)
    rewrites = await _erase_from_tables(store, naming, person.id)
    await store.delete_person(person.id, rewrites)
    # What another device of theirs has done meanwhile.
    tables.disconnect(person.id)
    late = await _erase_from_tables(store, naming, person.id)
    await store.rewrite(late)
    for table in {rewrite.table for rewrite in (*rewrites, *late)}:
        await tables.reload(table)
        await _correct_names(store, table)


async def _correct_names(store: Store, table: str) -> None:
    """Write what lists show of a table once more: until it was reloaded, a move may have written it
    with the old name."""
    for _ in range(_MAX_ATTEMPTS):
        state = replay_events(table, map(decode_event, await store.events(table)))
        if state is None or await store.write_names(table, summarize(state), state.number):
            return


async def _leave(tables: TableService, table: str, person: Person) -> None:
    """Let the other people at a table play on."""
    actor = Actor(person.id, person.name)
    with suppress(ManhattanError):  # the table has changed meanwhile, or can't be read
        state = await _settled_state(tables, table)
        commands: list[TableCommand] = []
        own = state.seats_of(person.id)
        if state.stage == "lobby":
            commands += [LeaveTable()] if own else []
            commands += [DeclineOffer()] if offered_seats(state, person.id) else []
        elif state.stage == "playing":
            commands += [
                Resign(id=secrets.token_urlsafe(9), player=seat)
                for seat in own
                if not state.seats[seat].resigned
            ]
        for command in commands:
            await tables.execute(table, command, actor)


async def _settled_state(tables: TableService, table: str) -> TableState:
    """Return a table's state when no deal is pending: nobody can leave before it."""
    session = await tables.session(table)
    for _ in range(_DEAL_CHECKS):
        if session.state.pending_deal is None:
            break
        await asyncio.sleep(_DEAL_CHECK_S)
    return session.state


async def _erase_from_tables(
    store: Store, tables: Sequence[str], person: PersonId
) -> list[Rewrite]:
    """Return what has to be written so that tables don't name a person any more."""
    rewrites = []
    for table in tables:
        texts = await store.events(table)
        try:
            rewrite = _erase_from_table(table, texts, person)
        except Exception:  # an unreadable table is shown to nobody
            log.warning("a person can't be erased from a table", exc_info=True)
            continue
        if rewrite is not None:
            rewrites.append(rewrite)
        await asyncio.sleep(0)
    return rewrites


def _erase_from_table(table: str, texts: Sequence[str], person: PersonId) -> Rewrite | None:
    before = list(map(decode_event, texts))
    after = [erase_person(event, person) for event in before]
    changed = {
        number: encode_event(event)
        for number, (event, old) in enumerate(zip(after, before, strict=True))
        if event != old
    }
    state = replay_events(table, after) if changed else None
    return None if state is None else Rewrite(table, changed, summarize(state))
