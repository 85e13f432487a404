"""Standings: win shares with confidence intervals, scores and ratings of the bots of a match.

Games of one deal share their cards and so their luck: they count as one observation. The interval
of a share follows from the variance between deals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from openskill.models import PlackettLuce

from manhattan.arena.match import Match
from manhattan.arena.runner import Outcome

_Z_95 = 1.96
RATING_PASSES = 5


@dataclass(frozen=True, slots=True)
class Standing:
    """The results of one bot. A bot on several seats of a game counts by their mean."""

    name: str
    games: int
    win_share: float
    low: float
    high: float
    """The 95 % confidence interval of the win share."""
    mean_score: float
    rating: float
    """The skill by OpenSkill; every bot starts with 25."""
    ms_per_move: float


def standings(match: Match, outcomes: Iterable[Outcome]) -> list[Standing]:
    """Return the standing of each distinct bot, the best first."""
    games = list(outcomes)
    names = list(dict.fromkeys(match.bots))
    ratings = rate(match, games)
    unsorted = [_standing(match, name, games, ratings[name]) for name in names]
    return sorted(unsorted, key=lambda standing: -standing.win_share)


def _standing(match: Match, name: str, games: Sequence[Outcome], rating: float) -> Standing:
    shares_by_deal: dict[int, list[float]] = {}
    scores: list[int] = []
    moves, seconds, played = 0, 0.0, 0
    for game in games:
        seats = [s for s, n in enumerate(game.seating.seats) if match.bots[n] == name]
        played += bool(seats)
        for seat in seats:
            shares_by_deal.setdefault(game.seating.deal, []).append(game.win_share(seat))
            scores.append(game.scores[seat])
            moves += game.moves[seat]
            seconds += game.seconds[seat]
    if not shares_by_deal:
        return Standing(name, 0, 0.0, 0.0, 1.0, 0.0, rating, 0.0)
    shares = [fmean(deal) for deal in shares_by_deal.values()]
    low, high = interval(shares)
    ms_per_move = 1000 * seconds / moves
    return Standing(name, played, fmean(shares), low, high, fmean(scores), rating, ms_per_move)


def interval(shares: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share, given the shares of the single deals.

    Wilson's interval, for the number of coin tosses that would have the variance of these deals.
    It stays between 0 and 1, and does not take a bot that has always won for invincible.
    """
    share, deals = fmean(shares), len(shares)
    error = stdev(shares) / sqrt(deals) if deals > 1 else 0.0
    tosses = share * (1 - share) / error**2 if error > 0 else deals
    z = _Z_95**2 / tosses
    centre = (share + z / 2) / (1 + z)
    margin = sqrt(z * share * (1 - share) + z**2 / 4) / (1 + z)
    # Rounding must not put the share itself outside.
    return max(0.0, min(centre - margin, share)), min(1.0, max(centre + margin, share))


def rate(match: Match, games: Sequence[Outcome]) -> dict[str, float]:
    """Return OpenSkill ratings. They depend on the order of the games, which has no meaning here:
    so each rating is the mean over several random orders."""
    passes = []
    for number in range(RATING_PASSES):
        order = sorted(games, key=lambda game: (game.seating.deal, game.seating.rotation))
        match.rng("ratings", number).shuffle(order)
        passes.append(_rate_in_order(match, order))
    return {name: fmean(ratings[name] for ratings in passes) for name in passes[0]}


def _rate_in_order(match: Match, games: Sequence[Outcome]) -> dict[str, float]:
    """Rate game by game. Several seats of one bot change its rating by their mean."""
    model = PlackettLuce(tau=0)  # bots do not change from game to game
    ratings = {name: model.rating(name=name) for name in match.bots}
    for game in games:
        names = [match.bots[number] for number in game.seating.seats]
        if len(set(names)) == 1:
            continue  # a bot against itself says nothing
        order = [(seat not in game.winners, -score) for seat, score in enumerate(game.scores)]
        ranks = [float(sum(other < own for other in order)) for own in order]
        rated = model.rate([[ratings[name]] for name in names], ranks=ranks)
        for name in set(names):
            own = [team[0] for team, other in zip(rated, names, strict=True) if other == name]
            mu, sigma = fmean(r.mu for r in own), fmean(r.sigma for r in own)
            ratings[name] = model.rating(mu=mu, sigma=sigma, name=name)
    return {name: float(rating.mu) for name, rating in ratings.items()}
