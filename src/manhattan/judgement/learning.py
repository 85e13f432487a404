"""Learning from games: values by least squares, the outlook by gradient descent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from manhattan.judgement.features import FEATURES
from manhattan.judgement.outlook import (
    CITY_CELLS,
    LEAD,
    OWNERS,
    SHAPES,
    SIGHT,
    SITE_CELLS,
    SITE_INPUTS,
    TABLE_INPUTS,
    WIN,
    look_at_many,
)

Floats = npt.NDArray[np.float32]
Numbers = dict[str, Floats]

Numbered = npt.NDArray[np.int64]

RIDGE = 30.0
"""How strongly values are held to what was known before: as by so many positions."""


@dataclass(frozen=True)
class Sums:
    """What least squares needs to know of many positions, for each moment of a game."""

    squares: npt.NDArray[np.float64]
    products: npt.NDArray[np.float64]

    @classmethod
    def none(cls, contexts: int) -> Sums:
        return cls(np.zeros((contexts, FEATURES, FEATURES)), np.zeros((contexts, FEATURES)))

    def add(self, other: Sums) -> None:
        np.add(self.squares, other.squares, out=self.squares)
        np.add(self.products, other.products, out=self.products)

    def values(self, ridge: float, before: Floats | None = None) -> Floats:
        """What each feature is worth at each moment."""
        known = np.zeros_like(self.products) if before is None else before.astype(np.float64)
        held = self.squares + ridge * np.eye(FEATURES)
        found = np.linalg.solve(held, (self.products + ridge * known)[..., None])[..., 0]
        return found.astype(np.float32)


def sums_of_notes(contexts: int, at: Numbered, notes: npt.NDArray[np.uint8], gains: Any) -> Sums:
    """From positions of whole games, and what was won from there on."""
    sums = Sums.none(contexts)
    for moment in np.unique(at):
        here = at == moment
        seen = notes[here].astype(np.float32)
        sums.squares[moment] = seen.T @ seen
        sums.products[moment] = seen.T @ gains[here]
    return sums


def sums_of_lessons(
    contexts: int,
    at: Numbered,
    question: Numbered,
    trials: Numbered,
    notes: npt.NDArray[np.uint8],
    worth: npt.NDArray[np.float64],
) -> Sums:
    """From moves that were tried out: only how the answers to one question differ counts, the
    more the oftener they were tried. Rows of a question follow each other."""
    sums = Sums.none(contexts)
    for moment in np.unique(at):
        here = at == moment
        seen, often = notes[here].astype(np.float64), trials[here].astype(np.float64)
        asked = question[here]
        begin = np.flatnonzero(np.r_[True, asked[1:] != asked[:-1]])
        sizes = np.diff(np.r_[begin, len(asked)])
        total = np.add.reduceat(often, begin)
        mean = np.add.reduceat(seen * often[:, None], begin) / total[:, None]
        mean_worth = np.add.reduceat(worth[here] * often, begin) / total
        seen -= np.repeat(mean, sizes, axis=0)
        differs = worth[here] - np.repeat(mean_worth, sizes)
        sums.squares[moment] = (seen * often[:, None]).T @ seen
        sums.products[moment] = (seen * often[:, None]).T @ differs
    return sums


BATCH = 512
_RATE, _SLOW, _SLOWER, _TINY = 4e-3, 0.9, 0.999, 1e-8
_DECAY = 1e-3


def fresh(rng: np.random.Generator) -> Numbers:
    """A network that knows nothing yet."""
    numbers: Numbers = {}
    for name, shape in SHAPES.items():
        spread = shape[0] ** -0.5 if len(shape) == 2 else 0.0
        numbers[name] = rng.uniform(-spread, spread, shape).astype(np.float32)
    return numbers


def sights(boards: Any, who: Numbered, players: int, colours: int) -> tuple[Floats, Floats, Floats]:
    """The inputs for some positions: sites, owners in each city, table."""
    n = len(boards)
    sites = np.empty((n, 54, SITE_INPUTS), np.float32)
    table = np.empty((n, TABLE_INPUTS), np.float32)
    room = np.zeros(1, SIGHT).view(np.recarray)
    look_at_many(boards, who, (0,) * players, (0,) * colours, room, sites, table)
    standing = sites[:, :, :OWNERS].reshape(n, 6, 9, OWNERS).sum(2)
    return sites, standing, table


def answers_and_slopes(
    numbers: Numbers,
    seen: tuple[Floats, Floats, Floats],
    came: Floats,
) -> tuple[Numbers, float, Floats]:
    """How the numbers should change for one batch, given what came of it; the log-loss of the
    wins, and the squared errors of the rest."""
    sites, standing, table = seen
    n = len(sites)
    flat = sites.reshape(-1, SITE_INPUTS)
    at_site = np.maximum(flat @ numbers["site"] + numbers["site_bias"], 0)
    here = at_site.reshape(n, 6, 9, SITE_CELLS).sum(2)
    in_city = np.concatenate([here, standing], 2).reshape(-1, SITE_CELLS + OWNERS)
    at_city = np.maximum(in_city @ numbers["city"] + numbers["city_bias"], 0)
    cities = at_city.reshape(n, 6, CITY_CELLS).sum(1)
    in_all = np.concatenate([cities, here.sum(1), table], 1)
    at_table = np.maximum(in_all @ numbers["table"] + numbers["table_bias"], 0)
    answers = at_table @ numbers["answer"] + numbers["answer_bias"]

    odds, won = answers[:, WIN], came[:, WIN]
    loss = float(np.mean(np.logaddexp(0, odds) - won * odds))
    error = answers - came
    errors = np.mean(error[:, LEAD:] ** 2, axis=0)
    error[:, LEAD:] *= 2
    error[:, WIN] = 1 / (1 + np.exp(-odds)) - won
    error /= n

    slopes: Numbers = {"answer": at_table.T @ error, "answer_bias": error.sum(0)}
    back = (error @ numbers["answer"].T) * (at_table > 0)
    slopes["table"], slopes["table_bias"] = in_all.T @ back, back.sum(0)
    to_all = back @ numbers["table"].T
    to_city = np.repeat(to_all[:, None, :CITY_CELLS], 6, 1).reshape(-1, CITY_CELLS)
    back = to_city * (at_city > 0)
    slopes["city"], slopes["city_bias"] = in_city.T @ back, back.sum(0)
    to_here = (back @ numbers["city"].T)[:, :SITE_CELLS].reshape(n, 6, SITE_CELLS)
    to_here = to_here + to_all[:, None, CITY_CELLS : CITY_CELLS + SITE_CELLS]
    back = np.repeat(to_here[:, :, None], 9, 2).reshape(-1, SITE_CELLS) * (at_site > 0)
    slopes["site"], slopes["site_bias"] = flat.T @ back, back.sum(0)
    return slopes, loss, errors


def descend(
    numbers: Numbers,
    samples: int,
    batch: Callable[[Numbered], tuple[tuple[Floats, Floats, Floats], Floats]],
    epochs: int,
    rng: np.random.Generator,
) -> Iterator[tuple[int, float, Floats]]:
    """Adam with one warm-up and a slow end. Changes the numbers; tells each epoch's losses."""
    first = {name: np.zeros_like(v) for name, v in numbers.items()}
    second = {name: np.zeros_like(v) for name, v in numbers.items()}
    steps, step = epochs * -(-samples // BATCH), 0
    for epoch in range(epochs):
        order = rng.permutation(samples)
        losses, errors = [], []
        for begin in range(0, samples, BATCH):
            seen, came = batch(order[begin : begin + BATCH])
            slopes, loss, error = answers_and_slopes(numbers, seen, came)
            losses.append(loss)
            errors.append(error)
            step += 1
            rate = _RATE * min(step / (0.2 * steps), 0.5 + 0.5 * np.cos(np.pi * step / steps))
            for name, slope in slopes.items():
                first[name] += (1 - _SLOW) * (slope - first[name])
                second[name] += (1 - _SLOWER) * (slope * slope - second[name])
                pace = np.sqrt(second[name] / (1 - _SLOWER**step)) + _TINY
                move = first[name] / (1 - _SLOW**step) / pace + _DECAY * numbers[name]
                numbers[name] -= rate * move
        yield epoch, float(np.mean(losses)), np.mean(errors, axis=0)
