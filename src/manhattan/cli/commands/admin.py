"""``manhattan admin``: what operators do with a server that runs, by way of its database."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from manhattan.cli.ui.help_format import Command, Group
from manhattan.cli.ui.server_flags import Database, LongConfigFile, chosen_options
from manhattan.cli.ui.terminal import console
from manhattan.rules import ManhattanError

if TYPE_CHECKING:
    from manhattan.server.options import ServerOptions
    from manhattan.server.storage.operator_store import Action, OperatorStore

T = TypeVar("T")

_WAIT_S: Final = 6.0
"""How long to wait for a running server, which looks for requests every second."""
_ACTIVE: Final = ("lobby", "playing")
_LIMIT: Final = 50
_LOOPBACK: Final = ("127.0.0.0/8", "::1")
_HYPHENATED_ID: Final = re.compile(r"-[\w-]{21}", re.ASCII)
"""An id of a person who registered with an early version: it can begin with a hyphen."""


class _CommandWithId(Command):
    """A command whose argument can be an id that looks like an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ids = [arg for arg in args if _HYPHENATED_ID.fullmatch(arg)]
        options = [arg for arg in args if arg not in ids]
        return super().parse_args(ctx, [*options, "--", *ids] if ids else args)


admin = typer.Typer(
    cls=Group,
    help="Look after a server: list and close tables, delete and ban people.",
    no_args_is_help=True,
)


class AdminError(ManhattanError):
    """The operator's request can't be fulfilled."""


@admin.command("list", cls=Command)
def list_tables(
    database: Database = None,
    config: LongConfigFile = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also finished games and closed tables.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="Tables to list.")] = _LIMIT,
) -> None:
    """List tables, the latest first."""
    stages = (*_ACTIVE, "over", "closed") if everything else _ACTIVE
    options = chosen_options(database, config)
    rows = _with_store(options, lambda store: store.tables(stages, limit))
    if not rows:
        _note(
            "There are no tables." if everything else "There are no open tables; --all lists all."
        )
    for row in rows:
        changed = datetime.fromtimestamp(row.changed_at / 1000, UTC).isoformat(" ", "minutes")
        names = "(unreadable)"
        if row.players is not None:
            names = ", ".join(name or "(open)" for name in row.players)
        kind = "public" if row.public else "private"
        _print(f"{row.id}  {row.stage:8} {kind:8} {changed[:16]}  {names}")


@admin.command("people", cls=Command)
def list_people(
    name: Annotated[str, typer.Argument(help="A part of the name.")],
    database: Database = None,
    config: LongConfigFile = None,
) -> None:
    """Find people by their name."""
    options = chosen_options(database, config)
    people = _with_store(options, lambda store: store.people_named(name, _LIMIT))
    if not people:
        _note(f"No name contains {name}.")
    for person in people:
        _print(f"{person.id}  {person.name}")


@admin.command("close", cls=Command)
def close_table(
    table: Annotated[str, typer.Argument(help="The table's id, the last part of its link.")],
    database: Database = None,
    config: LongConfigFile = None,
) -> None:
    """Close a table, before its game or during it."""
    _request(chosen_options(database, config), "close_table", table)


@admin.command("delete", cls=_CommandWithId)
def delete_person(
    person: Annotated[str, typer.Argument(help="The person's id, from `people`.")],
    database: Database = None,
    config: LongConfigFile = None,
) -> None:
    """Delete a person with their name and texts, as they could do themselves."""
    _request(chosen_options(database, config), "delete_person", person)


@admin.command("ban", cls=_CommandWithId)
def ban(
    subject: Annotated[
        str, typer.Argument(help="An address, a network (192.0.2.0/24), or a person's id.")
    ],
    database: Database = None,
    config: LongConfigFile = None,
) -> None:
    """Exclude an address, a network or a person."""
    options = chosen_options(database, config)
    _with_store(options, lambda store: store.ban(subject, _now()))
    _print(f"{subject} is banned.")
    if own := _own_network(subject, options.trusted_proxy):
        _note(
            f"Warning: this includes {own}, the address of this computer or of your proxy: other "
            f"people may be excluded, too. manhattan admin unban {subject} lifts the ban."
        )


@admin.command("unban", cls=_CommandWithId)
def lift_ban(
    subject: Annotated[str, typer.Argument(help="As it was banned.")],
    database: Database = None,
    config: LongConfigFile = None,
) -> None:
    """Lift a ban."""
    if not _with_store(chosen_options(database, config), lambda store: store.lift_ban(subject)):
        raise AdminError(f"{subject} isn't banned. manhattan admin bans lists those who are.")
    _print(f"{subject} is not banned any more.")


@admin.command("bans", cls=Command)
def list_bans(database: Database = None, config: LongConfigFile = None) -> None:
    """List the bans."""
    bans = _with_store(chosen_options(database, config), lambda store: store.bans())
    if not bans:
        _note("There are no bans.")
    for subject in bans:
        _print(subject)


def _own_network(subject: str, trusted_proxy: str | None) -> str | None:
    """Return what a ban includes of this computer and its proxies, if it does."""
    from manhattan.server.service.bans import parse_network

    banned = parse_network(subject)
    if banned is None:
        return None
    for own in (*_LOOPBACK, *(part.strip() for part in (trusted_proxy or "").split(","))):
        network = parse_network(own)
        # Networks of different versions of the protocol can't be compared.
        if network and network.version == banned.version and banned.overlaps(network):
            return own
    return None


def _request(options: ServerOptions, action: Action, subject: str) -> None:
    """Let a running server do something, and wait for it."""
    from manhattan.server.service.operator_requests import DONE

    async def ask(store: OperatorStore) -> str | None:
        import asyncio

        request = await store.request(action, subject, _now())
        deadline = time.monotonic() + _WAIT_S
        while time.monotonic() < deadline:
            if outcome := await store.outcome(request):
                return outcome
            await asyncio.sleep(0.1)
        return None

    outcome = _with_store(options, ask)
    if outcome is None:
        _print("No server answers. The next one that starts will do it.")
    elif outcome != DONE:
        raise AdminError(outcome)
    else:
        _print("Done.")


def _with_store(options: ServerOptions, work: Callable[[OperatorStore], Awaitable[T]]) -> T:
    """Open the database for a while."""
    import asyncio  # these modules take time to load

    from manhattan.server.storage import open_store

    address = options.database
    if "://" not in address and not Path(address).exists():
        raise AdminError(
            f"There is no database at {address}. Name one with --database or --config."
        )

    async def run() -> T:
        store = await open_store(address)
        try:
            return await work(store.operators)
        finally:
            await store.close()

    return asyncio.run(run())


def _now() -> int:
    return time.time_ns() // 1_000_000


def _note(line: str) -> None:
    """Tell the operator something that isn't a part of the list."""
    console(stderr=True).print(line, markup=False, highlight=False, soft_wrap=True)


def _print(line: str) -> None:
    console().print(line, markup=False, highlight=False, soft_wrap=True)
