"""Tables of every kind that bots may sit at."""

from __future__ import annotations

from typing import Any

import pytest

from manhattan.game import Game
from manhattan.rules import EDITIONS

HOUSE = [
    (4, "hig-2017", {"four_players": "4x6"}),
    (3, "hig-1994", {"three_players": "6x4"}),
    (2, "hig-1994", {"two_players": "6x4-one-colour"}),
]
TABLES: list[tuple[int, str, dict[str, str]]] = [
    *[(players, edition, {}) for players in (4, 3, 2) for edition in EDITIONS],
    *HOUSE,
]


def group(players: int, house_rules: dict[str, str]) -> str:
    """Tables for which the same code is compiled."""
    one_colour = players != 2 or house_rules.get("two_players", "").endswith("one-colour")
    return f"{players}-{1 if one_colour else 2}"


EVERY_TABLE = [
    pytest.param(*table, marks=pytest.mark.xdist_group(group(table[0], table[2])))
    for table in TABLES
]
"""To be played by one worker each, so that nothing is compiled twice at a time."""


def new_game(players: int, edition: str, house_rules: dict[str, str], seed: int = 0) -> Game:
    cards: Any = seed.to_bytes(32, "big")
    return Game.new(players, edition=edition, house_rules=house_rules, seed=cards)
