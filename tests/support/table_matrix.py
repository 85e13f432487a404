"""Every kind of table at which bots can sit, as test parameters."""

from __future__ import annotations

from typing import Any

import pytest

from manhattan.game import Game
from manhattan.rules import EDITIONS

TABLES: list[tuple[int, str, dict[str, str]]] = [
    *[(players, edition, {}) for players in (4, 3, 2) for edition in EDITIONS],
    (4, "hig-2017", {"four_players": "4x6"}),
    (3, "hig-1994", {"three_players": "6x4"}),
    (2, "hig-1994", {"two_players": "6x4-one-colour"}),
]


def compile_group(players: int, house_rules: dict[str, str]) -> str:
    """Return the name of the tables that share compiled code."""
    one_colour = players != 2 or house_rules.get("two_players", "").endswith("one-colour")
    return f"{players}-{1 if one_colour else 2}"


EVERY_TABLE = [
    pytest.param(*table, marks=pytest.mark.xdist_group(compile_group(table[0], table[2])))
    for table in TABLES
]
"""One worker takes all tables of a group, so that no code is compiled twice at the same time."""


def new_game(players: int, edition: str, house_rules: dict[str, str], seed: int = 0) -> Game:
    cards: Any = seed.to_bytes(32, "big")
    return Game.new(players, edition=edition, house_rules=house_rules, seed=cards)
