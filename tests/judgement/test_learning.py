"""Learning: values by least squares, the outlook downhill, on problems whose answer is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from manhattan.judgement import learning
from manhattan.judgement.features import FEATURES
from manhattan.judgement.learning import (
    Floats,
    Numbers,
    Sums,
    answers_and_slopes,
    descend,
    fresh,
    sums_of_lessons,
    sums_of_notes,
)
from manhattan.judgement.outlook import ANSWERS, OWNERS, SITE_INPUTS, TABLE_INPUTS, WIN

Seen = tuple[Any, Any, Any]
MOMENTS = 3
NO_RIDGE = 1e-6


# --- values -----------------------------------------------------------------------------------


def some_notes(count: int, seed: int = 0) -> npt.NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 4, (count, FEATURES)).astype(np.uint8)


def some_worth(seed: int = 0) -> npt.NDArray[np.float64]:
    """What each feature is worth at each moment."""
    return np.random.default_rng([seed, 1]).normal(size=(MOMENTS, FEATURES))


def assert_same(one: Sums, other: Sums) -> None:
    assert np.abs(one.products).max() > 1
    np.testing.assert_allclose(one.squares, other.squares, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(one.products, other.products, rtol=1e-5, atol=1e-6)


def test_what_features_are_worth_is_found_from_what_was_won() -> None:
    """At two moments, each with a truth of its own; of the third nothing has been seen."""
    notes, truth = some_notes(2 * 500), some_worth()
    at = np.arange(len(notes)) % 2
    gains = np.einsum("nf,nf->n", notes, truth[at])
    found = sums_of_notes(MOMENTS, at, notes, gains).values(NO_RIDGE)
    assert found.dtype == np.float32
    assert found[:2] == pytest.approx(truth[:2], abs=1e-3)
    assert (found[2] == 0).all()


def test_what_was_known_stays_until_something_is_seen() -> None:
    known = some_worth(5).astype(np.float32)
    notes, truth = some_notes(500), some_worth()
    at = np.zeros(len(notes), np.int64)
    sums = sums_of_notes(MOMENTS, at, notes, notes @ truth[0])
    found = sums.values(NO_RIDGE, known)
    assert found[0] == pytest.approx(truth[0], abs=1e-3)
    assert found[1:] == pytest.approx(known[1:], abs=1e-6)
    assert Sums.none(MOMENTS).values(30, known) == pytest.approx(known, abs=1e-6)
    # With a ridge there is no end to, what has been seen counts for nothing.
    assert sums.values(1e12, known) == pytest.approx(known, abs=1e-4)


def test_two_halves_tell_as_much_as_the_whole() -> None:
    notes, truth = some_notes(60), some_worth()
    at = np.arange(60) % MOMENTS
    gains = notes @ truth[0]
    whole = sums_of_notes(MOMENTS, at, notes, gains)
    halves = Sums.none(MOMENTS)
    for half in (slice(0, 25), slice(25, 60)):
        halves.add(sums_of_notes(MOMENTS, at[half], notes[half], gains[half]))
    assert_same(halves, whole)


# --- lessons ----------------------------------------------------------------------------------


def lessons(questions: int, moves: int, seed: int = 0) -> dict[str, Any]:
    """Some questions, each with so many moves to choose from, tried up to nine times."""
    rng = np.random.default_rng(seed)
    question = np.repeat(np.arange(questions), moves)
    notes = some_notes(len(question), seed)
    return {
        "at": question % 2,
        "question": question,
        "trials": rng.integers(1, 10, len(question)),
        "notes": notes,
        "worth": rng.normal(size=len(question)),
    }


def test_only_what_differs_between_answers_to_one_question_counts() -> None:
    asked = lessons(20, 4)
    lucky = np.random.default_rng(9).normal(size=20)  # some questions are asked in better days
    easier = {**asked, "worth": asked["worth"] + 10 * lucky[asked["question"]]}
    one, other = sums_of_lessons(MOMENTS, **asked), sums_of_lessons(MOMENTS, **easier)
    assert np.abs(one.products).max() > 1
    assert other.products == pytest.approx(one.products, abs=1e-6)
    assert (other.squares == one.squares).all()
    # One answer alone is no lesson, and what all answers share isn't either.
    alone = sums_of_lessons(MOMENTS, **lessons(20, 1))
    assert not alone.squares.any()
    assert not alone.products.any()
    alike = {**asked, "notes": asked["notes"].copy()}
    alike["notes"][:, 7] = 3
    shared = sums_of_lessons(MOMENTS, **alike)
    assert shared.squares[:, 7] == pytest.approx(0, abs=1e-9)


def test_a_move_that_was_tried_thrice_counts_like_three_that_were_tried_once() -> None:
    asked = lessons(10, 3)
    once = {name: np.repeat(array, asked["trials"], axis=0) for name, array in asked.items()}
    once["trials"] = np.ones(len(once["at"]), np.int64)
    one, other = sums_of_lessons(MOMENTS, **asked), sums_of_lessons(MOMENTS, **once)
    assert_same(one, other)


def test_lessons_teach_what_makes_the_difference() -> None:
    truth = some_worth()
    asked = lessons(2 * 250, 3)
    asked["worth"] = np.einsum("nf,nf->n", asked["notes"], truth[asked["at"]])
    asked["worth"] += 100 * asked["question"]
    found = sums_of_lessons(MOMENTS, **asked).values(NO_RIDGE)
    assert found[:2] == pytest.approx(truth[:2], abs=1e-2)


def test_lessons_of_two_halves_add_up() -> None:
    asked = lessons(20, 4)
    whole, halves = sums_of_lessons(MOMENTS, **asked), Sums.none(MOMENTS)
    for half in (slice(0, 24), slice(24, 80)):  # no question is cut
        halves.add(sums_of_lessons(MOMENTS, **{k: array[half] for k, array in asked.items()}))
    assert_same(halves, whole)


# --- the outlook ------------------------------------------------------------------------------


def some_sights(count: int, seed: int = 0) -> Seen:
    """Made-up positions: whose each site is, and anything else."""
    rng = np.random.default_rng([seed, 2])
    sites = rng.random((count, 54, SITE_INPUTS))
    sites[:, :, :OWNERS] = np.eye(OWNERS)[rng.integers(OWNERS, size=(count, 54))]
    standing = sites[:, :, :OWNERS].reshape(count, 6, 9, OWNERS).sum(2)
    return sites, standing, rng.random((count, TABLE_INPUTS))


def small_numbers(seed: int = 0) -> dict[str, Any]:
    """A network with all digits there are, whose answers are neither sure nor far off."""
    rng = np.random.default_rng(seed)
    numbers = {name: array.astype(np.float64) for name, array in fresh(rng).items()}
    for name in numbers:
        if name.endswith("_bias"):
            numbers[name] += rng.normal(0, 0.1, numbers[name].shape)
    numbers["answer"] /= 20
    return numbers


def what_came(count: int, seed: int = 0) -> Any:
    rng = np.random.default_rng([seed, 3])
    came = rng.normal(size=(count, ANSWERS))
    came[:, WIN] = rng.integers(0, 2, count)
    return came


def loss(numbers: Any, seen: Seen, came: Any) -> float:
    _, of_wins, of_the_rest = answers_and_slopes(numbers, seen, came)
    return of_wins + float(of_the_rest.sum())


def test_the_slopes_are_those_of_the_loss() -> None:
    """A small step each way in some numbers of every layer."""
    numbers, seen, came = small_numbers(), some_sights(4), what_came(4)
    slopes, _, _ = answers_and_slopes(numbers, seen, came)
    assert slopes.keys() == numbers.keys()
    rng, step = np.random.default_rng(1), 1e-6
    for name, slope in slopes.items():
        assert slope.shape == numbers[name].shape
        steep = np.argsort(-np.abs(slope).ravel())[:3]  # where it matters, and anywhere
        for n in {*steep.tolist(), *rng.integers(slope.size, size=3).tolist()}:
            there = np.unravel_index(n, slope.shape)
            sides = []
            for way in (step, -step):
                moved = {**numbers, name: numbers[name].copy()}
                moved[name][there] += way
                sides.append(loss(moved, seen, came))
            numerical = (sides[0] - sides[1]) / (2 * step)
            assert slope[there] == pytest.approx(numerical, rel=1e-4, abs=1e-7), (name, there)


def test_the_losses_are_told_by_answer() -> None:
    """A network without any numbers says even odds, no lead and no points."""
    empty: Any = {name: np.zeros_like(array) for name, array in small_numbers().items()}
    came = what_came(8)
    _, of_wins, of_the_rest = answers_and_slopes(empty, some_sights(8), came)
    assert of_wins == pytest.approx(np.log(2))
    assert of_the_rest == pytest.approx((came[:, 1:] ** 2).mean(axis=0))


def test_a_fresh_network_has_no_opinion_and_no_two_are_alike() -> None:
    one, other = (fresh(np.random.default_rng(seed)) for seed in (1, 2))
    again = fresh(np.random.default_rng(1))
    for name in one:
        assert (one[name] == again[name]).all()
        if name.endswith("_bias"):
            assert not one[name].any()
        else:
            assert (one[name] != other[name]).any()
            assert np.abs(one[name]).max() <= one[name].shape[0] ** -0.5


def test_descending_lowers_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who owns most towers wins: that is soon found out."""
    monkeypatch.setattr(learning, "BATCH", 16)
    sites, standing, table = (array.astype(np.float32) for array in some_sights(48))
    own = standing.sum(1)[:, 1]
    came = np.stack([own > np.median(own), own / 10 - 1, own / 10], axis=1).astype(np.float32)
    taken: list[int] = []

    def batch(numbers: npt.NDArray[np.int64]) -> tuple[tuple[Floats, Floats, Floats], Floats]:
        taken.extend(numbers.tolist())
        return (sites[numbers], standing[numbers], table[numbers]), came[numbers]

    numbers: Numbers = fresh(np.random.default_rng(0))
    before = loss(numbers, (sites, standing, table), came)
    told = list(descend(numbers, 48, batch, 12, np.random.default_rng(0)))
    assert [epoch for epoch, _, _ in told] == list(range(12))
    assert sorted(taken) == sorted(list(range(48)) * 12)  # all of them, once an epoch
    assert taken[:48] != taken[48:96]
    assert told[-1][1] < told[0][1]
    assert (told[-1][2] < told[0][2]).all()
    assert loss(numbers, (sites, standing, table), came) < before / 2
    assert {array.dtype for array in numbers.values()} == {np.dtype(np.float32)}


def test_the_same_chance_descends_the_same_way() -> None:
    seen = some_sights(8)
    came = what_came(8)

    def learn(seed: int) -> Numbers:
        numbers = fresh(np.random.default_rng(0))

        def batch(n: npt.NDArray[np.int64]) -> Any:
            return tuple(part[n].astype(np.float32) for part in seen), came[n].astype(np.float32)

        for _ in descend(numbers, 8, batch, 2, np.random.default_rng(seed)):
            pass
        return numbers

    one, again = learn(1), learn(1)
    assert all((one[name] == again[name]).all() for name in one)
