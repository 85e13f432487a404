"""How fast the readable engine plays: random games, all legal moves generated each turn.

Games a second on one core, best of several runs, since machines are shared and noisy; beside it
the speed of a fixed piece of plain Python, so that figures of different days can be compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from random import Random

from manhattan.rules import SeedShuffler, apply, deal, legal_moves, set_up

GAMES = 100
RUNS = 7


def play(players: int, games: int) -> None:
    setup = set_up(players)
    rng = Random(1)
    for number in range(games):
        chance = SeedShuffler(number.to_bytes(32, "big"))
        state = deal(setup, chance)
        while moves := legal_moves(state):
            state, _ = apply(state, moves[int(rng.random() * len(moves))], chance)


def plain_python(times: int) -> None:
    """The measure for the machine: dictionaries, tuples and calls, as the engine uses them."""
    for _ in range(times):
        counts: dict[tuple[int, int], int] = {}
        for i in range(1000):
            key = (i % 7, i % 11)
            counts[key] = counts.get(key, 0) + len(key)


def best_rate(work: Callable[[], None], amount: int, runs: int) -> float:
    best = 0.0
    for _ in range(runs):
        start = time.perf_counter()
        work()
        best = max(best, amount / (time.perf_counter() - start))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    machine = best_rate(lambda: plain_python(100), 100, options.runs)
    print(f"plain Python{machine:8,.0f} units a second")
    for players in (4, 3, 2):
        rate = best_rate(partial(play, players, options.games), options.games, options.runs)
        print(f"{players} players{rate:11,.0f} games a second, {rate / machine:.4f} a unit")


if __name__ == "__main__":
    main()
