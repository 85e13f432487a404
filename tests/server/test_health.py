"""Those who watch over a server are told what they need, and it costs them and us little."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from databases import busy, wait_until
from manhattan.server.app import Settings, make_app
from serving import Running, asked, running


def test_health_and_figures(shared: Running) -> None:
    assert asked(shared, "/healthz") == (200, "alive")
    assert asked(shared, "/readyz") == (200, "ready")
    status, figures = asked(shared, "/metrics")
    assert status == 200
    assert "manhattan_entries_total" in figures
    assert "manhattan_writing_seconds_bucket" in figures


def test_however_often_somebody_asks_little_is_written(tmp_path: Path) -> None:
    with running(str(tmp_path / "tables.db")) as up:
        written = tmp_path / "tables.db-wal"
        before, begun = written.stat().st_size, time.monotonic()
        with ThreadPoolExecutor(8) as many:
            answers = list(many.map(lambda _: asked(up, "/readyz"), range(300)))
        tries = time.monotonic() - begun + 1
        assert set(answers) == {(200, "ready")}
        assert 0 < written.stat().st_size - before < 10_000 * tries


def test_what_is_remembered_is_soon_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.store.sqlite._BUSY", 0.1)
    database = str(tmp_path / "tables.db")
    away = (503, "storage is away")
    with running(database) as up:
        assert asked(up, "/readyz") == (200, "ready")
        with busy(database):
            wait_until(lambda: asked(up, "/readyz") == away, "nothing can be written")
        wait_until(lambda: asked(up, "/readyz") == (200, "ready"), "it can")


@pytest.mark.parametrize(
    ("address", "headers", "public", "status"),
    [
        ("127.0.0.1", {}, False, 200),
        ("::1", {}, False, 200),
        ("192.0.2.7", {}, False, 403),
        ("2001:db8::7", {}, False, 403),
        ("127.0.0.1", {"X-Forwarded-For": "192.0.2.7"}, False, 403),
        ("127.0.0.1", {"Forwarded": "for=192.0.2.7"}, False, 403),
        ("somewhere", {}, False, 403),
        ("192.0.2.7", {}, True, 200),
        ("127.0.0.1", {"X-Forwarded-For": "192.0.2.7"}, True, 200),
    ],
)
def test_figures_are_for_this_computer_unless_said_otherwise(
    tmp_path: Path, address: str, headers: dict[str, str], public: bool, status: int
) -> None:
    app = make_app(Settings(str(tmp_path / "tables.db"), public_metrics=public))

    async def ask() -> httpx.Response:
        way = httpx.ASGITransport(app, client=(address, 5000))
        async with httpx.AsyncClient(transport=way, base_url="http://tables") as visitor:
            return await visitor.get("/metrics", headers=headers)

    answer = asyncio.run(ask())
    assert answer.status_code == status
    assert ("manhattan_entries" in answer.text) == (status == 200)
