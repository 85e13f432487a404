"""Rewards: the utility of a game to each player, and when it is paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, get_args

from manhattan.rules import ManhattanError, Setup
from manhattan.rules.board import CITIES, SITES
from manhattan.rules.scoring import MAJORITY_POINTS, TALLEST_POINTS, TOWER_POINTS

Utility = Literal["win_share", "score", "score_minus_mean"]
"""The share of the win (several winners share it); the points; or the points minus the mean of the
others' points."""
RewardTiming = Literal["scoring", "end"]
"""Rewards at each scoring, or all of them at the end. A win share is always paid at the end."""

OnIllegal = Literal["penalty", "raise"]
"""What an illegal action leads to in Gymnasium: it costs ``ILLEGAL_PENALTY`` and changes nothing,
since Gymnasium may try any action of the space; or it is an error, which helps to find mistakes."""
ILLEGAL_PENALTY: Final = -1.0

UTILITIES: Final[Mapping[str, int]] = MappingProxyType(
    {name: number for number, name in enumerate(get_args(Utility))}
)
REWARD_TIMINGS: Final[Mapping[str, int]] = MappingProxyType(
    {name: number for number, name in enumerate(get_args(RewardTiming))}
)
ON_ILLEGAL: Final[Mapping[str, int]] = MappingProxyType(
    {name: number for number, name in enumerate(get_args(OnIllegal))}
)
WIN_SHARE, SCORE, SCORE_MINUS_MEAN = UTILITIES.values()
AT_SCORING, AT_END = REWARD_TIMINGS.values()
PENALTY, RAISE = ON_ILLEGAL.values()


class EnvError(ManhattanError, ValueError):
    """An environment can't be made or used like this."""


def option_value(option: str, name: object, values: Mapping[str, int]) -> int:
    """Return the number of an option's value, given by name."""
    if not isinstance(name, str) or name not in values:
        raise EnvError(f"The option {option} can't be {name!r}. It can be: {', '.join(values)}.")
    return values[name]


def utility_of_points(utility: int, points: Sequence[float]) -> list[float]:
    """Return the utility of points to each player."""
    if utility == SCORE:
        return [float(own) for own in points]
    total, opponents = sum(points), len(points) - 1
    return [own - (total - own) / opponents for own in points]


def win_shares(winners: int, players: int) -> list[float]:
    """Return each player's share of the win, given one bit per winner; 0 for all without one."""
    share = 1 / max(1, winners.bit_count())
    return [share if winners >> player & 1 else 0.0 for player in range(players)]


def utility_bounds(setup: Setup, utility: int) -> tuple[float, float]:
    """Return bounds of the utility: at best, every block is a tower of its own."""
    if utility == WIN_SHARE:
        return 0.0, 1.0
    schedule = setup.schedule
    per_round = schedule.blocks * schedule.colours
    others = MAJORITY_POINTS * len(CITIES) + TALLEST_POINTS
    towers = (min(len(SITES), per_round * n) for n in range(1, schedule.rounds + 1))
    high = float(sum(TOWER_POINTS * count + others for count in towers))
    return (0.0, high) if utility == SCORE else (-high, high)
