"""What a game is worth to whom, and when it is paid: the same in every environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, get_args

from manhattan.rules import ManhattanError, Setup

Utility = Literal["win_share", "score", "score_minus_mean"]
"""The share of the win (a shared win counts in parts); the points; or the points less the mean of
the others'."""
Payday = Literal["scoring", "end"]
"""At each scoring, or all of it at the end. A share of the win is always paid at the end."""

OnIllegal = Literal["penalty", "raise"]
"""What an illegal move leads to in Gymnasium: it is not made and costs ``FINE``, as there any
action of the space may be tried; or an error, which is kinder to whoever looks for a mistake."""
FINE: Final = -1.0

UTILITIES: Final[Mapping[str, int]] = MappingProxyType(
    {name: number for number, name in enumerate(get_args(Utility))}
)
PAYDAYS: Final[Mapping[str, int]] = MappingProxyType(
    {name: number for number, name in enumerate(get_args(Payday))}
)
ON_ILLEGAL: Final[Mapping[str, int]] = MappingProxyType(
    {name: number for number, name in enumerate(get_args(OnIllegal))}
)
WIN_SHARE, SCORE, SCORE_MINUS_MEAN = UTILITIES.values()
AT_SCORINGS, AT_THE_END = PAYDAYS.values()
PENALTY, RAISE = ON_ILLEGAL.values()


class EnvError(ManhattanError, ValueError):
    """An environment was asked for that there is none of."""


def chosen(option: str, name: object, among: Mapping[str, int]) -> int:
    """The number of a choice that was made by name, for an option."""
    if not isinstance(name, str) or name not in among:
        raise EnvError(f"The option {option} can't be {name!r}. It can be: {', '.join(among)}.")
    return among[name]


def paid(utility: int, gained: Sequence[float]) -> list[float]:
    """What points are worth to each player."""
    if utility == SCORE:
        return [float(points) for points in gained]
    total, others = sum(gained), len(gained) - 1
    return [points - (total - points) / others for points in gained]


def win_shares(winners: int, players: int) -> list[float]:
    """The shares of those who won, told by a bit each; nothing if nobody has yet."""
    share = 1 / max(1, winners.bit_count())
    return [share if winners >> player & 1 else 0.0 for player in range(players)]


def bounds(setup: Setup, utility: int) -> tuple[float, float]:
    """The least and the most that a game can be worth: every block a tower of its own."""
    if utility == WIN_SHARE:
        return 0.0, 1.0
    plan = setup.schedule
    a_round = plan.blocks * plan.colours
    most = float(sum(min(54, a_round * r) + 12 + 3 for r in range(1, plan.rounds + 1)))
    return (0.0, most) if utility == SCORE else (-most, most)
