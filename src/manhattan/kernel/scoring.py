"""Scoring: the points of a round, and the winners of a game."""

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
    GameRecord,
)
from manhattan.rules.scoring import MAJORITY_POINTS, TALLEST_POINTS, TOWER_POINTS


@inlined
def greatest_height(g: GameRecord) -> Any:
    top = np.uint8(0)
    for site in range(54):
        top = max(top, g.heights[site])
    return top


@inlined
def tallest_scorer(g: GameRecord, colour_count: int, top: Any) -> int:
    """Return the colour that scores the tallest tower, given its height; -1 if none does."""
    sites = U64(0)
    for site in range(54):
        sites |= U64(g.heights[site] == top) << U64(site)
    if g.tallest_tie == NOBODY and sites & (sites - U64(1)) != U64(0):
        return -1
    for colour in range(colour_count):
        if sites & ~g.owner[colour] == U64(0):
            return colour
    return -1


@inlined
def leader(g: GameRecord, colour_count: int, city: int) -> int:
    """Return the colour with the majority in a city, or -1."""
    most, colour_of_most = U64(0), -1
    for colour in range(colour_count):
        towers = popcount((g.owner[colour] >> U64(9 * city)) & U64(511))
        if towers > most:
            most = towers
            colour_of_most = colour
        elif towers == most:
            colour_of_most = -1
    return colour_of_most


@never_inlined
def score_round(g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...]) -> None:
    """Score a round; make the next player the start player, or end the game."""
    per_player = len(colours)
    colour_count = len(players) * per_player
    scorer = tallest_scorer(g, colour_count, greatest_height(g))
    for colour in range(colour_count):
        points = np.int32(TOWER_POINTS) * np.int32(popcount(g.owner[colour]))
        g.scores[colour // per_player] += points + np.int32(
            TALLEST_POINTS if colour == scorer else 0
        )
    for city in range(6):
        colour = leader(g, colour_count, city)
        if colour >= 0:
            g.scores[colour // per_player] += np.int32(MAJORITY_POINTS)
    g.scored_at[g.round_number] = np.uint8(g.built)
    next_start = g.start + 1
    g.start = 0 if next_start == len(players) else next_start
    g.mover = g.start
    if g.round_number + 1 == g.rounds:
        g.phase = OVER
    else:
        g.round_number += 1
        g.phase = SELECT


@inlined
def _keep_best(values: Any, tied: int, player_count: int) -> int:
    """Return those of the tied players (one bit each) who have the highest value."""
    best = np.int64(-1)
    kept = 0
    for player in range(player_count):
        if tied >> player & 1:
            if values[player] > best:
                best = values[player]
                kept = 0
            if values[player] == best:
                kept |= 1 << player
    return kept


@inlined
def _is_single(tied: int) -> bool:
    return tied & (tied - 1) == 0


@inlined
def settle_tie(
    points: Any, own_heights: Any, majorities: Any, final_tie: int, top: Any, player_count: int
) -> tuple[int, int]:
    """Return the winners, one bit each, and what decided: 0 points, 1 tallest tower, 2 majorities,
    3 nothing (a shared win).

    Takes each player's points, height of the tallest own tower, and number of majorities; may
    overwrite the heights.
    """
    tied = _keep_best(points, (1 << player_count) - 1, player_count)
    if _is_single(tied):
        return tied, 0
    if final_tie == SHARED:
        return tied, 3
    if final_tie == BOARD_TALLEST:  # only the owner of the board's tallest tower has an advantage
        for player in range(player_count):
            own_heights[player] = 1 if own_heights[player] == top else 0
    tied = _keep_best(own_heights, tied, player_count)
    if _is_single(tied):
        return tied, 1
    tied = _keep_best(majorities, tied, player_count)
    return tied, 2 if _is_single(tied) else 3


@never_inlined
def winners(g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...]) -> tuple[int, int]:
    """Return the winners, one bit each, and what decided."""
    per_player, player_count = len(colours), len(players)
    points, own_heights = np.zeros(4, np.int64), np.zeros(4, np.int64)
    majorities = np.zeros(4, np.int64)
    for player in range(player_count):
        points[player] = g.scores[player]
    for player in range(player_count):
        own_sites = U64(0)
        for own in range(per_player):
            own_sites |= g.owner[player * per_player + own]
        for site in range(54):
            if (own_sites >> U64(site)) & U64(1) != U64(0):
                own_heights[player] = max(own_heights[player], np.int64(g.heights[site]))
    for city in range(6):
        colour = leader(g, player_count * per_player, city)
        if colour >= 0:
            majorities[colour // per_player] += 1
    top = np.int64(greatest_height(g))
    return settle_tie(points, own_heights, majorities, g.final_tie, top, player_count)


@compiled
def winners_of(games: Any, players: Any, colours: Any) -> tuple[int, int]:
    return winners(games[0], players, colours)
