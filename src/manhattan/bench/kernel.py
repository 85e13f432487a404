"""Kernel benchmark: games per second on one core.

The figures are CPU time, the best of several runs. Machines are shared and noisy: compare figures
of the same run only.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from manhattan.bench.measurement import Measurement
from manhattan.kernel.compile_notice import announce_compilation
from manhattan.kernel.errors import KernelError
from manhattan.kernel.jit import COMPILED, compiled
from manhattan.kernel.layout import GAME, table_shape
from manhattan.kernel.playouts import POLICIES, Policy, playouts
from manhattan.kernel.policies import finish_game
from manhattan.kernel.position import Position
from manhattan.kernel.reset import start_game
from manhattan.rules import SeedShuffler, Setup, deal, set_up

RUNS = 5


@compiled
def play_games(work: Any, players: Any, colours: Any, policy: int, seed: int, count: int) -> int:
    """Play whole games one after the other; return the sum of all points, so that the compiler
    can't leave any game out."""
    total = 0
    g = work[0]
    for number in range(count):
        start_game(g, players, 0, seed, number)
        finish_game(g, players, colours, policy)
        for player in range(len(players)):
            total += g.scores[player]
    return total


@compiled
def _copy_games(games: Any, work: Any, count: int) -> None:
    for i in range(count):
        work[0] = games[i % len(games)]


def dealt_position(setup: Setup) -> Position:
    return Position.from_state(deal(setup, SeedShuffler(bytes(32))))


def rate(amount: int, work: Callable[[], object]) -> float:
    """Return the amount of work per second of CPU time."""
    begin = time.process_time()
    work()
    return amount / (time.process_time() - begin)


def best_of(*measurements: Callable[[], float]) -> list[float]:
    """Return the best run of each measurement; the runs alternate, so that all meet the same
    noise."""
    rounds = [[measure() for measure in measurements] for _ in range(RUNS)]
    return [max(values) for values in zip(*rounds, strict=True)]


def single(setup: Setup, policy: Policy, games: int) -> Callable[[], float]:
    """Return a measurement of whole games, one at a time."""
    work = dealt_position(setup).data
    players, colours = table_shape(len(setup.players), setup.schedule.colours)

    def play(count: int) -> int:
        return play_games(work, players, colours, POLICIES[policy], 1, count)

    with announce_compilation(setup, "benchmark"):
        play(1)
    return lambda: rate(games, lambda: play(games))


def two_threads(setup: Setup, games: int) -> float:
    """Measure how much faster two threads play than one, by the wall clock.

    The median of several pairs of runs: the clock rate of a shared core changes from one second to
    the next, and the best of one side would meet the worst of the other.
    """
    position = dealt_position(setup)
    playouts(position, 1)

    def seconds(threads: int) -> float:
        begin = time.perf_counter()
        playouts(position, games, threads=threads)
        return time.perf_counter() - begin

    return statistics.median(seconds(1) / seconds(2) for _ in range(2 * RUNS))


def copy_time_ns() -> float:
    """Measure how long it takes to copy a game."""
    games = np.repeat(dealt_position(set_up(4)).data, 64)
    work = games[:1].copy()
    _copy_games(games, work, 1)
    count = 1_000_000 if COMPILED else 1_000
    return 1e9 / best_of(lambda: rate(count, lambda: _copy_games(games, work, count)))[0]


def first_game_times(players: int) -> tuple[float, float]:
    """Measure the seconds until a fresh process has played its first game: with an empty cache of
    compiled code, and with a full one."""
    code = (
        "from manhattan.bench.kernel import single; from manhattan.rules import set_up;"
        f"single(set_up({players}), 'uniform', 1)()"
    )
    seconds = []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(2):
            begin = time.perf_counter()
            subprocess.run(  # noqa: S603 - this program
                [sys.executable, "-c", code],
                env=os.environ | {"MANHATTAN_CACHE": cache},
                capture_output=True,
                check=True,
            )
            seconds.append(time.perf_counter() - begin)
    return seconds[0], seconds[1]


def run_yardstick(program: Path, players: int, games: int) -> float:
    """Run another program as PROGRAM PLAYERS GAMES SEED RUNS; return the ``games_per_s=...`` that
    it prints."""
    command = [str(program), str(players), str(games), "1", "1"]
    try:
        done = subprocess.run(  # noqa: S603 - the program that the user named
            command, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise KernelError(f"The yardstick {program} can't be run: {error}.") from error
    match = re.search(r"games_per_s=([0-9.]+)", done.stdout)
    if match is None:
        raise KernelError(f"The yardstick {program} did not print games_per_s=.")
    return float(match[1])


def compare(
    name: str, players: int, ours: Callable[[], float], games: int, yardstick: Path | None
) -> Iterator[Measurement]:
    """Measure one figure, beside that of the yardstick if there is one."""
    if yardstick is None:
        yield Measurement(name, players, best_of(ours)[0], "games a second")
        return
    our_rate, other_rate = best_of(ours, lambda: run_yardstick(yardstick, players, games))
    yield Measurement(name, players, our_rate, "games a second")
    yield Measurement(f"{name}_yardstick", players, other_rate, "games a second")
    yield Measurement(f"{name}_ratio", players, our_rate / other_rate, "of the yardstick")


def measure(players: list[int], games: int, yardstick: Path | None = None) -> Iterator[Measurement]:
    """Yield all figures, each as soon as it is measured."""
    yield Measurement("record", 0, float(GAME.itemsize), "bytes a game")
    yield Measurement("copy", 0, copy_time_ns(), "ns")
    for count in players:
        setup = set_up(count)
        yield from compare(
            "random_single", count, single(setup, "uniform", games), games, yardstick
        )
        greedy = best_of(single(setup, "greedy", max(1, games // 20)))[0]
        yield Measurement("greedy_single", count, greedy, "games a second")
        yield Measurement("two_threads", count, two_threads(setup, games), "times one")
        cold, cached = first_game_times(count)
        yield Measurement("first_use", count, cold, "s, compiling")
        yield Measurement("later_use", count, cached, "s, from the cache")
