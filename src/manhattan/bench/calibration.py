"""Calibration: do the win probabilities of an evaluation come true?

Bots play games; now and then the player to move has their moves evaluated, by what they know then.
The probabilities of all players are compared with how the games ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from manhattan.arena.chart import load_figure_class
from manhattan.bench.measurement import Measurement
from manhattan.bots import Budget, bot, evaluate, warm_up
from manhattan.game import Game
from manhattan.parallel import map_processes
from manhattan.rules import Phase
from manhattan.view import view_of

BINS: Final = 10
"""Bins of about equally many probabilities each."""


@dataclass(frozen=True, slots=True)
class Task:
    """One game, and how often it is evaluated."""

    bots: tuple[str, ...]
    number: int
    positions: int
    rollouts: int
    """Of each move of a bot that searches, and of each evaluation."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The probabilities of one evaluation, and the result of the game."""

    game: int
    round: int
    probabilities: tuple[float, ...]
    shares: tuple[float, ...]


def play(task: Task) -> list[Sample]:
    """Play a game and evaluate some of its positions."""
    players = len(task.bots)
    seats = task.bots[task.number % players :] + task.bots[: task.number % players]
    game = Game.new(players, seed=task.number.to_bytes(32, "big"))
    warm_up(game.setup)
    rng = Random(task.number)  # noqa: S311 - a game, not a secret
    schedule = game.setup.schedule
    turns = players * schedule.rounds * (schedule.blocks * schedule.colours + 1)
    chosen = set(rng.sample(range(turns), task.positions))
    budget, evaluated = Budget(rollouts=task.rollouts), []
    while not game.is_over:
        view = view_of(game, game.public.mover)
        if game.ply in chosen and game.public.phase is Phase.BUILD:
            probabilities = evaluate(view, rng, budget).win_probabilities
            evaluated.append((game.public.round, probabilities))
        game.play(bot(seats[game.public.mover])(view, rng, budget))
    assert game.public.result is not None
    winners = game.public.result.winners
    shares = tuple(1 / len(winners) if n in winners else 0.0 for n in range(players))
    return [
        Sample(task.number, number, probabilities, shares) for number, probabilities in evaluated
    ]


def collect(
    bots: Sequence[str], games: int, positions: int, rollouts: int, workers: int | None = None
) -> Iterator[list[Sample]]:
    """Yield the samples of each game."""
    tasks = [Task(tuple(bots), number, positions, rollouts) for number in range(games)]
    return map_processes(play, tasks, workers)


def reliability(samples: Sequence[Sample]) -> npt.NDArray[np.float64]:
    """Return ``[bin, 3]``: the mean probability, the share of wins, and the number of
    probabilities in each bin."""
    predicted = np.concatenate([sample.probabilities for sample in samples])
    came_true = np.concatenate([sample.shares for sample in samples])
    order = np.argsort(predicted, kind="stable")
    return np.array(
        [
            (predicted[part].mean(), came_true[part].mean(), len(part))
            for part in np.array_split(order, min(BINS, len(order)))
        ]
    )


def calibration_error(samples: Sequence[Sample]) -> float:
    """Return the expected calibration error: by how much the probabilities and the shares of wins
    differ, in the mean over all probabilities."""
    predicted, came_true, count = reliability(samples).T
    return float((np.abs(predicted - came_true) * count).sum() / count.sum())


def error_by_chance(samples: Sequence[Sample], repetitions: int = 50) -> float:
    """Return the calibration error that perfect probabilities would have in as many games: their
    shares of wins differ from them by chance. One draw decides each game."""
    rng = np.random.default_rng(1)
    games, game = np.unique([sample.game for sample in samples], return_inverse=True)
    probabilities = np.array([sample.probabilities for sample in samples])
    limits = probabilities.cumsum(axis=1) / probabilities.sum(axis=1, keepdims=True)
    errors = []
    for _ in range(repetitions):
        draw_of_game = rng.random(len(games))[game]
        winners = (draw_of_game[:, None] > limits[:, :-1]).sum(axis=1)
        shares = np.eye(probabilities.shape[1])[winners]
        drawn = [
            replace(sample, shares=tuple(row)) for sample, row in zip(samples, shares, strict=True)
        ]
        errors.append(calibration_error(drawn))
    return float(np.mean(errors))


def brier_score(samples: Sequence[Sample]) -> float:
    """Return the mean squared error of the probabilities."""
    predicted = np.concatenate([sample.probabilities for sample in samples])
    came_true = np.concatenate([sample.shares for sample in samples])
    return float(np.mean((predicted - came_true) ** 2))


def summarize(players: int, samples: Sequence[Sample]) -> Iterator[Measurement]:
    """Yield the figures of all samples, and of each round."""
    yield Measurement("positions", players, len(samples), "positions")
    total = float(np.mean([sum(sample.probabilities) for sample in samples]))
    yield Measurement("sum", players, total, "sum of all players' probabilities")
    yield Measurement("brier", players, brier_score(samples), "Brier score")
    yield Measurement("ece", players, calibration_error(samples), "expected calibration error")
    yield Measurement(
        "ece_by_chance", players, error_by_chance(samples), "of perfect probabilities"
    )
    for number in sorted({sample.round for sample in samples}):
        part = [sample for sample in samples if sample.round == number]
        error = calibration_error(part)
        yield Measurement(f"ece_round_{number}", players, error, "expected calibration error")
        error = error_by_chance(part)
        yield Measurement(
            f"ece_by_chance_round_{number}", players, error, "of perfect probabilities"
        )


def draw(samples: Sequence[Sample], title: str, path: Path) -> None:
    """Draw what was predicted and what came true, as a PNG file."""
    figure: Any = load_figure_class()(figsize=(4.2, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="#8a8f98", linestyle="--", linewidth=1)
    predicted, came_true, _ = reliability(samples).T
    axes.plot(predicted, came_true, marker="o", color="#2f6f9f")
    axes.set_xlabel("estimated probability of a win")
    axes.set_ylabel("share of wins")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, format="png", dpi=150)
