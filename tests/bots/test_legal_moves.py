"""A bot's move is legal, always: at every kind of table, in every phase."""

from __future__ import annotations

from random import Random

import pytest

from every_table import EVERY_TABLE, group, new_game
from manhattan.bots import BOTS, LEVELS, THINKERS, Budget, Level, bot
from manhattan.rules import (
    SITES,
    Block,
    Colour,
    Phase,
    Redrew,
    Remove,
    SeedShuffler,
    Tower,
    set_up,
)
from manhattan.rules.play import apply
from manhattan.rules.towers import EMPTY_SITE
from manhattan.view import view, view_of
from positions import crowded, position

pytestmark = pytest.mark.compiled

LITTLE = Budget(trials=4)
FOUR = pytest.mark.xdist_group("4-1")


@pytest.mark.parametrize(("players", "edition", "house_rules"), EVERY_TABLE)
def test_whole_games_at_every_table(
    players: int, edition: str, house_rules: dict[str, str], request: pytest.FixtureRequest
) -> None:
    """All levels sit at one table, and change seats from game to game. What is compiled is
    compiled for tables of four in the ordinary run, and for all if more moves are asked for."""
    moves: int = request.config.getoption("--bot-moves")
    rng, levels = Random(players), list(LEVELS.values())
    if moves == 1 and group(players, house_rules) != "4-1":
        levels = [LEVELS[name] for name in LEVELS if name not in THINKERS]
    played, seed = 0, 0
    while played < moves:
        game = new_game(players, edition, house_rules, seed)
        while not game.over:
            mover = game.table.mover
            level = levels[(mover + seed) % len(levels)]
            move = level(view_of(game, mover), rng, LITTLE)
            assert move in game.legal_moves(), level.name
            game.play(move)
        played, seed = played + game.ply, seed + 1


@FOUR
@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
def test_the_only_legal_move_is_made(level: Level) -> None:
    state = position(tableaus={"orange": [4], "blue": [1]}, hands={0: [5] * 4}, round=4)
    table = state.table._replace(
        board=tuple(
            Tower((Block(Colour.BLUE, 4), Block(Colour.BLUE, 2))) if site % 9 == 4 else tower
            for site, tower in zip(SITES, state.table.board, strict=True)
        )
    )
    free = SITES[4]
    board = (*table.board[:free], EMPTY_SITE, *table.board[free + 1 :])
    seen = view(state._replace(table=table._replace(board=board)), 0)
    (only,) = seen.legal_moves()
    assert level(seen, Random(1), LITTLE) == only


@FOUR
@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
def test_hands_that_fit_nowhere_and_blocks_that_must_go(level: Level) -> None:
    """On a board full of strong towers hands are shown and drawn anew, and blocks taken out."""
    rng, chance = Random(7), SeedShuffler(bytes(32))
    state, removed, redrawn = crowded(set_up(4), rng, low=True), 0, 0
    while state.table.phase is not Phase.SELECT and state.table.result is None:
        seen = view(state, state.table.mover)
        move = level(seen, rng, LITTLE)
        assert move in seen.legal_moves()
        removed += isinstance(move, Remove)
        state, events = apply(state, move, chance)
        redrawn += sum(isinstance(event, Redrew) for event in events)
    assert removed
    assert redrawn


@pytest.mark.parametrize("name", [name for name in BOTS if name not in ("random", "easy")])
def test_the_smallest_block_goes_whichever_colour_it_has(name: str) -> None:
    blocks = {"orange": [3, 4], "blue": [1]}
    state = position(players=2, tableaus=blocks, phase=Phase.REMOVE, round=3)
    assert str(bot(name)(view(state, 0), Random(1), LITTLE)) == "-1b"
