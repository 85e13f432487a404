"""Monitoring: liveness, readiness and metrics."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request

from manhattan.client import RequestRejected
from manhattan.server.transport.client_address import TrustedProxies, UnsafeProxy
from support.cli_runner import run_cli
from support.databases import wait_until, write_locked
from support.recording_client import RecordingClient, captured_logs
from support.server_fixtures import AGAINST_EASY, get, running_server


def test_health_and_metrics_are_reported(tmp_path: Path) -> None:
    with running_server(str(tmp_path / "tables.db"), public_metrics=True) as server:
        assert get(server, "/healthz") == (200, "alive")
        assert get(server, "/readyz") == (200, "ready")
        status, metrics = get(server, "/metrics")
    assert status == 200
    assert "manhattan_table_events_total" in metrics
    assert "manhattan_commit_duration_seconds_bucket" in metrics


def test_frequent_checks_write_little(tmp_path: Path) -> None:
    with running_server(str(tmp_path / "tables.db")) as server:
        log = tmp_path / "tables.db-wal"
        before, started = log.stat().st_size, time.monotonic()
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda _: get(server, "/readyz"), range(300)))
        checks = time.monotonic() - started + 1
        assert set(answers) == {(200, "ready")}
        assert 0 < log.stat().st_size - before < 10_000 * checks


UNAVAILABLE = (503, "storage unavailable")


def test_readiness_follows_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manhattan.server.storage.sqlite._BUSY_TIMEOUT_S", 0.1)
    database = str(tmp_path / "tables.db")
    with running_server(database) as server, captured_logs() as logs:
        assert get(server, "/readyz") == (200, "ready")
        with write_locked(database):
            wait_until(lambda: get(server, "/readyz") == UNAVAILABLE, "it can't write")
        wait_until(lambda: get(server, "/readyz") == (200, "ready"), "it can write")
    said = [line for line in logs.lines if line["message"].startswith("the database is")]
    assert [line["message"].split()[3] for line in said] == ["unavailable", "available"]
    assert "database is locked" in said[0]["why"]


@pytest.mark.parametrize("loss", ["deleted", "replaced"])
def test_a_lost_file_is_noticed(tmp_path: Path, loss: str) -> None:
    """SQLite would write into the deleted file, and everything would be lost with the process."""
    path = tmp_path / "tables.db"
    with running_server(str(path), public_metrics=True) as server, captured_logs() as logs:
        ada = server.client("Ada")
        table = ada.open_table(seats=AGAINST_EASY)
        assert "manhattan_database_available 1.0" in get(server, "/metrics")[1]
        moved = path.rename(tmp_path / "moved.db")
        if loss == "replaced":
            path.write_bytes(b"")
        with pytest.raises(RequestRejected) as rejected:
            ada.start_game(table)
        assert rejected.value.reason == "storage_unavailable"
        assert get(server, "/readyz") == UNAVAILABLE
        assert "manhattan_database_available 0.0" in get(server, "/metrics")[1]
        moved.rename(path)
        wait_until(lambda: get(server, "/readyz") == (200, "ready"), "the same file is back")
        ada.start_game(table)
    (error,) = logs.errors
    assert error["message"] == "the database is unavailable"
    assert f"{path} was deleted or replaced" in error["why"]


def test_metrics_notice_an_outage_while_nobody_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.storage.sqlite._BUSY_TIMEOUT_S", 0.1)
    database = str(tmp_path / "tables.db")
    with running_server(database, public_metrics=True) as server:

        def is_available(value: int) -> bool:
            return f"manhattan_database_available {value}.0" in get(server, "/metrics")[1]

        assert is_available(1)
        with write_locked(database):
            wait_until(lambda: is_available(0), "the outage is measured")
        wait_until(lambda: is_available(1), "it is over")


def test_metrics_say_when_the_last_backup_was_made(tmp_path: Path) -> None:
    def last_backup() -> float:
        line = "^manhattan_last_backup_timestamp_seconds (.*)$"
        return float(re.findall(line, get(server, "/metrics")[1], re.MULTILINE)[0])

    database = str(tmp_path / "tables.db")
    with running_server(database, public_metrics=True) as server:
        assert last_backup() == 0
        server.client("Ada").open_table(seats=AGAINST_EASY)
        outcome = run_cli("backup", str(tmp_path / "copy.db"), "--database", database)
        assert (outcome.code, outcome.error) == (0, "Copied 1 table with 1 event.")
        assert abs(time.time() - last_backup()) < 60


@pytest.mark.parametrize(
    ("settings", "headers", "status"),
    [
        ({}, {}, 403),
        ({}, {"Authorization": "Bearer None"}, 403),
        ({"metrics_token": "a secret"}, {}, 403),
        ({"metrics_token": "a secret"}, {"Authorization": "Bearer another"}, 403),
        ({"metrics_token": "a secret"}, {"Authorization": "Bearer a secret"}, 200),
        ({"public_metrics": True}, {"X-Forwarded-For": "192.0.2.7"}, 200),
    ],
)
def test_metrics_are_for_nobody_unless_configured(
    tmp_path: Path, settings: dict[str, Any], headers: dict[str, str], status: int
) -> None:
    """Also from this computer: a proxy that adds no header would make them public."""
    database = str(tmp_path / "tables.db")
    with running_server(database, **settings) as server, RecordingClient(server) as anonymous:
        answer = anonymous.request("GET", "/metrics", headers=headers)
    assert answer.status_code == status
    assert ("manhattan_table_events" in answer.text) == (status == 200)


@pytest.mark.parametrize(
    ("trusted", "forwarded", "address"),
    [
        (None, "192.0.2.7", "127.0.0.1"),
        ("127.0.0.1", "192.0.2.7", "192.0.2.7"),
        ("127.0.0.1", "spoofed, 192.0.2.7", "192.0.2.7"),
        ("127.0.0.1, 10.0.0.0/8", "192.0.2.7, 10.1.2.3", "192.0.2.7"),
        ("127.0.0.1, 10.0.0.0/8", "10.1.2.3", "10.1.2.3"),
        ("10.0.0.0/8", "192.0.2.7", "127.0.0.1"),
        ("127.0.0.1", "", "127.0.0.1"),
    ],
)
def test_only_trusted_proxies_forward_addresses(
    trusted: str | None, forwarded: str, address: str
) -> None:
    headers = {"X-Forwarded-For": forwarded, "X-Forwarded-Proto": "https"}
    request = make_mocked_request("GET", "/", headers).clone(remote="127.0.0.1")
    proxies = TrustedProxies(trusted)
    assert proxies.client_address(request) == address
    assert proxies.is_https(request) == (trusted not in (None, "10.0.0.0/8"))


@pytest.mark.parametrize("everyone", ["*", "127.0.0.1, *", "0.0.0.0/0", "::/0"])
def test_not_everyone_can_be_a_proxy(everyone: str) -> None:
    """Every client could claim any address, and so escape its limits."""
    with pytest.raises(UnsafeProxy, match="network"):
        TrustedProxies(everyone)
