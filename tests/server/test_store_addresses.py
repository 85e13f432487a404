"""Databases as they are named: those that several open at once, and those that can't be used."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from commandline import process
from databases import PASSWORD, Postgres, database_at, free_port, in_a_loop, opened
from manhattan.server.redis_bus import RedisBus
from manhattan.server.store import StoreError, StoreNewer, open_store
from manhattan.server.store.keeping import Statement

OPENER = Path(__file__).parent.parent / "open_together.py"


@pytest.fixture
def openers() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that open a store as soon as they are told which."""
    with ExitStack() as ended:
        processes = [
            ended.enter_context(
                subprocess.Popen(
                    [sys.executable, str(OPENER)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for _ in range(3)
        ]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        yield processes


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_processes_that_open_a_fresh_database_at_the_same_moment_all_can(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    openers: list[subprocess.Popen[str]],
    kind: str,
) -> None:
    for attempt in range(20 if kind == "sqlite" else 5):
        with ExitStack() as ended:
            address = str(tmp_path / str(attempt) / "tables.db")
            if kind == "postgres":
                server = request.getfixturevalue("own_postgres").address
                address = ended.enter_context(database_at(server))
            for process in openers:
                assert process.stdin is not None
                process.stdin.write(f"{address}\n")
                process.stdin.flush()
            secrets = [process.stdout.readline() for process in openers if process.stdout]
        assert len(set(secrets)) == 1, secrets
        assert len(secrets[0]) > 32
        assert " " not in secrets[0], secrets


@in_a_loop
async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ada, " * 100)
    for unusable in (tmp_path, tmp_path / "letter.txt", tmp_path / "letter.txt" / "tables.db"):
        with pytest.raises(StoreError, match=r"^The database .* can't be opened: .+\.$") as refused:
            await open_store(str(unusable))
        assert str(unusable) in str(refused.value)
    assert (tmp_path / "letter.txt").read_text().startswith("Dear Ada")


@in_a_loop
async def test_a_database_of_a_kind_that_we_do_not_know() -> None:
    with pytest.raises(StoreError, match=r"mysql:// is neither\.$"):
        await open_store("mysql://ada:hunter2@127.0.0.1/tables")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_database_of_a_newer_version(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    """It is neither served nor copied, and stays as it is."""
    address, other = str(tmp_path / "tables.db"), str(tmp_path / "other.db")
    if kind == "postgres":
        address = request.getfixturevalue("postgres")
    asyncio.run(brought_forward(address))
    with pytest.raises(StoreNewer, match="newer version of Manhattan") as newer:
        asyncio.run(open_store(address))
    said = str(newer.value)
    assert "it is at step 9, this version knows 2" in said
    assert PASSWORD not in said
    for command in (
        ["serve", "--host", "127.0.0.1", "--port", "0", "--no-log", "--database", address],
        ["backup", "--database", address, other],
        ["backup", "--games", "--database", address, other],
    ):
        ended = process(*command)
        assert (ended.code, ended.err) == (1, f"Error: {said}\n"), command
    assert not Path(other).exists()


async def brought_forward(address: str) -> None:
    """What versions to come will do to a database."""
    async with opened(address) as store:
        statement = "INSERT INTO migrations (number, name) VALUES ($1, 'to_come.sql')"
        await store.write(*(Statement(statement, (number,)) for number in (3, 9)))


SECRET = "hunter2"


def unusable(server: str) -> dict[str, str]:
    """Addresses that can't be used, some of them because of how the password is written."""
    port = server.rpartition(":")[2].partition("/")[0]
    here = f"127.0.0.1:{port}/postgres"
    return {
        "wrong password": f"postgresql://manhattan:{SECRET}@{here}",
        "nobody of that name": f"postgresql://{SECRET}:{SECRET}@{here}",
        "no such database": server.replace("/postgres", "/nowhere"),
        "nobody listens": f"postgresql://manhattan:{SECRET}@127.0.0.1:{free_port()}/postgres",
        "no number": f"postgresql://manhattan:{SECRET}@127.0.0.1:x/postgres",
        "a colon in it": f"postgresql://manhattan:a:{SECRET}@{here}",
        "a slash in it": f"postgresql://manhattan:{SECRET}/{SECRET}@{here}",
        "a question mark in it": f"postgresql://manhattan:{SECRET}?{SECRET}@{here}",
        "a hash in it": f"postgresql://manhattan:{SECRET}#{SECRET}@{here}",
        "an at in it": f"postgresql://manhattan:{SECRET}@{SECRET}@{here}",
        "a bracket in it": f"postgresql://manhattan:[{SECRET}@{here}",
        "a bracket more": f"postgresql://manhattan:]{SECRET}[@{here}",
        "a percent sign in it": f"postgresql://manhattan:%{SECRET}%zz@{here}",
        "asked for what is not known": f"{server}?sslmode={SECRET}",
    }


@in_a_loop
async def test_a_postgres_that_cannot_be_used_is_told_without_its_password(
    own_postgres: Postgres,
) -> None:
    for what, address in unusable(own_postgres.address).items():
        with pytest.raises(
            StoreError, match=r"^The PostgreSQL database can't be used: .+\.$"
        ) as no:
            await open_store(address)
        said = str(no.value).replace(f'user "{SECRET}"', "user")  # a name is no secret
        assert SECRET not in said, what
        assert PASSWORD not in said, what
        assert "\n" not in said, what


def test_an_address_of_redis_that_cannot_be_used_is_told_without_its_password() -> None:
    for address in (
        f"radish://:{SECRET}@127.0.0.1",
        f"redis://:{SECRET}/{SECRET}@127.0.0.1:6379",
        f"redis://:{SECRET}@127.0.0.1:port",
        f"redis://:[{SECRET}@127.0.0.1:6379",
        f"redis://:{SECRET}@127.0.0.1:6379?socket_timeout={SECRET}",
    ):
        with pytest.raises(StoreError, match=r"^The address of Redis can't be used: .+\.$") as no:
            RedisBus(address)
        assert SECRET not in str(no.value), address
