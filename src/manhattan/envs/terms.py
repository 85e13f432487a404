"""What every environment is asked alike: at which table, and what a game is worth there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from manhattan.envs.seats import Seats, seats
from manhattan.envs.utility import PAYDAYS, UTILITIES, EnvError, Payday, Utility, chosen
from manhattan.rules.editions import DEFAULT_EDITION


class Options(TypedDict, total=False):
    """The options by name, for whoever hands them on."""

    players: int
    """2 to 4; four if nobody says."""
    edition: str
    house_rules: Mapping[str, str] | None
    """What the table changes of the edition, row by row."""
    utility: Utility
    rewards: Payday


@dataclass(frozen=True, slots=True)
class Terms:
    """A table, and what counts there: choices by their numbers, as compiled code takes them."""

    seats: Seats
    utility: int
    payday: int


def agreed(
    players: int = 4,
    edition: str = DEFAULT_EDITION,
    house_rules: Mapping[str, str] | None = None,
    utility: Utility = "win_share",
    rewards: Payday = "end",
    **unknown: object,
) -> Terms:
    """The terms that were asked for. What there is none of is an error that says what there is."""
    if unknown:
        raise EnvError(
            f"There is no option {', '.join(map(repr, unknown))}. Those of the table are: "
            f"{', '.join(Options.__annotations__)}."
        )
    if house_rules is not None and not isinstance(house_rules, Mapping):
        raise EnvError(
            "House rules are a dictionary like {'tallest_tie': 'one_owner'}, "
            f"not {house_rules!r}."
        )
    return Terms(
        seats(players, edition, house_rules),
        chosen("utility", utility, UTILITIES),
        chosen("rewards", rewards, PAYDAYS),
    )
