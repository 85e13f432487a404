"""What many games say about the bots that played them.

Games of one deal share their cards and so their luck: they count as one observation. The interval
of a share comes from how much it differs from deal to deal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from openskill.models import PlackettLuce

from manhattan.arena.match import Match
from manhattan.arena.playing import Outcome

_TWO_SIDED = 1.96
PASSES = 5


@dataclass(frozen=True, slots=True)
class Standing:
    """How one bot fared. A bot that sat on several seats of a game counts by the mean of them."""

    name: str
    games: int
    win_share: float
    low: float
    high: float
    """Between these the true share lies, 95 times in 100."""
    mean_score: float
    rating: float
    """Its skill as OpenSkill sees it: 25 is everybody's at first."""
    ms_per_move: float


def standings(match: Match, outcomes: Iterable[Outcome]) -> list[Standing]:
    """One for each distinct bot, the best first."""
    games = list(outcomes)
    names = list(dict.fromkeys(match.bots))
    ratings = rate(match, games)
    found = [_standing(match, name, games, ratings[name]) for name in names]
    return sorted(found, key=lambda standing: -standing.win_share)


def _standing(match: Match, name: str, games: Sequence[Outcome], rating: float) -> Standing:
    by_deal: dict[int, list[float]] = {}
    scores: list[int] = []
    moves, seconds, played = 0, 0.0, 0
    for game in games:
        seats = [s for s, n in enumerate(game.seating.seats) if match.bots[n] == name]
        played += bool(seats)
        for seat in seats:
            by_deal.setdefault(game.seating.deal, []).append(game.share(seat))
            scores.append(game.scores[seat])
            moves += game.moves[seat]
            seconds += game.seconds[seat]
    if not by_deal:
        return Standing(name, 0, 0.0, 0.0, 1.0, 0.0, rating, 0.0)
    shares = [fmean(deal) for deal in by_deal.values()]
    share = fmean(shares)
    low, high = interval(shares)
    return Standing(
        name,
        played,
        share,
        low,
        high,
        fmean(scores),
        rating,
        1000 * seconds / moves,
    )


def interval(shares: Sequence[float]) -> tuple[float, float]:
    """Between which shares the true one lies, 95 times in 100, given those of the single deals.

    Wilson's interval, for as many throws of a coin as would scatter like these deals. It keeps
    between 0 and 1, and who has won every time is not taken for invincible.
    """
    share, deals = fmean(shares), len(shares)
    error = stdev(shares) / sqrt(deals) if deals > 1 else 0.0
    throws = share * (1 - share) / error**2 if error > 0 else deals
    z = _TWO_SIDED**2 / throws
    centre = (share + z / 2) / (1 + z)
    reach = sqrt(z * share * (1 - share) + z**2 / 4) / (1 + z)
    # Rounding must not push the share itself out.
    return max(0.0, min(centre - reach, share)), min(1.0, max(centre + reach, share))


def rate(match: Match, games: Sequence[Outcome]) -> dict[str, float]:
    """OpenSkill's ratings. A rating depends on the order of the games, and these have none: so
    it is the mean of several, each from the games in another order."""
    passes = []
    for number in range(PASSES):
        order = sorted(games, key=lambda game: (game.seating.deal, game.seating.rotation))
        match.random("ratings", number).shuffle(order)
        passes.append(_rate_in_order(match, order))
    return {name: fmean(ratings[name] for ratings in passes) for name in passes[0]}


def _rate_in_order(match: Match, games: Sequence[Outcome]) -> dict[str, float]:
    """Game after game. Several seats of one bot move it by their mean."""
    model = PlackettLuce(tau=0)  # bots do not change from game to game
    known = {name: model.rating(name=name) for name in match.bots}
    for game in games:
        names = [match.bots[number] for number in game.seating.seats]
        if len(set(names)) == 1:
            continue  # a bot among itself: nothing to learn
        order = [(seat not in game.winners, -score) for seat, score in enumerate(game.scores)]
        ranks = [float(sum(other < mine for other in order)) for mine in order]
        after = model.rate([[known[name]] for name in names], ranks=ranks)
        for name in set(names):
            mine = [team[0] for team, other in zip(after, names, strict=True) if other == name]
            mu, sigma = fmean(r.mu for r in mine), fmean(r.sigma for r in mine)
            known[name] = model.rating(mu=mu, sigma=sigma, name=name)
    return {name: float(rating.mu) for name, rating in known.items()}
