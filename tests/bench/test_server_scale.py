"""The measurements of scale run, and the simulation behaves as queues do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from manhattan.bench.server import costs as measuring
from manhattan.bench.server import scale
from manhattan.bench.server.capacity import (
    Demand,
    Installation,
    greatest_demand,
    plan,
    simulate,
)
from manhattan.bench.server.costs import Costs
from manhattan.bench.server.scale import Load, measure_scale
from support.cli_runner import run_cli
from support.databases import Postgres, Redis, database_at, temporary_server

COSTS = Costs(
    base_mb=80,
    table_kb=40,
    spectator_kb=20,
    move_us=500,
    spectator_us=50,
    commit_ms=1,
    commit_event_ms=0.1,
    event_bytes=300,
)
"""Round numbers, not measured ones."""
QUIET = Demand(tables=100, move_every_s=10, spectators=0)


def test_tables_are_played_over_two_processes() -> None:
    load = Load(20, playing=8, spectators=6, processes=2, seconds=2, think_time_s=(0.05, 0.1))
    with (
        temporary_server(Postgres) as postgres,
        temporary_server(Redis) as redis,
        database_at(postgres.address) as database,
    ):
        figures = {
            figure.name: figure.value for figure in measure_scale(load, database, redis.address)
        }
    assert figures["tables opened"] == 20
    assert figures["moves"] > 10
    assert 0 < figures["move to opponent, p50"] <= figures["move to opponent, p99"]


def test_half_of_the_tables_span_two_processes() -> None:
    processes = [scale._Process(0, port) for port in (1, 2, 3)]
    ports = [scale._ports(processes, number) for number in range(12)]
    assert sum(one != other for one, other in ports) == 6
    assert {one for one, _ in ports} == {1, 2, 3}


def test_several_processes_need_a_bus() -> None:
    outcome = run_cli("bench", "scale", "--database", "x.db", "--processes", "2")
    assert outcome.code != 0
    assert "--redis" in outcome.err


def test_costs_are_measured_and_planned_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("TABLES", 20), ("SOCKETS", 20), ("PAIRS", 3), ("SPECTATORS", 2)):
        monkeypatch.setattr(measuring, name, value)
    path = tmp_path / "figures.json"
    outcome = run_cli("bench", "capacity", "--seconds", "1", "--tables", "50", "--json", path)
    assert outcome.code == 0, outcome.err
    figures = json.loads(path.read_text("utf-8"))
    assert 10 < figures["move_us"]["all"] < 100_000
    assert 100 < figures["event_bytes"]["all"] < 100_000
    assert figures["4 processes carry"]["all"] > figures["1 processes carry"]["all"]


def test_an_idle_installation_takes_the_time_of_one_move() -> None:
    latency = simulate(COSTS, Installation(1, 1), QUIET)
    assert latency.is_stable
    assert latency.p50_ms == pytest.approx(1.5, rel=0.1)  # 0.5 ms of CPU, 1 ms to commit


def test_a_second_process_helps_until_the_database_is_the_limit() -> None:
    def carried(processes: int, commits: int) -> int:
        return greatest_demand(COSTS, Installation(processes, commits), QUIET)

    # A process makes at most 1 / (0.5 + 0.1 ms) moves/s, the database 1 / 0.1 ms: six times that.
    assert carried(1, 8) == pytest.approx(1 / 0.0006 * 10, rel=0.1)
    assert carried(4, 8) == pytest.approx(4 * carried(1, 8), rel=0.1)
    assert carried(32, 1) < 8 * carried(1, 1)
    assert carried(32, 8) > 3 * carried(32, 1)


def test_an_overload_is_unstable() -> None:
    overload = replace(QUIET, tables=40_000)
    latency = simulate(COSTS, Installation(1, 1), overload)
    assert not latency.is_stable or latency.p99_ms > 200


def test_spectators_cost_what_was_measured() -> None:
    watched = replace(QUIET, spectators=10)
    installation = Installation(1, 8)
    alone = greatest_demand(COSTS, installation, QUIET)
    assert greatest_demand(COSTS, installation, watched) == pytest.approx(
        alone * 0.6 / 1.1, rel=0.1
    )


def test_the_plan_counts_memory_and_disk() -> None:
    figures = {figure.name: figure.value for figure in plan(COSTS, replace(QUIET, tables=1000), 4)}
    assert figures["memory for 1,000 tables"] == pytest.approx(1000 * (40 + 2 * 20) / 1024)
    assert figures["database after a year of this demand"] == pytest.approx(
        100 * 365 * 24 * 3600 * 300 / 2**30
    )
