"""Games to learn from: who sits where, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest

from manhattan.judgement import games
from manhattan.judgement.features import ALWAYS
from manhattan.judgement.games import (
    Lessons,
    Meeting,
    Part,
    Played,
    play_for_outlook,
    play_generation,
    play_lessons,
    play_meeting,
)
from manhattan.judgement.selfplay import GREED
from manhattan.kernel.layout import SELECT
from minds import SHORT, short_games, some_mind, some_values

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


@pytest.fixture(autouse=True)
def short() -> Iterator[None]:
    with short_games():
        yield


def part(begin: int, end: int, ways: int = 2, seed: int = 1) -> Part:
    return Part(SHORT, some_values(SHORT, ways), seed, begin, end)


class Seats:
    """Looks on who sits down, and has nobody play."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(games, "play", self.play)

    def play(self, part: Part, seats: Any, plans: Any, **options: Any) -> Played:
        self.seats, self.plans, self.options = seats, plans, options
        nothing: Any = np.zeros((0, 3), np.int64)
        won = np.full(len(seats), 0b111, np.uint8)
        return Played(np.zeros(seats.shape, np.int32), won, None, nothing, nothing, nothing)


def test_a_shared_win_counts_in_parts() -> None:
    nothing: Any = np.zeros((0, 3))
    won = np.array([0b001, 0b110, 0b111], np.uint8)
    played = Played(np.zeros((3, 3), np.int32), won, None, nothing, nothing, nothing)
    third = 1 / 3
    assert played.shares == pytest.approx(np.array([[1, 0, 0], [0, 0.5, 0.5], [third] * 3]))


def test_in_a_match_one_sits_on_every_side_and_all_start_from_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three games each: the start player's role goes round once meanwhile."""
    table = Seats(monkeypatch)
    shares = play_meeting(Meeting(part(0, 9), one=1, others=GREED))
    assert table.seats.tolist() == [
        *[[1, GREED, GREED]] * 3,
        *[[GREED, 1, GREED]] * 3,
        *[[GREED, GREED, 1]] * 3,
    ]
    assert shares == pytest.approx([1 / 3] * 9)
    # A part goes on where the one before has ended.
    play_meeting(Meeting(part(4, 7), one=1, others=0))
    assert table.seats.tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 1]]


def test_in_a_match_the_greedy_have_their_plan_and_the_others_the_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Seats(monkeypatch)
    theirs, best = SHORT.plans[0].tolist(), SHORT.plans[-1].tolist()
    play_meeting(Meeting(part(0, 1), one=1, others=GREED))
    assert table.plans.tolist() == [[best, theirs, theirs]]
    play_meeting(Meeting(part(0, 1), one=GREED, others=1))
    assert table.plans.tolist() == [[theirs, best, best]]


def test_who_wins_a_match_is_told_for_the_one() -> None:
    shares = play_meeting(Meeting(part(0, 2), one=0, others=GREED))
    played = games.play(
        part(0, 2),
        np.array([[0, GREED, GREED]] * 2),
        np.tile(SHORT.plans[[-1, 0, 0]], (2, 1, 1)),
    )
    assert (shares == played.shares[:, 0]).all()


@pytest.mark.parametrize("ways", [0, 1, 3])
def test_a_generation_meets_all_before_it(monkeypatch: pytest.MonkeyPatch, ways: int) -> None:
    """It sits at every table, on about two of three sides; without values the greedy learn."""
    table = Seats(monkeypatch)
    monkeypatch.setattr(games, "sums_of_notes", lambda *_: None)
    play_generation(part(0, 200, ways))
    learner = ways - 1
    assert table.options["learner"] == learner
    assert (table.seats == learner).any(axis=1).all()
    assert set(table.seats.flat) == set(range(GREED, ways))
    if ways:
        assert 0.5 < (table.seats == learner).mean() < 0.85
    assert {tuple(plan) for plan in table.plans.reshape(-1, 2)} == set(map(tuple, SHORT.plans))


def test_what_a_generation_learns_covers_every_moment() -> None:
    sums = play_generation(part(0, 2, ways=0))
    positions = sums.squares[:, ALWAYS, ALWAYS]
    assert positions == pytest.approx([2 * 3] * SHORT.contexts)  # three greedy learners, twice


def test_the_same_part_is_played_the_same() -> None:
    one, again, other = (play_for_outlook(part(n, n + 1), 0) for n in (3, 3, 4))
    assert (one.scores == again.scores).all()
    assert (one.boards == again.boards).all()
    assert (one.boards.log != other.boards.log).any()


def test_the_outlook_learns_from_the_positions_between_rounds() -> None:
    played = play_for_outlook(part(0, 2), 0)
    assert played.boards.shape == (2, 1)
    assert (played.boards.round_number == 1).all()
    assert (played.boards.phase == SELECT).all()
    assert (played.boards.scores[:, 0, :3] <= played.scores).all()
    assert played.shares.sum(axis=1) == pytest.approx(1)
    assert len(played.notes) == 0


def test_half_the_seats_of_the_games_for_the_outlook_play_the_best_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Seats(monkeypatch)
    play_for_outlook(part(0, 400, ways=3), best=1)
    often = {way: float((table.seats == way).mean()) for way in range(GREED, 3)}
    assert 0.55 < often.pop(1) < 0.7  # half, and a quarter of the other half
    assert all(0.08 < share < 0.17 for share in often.values())


# --- lessons ----------------------------------------------------------------------------------


def lessons(seed: int) -> Lessons:
    mind = some_mind(SHORT)
    return Lessons(SHORT, mind.values, seed, 0, 1, mind, trials=2)


def thinkers(part: Lessons) -> list[bool]:
    """Who thinks in its first game."""
    rng = part.random
    part.plans(rng)
    rng.integers(GREED, len(part.mind.values), size=3)
    return [bool(chance < 0.75) for chance in rng.random(3)]


def test_if_nobody_at_the_tables_thinks_nothing_is_learned() -> None:
    idle = next(seed for seed in count() if not any(thinkers(lessons(seed))))
    sums = play_lessons(lessons(idle))
    assert not sums.squares.any()
    assert not sums.products.any()


def test_only_turns_that_were_thought_over_are_lessons() -> None:
    """One thinker has eight turns with two moves to tell apart; at the moments before choosing
    and before building there is nothing to learn."""
    one = next(seed for seed in count() if sum(thinkers(lessons(seed))) == 1)
    sums = play_lessons(lessons(one))
    taught = sums.squares.any(axis=(1, 2)).reshape(2, 6)
    assert not taught[:, 4:].any()
    assert taught[:, :4].sum() >= 4  # on an empty board two moves may look alike
    # Only what differs between moves counts, and no two differ in what is always there.
    assert not sums.squares[:, ALWAYS].any()
