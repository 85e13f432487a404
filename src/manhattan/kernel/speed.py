"""How fast the kernel plays, measured.

Games a second on one core by the processor's clock, the best of several runs: machines are shared
and noisy, so figures mean something only beside others of the same run.
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

from manhattan.figure import Figure
from manhattan.kernel.jit import COMPILED, compiled
from manhattan.kernel.layout import GAME
from manhattan.kernel.mass import random_games
from manhattan.kernel.playouts import POLICIES, Policy, playouts
from manhattan.kernel.policies import finish_game
from manhattan.kernel.position import KernelError, Position
from manhattan.kernel.rows import ABREAST, GAMES
from manhattan.kernel.start import start_game
from manhattan.kernel.warm import announced
from manhattan.rules import SeedShuffler, Setup, deal, set_up

RUNS = 5


@compiled
def _games(room: Any, players: Any, colours: Any, policy: int, seed: int, count: int) -> int:
    """Whole games, one after the other; the sum of all points, so that none is left out."""
    total = 0
    g = room[0]
    for number in range(count):
        start_game(g, players, 0, seed, number)
        finish_game(g, players, colours, policy)
        for player in range(len(players)):
            total += g.scores[player]
    return total


@compiled
def _copies(games: Any, room: Any, count: int) -> None:
    for i in range(count):
        room[0] = games[i % len(games)]


def start_of(setup: Setup) -> Position:
    return Position.of_state(deal(setup, SeedShuffler(bytes(32))))


def rate(amount: int, work: Callable[[], object]) -> float:
    """So much work a second."""
    begin = time.process_time()
    work()
    return amount / (time.process_time() - begin)


def best_of(*measurements: Callable[[], float]) -> list[float]:
    """The best of several runs of each, taken in turns: so what is compared has met the same
    noise."""
    rounds = [[measure() for measure in measurements] for _ in range(RUNS)]
    return [max(values) for values in zip(*rounds, strict=True)]


def single(setup: Setup, policy: Policy, games: int) -> Callable[[], float]:
    """A run of whole games, one at a time."""
    room = start_of(setup).data
    players, colours = (0,) * len(setup.players), (0,) * setup.schedule.colours

    def play(count: int) -> int:
        return _games(room, players, colours, POLICIES[policy], 1, count)

    with announced(setup, "speed"):
        play(1)
    return lambda: rate(games, lambda: play(games))


def abreast(setup: Setup, games: int) -> Callable[[], float]:
    """A run of whole random games on the vector units."""
    random_games(setup, 1, threads=1)
    return lambda: rate(games, lambda: random_games(setup, games, 1, threads=1))


def two_threads(setup: Setup, games: int) -> float:
    """How many times as many games two threads play as one, by the wall clock.

    The median of several comparisons, each of two runs in a row: the clock of a shared core
    changes from one second to the next, and the best of one would meet the worst of the other.
    """
    position = start_of(setup)
    playouts(position, 1)

    def seconds(threads: int) -> float:
        begin = time.perf_counter()
        playouts(position, games, threads=threads)
        return time.perf_counter() - begin

    return statistics.median(seconds(1) / seconds(2) for _ in range(2 * RUNS))


def copying() -> float:
    """Nanoseconds to copy a game."""
    data = np.repeat(start_of(set_up(4)).data, 64).view(np.recarray)
    room = data[:1].copy()
    _copies(data, room, 1)
    count = 1_000_000 if COMPILED else 1_000
    return 1e9 / best_of(lambda: rate(count, lambda: _copies(data, room, count)))[0]


def loading(players: int) -> tuple[float, float]:
    """Seconds until a fresh process has played its first game: compiling, and from the cache."""
    code = (
        "from manhattan.kernel.speed import single; from manhattan.rules import set_up;"
        f"single(set_up({players}), 'uniform', 1)()"
    )
    seconds = []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(2):
            begin = time.perf_counter()
            subprocess.run(  # noqa: S603 - ourselves
                [sys.executable, "-c", code],
                env=os.environ | {"MANHATTAN_CACHE": cache},
                capture_output=True,
                check=True,
            )
            seconds.append(time.perf_counter() - begin)
    return seconds[0], seconds[1]


def yardstick(program: Path, players: int, games: int) -> float:
    """What another program reports, called as PROGRAM PLAYERS GAMES SEED RUNS; it has to print
    ``games_per_s=...``."""
    command = [str(program), str(players), str(games), "1", "1"]
    try:
        done = subprocess.run(  # noqa: S603 - the program that the user named
            command, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise KernelError(f"The yardstick {program} can't be run: {error}.") from error
    found = re.search(r"games_per_s=([0-9.]+)", done.stdout)
    if found is None:
        raise KernelError(f"The yardstick {program} did not print games_per_s=.")
    return float(found[1])


def against(
    name: str, players: int, ours: Callable[[], float], games: int, program: Path | None
) -> Iterator[Figure]:
    """A figure, beside that of a yardstick if there is one."""
    if program is None:
        yield Figure(name, players, best_of(ours)[0], "games a second")
        return
    mine, theirs = best_of(ours, lambda: yardstick(program, players, games))
    yield Figure(name, players, mine, "games a second")
    yield Figure(f"{name}_yardstick", players, theirs, "games a second")
    yield Figure(f"{name}_ratio", players, mine / theirs, "of the yardstick")


def measure(
    players: list[int], games: int, compare: Path | None = None, compare_batched: Path | None = None
) -> Iterator[Figure]:
    """All figures, one by one as they are measured."""
    yield Figure("record", 0, float(GAME.itemsize), "bytes a game in a batch")
    yield Figure("row", 0, ABREAST.itemsize / GAMES, "bytes a game abreast")
    yield Figure("copy", 0, copying(), "ns")
    for count in players:
        setup = set_up(count)
        uniform = single(setup, "uniform", games)
        yield from against("random_single", count, uniform, games, compare)
        many = 4 * games
        yield from against("random_batched", count, abreast(setup, many), many, compare_batched)
        greedy = best_of(single(setup, "greedy", max(1, games // 20)))[0]
        yield Figure("greedy_single", count, greedy, "games a second")
        yield Figure("two_threads", count, two_threads(setup, games), "times one")
        cold, cached = loading(count)
        yield Figure("first_use", count, cold, "s, compiling")
        yield Figure("later_use", count, cached, "s, from the cache")
