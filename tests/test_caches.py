"""Caches are bounded, however long a process runs and whatever clients send."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from itertools import permutations
from random import Random
from typing import Any

import manhattan.rules
import manhattan.server
from manhattan.game import Game
from manhattan.rules import EDITIONS, set_up
from manhattan.server.protocol.serialize import player_state
from manhattan.view import view_of
from support.table_matrix import TABLES

MAX_ENTRIES = {
    # 16 sets of sizes; moves name no colour or one of seven.
    "rules.legality.builds_by_site": 16 * 8,
    "rules.moves._build_text": 54 * 4 * 8,
    # A colour has 11, 6, 4 and 3 blocks, which limits its stocks. A round has 4 or 6.
    "rules.legality._colour_selections": 12 * 7 * 5 * 4 * 2,
    "rules.legality._select": 35 + 35**2 + 84,
    # Hands are sorted: 495 of them, from four sides.
    "projected_scores._reachable": 495 * 4,
    "projected_scores._sizes_from": 12 * 7 * 5 * 4,
    # Two to four of the four colours of a box, in any order; there are two boxes.
    "server.protocol.serialize._colour_names": 2 * (12 + 24 + 24),
    "server.protocol.serialize._block_texts": 16 * 8,
    "server.protocol.schema.message_schema": 1,
    "server.storage.sqlite._insert_events": 500,  # the size of the largest batch of writes
    # One for each step of the tutorial.
    "server.service.tutorial.exercise_state": 9,
    "server.transport.http.tutorial._encoded_outcomes": 9,
}
"""The caches without a size limit, and the number of different keys that they can have. Keys must
follow from checked values of a game, never from what a client sends. A cache whose keys can't be
counted is an ``lru_cache`` with a size."""


def caches() -> Iterator[tuple[str, Any]]:
    """Find every cached function of the rules, the projected scores and the server."""
    modules = ["manhattan.projected_scores"]
    for package in (manhattan.rules, manhattan.server):
        submodules = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        modules += [module.name for module in submodules]
    for module in map(importlib.import_module, modules):
        for name, function in vars(module).items():
            if hasattr(function, "cache_info") and function.__module__ == module.__name__:
                yield f"{module.__name__.partition('.')[2]}.{name}", function


def test_every_cache_without_a_limit_has_a_known_number_of_keys() -> None:
    unlimited = {
        name for name, function in caches() if function.cache_parameters()["maxsize"] is None
    }
    assert unlimited == set(MAX_ENTRIES)


def test_no_table_exceeds_the_known_number_of_keys() -> None:
    """Games with any colours in any order, at tables of every kind."""
    rng = Random(1)
    for players, edition, house_rules in TABLES * 3:
        box = rng.choice(list(permutations(EDITIONS[edition].colours)))
        each = set_up(players, edition=edition, house_rules=house_rules).schedule.colours
        colours = [box[each * n : each * (n + 1)] for n in range(players)]
        game = Game.new(players, edition=edition, house_rules=house_rules, colours=colours)
        while not game.is_over:
            player_state(view_of(game, game.public.mover))
            game.play(rng.choice(game.legal_moves()))
    sizes = {name: function.cache_info().currsize for name, function in caches()}
    assert sizes["projected_scores._reachable"] > 100  # the games did use the caches
    assert {name for name, limit in MAX_ENTRIES.items() if sizes[name] > limit} == set()
