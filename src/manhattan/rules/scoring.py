"""Scoring of a round, and the winner of a game (RULES 5c, 7, 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import sub
from typing import Final, Literal

from manhattan.rules.blocks import Block, Colour
from manhattan.rules.board import CITIES, SITES, Site
from manhattan.rules.editions import TallestTie
from manhattan.rules.setup import Setup
from manhattan.rules.towers import Board, with_block

TALLEST_POINTS: Final = 3
MAJORITY_POINTS: Final = 2
TOWER_POINTS: Final = 1


@dataclass(frozen=True, slots=True)
class ColourScore:
    """The score of one colour in a round."""

    tallest_points: int
    """The points for the tallest tower: 3 or 0."""
    majorities: tuple[str, ...]
    """The cities in which it owns more towers than every other single colour."""
    towers: int
    """The number of towers that it owns."""

    @property
    def points(self) -> int:
        majority_points = MAJORITY_POINTS * len(self.majorities)
        return self.tallest_points + majority_points + TOWER_POINTS * self.towers


@dataclass(frozen=True, slots=True)
class Sheet:
    """The score sheet of a round."""

    round: int
    tallest_sites: tuple[Site, ...]
    """The sites of the tallest towers: one, or several of the same height."""
    height: int
    """The height of the tallest towers; 0 on an empty board."""
    colours: tuple[ColourScore, ...]
    """In the order of the colours in play."""
    scores: tuple[int, ...]
    """The total of each player so far, this round included."""


DecidedBy = Literal["points", "tallest", "majorities", "shared"]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a game."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    decided_by: DecidedBy
    """The first criterion that left one winner."""


def tallest_towers(board: Board) -> tuple[Site, ...]:
    """Find the sites of all towers of the greatest height."""
    heights = [tower.height for tower in board]
    tallest = max(heights)
    return tuple(SITES[n] for n, height in enumerate(heights) if height == tallest > 0)


def tallest_scorer(board: Board, tallest: Sequence[Site], tie: TallestTie) -> Colour | None:
    """Find the colour that scores the tallest tower, given the sites of the tallest; or None."""
    owners = {board[site].owner for site in tallest}
    if len(tallest) == 1 or (tie == "one_owner" and len(owners) == 1):
        return owners.pop()
    return None


def majorities(board: Board) -> dict[str, Colour]:
    """Find the cities in which one colour owns more towers than every other one, and the colour."""
    holders: dict[str, Colour] = {}
    for index, city in enumerate(CITIES):
        owners = [tower.owner for tower in board[index * 9 : index * 9 + 9] if tower.owner]
        counts = sorted(((owners.count(colour), colour) for colour in set(owners)), reverse=True)
        if counts and (len(counts) == 1 or counts[0][0] > counts[1][0]):
            holders[city] = counts[0][1]
    return holders


def score_round(board: Board, setup: Setup, round: int, before: Sequence[int]) -> Sheet:
    """Score a round, given the totals before it."""
    tallest = tallest_towers(board)
    scorer = tallest_scorer(board, tallest, setup.rules.tallest_tie)
    holders = majorities(board)
    owners = [tower.owner for tower in board]
    colours = tuple(
        ColourScore(
            tallest_points=TALLEST_POINTS if colour is scorer else 0,
            majorities=tuple(city for city, holder in holders.items() if holder is colour),
            towers=owners.count(colour),
        )
        for colour in setup.colours
    )
    totals = list(before)
    for colour, score in zip(setup.colours, colours, strict=True):
        totals[setup.player_of(colour)] += score.points
    height = board[tallest[0]].height if tallest else 0
    return Sheet(round, tallest, height, colours, tuple(totals))


def placement_gains(board: Board, setup: Setup, site: Site, block: Block) -> tuple[int, ...]:
    """How many more points each player would score if the round ended after a placement."""
    zeros = (0,) * len(setup.players)
    now = score_round(board, setup, 1, zeros).scores
    then = score_round(with_block(board, site, block), setup, 1, zeros).scores
    return tuple(map(sub, then, now))


def determine_result(board: Board, setup: Setup, scores: Sequence[int]) -> Result:
    """Determine the winners: most points, then the tie-breakers of the rules.

    Each criterion keeps the best of the players who are still tied.
    """
    criteria: list[tuple[DecidedBy, Callable[[int], int]]] = [("points", lambda p: scores[p])]
    if setup.rules.final_tie != "shared":
        heights = [_own_tallest(board, setup, player) for player in range(len(scores))]
        if setup.rules.final_tie == "own_tallest":
            criteria.append(("tallest", lambda p: heights[p]))
        else:  # owns a tower of the board's greatest height; if no tied player does, all stay
            greatest = max(heights)
            criteria.append(("tallest", lambda p: int(heights[p] == greatest)))
        holders = [setup.player_of(colour) for colour in majorities(board).values()]
        criteria.append(("majorities", holders.count))
    tied = list(range(len(scores)))
    for name, value in criteria:
        best = max(value(player) for player in tied)
        tied = [player for player in tied if value(player) == best]
        if len(tied) == 1:
            return Result(tuple(scores), tuple(tied), name)
    return Result(tuple(scores), tuple(tied), "shared")


def _own_tallest(board: Board, setup: Setup, player: int) -> int:
    """The height of the tallest tower that a player owns in any colour."""
    colours = setup.players[player].colours
    return max((tower.height for tower in board if tower.owner in colours), default=0)
