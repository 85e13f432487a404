"""Addresses of databases: opened by several processes at once, or unusable."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from manhattan.server.pubsub.base import BusError
from manhattan.server.pubsub.redis import RedisBus
from manhattan.server.storage import StoreError, StoreNewer, open_store
from manhattan.server.storage.database import Statement
from support.cli_runner import run_process
from support.databases import PASSWORD, Postgres, async_test, database_at, free_port, store_at

pytestmark = pytest.mark.process

OPENER = Path(__file__).parents[2] / "support" / "open_stores.py"


@pytest.fixture
def openers() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that open a store when they get its address."""
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
def test_several_processes_can_open_a_new_database_at_the_same_moment(
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


@async_test
async def test_a_file_that_is_not_a_database_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ada, " * 100)
    for unusable in (tmp_path, tmp_path / "letter.txt", tmp_path / "letter.txt" / "tables.db"):
        with pytest.raises(
            StoreError, match=r"^The database .* can't be opened: .+\.$"
        ) as rejected:
            await open_store(str(unusable))
        assert str(unusable) in str(rejected.value)
    assert (tmp_path / "letter.txt").read_text().startswith("Dear Ada")


@async_test
async def test_an_unknown_kind_of_database_is_rejected() -> None:
    with pytest.raises(StoreError, match=r"mysql:// is neither\.$"):
        await open_store("mysql://ada:hunter2@127.0.0.1/tables")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_database_of_a_newer_version_is_neither_served_nor_copied(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    address, other = str(tmp_path / "tables.db"), str(tmp_path / "other.db")
    if kind == "postgres":
        address = request.getfixturevalue("postgres")
    asyncio.run(migrate_ahead(address))
    with pytest.raises(StoreNewer, match="newer version of Manhattan") as newer:
        asyncio.run(open_store(address))
    message = str(newer.value)
    assert "it has migration 99, this version knows " in message
    assert PASSWORD not in message
    for command in (
        ["serve", "--port", "0", "--no-access-log"],
        ["backup", other],
        ["backup", "--games", other],
    ):
        result = run_process(*command, env={"MANHATTAN_DATABASE": address})
        assert (result.code, result.err) == (1, f"Error: {message}\n"), command
    assert not Path(other).exists()


async def migrate_ahead(address: str) -> None:
    """Add migrations of future versions."""
    async with store_at(address) as store:
        statement = "INSERT INTO migrations (number, name) VALUES ($1, 'future.sql')"
        await store.write(*(Statement(statement, (number,)) for number in (98, 99)))


SECRET = "hunter2"


def unusable(server: str) -> dict[str, str]:
    """Return unusable addresses, some of them because of unescaped passwords."""
    port = server.rpartition(":")[2].partition("/")[0]
    here = f"127.0.0.1:{port}/postgres"
    return {
        "wrong password": f"postgresql://manhattan:{SECRET}@{here}",
        "unknown user": f"postgresql://{SECRET}:{SECRET}@{here}",
        "no such database": server.replace("/postgres", "/nowhere"),
        "no server": f"postgresql://manhattan:{SECRET}@127.0.0.1:{free_port()}/postgres",
        "port is not a number": f"postgresql://manhattan:{SECRET}@127.0.0.1:x/postgres",
        "a colon in it": f"postgresql://manhattan:a:{SECRET}@{here}",
        "a slash in it": f"postgresql://manhattan:{SECRET}/{SECRET}@{here}",
        "a question mark in it": f"postgresql://manhattan:{SECRET}?{SECRET}@{here}",
        "a hash in it": f"postgresql://manhattan:{SECRET}#{SECRET}@{here}",
        "an at in it": f"postgresql://manhattan:{SECRET}@{SECRET}@{here}",
        "a bracket in it": f"postgresql://manhattan:[{SECRET}@{here}",
        "a bracket more": f"postgresql://manhattan:]{SECRET}[@{here}",
        "a percent sign in it": f"postgresql://manhattan:%{SECRET}%zz@{here}",
        "unknown option": f"{server}?sslmode={SECRET}",
    }


@async_test
async def test_errors_of_postgres_don_t_show_the_password(
    own_postgres: Postgres,
) -> None:
    for what, address in unusable(own_postgres.address).items():
        with pytest.raises(
            StoreError, match=r"^The PostgreSQL database can't be used: .+\.$"
        ) as error:
            await open_store(address)
        message = str(error.value).replace(f'user "{SECRET}"', "user")  # a name is no secret
        assert SECRET not in message, what
        assert PASSWORD not in message, what
        assert "\n" not in message, what


def test_errors_of_redis_addresses_don_t_show_the_password() -> None:
    for address in (
        f"radish://:{SECRET}@127.0.0.1",
        f"redis://:{SECRET}/{SECRET}@127.0.0.1:6379",
        f"redis://:{SECRET}@127.0.0.1:port",
        f"redis://:[{SECRET}@127.0.0.1:6379",
        f"redis://:{SECRET}@127.0.0.1:6379?socket_timeout={SECRET}",
    ):
        with pytest.raises(BusError, match=r"^The address of Redis can't be used: .+\.$") as error:
            RedisBus(address)
        assert SECRET not in str(error.value), address
