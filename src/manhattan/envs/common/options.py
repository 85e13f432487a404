"""The options that all environments share: the table, and the rewards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from manhattan.envs.common.rewards import (
    REWARD_TIMINGS,
    UTILITIES,
    EnvError,
    RewardTiming,
    Utility,
    option_value,
)
from manhattan.envs.common.table_spec import TableSpec, table_spec
from manhattan.rules.editions import DEFAULT_EDITION


class Options(TypedDict, total=False):
    """The options by name."""

    players: int
    """2 to 4; the default is four."""
    edition: str
    house_rules: Mapping[str, str] | None
    """The rules that differ from the edition's."""
    utility: Utility
    rewards: RewardTiming


@dataclass(frozen=True, slots=True)
class EnvOptions:
    """Checked options. Choices are numbers, as the compiled code takes them."""

    spec: TableSpec
    utility: int
    timing: int


def check_options(
    players: int = 4,
    edition: str = DEFAULT_EDITION,
    house_rules: Mapping[str, str] | None = None,
    utility: Utility = "win_share",
    rewards: RewardTiming = "end",
    **unknown: object,
) -> EnvOptions:
    """Check the options. The error for an unknown value lists the known ones."""
    if unknown:
        raise EnvError(
            f"There is no option {', '.join(map(repr, unknown))}. The options of the table are: "
            f"{', '.join(Options.__annotations__)}."
        )
    if house_rules is not None and not isinstance(house_rules, Mapping):
        raise EnvError(
            "House rules are a dictionary like {'tallest_tie': 'one_owner'}, "
            f"not {house_rules!r}."
        )
    return EnvOptions(
        table_spec(players, edition, house_rules),
        option_value("utility", utility, UTILITIES),
        option_value("rewards", rewards, REWARD_TIMINGS),
    )
