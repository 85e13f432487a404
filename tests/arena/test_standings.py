"""Standings: shares, confidence intervals and ratings."""

from __future__ import annotations

from random import Random

import pytest

from manhattan.arena import Match, Outcome, Seating, standings
from manhattan.arena.standings import interval


def outcome(deal: int, seats: tuple[int, ...], winners: tuple[int, ...]) -> Outcome:
    """Return a made-up game: winners score 50, the others 40; each move takes a millisecond."""
    scores = tuple(50 if seat in winners else 40 for seat in range(len(seats)))
    count = len(seats)
    return Outcome(Seating(deal, 0, seats, 0), scores, winners, (10,) * count, (0.01,) * count)


def test_shared_wins_count_in_parts_and_several_seats_by_their_mean() -> None:
    match = Match(("greedy", "random", "random"), 2, players=3)
    games = [outcome(0, (0, 1, 2), (0,)), outcome(1, (1, 2, 0), (0, 2))]
    best, other = standings(match, games)
    assert (best.name, best.win_share) == ("greedy", 0.75)
    assert (other.name, other.win_share) == ("random", 0.125)
    assert (best.mean_score, other.mean_score) == (50, 42.5)
    assert best.ms_per_move == pytest.approx(1)
    assert best.rating > 25 > other.rating


def test_a_bot_without_games_has_an_open_interval() -> None:
    match = Match(("greedy", "random", "greedy-any-blocks"), 2, players=2)
    *_, last = standings(match, [outcome(0, (0, 1), (0,))])
    assert (last.games, last.low, last.high) == (0, 0, 1)


def test_the_interval_depends_on_deals_not_games() -> None:
    """Four games of one deal say no more than the deal itself."""
    match = Match(("greedy", "random"), 8, players=2)
    rng = Random(1)
    wins = [rng.random() < 0.7 for _ in range(100)]
    single = [outcome(deal, (0, 1), (0,) if won else (1,)) for deal, won in enumerate(wins)]
    repeated = [game for game in single for _ in range(4)]
    assert standings(match, single)[0].low == pytest.approx(standings(match, repeated)[0].low)


def test_a_bot_that_always_wins_has_an_interval() -> None:
    low, high = interval([1.0] * 50)
    assert 0.9 < low < 0.95
    assert high == 1
    assert interval([0.0] * 50) == pytest.approx((1 - high, 1 - low))
    assert interval([0.5]) == pytest.approx((0.05, 0.95), abs=0.01)


def test_a_share_lies_within_its_interval() -> None:
    """Despite rounding errors."""
    for deals in range(1, 600):
        for share in (0.0, 0.25, 1 / 3, 1.0):
            low, high = interval([share] * deals)
            assert 0 <= low <= share <= high <= 1


def test_a_rating_does_not_depend_on_the_order_of_the_games() -> None:
    match = Match(("greedy", "random"), 80, players=2)
    rng = Random(4)
    games = [outcome(n, (0, 1), (0,) if rng.random() < 0.7 else (1,)) for n in range(80)]
    ratings = []
    for _ in range(4):
        rng.shuffle(games)
        ratings.append(standings(match, games)[0].rating)
    assert len(set(ratings)) == 1


def test_intervals_cover_the_true_share_95_times_in_100() -> None:
    """In simulated matches between four equal bots, the true share is a quarter."""
    rng = Random(2)
    covered = 0
    for _ in range(1000):
        deals = [sum(rng.random() < 0.25 for _ in range(4)) / 4 for _ in range(40)]
        low, high = interval(deals)
        covered += low <= 0.25 <= high
    assert 925 <= covered <= 975
