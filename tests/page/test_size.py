"""The page is small, and stays so while a game goes on."""

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
from manhattan.server.app import PAGE
from serving import Running
from visitor import BOTS, at_a_table, visiting

MOST_SCRIPT = 120_000
MOST = 250_000
"""Bytes of a first visit that goes straight to a table, compressed."""


def test_a_first_visit_is_light(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address) as ada:
        fetched: dict[str, int] = {}

        def note(path: str) -> None:
            file: Path = PAGE / (path.strip("/") or "index.html")
            compressed = file.with_name(f"{file.name}.br")
            if file.is_file():
                fetched[path] = (compressed if compressed.is_file() else file).stat().st_size

        ada.page.on("request", lambda one: note(one.url.removeprefix(up.address)))
        ada.go("/")
        ada.page.get_by_role("button", name=re.compile("Play now")).click()
        ada.wait()
        scripts = sum(size for path, size in fetched.items() if path.endswith(".js"))
        assert 20_000 < scripts <= MOST_SCRIPT, fetched
        assert sum(fetched.values()) <= MOST, fetched


def test_compressed_files_are_handed_out_and_kept(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address) as ada:
        answers = {}
        ada.page.on("response", lambda one: answers.update({one.url: one}))
        ada.go("/")
        ada.page.get_by_role("button", name=re.compile("Play now")).wait_for()
        for url, answer in answers.items():
            if url.endswith((".js", ".css")):
                assert answer.headers["content-encoding"] == "br"
                assert "immutable" in answer.headers["cache-control"]
        assert answers[f"{up.address}/"].headers["cache-control"] == "no-cache"


@pytest.mark.thorough
def test_a_game_leaves_nothing_behind_in_the_page(browser: Browser, up: Running) -> None:
    """The board fills up, but what is kept beside what is shown does not grow with it."""
    attached = """() => {
      const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL)
      let nodes = 1
      while (walker.nextNode()) nodes += 1
      return nodes
    }"""
    with visiting(browser, up.address) as ada:
        at_a_table(ada, up, *BOTS)
        tools = ada.page.context.new_cdp_session(ada.page)
        found: list[tuple[int, int, int]] = []

        def measure() -> tuple[int, int, int]:
            tools.send("HeapProfiler.collectGarbage")
            told = tools.send("Memory.getDOMCounters")
            heap = tools.send("Runtime.getHeapUsage")["usedSize"]
            return told["nodes"] - ada.page.evaluate(attached), told["jsEventListeners"], heap

        while (what := ada.act()) != "end":
            if what == "sheet":
                found.append(measure())
        print(f"nodes that are not shown, listeners, bytes: {found}")
        (nodes, listeners, heap), *_, (most_nodes, most_listeners, most_heap) = found
        assert most_nodes < 1.3 * nodes + 300
        assert most_listeners < 1.3 * listeners + 100
        assert most_heap < 1.5 * heap + 2_000_000


def full_board() -> dict[str, Any]:
    """A saved game at whose end a tower stands on every site."""
    rng = Random(3)
    game = Game.new(4, seed=bytes(32))
    while not game.over:
        moves = game.legal_moves()
        empty = [m for m in moves if isinstance(m, Build) and not game.table.board[m.site].blocks]
        game.play(rng.choice(empty or moves))
    return to_json(game)


def test_a_move_on_a_full_board_takes_a_part_of_drawing_it(
    browser: Browser, up: Running, tmp_path: Path
) -> None:
    """What changes is drawn anew, and not all of it. (Milliseconds are for a quiet machine to tell:
    here only the ratio counts.)"""
    file = tmp_path / "full.json"
    file.write_text(json.dumps(full_board()))
    with visiting(browser, up.address) as ada:
        ada.go("/replay")
        ada.page.locator("input[type=file]").set_input_files(file)
        ada.page.get_by_role("button", name="To the end").click()
        expect(ada.page.locator(".site .tower > g").nth(53)).to_be_attached()
        step, whole = ada.page.evaluate(MEASURED)
        print(f"a move {step:.1f} ms, the whole board {whole:.1f} ms")
        assert step < 0.5 * whole


MEASURED = """async () => {
  const wait = () => new Promise((done) => setTimeout(done, 30))
  const press = (label) => document.querySelector(`button[aria-label="${label}"]`).click()
  const timed = async (work) => {
    const begun = performance.now()
    work()
    await Promise.resolve()
    document.body.getBoundingClientRect()
    const took = performance.now() - begun
    await wait()
    return took
  }
  const middle = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]
  const steps = [], wholes = []
  const v = { key: 'v', bubbles: true }
  const key = () => document.body.dispatchEvent(new KeyboardEvent('keydown', v))
  // Moves of the last round: the end of a game shows more than a move.
  for (let n = 0; n < 4; n++) {
    press('One move back')
    await wait()
  }
  for (let n = 0; n < 15; n++) {
    steps.push(await timed(() => press('One move back')))
    steps.push(await timed(() => press('One move on')))
    key()
    await wait()
    wholes.push(await timed(key))
  }
  return [middle(steps), middle(wholes)]
}"""
