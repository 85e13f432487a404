"""Projected scores agree with the reference: scoring the board before and after a placement."""

from __future__ import annotations

from random import Random

import pytest

from manhattan.game import Game
from manhattan.projected_scores import ProjectedScores
from manhattan.rules import (
    EDITIONS,
    Block,
    Build,
    Card,
    Colour,
    Phase,
    PublicState,
    parse_board,
    parse_move,
)
from manhattan.rules.legality import colour_of, legal_moves
from manhattan.rules.scoring import placement_gains, score_round
from support.positions import position

Changes = tuple[Colour | None, tuple[int, ...]]
"""The colour that loses the tower, and the gains of the players."""


def reference(public: PublicState, build: Build) -> Changes:
    colour = colour_of(public, build)
    owner = public.board[build.site].owner
    gains = placement_gains(public.board, public.setup, build.site, Block(colour, build.size))
    return None if owner is colour else owner, gains


def points_now(public: PublicState) -> tuple[int, ...]:
    zeros = (0,) * len(public.setup.players)
    return score_round(public.board, public.setup, public.round, zeros).scores


def all_changes(projected: ProjectedScores, hand: tuple[Card, ...]) -> dict[Build, Changes]:
    """The projected changes of every placement with a hand, in order."""
    changes: dict[Build, Changes] = {}
    for options in projected.placement_options(hand):
        taken = {
            site: projections.takes_from
            for site, projections in zip(options.sites, options.projections, strict=True)
            if projections is not None
        }
        for build, gains in options.gains_by_move():
            changes[build] = taken[build.site], gains
    return changes


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_all_placements_of_whole_games_agree_with_the_reference(players: int, edition: str) -> None:
    rng = Random(f"{players} {edition}")
    game = Game.new(players, edition=edition, seed=rng.randbytes(32))
    projected, compared = ProjectedScores(game.public), 0
    while not game.is_over:
        moves = game.legal_moves()
        assert projected.points == points_now(game.public)
        if game.public.phase is Phase.BUILD:
            builds = [move for move in moves if isinstance(move, Build)]
            expected = {build: reference(game.public, build) for build in builds}
            changes = all_changes(projected, game.state.hand)
            assert list(changes) == builds
            assert changes == expected
            assert changes == all_changes(ProjectedScores(game.public), game.state.hand)
            compared += len(builds)
        move = rng.choice(moves)
        game.play(move)
        projected = projected.after(game.public, move.site if isinstance(move, Build) else None)
    assert projected.points == points_now(game.public)
    assert compared > 500


@pytest.mark.parametrize(
    ("board", "move", "expected"),
    [
        # The first tower of all: a tower, a majority, the tallest.
        ("", "A1+1", (None, (6, 0, 0, 0))),
        # As tall as the tallest tower: neither scores it.
        ("B1:b4", "A1+4", (None, (3, -3, 0, 0))),
        # The takeover of the only tower of a city, which is the tallest.
        ("A1:b2", "A1+2", (Colour.BLUE, (6, -6, 0, 0))),
        # A block on the player's own tower changes only its height.
        ("A1:o2 B1:b3", "A1+2", (None, (3, -3, 0, 0))),
    ],
)
def test_worked_examples(board: str, move: str, expected: Changes) -> None:
    state = position(board, tableaus={"orange": [1, 2, 3, 4]}, hands={0: [1, 2, 3, 4]})
    build = parse_move(move)
    assert isinstance(build, Build)
    assert build in legal_moves(state)
    assert reference(state.public, build) == expected
    assert all_changes(ProjectedScores(state.public), state.hand)[build] == expected


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        ("B1+4o", (3, 0)),  # a tower and a majority; the tallest tower still scores
        ("B1+4b", (0, 0)),  # two colours have towers of that height: three points less
    ],
)
def test_one_owner_of_several_tallest_towers_scores_in_the_dutch_edition(
    move: str, expected: tuple[int, ...]
) -> None:
    """RULES 8, tallest_tie: a tower of the same height and another colour ends that."""
    game = Game.new(2, edition="999-games", seed=bytes(32))
    every_size = ((1, 1, 1, 1),) * 4
    public = game.public._replace(
        board=parse_board("A1:o4"), tableaus=every_size, mover=0, phase=Phase.BUILD
    )
    build = parse_move(move)
    assert isinstance(build, Build)
    assert reference(public, build) == (None, expected)
    assert all_changes(ProjectedScores(public), (1, 2, 3, 4))[build] == (None, expected)
