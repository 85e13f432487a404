"""Size and speed of the page: transferred bytes, memory during a game, cost of a move."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from manhattan.game import Game
from manhattan.record import to_json
from manhattan.rules import Build
from manhattan.server.transport.http.static import PAGE_FOLDER
from support.browser_user import BOTS, open_browser, open_table
from support.server_fixtures import RunningServer

MAX_SCRIPT_BYTES = 120_000
MAX_BYTES = 250_000
"""Compressed size of everything that a first visit loads up to a running game."""


def test_a_first_visit_loads_little(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address) as ada:
        fetched: dict[str, int] = {}

        def record_size(path: str) -> None:
            file: Path = PAGE_FOLDER / (path.strip("/") or "index.html")
            compressed = file.with_name(f"{file.name}.br")
            if file.is_file():
                fetched[path] = (compressed if compressed.is_file() else file).stat().st_size

        ada.page.on(
            "request", lambda request: record_size(request.url.removeprefix(server.address))
        )
        ada.go("/")
        ada.page.get_by_role("button", name=re.compile("Play now")).click()
        ada.wait_for_task()
        scripts = sum(size for path, size in fetched.items() if path.endswith(".js"))
        assert 20_000 < scripts <= MAX_SCRIPT_BYTES, fetched
        assert sum(fetched.values()) <= MAX_BYTES, fetched


def test_files_are_compressed_and_cached(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address) as ada:
        responses = {}
        ada.page.on("response", lambda response: responses.update({response.url: response}))
        ada.go("/")
        ada.page.get_by_role("button", name=re.compile("Play now")).wait_for()
        for url, response in responses.items():
            if url.endswith((".js", ".css")):
                assert response.headers["content-encoding"] == "br"
                assert "immutable" in response.headers["cache-control"]
        assert responses[f"{server.address}/"].headers["cache-control"] == "no-cache"


@pytest.mark.thorough
def test_a_game_leaks_no_memory(browser: Browser, server: RunningServer) -> None:
    """The board fills up, but detached nodes, listeners and the heap do not grow with it."""
    count_attached_nodes = """() => {
      const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL)
      let nodes = 1
      while (walker.nextNode()) nodes += 1
      return nodes
    }"""
    with open_browser(browser, server.address) as ada:
        open_table(ada, server, *BOTS)
        tools = ada.page.context.new_cdp_session(ada.page)
        samples: list[tuple[int, int, int]] = []

        def measure() -> tuple[int, int, int]:
            tools.send("HeapProfiler.collectGarbage")
            counters = tools.send("Memory.getDOMCounters")
            heap = tools.send("Runtime.getHeapUsage")["usedSize"]
            return (
                counters["nodes"] - ada.page.evaluate(count_attached_nodes),
                counters["jsEventListeners"],
                heap,
            )

        while (task := ada.do_task()) != "end":
            if task == "sheet":
                samples.append(measure())
        print(f"detached nodes, listeners, heap bytes: {samples}")
        (nodes, listeners, heap), *_, (last_nodes, last_listeners, last_heap) = samples
        assert last_nodes < 1.3 * nodes + 300
        assert last_listeners < 1.3 * listeners + 100
        assert last_heap < 1.5 * heap + 2_000_000


def record_with_full_board() -> dict[str, Any]:
    """A game at whose end there is a tower on every site."""
    rng = Random(3)
    game = Game.new(4, seed=bytes(32))
    while not game.is_over:
        moves = game.legal_moves()
        empty = [m for m in moves if isinstance(m, Build) and not game.public.board[m.site].blocks]
        game.play(rng.choice(empty or moves))
    return to_json(game)


def test_a_move_on_a_full_board_is_cheaper_than_drawing_the_board(
    browser: Browser, server: RunningServer, tmp_path: Path
) -> None:
    """Only what changes is drawn again. Absolute times depend on the machine, so only the ratio of
    both is tested."""
    file = tmp_path / "full.json"
    file.write_text(json.dumps(record_with_full_board()))
    with open_browser(browser, server.address) as ada:
        ada.go("/replay")
        ada.page.locator("input[type=file]").set_input_files(file)
        ada.page.get_by_role("button", name="Go to end").click()
        expect(ada.page.locator(".site .tower > g").nth(53)).to_be_attached()
        step, whole = ada.page.evaluate(MEASURE)
        print(f"a move {step:.1f} ms, the whole board {whole:.1f} ms")
        assert step < 0.5 * whole


MEASURE = """async () => {
  const wait = () => new Promise((resolve) => setTimeout(resolve, 30))
  const press = (label) => document.querySelector(`button[aria-label="${label}"]`).click()
  const timed = async (work) => {
    const start = performance.now()
    work()
    await Promise.resolve()
    document.body.getBoundingClientRect()
    const took = performance.now() - start
    await wait()
    return took
  }
  const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]
  const steps = [], wholes = []
  const v = { key: 'v', bubbles: true }
  const key = () => document.body.dispatchEvent(new KeyboardEvent('keydown', v))
  // Stay away from the last move, which also opens the score sheet.
  for (let n = 0; n < 4; n++) {
    press('Previous move')
    await wait()
  }
  for (let n = 0; n < 15; n++) {
    steps.push(await timed(() => press('Previous move')))
    steps.push(await timed(() => press('Next move')))
    key()
    await wait()
    wholes.push(await timed(key))
  }
  return [median(steps), median(wholes)]
}"""
