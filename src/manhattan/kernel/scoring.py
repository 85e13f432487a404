"""Scoring in the kernel: points of a round, and who has won."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.bits import U64, popcount
from manhattan.kernel.jit import compiled, inlined, never_inlined
from manhattan.kernel.layout import (
    BOARD_TALLEST,
    NOBODY,
    OVER,
    SELECT,
    SHARED,
)
from manhattan.kernel.turn import Game


@inlined
def greatest_height(g: Game) -> Any:
    top = np.uint8(0)
    for site in range(54):
        top = max(top, g.heights[site])
    return top


@inlined
def tallest_scorer(g: Game, count: int, top: Any) -> int:
    """The colour that scores the tallest tower, given the greatest height; -1 if none does."""
    sites = U64(0)
    for site in range(54):
        sites |= U64(g.heights[site] == top) << U64(site)
    if g.tallest_tie == NOBODY and sites & (sites - U64(1)) != U64(0):
        return -1
    for colour in range(count):
        if sites & ~g.owner[colour] == U64(0):
            return colour
    return -1


@inlined
def leader(g: Game, count: int, city: int) -> int:
    """The colour with strictly most towers in a city, or -1."""
    best, who = U64(0), -1
    for colour in range(count):
        towers = popcount((g.owner[colour] >> U64(9 * city)) & U64(511))
        if towers > best:
            best = towers
            who = colour
        elif towers == best:
            who = -1
    return who


def _score_round(g: Game, players: tuple[int, ...], colours: tuple[int, ...]) -> None:
    """Score a round, pass the start player's role on, and end the game after the last round."""
    each = len(colours)
    count = len(players) * each
    scorer = tallest_scorer(g, count, greatest_height(g))
    for colour in range(count):
        points = np.int32(popcount(g.owner[colour]))
        g.scores[colour // each] += points + np.int32(3 if colour == scorer else 0)
    for city in range(6):
        who = leader(g, count, city)
        if who >= 0:
            g.scores[who // each] += np.int32(2)
    g.scored_at[g.round_number] = np.uint8(g.built)
    following = g.start + 1
    g.start = 0 if following == len(players) else following
    g.mover = g.start
    if g.round_number + 1 == g.rounds:
        g.phase = OVER
    else:
        g.round_number += 1
        g.phase = SELECT


score_round = never_inlined(_score_round)


@inlined
def _keep_best(worth: Any, tied: int, players: int) -> int:
    """Of the players still tied (a bit each), those that are worth most."""
    best = np.int64(-1)
    kept = 0
    for player in range(players):
        if tied >> player & 1:
            if worth[player] > best:
                best = worth[player]
                kept = 0
            if worth[player] == best:
                kept |= 1 << player
    return kept


@inlined
def _is_one(tied: int) -> bool:
    return tied & (tied - 1) == 0


@inlined
def settle_tie(
    points: Any, tallest: Any, majorities: Any, final_tie: int, top: Any, players: int
) -> tuple[int, int]:
    """Who has won, a bit each, and what decided it: 0 points, 1 tallest tower, 2 majorities,
    3 nothing. Per player: points, height of the tallest own tower, cities led."""
    tied = _keep_best(points, (1 << players) - 1, players)
    if _is_one(tied):
        return tied, 0
    if final_tie == SHARED:
        return tied, 3
    if final_tie == BOARD_TALLEST:  # only whoever has the tallest of the board has anything
        for player in range(players):
            tallest[player] = 1 if tallest[player] == top else 0
    tied = _keep_best(tallest, tied, players)
    if _is_one(tied):
        return tied, 1
    tied = _keep_best(majorities, tied, players)
    return tied, 2 if _is_one(tied) else 3


def _winners(g: Game, players: tuple[int, ...], colours: tuple[int, ...]) -> tuple[int, int]:
    """Who has won, a bit each, and what decided it."""
    each, n = len(colours), len(players)
    points, tallest = np.zeros(4, np.int64), np.zeros(4, np.int64)
    majorities = np.zeros(4, np.int64)
    for player in range(n):
        points[player] = g.scores[player]
    for player in range(n):
        mine = U64(0)
        for own in range(each):
            mine |= g.owner[player * each + own]
        for site in range(54):
            if (mine >> U64(site)) & U64(1) != U64(0):
                tallest[player] = max(tallest[player], np.int64(g.heights[site]))
    for city in range(6):
        who = leader(g, n * each, city)
        if who >= 0:
            majorities[who // each] += 1
    top = np.int64(greatest_height(g))
    return settle_tie(points, tallest, majorities, g.final_tie, top, n)


winners = never_inlined(_winners)


@compiled
def winners_once(games: Any, players: Any, colours: Any) -> tuple[int, int]:
    return winners(games[0], players, colours)
