"""Selection plans: how many 1s, 2s, 3s and 4s a bot selects in each round.

``0033/0510/5100/6000`` is three 3s and three 4s first, and only 1s in the last round. Building
the big blocks first decides more than anything else; experiments found the plans
(docs/explanation/bots.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from manhattan.rules import Stock
from manhattan.rules.blocks import SIZES
from manhattan.rules.editions import Schedule

Plan = tuple[Stock, ...]
"""For each round the blocks to select, of each colour."""


def parse_plan(text: str) -> Plan:
    """Parse a plan in the form above."""
    rounds = (tuple(map(int, part)) for part in text.split("/"))
    return tuple((ones, twos, threes, fours) for ones, twos, threes, fours in rounds)


PLANS: Final[Mapping[Schedule, tuple[Plan, ...]]] = MappingProxyType(
    {
        Schedule(blocks, rounds, colours): tuple(map(parse_plan, plans))
        for (blocks, rounds, colours), plans in {
            (6, 4, 1): ("0033/0510/5100/6000", "0042/2301/3300/6000"),
            (4, 6, 1): (
                "0013/0130/0400/3100/4000/4000",
                "1012/1021/0310/1300/4000/4000",
                "0022/2011/3010/0400/2200/4000",
            ),
            (4, 6, 2): (
                "1012/1111/0220/2200/3100/4000",
                "1012/1111/1210/1210/3100/4000",
                "0121/1102/2110/1210/3100/4000",
            ),
            (4, 4, 2): ("1012/1111/0220/1300", "0112/1111/0220/2200"),
        }.items()
    }
)
"""For each schedule the plan of greedy players first, then others; the last is the strongest."""


def affordable(planned: Stock, supply: Stock) -> Stock:
    """Return the planned blocks, with the largest blocks left in place of missing ones."""
    selected = [min(wanted, left) for wanted, left in zip(planned, supply, strict=True)]
    for size in reversed(SIZES):
        missing = sum(planned) - sum(selected)
        selected[size - 1] += min(missing, supply[size - 1] - selected[size - 1])
    ones, twos, threes, fours = selected
    return ones, twos, threes, fours
