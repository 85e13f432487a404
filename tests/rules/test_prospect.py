"""What a placement would change is what scoring before and after it says."""

from __future__ import annotations

from random import Random

import pytest

from manhattan.game import Game
from manhattan.rules import (
    EDITIONS,
    Block,
    Build,
    Card,
    Colour,
    Phase,
    Table,
    parse_board,
    parse_move,
)
from manhattan.rules.legality import builds, colour_of, legal_moves
from manhattan.rules.prospect import Prospect, Standing
from manhattan.rules.scoring import score_round
from positions import position


def scored_with(table: Table, build: Build) -> tuple[int, ...]:
    """The slow way: put the block there and score the board."""
    board = list(table.board)
    board[build.site] = board[build.site].topped(Block(colour_of(table, build), build.size))
    return scored(table._replace(board=tuple(board)))


def scored(table: Table) -> tuple[int, ...]:
    nothing = (0,) * len(table.setup.players)
    return score_round(table.board, table.setup, table.round, nothing).scores


def told(standing: Standing, hand: tuple[Card, ...]) -> list[tuple[Build, Prospect]]:
    """What the mover may build with a hand, and what it would change."""
    return [
        (build, Prospect(prospects.takes_from, gains))
        for own, sizes, places in standing.outlook(hand)
        for site, least, prospects in places
        for build, gains in zip(builds(own.said, sizes)[least][site], prospects.gains, strict=True)
    ]


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_gains_are_those_of_scoring_after_each_placement_of_whole_games(
    players: int, edition: str
) -> None:
    rng = Random(f"{players} {edition}")
    game = Game.new(players, edition=edition, seed=rng.randbytes(32))
    looked_at = 0
    while not game.over:
        moves = game.legal_moves()
        now = scored(game.table)
        standing = Standing(game.table)
        assert standing.points == now
        outlook = told(standing, game.state.hand) if isinstance(moves[0], Build) else []
        assert [build for build, _ in outlook] == [
            move for move in moves if isinstance(move, Build)
        ]
        for build, prospect in outlook:
            then = scored_with(game.table, build)
            assert prospect == standing.prospect(build)
            assert prospect.gains == tuple(b - a for a, b in zip(now, then, strict=True))
            owner = game.table.board[build.site].owner
            assert prospect.takes_from == (None if owner is colour_of(game.table, build) else owner)
            looked_at += 1
        move = rng.choice(moves)
        game.play(move)
        later = standing.after(game.table, move.site if isinstance(move, Build) else None)
        assert later.points == scored(game.table)
        if game.table.phase is Phase.BUILD:
            hand = game.state.hand
            assert told(later, hand) == told(Standing(game.table), hand)
    assert looked_at > 500


@pytest.mark.parametrize(
    ("board", "move", "expected"),
    [
        # The first tower of all: a tower, a majority, the tallest.
        ("", "A1+1", Prospect(None, (6, 0, 0, 0))),
        # As tall as the tallest: nobody has it any more.
        ("B1:b4", "A1+4", Prospect(None, (3, -3, 0, 0))),
        # Taking the only tower of a city, and with it the tallest.
        ("A1:b2", "A1+2", Prospect(Colour.BLUE, (6, -6, 0, 0))),
        # One's own tower: nothing but its height.
        ("A1:o2 B1:b3", "A1+2", Prospect(None, (3, -3, 0, 0))),
    ],
)
def test_by_hand(board: str, move: str, expected: Prospect) -> None:
    state = position(board, tableaus={"orange": [1, 2, 3, 4]}, hands={0: [1, 2, 3, 4]})
    build = parse_move(move)
    assert isinstance(build, Build)
    assert build in legal_moves(state)
    assert Standing(state.table).prospect(build) == expected


def test_by_the_dutch_rules_several_tallest_towers_of_one_owner_score() -> None:
    """RULES 8, tallest_tie: one owner of all of them scores; an equal one of another ends it."""
    game = Game.new(2, edition="999-games", seed=bytes(32))
    table = game.table

    def gains(board: str, move: str) -> tuple[int, ...]:
        build = parse_move(move)
        assert isinstance(build, Build)
        placed = table._replace(board=parse_board(board), mover=0)
        return Standing(placed).prospect(build).gains

    assert gains("A1:o4", "B1+4o") == (3, 0)  # a tower and a majority; the tallest stays
    assert gains("A1:o4", "B1+4b") == (0, 0)  # two colours share the height: three points less
