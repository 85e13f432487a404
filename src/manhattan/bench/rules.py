"""Benchmark of the readable rules: random games, with all legal moves generated in each turn.

The best of several runs on one core, since machines are shared and noisy. A fixed piece of plain
Python is measured in the same way, so that figures from different days can be compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Final

from manhattan.bench.measurement import Measurement
from manhattan.rules import SeedShuffler, apply, deal, legal_moves, set_up

RUNS: Final = 7
_UNITS: Final = 100


def measure(players: list[int], games: int) -> Iterator[Measurement]:
    """Yield the figures one by one, as they are measured."""
    machine = _best_rate(partial(_run_plain_python, _UNITS), _UNITS)
    yield Measurement("plain_python", 0, machine, "units per second")
    for count in players:
        rate = _best_rate(partial(_play, count, games), games)
        yield Measurement("games", count, rate, "games per second")
        yield Measurement("games_relative", count, 100 * rate / machine, "games per 100 units")


def _play(players: int, games: int) -> None:
    setup = set_up(players)
    rng = Random(1)  # noqa: S311 - the choice of moves is no secret
    for number in range(games):
        chance = SeedShuffler(number.to_bytes(32, "big"))
        state = deal(setup, chance)
        while moves := legal_moves(state):
            state, _ = apply(state, moves[int(rng.random() * len(moves))], chance)


def _run_plain_python(units: int) -> None:
    """The yardstick for the machine: dictionaries, tuples and calls, as the rules use them."""
    for _ in range(units):
        counts: dict[tuple[int, int], int] = {}
        for i in range(1000):
            key = (i % 7, i % 11)
            counts[key] = counts.get(key, 0) + len(key)


def _best_rate(work: Callable[[], None], amount: int) -> float:
    best = 0.0
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        best = max(best, amount / (time.perf_counter() - start))
    return best
