"""What a process remembers has an end, however long it runs and whatever strangers ask of it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import partial
from itertools import permutations
from random import Random
from typing import Any

import manhattan.rules
import manhattan.server
from every_table import TABLES
from manhattan.game import Game
from manhattan.rules import EDITIONS, set_up
from manhattan.rules.prospect import Standing
from manhattan.server.seen import own_told
from manhattan.view import view_of

FINITE = {
    # Hands are sorted: 495 of them, from four sides.
    "rules.legality.sites_of": 1980,
    # A colour has 11, 6, 4 and 3 blocks: so much of it can be left. A round has 4 of them, or 6.
    "rules.legality.sizes_from": 12 * 7 * 5 * 4,
    "rules.legality._multisets": 12 * 7 * 5 * 4 * 2,
    "rules.legality._selection": 35 + 35**2 + 84,
    # Two to four of the four colours of a box, of which there are two, in any order.
    "rules.prospect._slots": 2 * (12 + 24 + 24),
    "server.seen._names": 2 * (12 + 24 + 24),
    # Between any two of the colours, or nobody, in each of three ways.
    "rules.prospect._passes": 2 * 3 * (9 + 16 + 25),
    # One of four colours, and who has the tallest tower, who shares it: one of them, or nobody.
    "rules.prospect._crown": 2 * 4 * 5 * 5,
    # No more than ten towers of two to four colours: nine, and one that might come.
    "rules.prospect._holder": 66 + 286 + 1001,
    "server.schema.message_schema": 1,
    "server.store.sqlite._written": 500,  # as many entries as are written at once
    "server.lessons.start": 8,  # one for each lesson that there is
}
"""What is remembered without a limit, and how many different ones there are at most: keys are made
of what a table can be, after it was checked, and never of what somebody says. Whatever can't be
counted like this is an ``lru_cache`` with a size."""


def remembering() -> Iterator[tuple[str, Any]]:
    """Everything in the rules and the server that remembers what it was asked."""
    for package in (manhattan.rules, manhattan.server):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            for name, what in vars(module).items():
                if hasattr(what, "cache_info") and what.__module__ == module.__name__:
                    yield f"{module.__name__.partition('.')[2]}.{name}", what


def test_whatever_is_remembered_without_a_limit_is_finite() -> None:
    unlimited = {name for name, what in remembering() if what.cache_parameters()["maxsize"] is None}
    assert unlimited == set(FINITE)


def test_no_table_makes_more_than_there_is_to_remember() -> None:
    """Any colours in any order, at tables of every kind."""
    dice = Random(1)
    for players, edition, house_rules in TABLES * 3:
        box = dice.choice(list(permutations(EDITIONS[edition].colours)))
        each = set_up(players, edition=edition, house_rules=house_rules).schedule.colours
        colours = [box[each * n : each * (n + 1)] for n in range(players)]
        game = Game.new(players, edition=edition, house_rules=house_rules, colours=colours)
        while not game.over:
            standing = partial(Standing, game.table)
            own_told(view_of(game, game.table.mover), standing)
            game.play(dice.choice(game.legal_moves()))
    sizes = {name: what.cache_info().currsize for name, what in remembering()}
    assert sizes["rules.prospect._holder"] > 100  # it was asked for
    assert {name for name, most in FINITE.items() if sizes[name] > most} == set()
