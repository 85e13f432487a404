"""Damaged rows: a list without them is better than no list."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from manhattan import record
from support.cli_runner import run_cli
from support.recording_client import RecordingClient, captured_logs
from support.server_fixtures import AGAINST_EASY, play_on, running_server

OPEN_SEAT = [{"occupant": "me"}, {"occupant": "open"}]
DAMAGES = ["", "{", "[]", "null", '{"players": 7}', '{"host": "Ada"}', "{}"]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_row_hides_no_other_table(tmp_path: Path, damage: str) -> None:
    database = str(tmp_path / "tables.db")
    with (
        captured_logs() as written,
        running_server(database) as server,
        RecordingClient(server, "Ada") as ada,
        RecordingClient(server, "Bob") as bob,
    ):
        tables = [
            one.call("POST", "/api/tables", {"seats": OPEN_SEAT, "public": True})["id"]
            for one in (ada, bob)
        ]
        with closing(sqlite3.connect(database, timeout=5)) as connection, connection:
            connection.execute(
                "UPDATE tables SET listing = ?, game = ? WHERE id = ?",
                (damage, damage, tables[0]),
            )
        for _ in range(3):
            listed = ada.call("GET", "/api/tables")["tables"]
            assert [table["id"] for table in listed] == [tables[1]]
            assert ada.call("GET", "/api/me/games")["games"] == []
        assert ada.call("GET", f"/api/tables/{tables[0]}")["table"]["id"] == tables[0]
        assert tables[0] in run_cli("admin", "list", "--database", database).out
    assert 1 <= len(written.errors) <= 2  # once, by each of two lists
    assert tables[0] not in written.text


def test_a_damaged_game_is_left_out_of_the_export(tmp_path: Path) -> None:
    database, games = str(tmp_path / "tables.db"), tmp_path / "games.jsonl"
    with running_server(database) as server:
        ada = server.client("Ada")
        tables = [ada.open_table(seats=AGAINST_EASY, bot_delay_ms=0, start=True) for _ in range(2)]
        for table in tables:
            with ada.connect(table) as seat:
                play_on(seat)
    with closing(sqlite3.connect(database)) as connection, connection:
        damage = "UPDATE events SET event = '{' WHERE table_id = ? AND number = 9"
        connection.execute(damage, tables[:1])
    assert run_cli("backup", str(games), "--games", "--database", database).code == 0
    assert len(list(record.read(games))) == 1
