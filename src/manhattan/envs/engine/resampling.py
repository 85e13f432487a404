"""Another game that a player could not tell from this one.

What a player knows is more than which cards he can't see. When the pile runs out, those he can't
see are all in other hands; and whoever plays a card held it. So the cards that others drew are
drawn anew along the whole game: when somebody plays a card, which of those he held it was is
chosen by how likely each is to be one of its kind.

What is chosen so does not look ahead: of cards from two piles, those of the one may fit better to
what is played later. So many guesses are made abreast; each keeps the odds of what it was to
explain, and now and then likely ones take the places of unlikely ones (a particle filter). The
more there are, the nearer a game comes to being exactly as likely as it should be, if whoever
builds puts down any of his cards, all alike; the tests compare it with reckoning. What comes out
is played again and compared, so it never is a game that could be told apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.envs.engine.chance import apply, lay_out
from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import (
    A_HAND,
    CARD_KINDS,
    DECIDED,
    DREW,
    SHOWED,
    SHUFFLE,
    SHUFFLED,
)
from manhattan.envs.engine.memory import Address, drawing_at, game_at, numbers_at
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.bits import U64, below, mixed, stepped, stream
from manhattan.kernel.jit import COMPILED, inlined, never_inlined

MOST_PILES = 24
MOST_HELD = 8
"""By one player; four are, and more while others are drawn."""
GUESSES = 32 if COMPILED else 4
"""With 16 no difference to what is exact was found in 3,000 games each, either."""


@inlined
def is_decision(event: Any) -> Any:
    return event < DREW


@inlined
def is_draw(event: Any) -> Any:
    return DREW <= event < SHUFFLED


@inlined
def is_shown(event: Any) -> Any:
    return event >= SHOWED


@inlined
def whose(event: Any) -> Any:
    """Who decided, drew or showed his hand."""
    if is_decision(event):
        return event // DECIDED
    return event // 16 % 4 if is_draw(event) else (event - SHOWED) // A_HAND


@inlined
def is_build(event: Any, each: int) -> Any:
    return is_decision(event) and event % DECIDED < BUILDS * each


@inlined
def card_of(g: Any, event: Any) -> Any:
    """The kind of the card that somebody built with."""
    return np.int64(g.card_for[whose(event), event % DECIDED % BUILDS // 4 % 9])


@inlined
def digit(shown: Any, place: int) -> Any:
    """One of the four kinds of a hand that was shown."""
    return shown % A_HAND // CARD_KINDS**place % CARD_KINDS


def _unknown(g: Any, t: Any, each: int, viewer: int) -> Any:
    """``[pile, kind]``: the cards of each pile that the viewer did not draw himself."""
    piles: Any = np.zeros((MOST_PILES + 1, CARD_KINDS), np.int64)
    piles[0, :] = 5
    pile = 0
    for i in range(t.events):
        event: Any = np.int64(t.told[i])
        if event == SHUFFLED:
            pile += 1
        elif is_draw(event):
            if whose(event) == viewer:
                piles[pile, event % 16] -= 1
        elif is_shown(event):
            for place in range(4):
                piles[pile + 1, digit(event, place)] += 1
        elif is_build(event, each):
            piles[pile + 1, card_of(g, event)] += 1
    return piles


unknown = never_inlined(_unknown)


@inlined
def step_random(random: Any) -> Any:
    random[0] = stepped(random[0])
    return mixed(random[0])


@inlined
def step_chance(random: Any) -> Any:
    """From 0 to 1."""
    return np.float64(step_random(random) >> U64(11)) / 2.0**53


def _reveal(
    kind: int,
    first: int,
    after: int,
    held: Any,
    pile_of: Any,
    piles: Any,
    rest: Any,
    drawn: Any,
    random: Any,
) -> float:
    """Somebody put down a card of this kind: settle which of those he held, from the first to the
    one after the last, it was, and tell how likely it was to come to that, times how many he
    held."""
    total = 0.0
    for j in range(first, after):
        pile = pile_of[held[j]]
        total += piles[CARD_KINDS * pile + kind] / rest[pile]
    at = total * step_chance(random)
    chosen = -1
    for j in range(first, after):
        pile = pile_of[held[j]]
        left = piles[CARD_KINDS * pile + kind]
        if left > 0 and (chosen < 0 or at >= 0.0):
            chosen = j
        at -= left / rest[pile]
    if chosen >= 0:
        draw = held[chosen]
        pile = pile_of[draw]
        drawn[draw] = kind
        piles[CARD_KINDS * pile + kind] -= 1
        rest[pile] -= 1
        held[chosen] = held[after - 1]
    return total


reveal = never_inlined(_reveal)


@inlined
def last_possible(odds: Any) -> int:
    last = 0
    for k in range(len(odds)):
        if odds[k] > 0.0:
            last = k
    return last


@inlined
def sum_of(odds: Any) -> float:
    total = 0.0
    for k in range(len(odds)):
        total += odds[k]
    return total


@inlined
def copy_row(rows: Any, to: int, of: int) -> None:
    for j in range(rows.shape[1]):
        rows[to, j] = rows[of, j]


def _cull(odds: Any, held: Any, piles: Any, rest: Any, drawn: Any, random: Any) -> None:
    """Likely guesses take the places of unlikely ones, each as often as it is likely: then all
    are alike."""
    n = len(odds)
    each, luck = sum_of(odds) / n, step_chance(random)
    heirs = np.zeros(n, np.int64)
    last = last_possible(odds)
    k, passed = 0, 0.0
    for i in range(n):
        while k < last and passed + odds[k] <= each * (i + luck):
            passed += odds[k]
            k += 1
        heirs[k] += 1
    free = 0
    for k in range(n):
        for _ in range(heirs[k] - 1):
            while heirs[free] > 0:
                free += 1
            heirs[free] = 1
            copy_row(held, free, k)
            copy_row(piles, free, k)
            copy_row(rest, free, k)
            copy_row(drawn, free, k)
    for k in range(n):
        odds[k] = 1.0


cull = never_inlined(_cull)


@inlined
def are_uneven(odds: Any) -> bool:
    """Do so few guesses have most of the odds that it is time to cull?"""
    total, squares = 0.0, 0.0
    for k in range(len(odds)):
        total += odds[k]
        squares += odds[k] * odds[k]
    return 0.0 < 2.0 * total * total < len(odds) * squares


def _fill(
    held: Any, count: Any, pile_of: Any, piles: Any, rest: Any, drawn: Any, random: Any
) -> None:
    """What is still held may be anything that is left."""
    for player in range(4):
        for j in range(MOST_HELD * player, MOST_HELD * player + count[player]):
            pile = pile_of[held[j]]
            k = np.int64(below(step_random(random), U64(rest[pile])))
            kind = 0
            while k >= piles[CARD_KINDS * pile + kind]:
                k -= piles[CARD_KINDS * pile + kind]
                kind += 1
            piles[CARD_KINDS * pile + kind] -= 1
            rest[pile] -= 1
            drawn[held[j]] = kind


fill = never_inlined(_fill)


def _guess(g: Any, t: Any, each: int, viewer: int, unknown: Any, random: Any, out: Any) -> bool:
    """Draw anew what others drew, so that they could play what they did; false if it went wrong."""
    # A row for each guess. (Loops over rows, not expressions of whole arrays: these would take
    # ten seconds more to compile.)
    odds = np.zeros(GUESSES)
    held = np.zeros((GUESSES, 4 * MOST_HELD), np.int16)
    piles = np.zeros((GUESSES, unknown.size), np.int8)
    rest = np.zeros((GUESSES, len(unknown)), np.int16)
    drawn = np.zeros((GUESSES, t.events), np.int8)
    odds[0] = 1.0
    for pile in range(len(unknown)):
        for kind in range(CARD_KINDS):
            piles[0, CARD_KINDS * pile + kind] = unknown[pile, kind]
            rest[0, pile] += unknown[pile, kind]
    count = np.zeros(4, np.int64)
    pile_of = np.zeros(t.events, np.int8)
    last_pile, n = 0, 1
    for i in range(t.events):
        event: Any = np.int64(t.told[i])
        player = whose(event)
        if event == SHUFFLED:
            last_pile += 1
            if n == 1:  # as long as there is one pile, one guess is as good as another
                n = GUESSES
                cull(odds, held, piles, rest, drawn, random)
        elif is_draw(event):
            if player == viewer:
                for k in range(GUESSES):
                    drawn[k, i] = event % 16
            else:
                pile_of[i] = last_pile
                for k in range(GUESSES):
                    held[k, MOST_HELD * player + count[player]] = i
                count[player] += 1
        elif player != viewer and (is_shown(event) or is_build(event, each)):
            first = MOST_HELD * player
            for place in range(4 if is_shown(event) else 1):
                kind = digit(event, place) if is_shown(event) else card_of(g, event)
                after = first + count[player]
                for k in range(n):
                    odds[k] *= reveal(
                        kind, first, after, held[k], pile_of, piles[k], rest[k], drawn[k], random
                    )
                count[player] -= 1
            if n > 1 and are_uneven(odds):
                cull(odds, held, piles, rest, drawn, random)
    total = sum_of(odds)
    if total == 0.0:
        return False
    at, chosen, last = total * step_chance(random), 0, last_possible(odds)
    while chosen < last and at >= odds[chosen]:
        at -= odds[chosen]
        chosen += 1
    fill(held[chosen], count, pile_of, piles[chosen], rest[chosen], drawn[chosen], random)
    for i in range(t.events):
        out[i] = drawn[chosen, i]
    return True


guess = never_inlined(_guess)


@inlined
def same_to(viewer: int, t: Any, other: Any) -> bool:
    """Does a player know the same of both?"""
    if t.events != other.events or t.to_draw != other.to_draw:
        return False
    for i in range(t.events):
        event: Any = np.int64(t.told[i])
        hidden = is_draw(event) and whose(event) != viewer
        if not hidden and t.told[i] != other.told[i]:
            return False
    return True


@inlined
def replay(
    t: Any,
    other_game: Any,
    other: Any,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    drawn: Any,
    out: Any,
) -> int:
    """Play a game with other cards; how many actions that took, or -1 if it can't be played."""
    lay_out(
        other_game, other, players, whose(np.int64(t.told[0]))
    )  # who gets the first card begins
    count = 0
    for i in range(t.events):
        event: Any = np.int64(t.told[i])
        if is_shown(event):
            continue  # that happens by itself
        if event == SHUFFLED:
            event = SHUFFLE
        elif is_draw(event):
            event = drawn[i]
        else:
            event %= DECIDED
        if not apply(other_game, other, players, colours, event):
            return -1
        out[count] = event
        count += 1
    return count


@compiled
def resample_at(
    where: Address,
    room: Address,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    viewer: int,
    seed: Any,
    actions: Address,
    most: int,
    tries: int,
) -> int:
    """Write the actions, chance's too, that lead to another game which the viewer can't tell from
    this one; how many, or -1 if so many tries did not find one. ``room`` is a copy of the table,
    and becomes that game."""
    g, t = game_at(where), drawing_at(where)
    other_game, other = game_at(room), drawing_at(room)
    out = numbers_at(actions, most)
    if t.events == 0:
        return 0
    piles = unknown(g, t, len(colours), viewer)
    drawn = np.zeros(len(t.told), np.int64)
    random = np.zeros(1, np.uint64)
    random[0] = stream(seed, U64(viewer))
    for _ in range(tries):
        if guess(g, t, len(colours), viewer, piles, random, drawn):
            count = replay(t, other_game, other, players, colours, drawn, out)
            if count >= 0 and g.phase == other_game.phase and same_to(viewer, t, other):
                return count
    return -1
