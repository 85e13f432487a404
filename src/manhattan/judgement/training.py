"""Training: from greedy play to a mind, in games against all that was learned before.

1. Values are learned from games between greedy players, then, generation by generation, from
   games of the last generation against a pool of all before it. Playing against itself alone
   would go in circles.
2. The outlook is learned from games of the whole pool.
3. Then the moves are tried out in games that are thought over, and values learn from how much
   better one move was than another. That says far more than who won.

Not all that is newer is better. So all ways of playing meet, one against the others: who does
best against all is improved by lessons, and in the end is what bots go by.

All follows from the seed. Every stage is kept, so that training goes on where it was broken off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from manhattan.judgement.features import FEATURES
from manhattan.judgement.games import (
    Lessons,
    Meeting,
    Part,
    Played,
    play_for_outlook,
    play_generation,
    play_lessons,
    play_meeting,
    table_of,
)
from manhattan.judgement.jit import compiled
from manhattan.judgement.learning import RIDGE, Floats, Sums, descend, fresh, sights
from manhattan.judgement.mind import Kind, Mind, MindError, read_arrays
from manhattan.judgement.outlook import SHAPES, Outlook
from manhattan.judgement.selfplay import GREED
from manhattan.kernel.warm import announced
from manhattan.spread import over_threads

Told = Callable[[str, int, int], None]
"""Told what is going on, how much of it is done, and of how much."""

LESSON_SCALE: Final = 30.0
"""A whole win in points, about."""
LESSON_RIDGE: Final = 3000.0
_PART = 500
_LESSON_PART = 10


@dataclass(frozen=True, slots=True)
class Recipe:
    """How much of everything."""

    generations: int = 6
    games: int = 64_000
    """For each generation."""
    outlook_games: int = 40_000
    epochs: int = 8
    courses: int = 2
    lessons: int = 600
    """Games that are thought over, in each course."""
    trials: int = 256
    """For each move of a lesson."""
    checks: int = 4_000
    """Games of each way of playing against each other."""

    @property
    def stages(self) -> list[tuple[str, int]]:
        """What is done, one after another: values are learned; then, after matches that tell
        which are the best, the outlook and lessons, all that again, and the last matches."""
        stages = [("values", n) for n in range(self.generations)]
        for course in range(self.courses):
            stages += [("matches", course), ("outlook", course), ("lessons", course)]
        return [*stages, ("matches", self.courses)]

    def scaled(self, scale: float) -> Recipe:
        """So many times as many games of every kind."""
        games = {
            name: max(1, round(getattr(self, name) * scale))
            for name in ("games", "outlook_games", "lessons", "checks")
        }
        return replace(self, **games)


def _quietly(stage: str, done: int, of: int) -> None:
    """Nobody listens."""


@dataclass
class Training:
    """A training, and how far it is."""

    kind: Kind
    recipe: Recipe
    seed: int
    kept: Path | None = None
    """Where it is kept after every stage."""
    told: Told = _quietly
    spread: Callable[..., Iterator[Any]] = over_threads
    stage: int = 0
    values: npt.NDArray[np.float32] = field(init=False)
    shares: Floats = field(init=False)
    """``[way, other]``: what part of the wins one gets against others. The others: greedy
    players, then each way. As of the last matches."""
    outlook: dict[str, Floats] = field(init=False)

    def __post_init__(self) -> None:
        rounds = self.kind.schedule.rounds
        self.values = np.zeros((0, self.kind.contexts, FEATURES), np.float32)
        self.shares = np.zeros((1, 2), np.float32)
        self.outlook = {
            name: np.zeros((rounds, *shape), np.float32) for name, shape in SHAPES.items()
        }
        if self.kept is not None and self.kept.exists():
            self._resume(self.kept)

    def run(self) -> Mind:
        """Learn what is still to be learned."""
        stages = self.recipe.stages
        self._compile()
        do = {
            "values": self._values,
            "matches": self._matches,
            "outlook": self._outlook,
            "lessons": self._lessons,
        }
        while self.stage < len(stages):
            what, number = stages[self.stage]
            do[what](number)
            self.stage += 1
            self._keep()
        first, best = self.shares[0], self.shares[self.best]
        figures = {
            "first against greedy": first[0],
            "best against greedy": best[0],
            "best against first": best[1],
            "best against all": best.mean(),
        }
        return self._mind(
            seed=self.seed,
            recipe=asdict(self.recipe),
            figures={name: round(float(share), 4) for name, share in figures.items()},
        )

    @property
    def best(self) -> int:
        """The way that does best against all, in the mean."""
        return int(np.argmax(self.shares.mean(axis=1)))

    def _mind(self, **about: Any) -> Mind:
        return Mind(self.kind, self.values, self.best, Outlook(**self.outlook), about)

    def _compile(self) -> None:
        """Do the first things once before they are shared out, and tell if it takes long."""
        with announced(table_of(self.kind), "training", compiled.cache):
            played = play_for_outlook(Part(self.kind, self.values, self.seed, 0, 1), GREED)
            players, colours = self.kind.players, self.kind.schedule.colours
            sights(played.boards[:, 0], np.zeros(1, np.int64), players, colours)

    def _values(self, generation: int) -> None:
        told = f"Values, generation {generation + 1} of {self.recipe.generations}"
        sums = Sums.none(self.kind.contexts)
        for part in self._play(play_generation, told, self._parts(self.recipe.games, _PART)):
            sums.add(part)
        self._learned(sums.values(RIDGE))

    def _matches(self, number: int) -> None:
        """Each way of playing meets all others, one against a table of them, in the same deals."""
        ways, others = range(len(self.values)), range(GREED, len(self.values))
        parts = self._parts(self.recipe.checks, _PART)
        tasks = [Meeting(part, way, other) for way in ways for other in others for part in parts]
        told = f"Matches {number + 1} of {self.recipe.courses + 1}"
        won = [shares.sum() for shares in self._play(play_meeting, told, tasks)]
        totals = np.reshape(won, (len(ways), len(others), len(parts))).sum(axis=2)
        self.shares = (totals / self.recipe.checks).astype(np.float32)

    def _outlook(self, course: int) -> None:
        told = f"Games for the outlook, course {course + 1} of {self.recipe.courses}"
        parts = self._parts(self.recipe.outlook_games, _PART)
        work = partial(play_for_outlook, best=self.best)
        played = list(self._play(work, told, parts))
        rng = np.random.default_rng([self.seed, self.stage])
        rounds = self.kind.schedule.rounds
        for number in range(1, rounds):
            numbers = fresh(rng)
            batch, samples = _samples(self.kind, played, number)
            told = f"The outlook after round {number} of {rounds - 1}"
            self.told(told, 0, self.recipe.epochs)
            for epoch, _, _ in descend(numbers, samples, batch, self.recipe.epochs, rng):
                self.told(told, epoch + 1, self.recipe.epochs)
            for name, array in numbers.items():
                self.outlook[name][number] = array

    def _lessons(self, course: int) -> None:
        told = f"Lessons, course {course + 1} of {self.recipe.courses}"
        mind = self._mind()
        sums = Sums.none(self.kind.contexts)
        parts = [
            Lessons(p.kind, p.values, p.seed, p.begin, p.end, mind, self.recipe.trials)
            for p in self._parts(self.recipe.lessons, _LESSON_PART)
        ]
        for part in self._play(play_lessons, told, parts):
            sums.add(part)
        scaled = Sums(sums.squares, LESSON_SCALE * sums.products)
        self._learned(scaled.values(LESSON_RIDGE, self.values[self.best]))

    def _parts(self, games: int, size: int) -> list[Part]:
        # Every stage has cards of its own.
        seed = int(np.random.SeedSequence([self.seed, self.stage]).generate_state(1)[0])
        edges = [*range(0, games, size), games]
        return [Part(self.kind, self.values, seed, begin, end) for begin, end in pairwise(edges)]

    def _play(self, work: Callable[[Any], Any], told: str, parts: list[Any]) -> Iterator[Any]:
        done, of = 0, sum(part.games for part in parts)
        self.told(told, 0, of)
        for part, result in zip(parts, self.spread(work, parts), strict=True):
            yield result
            done += part.games
            self.told(told, done, of)

    def _learned(self, values: Floats) -> None:
        self.values = np.concatenate([self.values, values[None]])

    def _keep(self) -> None:
        if self.kept is None:
            return
        new = self.kept.with_suffix(".new")
        with new.open("wb") as file:
            arrays: dict[str, Any] = {**self.outlook, "values": self.values, "shares": self.shares}
            np.savez(file, plan=np.array(self._plan()), stage=np.array(self.stage), **arrays)
        new.replace(self.kept)

    def _resume(self, path: Path) -> None:
        kept = read_arrays(path)
        if not {"plan", "stage", "values", "shares", *SHAPES} <= kept.keys():
            raise MindError(f"{path} is no training to go on with. Take the file away.")
        if str(kept["plan"]) != self._plan():
            raise MindError(
                f"{path} is another training: {kept['plan']}. "
                "Go on with that one, or take the file away."
            )
        self.stage = int(kept["stage"])
        self.values, self.shares = kept["values"], kept["shares"]
        self.outlook = {name: kept[name] for name in SHAPES}

    def _plan(self) -> str:
        """What a training must share to be the same."""
        told = {"kind": str(self.kind), "seed": self.seed, **asdict(self.recipe)}
        return json.dumps({**told, "features": FEATURES}, sort_keys=True)


def _samples(kind: Kind, played: list[Played], number: int) -> tuple[Any, int]:
    """Positions after a round and what came of them; how to take some, and how many there are."""
    players, colours = kind.players, kind.schedule.colours
    boards = np.concatenate([p.boards[:, number - 1] for p in played]).view(np.recarray)
    finals = np.concatenate([p.scores for p in played]).astype(np.float32)
    shares = np.concatenate([p.shares for p in played])
    more = finals - boards.scores[:, :players]
    leads = more - (more.sum(axis=1, keepdims=True) - more) / (players - 1)
    came = np.stack([shares, leads / 10, more / 10], axis=2).astype(np.float32)

    def batch(numbers: npt.NDArray[np.int64]) -> tuple[tuple[Floats, Floats, Floats], Floats]:
        game, player = numbers // players, numbers % players
        return sights(boards[game], player, players, colours), came[game, player]

    return batch, len(boards) * players
