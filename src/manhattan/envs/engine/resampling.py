"""Another game that a player could not tell from this one.

What a player knows is more than which cards he can't see. When the pile runs out, those he can't
see are all in other hands; and whoever plays a card held it. So the cards that others drew are
drawn anew along the whole game: when somebody plays a card, which of those he held it was is
chosen by how likely each is to be one of its kind. Where that leads nowhere, from the start; and
what comes out is played again and compared, so it never is a game that could be told apart.
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
from manhattan.kernel.jit import inlined, never_inlined

MOST_PILES = 24


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


def _reveal(
    kind: int, player: int, held: Any, count: Any, pile_of: Any, piles: Any, drawn: Any, random: Any
) -> bool:
    """Somebody put down a card of this kind: settle which of those he held it was."""
    weights = np.zeros(8, np.float64)
    total = 0.0
    for j in range(count[player]):
        pile = pile_of[held[player, j]]
        weights[j] = piles[pile, kind] / piles[pile].sum()
        total += weights[j]
    if total == 0.0:
        return False
    at = total * (np.float64(step_random(random) >> U64(11)) / 2.0**53)
    chosen = -1
    for j in range(count[player]):
        if weights[j] > 0.0 and (chosen < 0 or at >= 0.0):
            chosen = j
        at -= weights[j]
    draw = held[player, chosen]
    drawn[draw] = kind
    piles[pile_of[draw], kind] -= 1
    count[player] -= 1
    held[player, chosen] = held[player, count[player]]
    return True


reveal = never_inlined(_reveal)


def _guess(g: Any, t: Any, each: int, viewer: int, piles: Any, drawn: Any, random: Any) -> bool:
    """Draw anew what others drew, so that they could play what they did; false if it went wrong."""
    held = np.zeros((4, 8), np.int64)
    count = np.zeros(4, np.int64)
    pile_of = np.zeros(len(t.told), np.int64)
    pile = 0
    for i in range(t.events):
        event: Any = np.int64(t.told[i])
        if event == SHUFFLED:
            pile += 1
            continue
        player = whose(event)
        if is_draw(event):
            drawn[i] = event % 16
            if player != viewer:
                pile_of[i] = pile
                held[player, count[player]] = i
                count[player] += 1
        elif player != viewer:
            if is_shown(event):
                for place in range(4):
                    kind = digit(event, place)
                    if not reveal(kind, player, held, count, pile_of, piles, drawn, random):
                        return False
            elif is_build(event, each):
                kind = card_of(g, event)
                if not reveal(kind, player, held, count, pile_of, piles, drawn, random):
                    return False
    for player in range(4):
        for j in range(count[player]):
            rest = piles[pile_of[held[player, j]]]
            k = np.int64(below(step_random(random), U64(rest.sum())))
            kind = 0
            while k >= rest[kind]:
                k -= rest[kind]
                kind += 1
            rest[kind] -= 1
            drawn[held[player, j]] = kind
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
        if guess(g, t, len(colours), viewer, piles.copy(), drawn, random):
            count = replay(t, other_game, other, players, colours, drawn, out)
            if count >= 0 and g.phase == other_game.phase and same_to(viewer, t, other):
                return count
    return -1
