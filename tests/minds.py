"""Minds that have learned nothing, with random numbers for values and outlook; and short games."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from manhattan.judgement import games, mind, reading, thinking, training
from manhattan.judgement.features import FEATURES, ROOM
from manhattan.judgement.learning import answers_and_slopes, fresh, sights
from manhattan.judgement.mind import Kind, Mind
from manhattan.judgement.outlook import ANSWERS, SHAPES, SIGHT, WIN, Outlook, ask_outlook
from manhattan.judgement.plans import parse_plan
from manhattan.judgement.thinking import Thinker
from manhattan.kernel import Position
from manhattan.rules import State, set_up
from manhattan.rules.editions import Schedule
from positions import position


def room() -> Any:
    return np.zeros(1, ROOM).view(np.recarray)


def sight() -> Any:
    return np.zeros(1, SIGHT).view(np.recarray)


def some_values(kind: Kind, ways: int = 1, seed: int = 0) -> npt.NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(ways, kind.contexts, FEATURES)).astype(np.float32)


def some_outlook(rounds: int, seed: int = 0) -> Outlook:
    """Another network for each round."""
    rng = np.random.default_rng(seed)
    networks = [fresh(rng) for _ in range(rounds)]
    outlook = {name: np.stack([numbers[name] for numbers in networks]) for name in SHAPES}
    for name in ("site_bias", "city_bias", "table_bias", "answer_bias"):  # 0 at first
        outlook[name] += rng.uniform(-0.3, 0.3, outlook[name].shape).astype(np.float32)
    return Outlook(**outlook)


def some_mind(kind: Kind, ways: int = 1, seed: int = 0) -> Mind:
    outlook = some_outlook(kind.schedule.rounds, seed)
    return Mind(kind, some_values(kind, ways, seed), ways - 1, outlook, {"seed": seed})


def lengths(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The players and colours of a table as the kernel wants them: only how many counts."""
    return (0,) * len(position.setup.players), (0,) * position.setup.schedule.colours


def thinker_at(where: State | Position, seed: int = 1, ways: int = 1) -> Thinker:
    """A mind that has learned nothing, at work on a position."""
    at = Position.of_state(where) if isinstance(where, State) else where
    return Thinker(some_mind(Kind.of(at.setup), ways), at, seed)


def ask(position: Position, player: int, net: Outlook) -> Any:
    """The answers of the outlook."""
    answers = np.zeros((1, ANSWERS), np.float32)
    ask_outlook(position.data, np.array([player]), *lengths(position), sight(), net, answers)
    return answers[0]


def exact(array: npt.NDArray[Any]) -> Any:
    """With all digits there are: chances close to 1 would lose theirs."""
    return array.astype(np.float64)


def learned_from(position: Position, player: int, net: Outlook) -> Any:
    """The same answers on the way on which they are learned. If nothing came of a position, what
    its answers were off by is what they were: that is how the last numbers should change."""
    players, colours = lengths(position)
    looked_at = sights(position.data, np.array([player]), len(players), len(colours))
    sites, standing, at_table = (exact(array) for array in looked_at)
    number = int(position.data[0].round_number)
    numbers = {name: exact(array[number]) for name, array in net._asdict().items()}
    nothing = exact(np.zeros((1, ANSWERS)))
    slopes, _, _ = answers_and_slopes(numbers, (sites, standing, at_table), nothing)
    answers = slopes["answer_bias"] / 2  # the slope of a square
    chance = slopes["answer_bias"][WIN]
    answers[WIN] = np.log(chance / (1 - chance))
    return answers


def ending(**options: Any) -> State:
    """Near the end of a game of three: everybody has one block to build, orange begins."""
    blocks = {"orange": [2], "blue": [1], "yellow": [3]}
    hands = {0: [1, 5, 5, 9]}
    return position(
        "A1:b1 A2:y2 B5:o1 C9:b2y1", players=3, tableaus=blocks, hands=hands, round=6, **options
    )


SHORT = Kind(3, Schedule(blocks=4, rounds=2, colours=1))
"""No rulebook knows it, but it is over soon: three players and two rounds."""


@contextmanager
def short_games() -> Iterator[None]:
    """Short games can be played and learned from, in parts of one game. Not much is thought."""
    start = games._start

    def start_short(kind: Kind) -> Any:
        data = start(kind)
        data[0].rounds = kind.schedule.rounds
        return data

    plans = {SHORT.schedule: (parse_plan("0013/0130"), parse_plan("1111/2200"))}
    with pytest.MonkeyPatch.context() as patch:
        for module in (games, training):
            patch.setattr(module, "table_of", lambda _: set_up(3))
        patch.setattr(games, "_start", start_short)
        patch.setattr(mind, "PLANS", plans)
        patch.setattr(thinking, "MOST", 2)
        patch.setattr(reading, "SAMPLES", 1)
        patch.setattr(training, "_PART", 1)
        patch.setattr(training, "_LESSON_PART", 1)
        yield
