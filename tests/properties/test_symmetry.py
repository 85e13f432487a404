"""RULES 11: turning the whole table, renaming colours or renaming cities changes no score."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dice, seeds

from manhattan.game import Game
from manhattan.rules import EDITIONS, SITES, Build, Move, Seat, Site, set_up

Mapping = Callable[[Site], Site]


def turned(site: Site) -> Site:
    """A site after the table was turned by 90 degrees: what lay south lies west."""
    row, column = divmod(site % 9, 3)
    return SITES[site // 9 * 9 + column * 3 + 2 - row]


def mapped(move: Move, where: Mapping) -> Move:
    return Build(where(move.site), move.size, move.colour) if isinstance(move, Build) else move


def play_both(one: Game, other: Game, where: Mapping, choice: Random) -> None:
    while not one.over:
        moves = one.legal_moves()
        assert {mapped(move, where) for move in moves} == set(other.legal_moves())
        move = choice.choice(moves)
        one.play(move)
        other.play(mapped(move, where))
        assert one.state.hands == other.state.hands
        assert one.table.scores == other.table.scores
        assert [one.table.board[site] for site in SITES] == [
            other.table.board[where(site)] for site in SITES
        ]
    assert one.result == other.result


@pytest.mark.parametrize("edition", EDITIONS)
@settings(max_examples=30)
@given(seed=seeds, choice=dice, players=st.sampled_from([2, 3, 4]))
def test_turning_the_table(edition: str, seed: bytes, choice: Random, players: int) -> None:
    here = [player.seat for player in set_up(players).players]
    clockwise = list(Seat)
    there = [clockwise[(clockwise.index(seat) + 1) % 4] for seat in here]
    one = Game.new(players, edition=edition, seats=here, seed=seed)
    other = Game.new(players, edition=edition, seats=there, seed=seed)
    play_both(one, other, turned, choice)


@settings(max_examples=30)
@given(
    seed=seeds,
    choice=dice,
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
    choice=dice,
    colours=st.permutations(EDITIONS["hig-2017"].colours),
    players=st.sampled_from([3, 4]),
)
def test_renaming_the_colours(
    seed: bytes, choice: Random, colours: list[str], players: int
) -> None:
    one = Game.new(players, seed=seed)
    other = Game.new(players, seed=seed, colours=[[colour] for colour in colours[:players]])
    while not one.over:
        move = choice.choice(one.legal_moves())
        one.play(move)
        other.play(move)
        assert [s.scores for s in one.table.sheets] == [s.scores for s in other.table.sheets]
    assert one.result == other.result
