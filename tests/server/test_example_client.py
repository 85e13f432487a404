"""The bot of docs/reference/protocol.md plays as it is printed there."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from support.databases import free_port
from support.server_fixtures import RunningServer, play_on

DOCUMENT = Path(__file__).parents[2] / "docs/reference/protocol.md"


def code() -> str:
    (block,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    assert len(block.splitlines()) <= 30
    return str(block)


def example() -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "example"}
    exec(code(), names)
    return names


def test_the_example_opens_a_table_and_finishes_its_game(server: RunningServer) -> None:
    result = example()["main"](server.address)
    assert min(result["scores"]) > 20


def test_the_example_reports_an_unavailable_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["bot.py", f"http://127.0.0.1:{free_port()}"])
    with pytest.raises(SystemExit, match="doesn't answer"):
        exec(code(), {"__name__": "__main__"})


def test_the_example_joins_a_public_table(server: RunningServer) -> None:
    ada = server.client("Ada")
    table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}], public=True)
    results: list[Any] = []
    bot = Thread(target=lambda: results.append(example()["main"](server.address)))
    with ada.connect(table) as seat:
        messages = seat.messages()
        next(messages)  # she watches before the bot joins
        bot.start()
        for message in messages:
            if message.get("event", {}).get("type") == "seat_taken":
                break
        ada.start_game(table)
        play_on(seat)
    bot.join(20)
    assert results == [seat.position["result"]]
    assert results[0]["winners"] == [1]  # Ada always plays the first legal move
