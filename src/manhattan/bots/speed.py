"""How long the bots take for a move, measured."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random

from manhattan.bots.levels import LEVELS, Level
from manhattan.figure import Figure
from manhattan.game import Game
from manhattan.judgement.mind import Kind
from manhattan.judgement.rehearsal import rehearse_if_need_be
from manhattan.judgement.speed import measure_trials
from manhattan.view import view_of


def times(level: Level, players: int, games: int) -> list[float]:
    """Milliseconds for each move of whole games."""
    taken = []
    for number in range(games):
        game = Game.new(players, seed=bytes([number]) * 32)
        rng = Random(number)  # noqa: S311 - a game, not a secret
        while not game.over:
            view = view_of(game, game.table.mover)
            begin = time.perf_counter()
            move = level(view, rng)
            taken.append(1000 * (time.perf_counter() - begin))
            game.play(move)
    return taken


def measure(players: list[int], trials: int, games: int) -> Iterator[Figure]:
    """All figures, one by one as they are measured."""
    for count in players:
        setup = Game.new(count, seed=bytes(32)).setup
        rehearse_if_need_be(setup)
        yield from measure_trials(Kind.of(setup), trials)
        for name, level in LEVELS.items():
            taken = times(level, count, games)
            yield Figure(f"{name}_mean", count, sum(taken) / len(taken), "ms a move")
            yield Figure(f"{name}_most", count, max(taken), "ms for the longest")
