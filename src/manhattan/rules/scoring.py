"""Scoring a round, and who has won (RULES 5c, 7, 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from manhattan.rules.blocks import Colour
from manhattan.rules.board import CITIES, SITES, Site
from manhattan.rules.editions import TallestTie
from manhattan.rules.setup import Setup
from manhattan.rules.towers import Board

TALLEST_POINTS: Final = 3
MAJORITY_POINTS: Final = 2
TOWER_POINTS: Final = 1


@dataclass(frozen=True, slots=True)
class ColourScore:
    """What one colour scores in a round."""

    tallest: int
    """The points for the tallest tower: 3 or 0."""
    majorities: tuple[str, ...]
    """The cities in which it owns more towers than every other single colour."""
    towers: int
    """How many towers it owns."""

    @property
    def points(self) -> int:
        return self.tallest + MAJORITY_POINTS * len(self.majorities) + TOWER_POINTS * self.towers


@dataclass(frozen=True, slots=True)
class Sheet:
    """The score sheet of a round."""

    round: int
    tallest: tuple[Site, ...]
    """Where the tallest towers stand: one site, or several that share the height."""
    height: int
    """The height of the tallest towers; 0 on an empty board."""
    colours: tuple[ColourScore, ...]
    """In the order of the colours in play."""
    scores: tuple[int, ...]
    """Every player's total so far, this round included."""


DecidedBy = Literal["points", "tallest", "majorities", "shared"]


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    decided_by: DecidedBy
    """The first criterion that left one winner."""


def tallest_towers(board: Board) -> tuple[Site, ...]:
    """The sites of all towers that share the greatest height."""
    heights = [tower.height for tower in board]
    tallest = max(heights)
    return tuple(SITES[n] for n, height in enumerate(heights) if height == tallest > 0)


def tallest_scorer(board: Board, tallest: Sequence[Site], tie: TallestTie) -> Colour | None:
    """The colour that scores the tallest tower, if any does; they stand on the given sites."""
    owners = {board[site].owner for site in tallest}
    if len(tallest) == 1 or (tie == "one_owner" and len(owners) == 1):
        return owners.pop()
    return None


def majorities(board: Board) -> dict[str, Colour]:
    """The cities in which one colour owns strictly more towers than every other, and whose."""
    held: dict[str, Colour] = {}
    for index, city in enumerate(CITIES):
        owners = [tower.owner for tower in board[index * 9 : index * 9 + 9] if tower.owner]
        counts = sorted(((owners.count(colour), colour) for colour in set(owners)), reverse=True)
        if counts and (len(counts) == 1 or counts[0][0] > counts[1][0]):
            held[city] = counts[0][1]
    return held


def score_round(board: Board, setup: Setup, round: int, before: Sequence[int]) -> Sheet:
    """The score sheet of a round, given the totals before it."""
    tallest = tallest_towers(board)
    scorer = tallest_scorer(board, tallest, setup.rules.tallest_tie)
    held = majorities(board)
    owners = [tower.owner for tower in board]
    colours = tuple(
        ColourScore(
            tallest=TALLEST_POINTS if colour is scorer else 0,
            majorities=tuple(city for city, holder in held.items() if holder is colour),
            towers=owners.count(colour),
        )
        for colour in setup.colours
    )
    totals = list(before)
    for colour, score in zip(setup.colours, colours, strict=True):
        totals[setup.player_of(colour)] += score.points
    height = board[tallest[0]].height if tallest else 0
    return Sheet(round, tallest, height, colours, tuple(totals))


def decide(board: Board, setup: Setup, scores: Sequence[int]) -> Result:
    """Who has won at the end: most points, then what the rules say about ties.

    Each criterion keeps the best of those still tied; the next looks at those who are left.
    """
    criteria: list[tuple[DecidedBy, Callable[[int], int]]] = [("points", lambda p: scores[p])]
    if setup.rules.final_tie != "shared":
        own = [_own_tallest(board, setup, player) for player in range(len(scores))]
        if setup.rules.final_tie == "own_tallest":
            criteria.append(("tallest", lambda p: own[p]))
        else:  # who owns a tower of the board's greatest height; if nobody tied does, all stay
            summit = max(own)
            criteria.append(("tallest", lambda p: int(own[p] == summit)))
        holders = [setup.player_of(colour) for colour in majorities(board).values()]
        criteria.append(("majorities", holders.count))
    tied = list(range(len(scores)))
    for name, worth in criteria:
        best = max(worth(player) for player in tied)
        tied = [player for player in tied if worth(player) == best]
        if len(tied) == 1:
            return Result(tuple(scores), tuple(tied), name)
    return Result(tuple(scores), tuple(tied), "shared")


def _own_tallest(board: Board, setup: Setup, player: int) -> int:
    """The height of the tallest tower that a player owns, in any of his colours."""
    colours = setup.players[player].colours
    return max((tower.height for tower in board if tower.owner in colours), default=0)
