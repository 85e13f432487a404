"""Bot benchmark: rollouts per second, and the time that each level takes for a move."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random

from manhattan.ai.model import Kind
from manhattan.ai.warmup import warm_up_if_needed
from manhattan.bench.measurement import Measurement
from manhattan.bench.rollouts import measure_rollouts
from manhattan.bots.levels import LEVELS, Level
from manhattan.game import Game
from manhattan.view import view_of


def move_times_ms(level: Level, players: int, games: int) -> list[float]:
    """Measure the milliseconds of each move of whole games."""
    times = []
    for number in range(games):
        game = Game.new(players, seed=bytes([number]) * 32)
        rng = Random(number)  # noqa: S311 - a game, not a secret
        while not game.is_over:
            view = view_of(game, game.public.mover)
            begin = time.perf_counter()
            move = level(view, rng)
            times.append(1000 * (time.perf_counter() - begin))
            game.play(move)
    return times


def measure(players: list[int], rollouts: int, games: int) -> Iterator[Measurement]:
    """Yield all figures, one by one as they are measured."""
    for count in players:
        setup = Game.new(count, seed=bytes(32)).setup
        warm_up_if_needed(setup)
        yield from measure_rollouts(Kind.of(setup), rollouts)
        for name, level in LEVELS.items():
            times = move_times_ms(level, count, games)
            yield Measurement(f"{name}_mean", count, sum(times) / len(times), "ms per move")
            yield Measurement(f"{name}_max", count, max(times), "ms for the slowest move")
