"""Attacks by one stranger on a server with its usual limits: others are served, and memory stays.

The stranger has an address of their own, and repeats the attack as fast as the server lets them.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from manhattan.bench.server.load import memory_mb
from manhattan.client import Client, TableConnection
from support.attacker import ATTACKS
from support.server_fixtures import AGAINST_EASY, Process
from support.stranger import Drain, Stranger

pytestmark = pytest.mark.process

TESTS = Path(__file__).parents[1]
SECONDS = 3.0
OPEN_SEAT = [{"occupant": "me"}, {"occupant": "open"}]
ATTACKER, BYSTANDER = "127.0.0.2", "127.0.0.3"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Process]:
    process = Process(str(tmp_path / "tables.db"), limited=True)
    try:
        yield process
    finally:
        process.stop()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_harms_nobody_else(server: Process, attack: str) -> None:
    ada = Client(server.address, "Ada", timeout=60)
    table = ada.open_table(seats=OPEN_SEAT, public=True)
    with ada.connect(table) as seat, Stranger(server, BYSTANDER) as bystander:
        next(seat.messages())
        for _ in range(30):
            bystander.time_request()
        before = memory_mb(server.pid)
        arguments = [attack, str(server.port), ATTACKER, table, str(SECONDS)]
        command = [sys.executable, "-m", "support.attacker", *arguments]
        with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True) as attacker:
            assert attacker.stdout is not None
            assert attacker.stdout.readline() == "attacking\n"
            waits, memory = [], before
            while attacker.poll() is None:
                waits.append(bystander.time_request())
                memory = max(memory, memory_mb(server.pid))
                time.sleep(0.01)
            opened, sent = map(int, attacker.stdout.read().split())
        print(
            f"{attack}: {opened:,} connections, {sent / 1e6:.1f} MB; a bystander waited "
            f"{percentile(waits, 0.5) * 1e3:.1f} ms (p50), {percentile(waits, 0.99) * 1e3:.1f} ms "
            f"(p99); memory {before:.0f} to {memory:.0f} MB"
        )
        assert opened >= 20, "the attack did not happen"
        assert memory < 1.5 * before
        assert percentile(waits, 0.99) < 0.2
        assert len(waits) > 50
        assert seat.chat("I am still here.")["type"] == "update"


def time_bot(seat: TableConnection) -> float:
    """Return how long a bot takes for its move, in seconds."""
    turn = next(seat.turns())
    started = time.perf_counter()
    seat.play(turn.moves[0])
    next(seat.turns())
    return time.perf_counter() - started


@pytest.mark.compiled
@pytest.mark.xdist_group("4-1")
def test_many_names_do_not_slow_down_the_bots_of_others(server: Process) -> None:
    """Thirty names of one address, each with a table of Champion bots that it watches."""
    champions = {"seats": [{"occupant": "bot", "level": "champion"}] * 4, "bot_delay_ms": 0}
    with ExitStack() as stack:
        drain = stack.enter_context(Drain())
        ada = Client(server.address, "Ada", timeout=120)
        table = ada.open_table(seats=AGAINST_EASY, bot_delay_ms=0, first=0, start=True)
        seat = stack.enter_context(ada.connect(table))
        alone = [time_bot(seat) for _ in range(4)]
        for number in range(30):
            eve = stack.enter_context(Stranger(server, ATTACKER, f"Eve {number}"))
            status, opened = eve.call("POST", "/api/tables?start=true", champions)
            assert status == 201
            drain.add(eve.watch(opened["id"]))
        watched = Client(server.address, "Bob", timeout=120)
        with watched.connect(opened["id"]) as spectator:
            for message in spectator.messages():  # until the Champions are compiled and play
                if message["type"] == "update" and spectator.position["ply"] > 6:
                    break
        attacked = [time_bot(seat) for _ in range(12)]
    print(
        f"alone {max(alone):.2f} s, attacked p50 {percentile(attacked, 0.5):.2f} s, "
        f"max {max(attacked):.2f} s"
    )
    # An Expert that has begun thinks for up to 0.8 s; Ada's bot is the next.
    assert percentile(attacked, 0.5) < 1.5
    assert max(attacked) < 4
