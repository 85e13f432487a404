"""Every bot makes legal moves, at every kind of table and in every phase."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from manhattan.ai import search
from manhattan.bots import (
    BOTS,
    COMPILED_BOTS,
    LEVELS,
    Budget,
    Cancelled,
    Level,
    bot,
    search_bot,
)
from manhattan.bots.search_bot import choose_as_champion
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
from support.positions import crowded, position
from support.random_models import random_networks
from support.table_matrix import EVERY_TABLE, compile_group, new_game

pytestmark = pytest.mark.compiled

SMALL = Budget(rollouts=4)
FOUR = pytest.mark.xdist_group("4-1")


@pytest.mark.parametrize(("players", "edition", "house_rules"), EVERY_TABLE)
def test_moves_are_legal_in_whole_games_at_every_table(
    players: int, edition: str, house_rules: dict[str, str], request: pytest.FixtureRequest
) -> None:
    """All levels play at one table and change seats from game to game. By default, bots that need
    compiled code play only with four players; with ``--bot-moves`` at every table."""
    moves: int = request.config.getoption("--bot-moves")
    rng, levels = Random(players), list(LEVELS.values())
    if moves == 1 and compile_group(players, house_rules) != "4-1":
        levels = [LEVELS[name] for name in LEVELS if name not in COMPILED_BOTS]
    played, seed = 0, 0
    while played < moves:
        game = new_game(players, edition, house_rules, seed)
        while not game.is_over:
            mover = game.public.mover
            level = levels[(mover + seed) % len(levels)]
            move = level(view_of(game, mover), rng, SMALL)
            assert move in game.legal_moves(), level.name
            game.play(move)
        played, seed = played + game.ply, seed + 1


@FOUR
@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
def test_a_bot_makes_the_only_legal_move(level: Level) -> None:
    state = position(tableaus={"orange": [4], "blue": [1]}, hands={0: [5] * 4}, round=4)
    public = state.public._replace(
        board=tuple(
            Tower((Block(Colour.BLUE, 4), Block(Colour.BLUE, 2))) if site % 9 == 4 else tower
            for site, tower in zip(SITES, state.public.board, strict=True)
        )
    )
    free = SITES[4]
    board = (*public.board[:free], EMPTY_SITE, *public.board[free + 1 :])
    only_one = view(state._replace(public=public._replace(board=board)), 0)
    (only,) = only_one.legal_moves()
    assert level(only_one, Random(1), SMALL) == only


@FOUR
@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
def test_moves_are_legal_when_hands_fit_nowhere(level: Level) -> None:
    """On a board full of strong towers, players redraw their hands and remove blocks."""
    rng, shuffler = Random(7), SeedShuffler(bytes(32))
    state, removed, redrawn = crowded(set_up(4), rng, low=True), 0, 0
    while state.public.phase is not Phase.SELECT and state.public.result is None:
        mover_view = view(state, state.public.mover)
        move = level(mover_view, rng, SMALL)
        assert move in mover_view.legal_moves()
        removed += isinstance(move, Remove)
        state, events = apply(state, move, shuffler)
        redrawn += sum(isinstance(event, Redrew) for event in events)
    assert removed
    assert redrawn


@pytest.mark.parametrize("name", [name for name in BOTS if name not in ("random", "easy")])
def test_bots_remove_the_smallest_block_of_any_colour(name: str) -> None:
    blocks = {"orange": [3, 4], "blue": [1]}
    state = position(players=2, tableaus=blocks, phase=Phase.REMOVE, round=3)
    assert str(bot(name)(view(state, 0), Random(1), SMALL)) == "-1b"


@FOUR
def test_the_champion_makes_legal_moves_and_varies_its_selections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With untrained networks."""
    monkeypatch.setattr(search, "load_networks", random_networks)
    monkeypatch.setattr(search_bot, "SELECTION_TEMPERATURE", 1.0)
    monkeypatch.setattr(search_bot, "MIN_SELECTION_ROLLOUTS", 0)
    game = new_game(4, "hig-2017", {}, 1)
    first = view_of(game, game.public.mover)
    selections = {choose_as_champion(first, Random(seed), SMALL) for seed in range(12)}
    assert len(selections) > 2
    rng = Random(3)
    while not game.is_over:
        move = choose_as_champion(view_of(game, game.public.mover), rng, SMALL)
        assert move in game.legal_moves()
        game.play(move)


@FOUR
def test_the_level_champion_varies_its_blocks() -> None:
    """With its own number of rollouts; the time of this machine doesn't count."""
    level = LEVELS["champion"]
    level = replace(level, budget=replace(level.budget, seconds=None))
    game = new_game(4, "hig-2017", {}, 1)
    first = view_of(game, game.public.mover)
    assert len({level(first, Random(seed)) for seed in range(12)}) > 1


@FOUR
def test_with_few_rollouts_the_champion_selects_by_the_plan() -> None:
    game = new_game(4, "hig-2017", {}, 1)
    first = view_of(game, game.public.mover)
    selections = {choose_as_champion(first, Random(seed), SMALL) for seed in range(4)}
    assert list(map(str, selections)) == ["[333344]"]


@FOUR
def test_the_champion_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "load_networks", random_networks)
    game = new_game(4, "hig-2017", {}, 1)
    answers = iter([False, False])
    budget = Budget(rollouts=10**6, is_cancelled=lambda: next(answers, True))
    with pytest.raises(Cancelled):
        choose_as_champion(view_of(game, game.public.mover), Random(1), budget)
