"""Random games in masses: whole games abreast, scored, on all cores."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.abreast import (
    catch_up,
    choose_blocks,
    start,
    take_turn,
)
from manhattan.kernel.bits import U64, popcount
from manhattan.kernel.jit import compiled, inlined, never_inlined
from manhattan.kernel.lanes import WIDTH, alike, counted, either, load, store
from manhattan.kernel.layout import ALL_SITES, FINAL_TIES, NOBODY, POSITION, RING, TALLEST_TIES
from manhattan.kernel.playouts import Results, check_amounts, share_out
from manhattan.kernel.rows import ABREAST, GAMES
from manhattan.kernel.scoring import settle_tie
from manhattan.kernel.warm import announced
from manhattan.rules import Setup
from manhattan.rules.board import CLOCKWISE


@inlined
def height(floors: Any) -> Any:
    """All floors of a tower."""
    pairs = (U64(floors) & U64(0xFF00FF)) + ((U64(floors) >> U64(8)) & U64(0xFF00FF))
    return (pairs + (pairs >> U64(16))) & U64(255)


@inlined
def find_tallest(r: Any) -> None:
    """The greatest height in every game, and the sites of the towers that reach it."""
    for game in range(GAMES):
        r.height[game] = U64(0)
        r.tallest[game] = U64(0)
    for site in range(54):
        for game in range(GAMES):
            r.height[game] = max(r.height[game], height(r.floors[site, game]))
    for site in range(54):
        for game in range(GAMES):
            here = U64(height(r.floors[site, game]) == r.height[game])
            r.tallest[game] |= here << U64(site)


def _score_round(r: Any, players: tuple[int, ...], colours: tuple[int, ...], first: int) -> None:
    """Score a round in every game."""
    each = len(colours)
    count = len(players) * each
    for turn in range(len(players)):
        for own in range(each):
            colour = (first + turn) % len(players) * each + own
            for at in range(0, GAMES, WIDTH):
                catch_up(r, players, colours, colour, turn, len(players) - turn, at)
    r.new_site[:] = U64(0)
    find_tallest(r)
    for at in range(0, GAMES, WIDTH):
        tallest, nothing = load(r.tallest, at), alike(U64(0))
        if r.tallest_tie == NOBODY:  # several are nobody's: as if they stood outside the cities
            several = (tallest & (tallest - U64(1))) != nothing
            tallest = either(several, alike(U64(1 << 63)), tallest)
        for colour in range(count):
            owner = load(r.owner, GAMES * colour + at)
            points = load(r.scores, GAMES * colour + at) + counted(owner)
            points += either((tallest & ~owner) == nothing, alike(U64(3)), nothing)
            store(r.scores, GAMES * colour + at, points)
        for city in range(6):
            score_city(r, count, city, at)


score_round = never_inlined(_score_round)


@inlined
def score_city(r: Any, count: int, city: int, at: int) -> None:
    """Two points for the colour with strictly most towers in a city."""
    best, leader = alike(U64(0)), alike(U64(count))
    for colour in range(count):
        towers = counted(load(r.owner, GAMES * colour + at) & U64(511 << (9 * city)))
        leader = either(towers == best, alike(U64(count)), leader)
        more = towers > best
        leader = either(more, alike(U64(colour)), leader)
        best = either(more, towers, best)
    for colour in range(count):
        points = either(leader == U64(colour), alike(U64(2)), alike(U64(0)))
        row = GAMES * colour + at
        store(r.scores, row, load(r.scores, row) + points)


def _find_winners(r: Any, players: tuple[int, ...], colours: tuple[int, ...], game: int) -> int:
    """Who has won one of the games, a bit each."""
    each, n = len(colours), len(players)
    points, tallest = np.zeros(4, np.int64), np.zeros(4, np.int64)
    majorities = np.zeros(4, np.int64)
    for colour in range(n * each):
        points[colour // each] += np.int64(r.scores[colour, game])
        for site in range(54):
            if (r.owner[colour, game] >> U64(site)) & U64(1) != U64(0):
                floors = np.int64(height(r.floors[site, game]))
                tallest[colour // each] = max(tallest[colour // each], floors)
    for city in range(6):
        best, who = U64(0), -1
        for colour in range(n * each):
            towers = popcount((r.owner[colour, game] >> U64(9 * city)) & U64(511))
            if towers == best:
                who = -1
            if towers > best:
                best, who = towers, colour
        if who >= 0:
            majorities[who // each] += 1
    top = np.int64(r.height[game])
    return settle_tie(points, tallest, majorities, r.final_tie, top, n)[0]


find_winners = never_inlined(_find_winners)


@inlined
def winner_by_points(r: Any, players: tuple[int, ...], colours: tuple[int, ...], game: int) -> int:
    """Who has most points in one of the games, as a bit; 0 if several have."""
    each = len(colours)
    best, who = U64(0), 0
    for player in range(len(players)):
        points = U64(0)
        for own in range(each):
            points += r.scores[player * each + own, game]
        if points == best:
            who = 0
        if points > best:
            best, who = points, 1 << player
    return who


@inlined
def play_abreast(
    r: Any,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    first: int,
    seed: Any,
    number: int,
    notes: Any,
) -> None:
    """So many games as go abreast, from the deal to the last scoring."""
    ply = 0
    each, n = len(colours), len(players)
    start(r, players, first, seed, number)
    for round_number in range(r.rounds):
        opener = (first + round_number) % n
        for turn in range(n):
            for own in range(each):
                choose_blocks(r, (opener + turn) % n * each + own)
        for _ in range(r.blocks * each):
            for turn in range(n):
                player = opener + turn
                player = player if player < n else player - n
                take_turn(r, players, colours, player, turn, notes[ply])
                if len(notes) > 1:
                    ply += 1
        score_round(r, players, colours, opener)


@compiled
def _play(
    room: Any,
    players: Any,
    colours: Any,
    first: int,
    seed: Any,
    begin: int,
    end: int,
    scores: Any,
    won: Any,
    notes: Any,
) -> None:
    """Games number begin to end. A game follows from the seed and its number alone: those that
    are played beside it, and those past the end, make no difference."""
    r = room[0]
    each = len(colours)
    for number in range(begin, end, GAMES):
        play_abreast(r, players, colours, first, seed, number, notes)
        for game in range(min(GAMES, end - number)):
            for player in range(len(players)):
                points = U64(0)
                for own in range(each):
                    points += r.scores[player * each + own, game]
                scores[number + game, player] = np.int32(points)
            who = winner_by_points(r, players, colours, game)
            won[number + game] = who if who != 0 else find_winners(r, players, colours, game)


NO_NOTES = np.empty((1, 0, GAMES), np.uint64)


def rows_of(setup: Setup) -> Any:
    """Room for games abreast at such a table."""
    room = np.zeros(1, ABREAST).view(np.recarray)
    r = room[0]
    r.first_allowed[:] = ALL_SITES
    for player, who in enumerate(setup.players):
        names = POSITION[CLOCKWISE.index(who.seat)]
        r.turned[player] = RING.index(int(names[RING[0]])) // 2
    r.blocks, r.rounds = setup.schedule.blocks, setup.schedule.rounds
    r.tallest_tie = TALLEST_TIES.index(setup.rules.tallest_tie)
    r.final_tie = FINAL_TIES.index(setup.rules.final_tie)
    return room


def play_noted(setup: Setup, room: Any, games: int, seed: int, notes: Any) -> Results:
    """Random games in a room, one part after the other. The last games that went abreast leave
    their turns, ``[ply, what, game]``, in ``notes``, if there is room."""
    players = len(setup.players)
    result = Results(np.zeros((games, players), np.int32), np.zeros(games, np.uint8))
    _play_part(setup, room, seed, 0, games, result, notes)
    return result


def _play_part(
    setup: Setup, room: Any, seed: int, begin: int, end: int, result: Results, notes: Any
) -> None:
    _play(
        room,
        (0,) * len(setup.players),
        (0,) * setup.schedule.colours,
        setup.first,
        np.uint64(seed % 2**64),
        begin,
        end,
        result.scores,
        result.winners,
        notes,
    )


def random_games(setup: Setup, games: int, seed: int = 0, threads: int | None = None) -> Results:
    """Many random games at a table, from the deal to the end.

    The same seed gives the same games on any number of threads, though not those of ``playouts``.
    """
    count = check_amounts(games, threads)
    players = len(setup.players)
    result = Results(np.zeros((games, players), np.int32), np.zeros(games, np.uint8))

    def part(begin: int, end: int) -> None:
        _play_part(setup, rows_of(setup), seed, begin, end, result, NO_NOTES)

    with announced(setup, "games abreast"):
        share_out(part, games, count, GAMES)
    return result
