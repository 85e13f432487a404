"""RULES 11: rotating the table and renaming colours or cities change no score."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manhattan.game import Game
from manhattan.rules import EDITIONS, SITES, Build, Move, Side, Site, set_up
from support.strategies import rngs, seeds

Mapping = Callable[[Site], Site]


def rotated(site: Site) -> Site:
    """A site after a rotation of the table by 90 degrees from south to west."""
    row, column = divmod(site % 9, 3)
    return SITES[site // 9 * 9 + column * 3 + 2 - row]


def mapped(move: Move, mapping: Mapping) -> Move:
    return Build(mapping(move.site), move.size, move.colour) if isinstance(move, Build) else move


def play_both(original: Game, changed: Game, mapping: Mapping, choice: Random) -> None:
    while not original.is_over:
        moves = original.legal_moves()
        assert {mapped(move, mapping) for move in moves} == set(changed.legal_moves())
        move = choice.choice(moves)
        original.play(move)
        changed.play(mapped(move, mapping))
        assert original.state.hands == changed.state.hands
        assert original.public.scores == changed.public.scores
        assert [original.public.board[site] for site in SITES] == [
            changed.public.board[mapping(site)] for site in SITES
        ]
    assert original.result == changed.result


@pytest.mark.parametrize("edition", EDITIONS)
@settings(max_examples=30)
@given(seed=seeds, choice=rngs, players=st.sampled_from([2, 3, 4]))
def test_rotating_the_table(edition: str, seed: bytes, choice: Random, players: int) -> None:
    sides = [player.side for player in set_up(players).players]
    clockwise = list(Side)
    rotated_sides = [clockwise[(clockwise.index(side) + 1) % 4] for side in sides]
    original = Game.new(players, edition=edition, sides=sides, seed=seed)
    changed = Game.new(players, edition=edition, sides=rotated_sides, seed=seed)
    play_both(original, changed, rotated, choice)


@settings(max_examples=30)
@given(
    seed=seeds,
    choice=rngs,
    order=st.permutations(range(6)),
    players=st.sampled_from([2, 3, 4]),
)
def test_renaming_the_cities(seed: bytes, choice: Random, order: list[int], players: int) -> None:
    def renamed(site: Site) -> Site:
        return SITES[order[site // 9] * 9 + site % 9]

    play_both(Game.new(players, seed=seed), Game.new(players, seed=seed), renamed, choice)


@settings(max_examples=30)
@given(
    seed=seeds,
    choice=rngs,
    colours=st.permutations(EDITIONS["hig-2017"].colours),
    players=st.sampled_from([3, 4]),
)
def test_renaming_the_colours(
    seed: bytes, choice: Random, colours: list[str], players: int
) -> None:
    original = Game.new(players, seed=seed)
    changed = Game.new(players, seed=seed, colours=[[colour] for colour in colours[:players]])
    while not original.is_over:
        move = choice.choice(original.legal_moves())
        original.play(move)
        changed.play(move)
        assert [s.scores for s in original.public.sheets] == [
            s.scores for s in changed.public.sheets
        ]
    assert original.result == changed.result
