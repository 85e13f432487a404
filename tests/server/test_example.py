"""The bot on the protocol's page plays, as it stands there."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from databases import free_port
from serving import Running, play_on

PAGE = Path(__file__).parents[2] / "docs/protocol.md"


def code() -> str:
    (found,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(found.splitlines()) <= 30
    return str(found)


def example() -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "example"}
    exec(code(), names)
    return names


def test_the_bot_from_outside_opens_a_table_and_plays_it_to_its_end(served: Running) -> None:
    result = example()["main"](served.address)
    assert min(result["scores"]) > 20


def test_the_bot_from_outside_says_in_a_sentence_that_nobody_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["bot.py", f"http://127.0.0.1:{free_port()}"])
    with pytest.raises(SystemExit, match="does not answer"):
        exec(code(), {"__name__": "__main__"})


def test_the_bot_from_outside_joins_a_table_of_others(served: Running) -> None:
    ada = served.client("Ada")
    table = ada.open(chairs=[{"who": "me"}, {"who": "open"}], public=True)
    results: list[Any] = []
    bot = Thread(target=lambda: results.append(example()["main"](served.address)))
    with ada.at(table) as seat:
        news = seat.news()
        next(news)  # she looks on before he comes
        bot.start()
        for told in news:
            if told.get("what", {}).get("type") == "sat":
                break
        ada.begin(table)
        play_on(seat)
    bot.join(20)
    assert results == [seat.position["result"]]
    assert results[0]["winners"] == [1]  # against whoever makes the first move that he may
