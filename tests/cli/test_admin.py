"""``manhattan admin``: an operator looks after a server that runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from manhattan.cli.commands import admin
from manhattan.client import Client
from manhattan.server.service.clock_and_secrets import new_person_id
from support.cli_runner import run_cli
from support.databases import wait_until
from support.recording_client import RecordingClient, close_code
from support.server_fixtures import AGAINST_EASY, RunningServer, get, running_server
from support.stranger import Stranger

OPEN_SEAT = [{"occupant": "me"}, {"occupant": "open"}]


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "tables.db")


@pytest.fixture
def server(database: str) -> Iterator[RunningServer]:
    with running_server(database) as server:
        yield server


def run(database: str, *arguments: str) -> str:
    outcome = run_cli("admin", *arguments, "--database", database)
    assert outcome.code == 0, outcome.err
    return outcome.out


def test_tables_are_listed_and_closed(server: RunningServer, database: str) -> None:
    ada = server.client("Ada")
    lobby = ada.open_table(seats=OPEN_SEAT, public=True)
    playing = ada.open_table(seats=AGAINST_EASY, start=True, first=0)
    listed = run(database, "list").splitlines()
    assert [line.split()[:3] for line in listed] == [
        [playing, "playing", "private"],
        [lobby, "lobby", "public"],
    ]
    assert "Ada, (open)" in listed[1]
    with ada.connect(playing) as seat:
        next(seat.messages())
        assert run(database, "close", playing) == "Done.\n"
        message = next(one for one in seat.messages() if one["type"] == "update")
        assert message["event"]["type"] == "table_closed"
    assert [line.split()[0] for line in run(database, "list").splitlines()] == [lobby]
    assert "closed" in run(database, "list", "--all")
    again = run_cli("admin", "close", playing, "--database", database)
    assert (again.code, again.error) == (1, "Error: This table was closed.")
    missing = run_cli("admin", "close", "aaaaaaaaaaaaaa", "--database", database)
    assert "There is no table" in missing.error


def test_a_person_is_found_and_deleted(server: RunningServer, database: str) -> None:
    with RecordingClient(server, "Rude Person") as rude:
        table = rude.call("POST", "/api/tables", {"seats": OPEN_SEAT, "public": True})["id"]
        rude.watch(table)
        rude.execute("chat", text="Something rude")
        assert rude.person is not None
        assert run(database, "people", "rude") == f"{rude.person}  Rude Person\n"
        nobody = run_cli("admin", "people", "nobody", "--database", database)
        assert (nobody.code, nobody.out, nobody.error) == (
            0,
            "",
            "No name contains nobody.",
        )
        assert run(database, "delete", rude.person) == "Done.\n"
        assert close_code(rude.receive) == 4401
        assert rude.request("GET", "/api/me").json() == {"name": None}
    seen = server.client("Ada").request("GET", f"/api/tables/{table}")
    assert "rude" not in json.dumps(seen).lower()
    again = run_cli("admin", "delete", rude.person, "--database", database)
    assert "There is no person" in again.error


def test_a_person_is_banned_and_comes_back(server: RunningServer, database: str) -> None:
    with RecordingClient(server, "Eve") as eve:
        table = eve.call("POST", "/api/tables", {"seats": OPEN_SEAT})["id"]
        eve.watch(table)
        assert eve.person is not None
        assert "is banned" in run(database, "ban", eve.person)
        assert close_code(eve.receive) == 4403
        answer = eve.request("GET", "/api/me")
        assert (answer.status_code, "excluded you" in answer.text) == (403, True)
        assert run(database, "bans") == f"{eve.person}\n"
        run(database, "unban", eve.person)
        wait_until(lambda: eve.request("GET", "/api/me").status_code == 200, "she is back")
    twice = run_cli("admin", "unban", eve.person, "--database", database)
    assert "isn't banned" in twice.error


@pytest.mark.parametrize(
    "id", ["-x7vjQ0N6uCi4luQOCIcZQ", "-d7vjQ0N6dCi4luQOCIcZQ", "--7vjQ0N6uCi4luQOCIcZx"]
)
@pytest.mark.parametrize("command", ["ban", "unban", "delete"])
def test_ids_of_early_versions_can_begin_with_a_hyphen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, id: str
) -> None:
    monkeypatch.setattr(admin, "_WAIT_S", 0.0)
    database = str(tmp_path / "tables.db")
    with running_server(database):
        pass
    outcome = run_cli("admin", command, id, "--database", database)
    assert outcome.code in (0, 1), outcome.err
    assert id in outcome.out + outcome.err or "next one that starts" in outcome.out


def test_new_ids_begin_with_a_letter_or_a_digit() -> None:
    assert all(new_person_id()[0].isalnum() for _ in range(500))


@pytest.mark.parametrize("subject", ["127.0.0.7", "127.0.0.4/30"])
def test_an_address_is_banned(server: RunningServer, database: str, subject: str) -> None:
    with (
        Stranger(server, "127.0.0.7", "Eve") as eve,
        Stranger(server, "127.0.0.8", "Ada") as ada,
    ):
        run(database, "ban", subject)
        wait_until(lambda: eve.call("GET", "/api/me")[0] == 403, "Eve is out")
        assert eve.call("GET", "/")[0] == 403
        assert ada.call("GET", "/api/me")[0] == 200


def test_bans_and_requests_are_kept_for_the_next_start(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin, "_WAIT_S", 0.3)
    with running_server(database) as server:
        ada = server.client("Ada")
        table = ada.open_table(seats=OPEN_SEAT)
        cookie = ada.cookie
    assert "next one that starts" in run(database, "close", table)
    run(database, "ban", "127.0.0.7")
    with running_server(database) as server:
        with Stranger(server, "127.0.0.7") as eve:
            assert eve.call("GET", "/api/me")[0] == 403
        ada = Client(server.address, "Ada", cookie=cookie)

        def is_closed() -> bool:
            return bool(ada.request("GET", f"/api/tables/{table}")["table"]["stage"] == "closed")

        wait_until(is_closed, "the request is executed")


def test_a_missing_database_is_reported(tmp_path: Path) -> None:
    outcome = run_cli("admin", "list", "--database", str(tmp_path / "missing.db"))
    assert (outcome.code, "There is no database" in outcome.error) == (1, True)
    assert not (tmp_path / "missing.db").exists()


def test_the_database_is_found_by_the_configuration_file(
    server: RunningServer, database: str, tmp_path: Path
) -> None:
    file = tmp_path / "manhattan.toml"
    file.write_text(f'database = "{database}"')
    table = server.client("Ada").open_table(seats=OPEN_SEAT)
    assert table in run_cli("admin", "list", "--config", str(file)).out
    for command in (["ban", "192.0.2.7"], ["bans"], ["unban", "192.0.2.7"], ["people", "ada"]):
        outcome = run_cli("admin", *command, "--config", str(file))
        assert outcome.code == 0, outcome.err
    assert run_cli("admin", "close", table, "--config", str(file)).out == "Done.\n"


def test_an_empty_list_says_so(server: RunningServer, database: str) -> None:
    for command, said in (
        (["list"], "There are no open tables; --all lists all."),
        (["list", "--all"], "There are no tables."),
        (["bans"], "There are no bans."),
    ):
        outcome = run_cli("admin", *command, "--database", database)
        assert (outcome.code, outcome.out, outcome.error) == (0, "", said)


@pytest.mark.parametrize(
    ("subject", "own"),
    [
        ("127.0.0.1", "127.0.0.0/8"),
        ("::1", "::1"),
        ("0.0.0.0/0", "127.0.0.0/8"),
        ("10.0.0.0/8", "10.1.2.3"),
        ("192.0.2.7", None),
        ("2001:db8::7", None),
        ("x7vjQ0N6uCi4luQOCIcZQ", None),
    ],
)
def test_a_ban_of_this_computer_or_the_proxy_is_a_warning(
    server: RunningServer, database: str, tmp_path: Path, subject: str, own: str | None
) -> None:
    file = tmp_path / "manhattan.toml"
    file.write_text(f'database = "{database}"\ntrusted_proxy = "10.1.2.3"')
    outcome = run_cli("admin", "ban", subject, "--config", str(file))
    assert outcome.code == 0
    assert (f"Warning: this includes {own}," in outcome.error) == (own is not None)
    assert outcome.err == "" or own is not None


def test_a_ban_leaves_health_checks_alone(server: RunningServer, database: str) -> None:
    run(database, "ban", "127.0.0.1")
    wait_until(lambda: get(server, "/api/me")[0] == 403, "the ban holds")
    assert get(server, "/healthz") == (200, "alive")
    assert get(server, "/readyz") == (200, "ready")
    assert "token" in get(server, "/metrics")[1]
