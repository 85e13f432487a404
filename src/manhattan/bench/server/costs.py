"""What a table, a spectator, a move and a finished game cost, for plans of capacity."""

from __future__ import annotations

import asyncio
import tempfile
import urllib.request
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

from manhattan.bench.measurement import Measurement
from manhattan.bench.server.load import cpu_seconds, memory_mb, run_target, wait
from manhattan.bench.server.players import HOT_SEAT, Counters, Pair
from manhattan.bench.server.spectators import connect_spectators, read_all, socket_address
from manhattan.client import Client

TABLES: Final = 1000
SOCKETS: Final = 1000
PAIRS: Final = 20
SPECTATORS: Final = 10
"""Spectators of each table in play."""
_THINK_TIME_S: Final = (0.1, 0.3)
_WARM_UP_S: Final = 1.0
_GAME_S: Final = 12.0
"""A game with this think time is longer."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of one server process."""

    base_mb: float
    table_kb: float
    """A table in memory at which nothing happens."""
    spectator_kb: float
    """A websocket and its viewer."""
    move_us: float
    """CPU time of a move at a table with two players."""
    spectator_us: float
    """CPU time of a move for each spectator."""
    commit_ms: float
    """The time of a commit with one event."""
    commit_event_ms: float
    """The time that each further event adds to a commit."""
    event_bytes: float
    """A move in the database, with its share of the rows of its table."""


def measure_costs(seconds: float, database: str | None = None) -> Iterator[Measurement]:
    """Measure one cost after the other."""
    base, table, spectator = _measure_memory()
    yield Measurement("base_mb", 0, base, "MB")
    yield Measurement("table_kb", 0, table, "kB a table in memory")
    yield Measurement("spectator_kb", 0, spectator, "kB a spectator")
    busy = _measure_play(seconds, database)
    slow = _measure_play(seconds, database, _THINK_TIME_S)
    watched = _measure_play(seconds, database, _THINK_TIME_S, spectators=SPECTATORS)
    yield Measurement("move_us", 0, busy.cpu_us, "µs of CPU a move")
    each = max(0.0, watched.cpu_us - slow.cpu_us) / SPECTATORS
    yield Measurement("spectator_us", 0, each, "µs of CPU a move and spectator")
    per_event = (busy.commit_ms - slow.commit_ms) / (busy.batch - slow.batch)
    first = slow.commit_ms - per_event * (slow.batch - 1)
    yield Measurement("commit_ms", 0, first, "ms a commit of one event")
    yield Measurement("commit_event_ms", 0, per_event, "ms a further event")
    stored = busy if database is None else _measure_play(seconds, None)
    yield Measurement("event_bytes", 0, stored.bytes_per_event, "bytes a move in SQLite")
    yield Measurement("game_kb", 0, stored.game_kb, "kB a finished game of two in SQLite")


def costs_of(figures: Iterable[Measurement]) -> Costs:
    """Return the measured costs."""
    values = {figure.name: figure.value for figure in figures}
    return Costs(**{field.name: values[field.name] for field in fields(Costs)})


def _measure_memory() -> tuple[float, float, float]:
    """Return the memory of a process, of a table (kB), and of a spectator (kB)."""
    with tempfile.TemporaryDirectory() as folder, run_target(f"{folder}/t.db") as target:
        process, port = target
        client = Client(f"http://127.0.0.1:{port}", "Ada", takes_part=False)
        client.open_table(seats=HOT_SEAT, start=True)  # what is loaded once
        base = memory_mb(process.pid)
        tables = [client.open_table(seats=HOT_SEAT, start=True) for _ in range(TABLES)]
        with_tables = memory_mb(process.pid)
        with_sockets = asyncio.run(_watch_idle(process.pid, port, tables))
        return (
            base,
            (with_tables - base) * 1024 / TABLES,
            (with_sockets - with_tables) * 1024 / SOCKETS,
        )


async def _watch_idle(pid: int, port: int, tables: list[str]) -> float:
    addresses = [socket_address(port, tables[n % len(tables)]) for n in range(SOCKETS)]
    sockets = await connect_spectators(addresses)
    await asyncio.sleep(1)
    memory = memory_mb(pid)
    await asyncio.gather(*(socket.close() for socket in sockets))
    return memory


@dataclass(frozen=True, slots=True)
class _Play:
    """What some seconds of play cost."""

    moves: int
    games: int
    cpu_s: float
    commits: float
    commit_s: float
    events: float
    """Events that were committed."""
    bytes_per_event: float = 0

    @property
    def cpu_us(self) -> float:
        return self.cpu_s / self.moves * 1e6

    @property
    def commit_ms(self) -> float:
        return self.commit_s / self.commits * 1000

    @property
    def batch(self) -> float:
        return self.events / self.commits

    @property
    def game_kb(self) -> float:
        return self.bytes_per_event * self.moves / self.games / 1024


def _measure_play(
    seconds: float,
    database: str | None,
    think_time_s: tuple[float, float] = (0, 0),
    *,
    spectators: int = 0,
) -> _Play:
    with (
        tempfile.TemporaryDirectory() as folder,
        run_target(database or f"{folder}/t.db") as target,
    ):
        process, port = target
        import uvloop

        play = uvloop.run(_play(process.pid, port, spectators, think_time_s, seconds))
        events = _metrics(port)["manhattan_commit_batch_events_sum"]
        size = sum(path.stat().st_size for path in Path(folder).glob("t.db*"))
        return replace(play, bytes_per_event=size / events)


async def _play(
    pid: int, port: int, spectators: int, think_time_s: tuple[float, float], seconds: float
) -> _Play:
    counters = Counters()
    pairs = [Pair((port, port), number, counters, think_time_s) for number in range(PAIRS)]
    playing = [asyncio.create_task(pair.play()) for pair in pairs]
    addresses = [socket_address(port, pair.table) for pair in pairs for _ in range(spectators)]
    watching = [
        asyncio.create_task(read_all(socket)) for socket in await connect_spectators(addresses)
    ]
    await wait(_WARM_UP_S, playing)
    counters.clear()
    before, cpu = await asyncio.to_thread(_metrics, port), cpu_seconds(pid)
    # Spectators stay at their table: they must not see its end.
    await wait(min(seconds, _GAME_S) if any(think_time_s) else seconds, playing)
    after, used = await asyncio.to_thread(_metrics, port), cpu_seconds(pid) - cpu
    moves, games = counters.moves, counters.games
    for task in (*playing, *watching):
        task.cancel()
    await asyncio.gather(*playing, *watching, return_exceptions=True)
    change = {name: after[name] - before[name] for name in before}
    return _Play(
        moves,
        games,
        used,
        commits=change["manhattan_commit_duration_seconds_count"],
        commit_s=change["manhattan_commit_duration_seconds_sum"],
        events=change["manhattan_commit_batch_events_sum"],
    )


def _metrics(port: int) -> dict[str, float]:
    """Return the counters of commits."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    return {
        sample.name: sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name.startswith("manhattan_commit") and sample.name.endswith(("_sum", "_count"))
    }
