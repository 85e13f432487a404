"""What a turn does to a record: the rules once more, for speed (lockstep tests prove them equal).

``players`` and ``colours`` are tuples of which only the length counts (how many players, how many
colours each): so the compiler knows these numbers, unrolls its loops and plays a third faster.
``fate`` holds the order of the next pile, first card first, where a test or a record prescribes
it; empty, the cards fall by the record's own generator.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.bits import U64, below, lowest, mixed, popcount, stepped
from manhattan.kernel.jit import CHECKED, inlined, never_inlined
from manhattan.kernel.layout import (
    BUILD,
    EVERY_CITY,
    FITS_HIGH,
    FITS_LOW,
    ILLEGAL,
    REMOVE,
    SELECT,
    SELECTIONS,
)

Game = Any
"""A record of dtype GAME. Compiled code has its exact type; mypy knows no such thing."""

Fate = Any
NO_FATE = np.empty(0, np.uint8)

_BACK = 48  # played cards lie at the back of the array, the first one last


@inlined
def random_number(g: Game) -> Any:
    g.random = stepped(g.random)
    return mixed(g.random)


@inlined
def shuffle_played(g: Game, fate: Fate) -> None:
    """The played cards become the pile. Unless fate prescribes their order, they are not moved
    about: as long as a pile is not in order, every draw takes any card of it."""
    count = g.played
    if len(fate) > 0:
        for i in range(count):
            g.cards[i] = fate[count - 1 - i]
    else:  # from the back to the front, except those that lie in both already
        for i in range(min(count, _BACK - count)):
            g.cards[i] = g.cards[_BACK - 1 - i]
    g.pile = count
    g.played = 0
    g.in_order = 1 if len(fate) > 0 else 0
    g.shuffles += 1


@inlined
def draw(g: Game, player: int, random: Any, fate: Fate) -> None:
    """Draw a card; a pile that is empty at this moment is made anew first."""
    if g.pile == 0:
        shuffle_played(g, fate)
    last = g.pile - 1
    drawn = last if g.in_order != 0 else np.int64(below(random, U64(g.pile)))
    position = U64(g.names[player, g.cards[drawn]])
    g.cards[drawn] = g.cards[last]
    g.pile = last
    g.points_at[player] |= U64(1) << position
    g.copies[player] += U64(1) << (U64(4) * position)


@inlined
def put_down(g: Game, player: int, position: Any) -> None:
    """A card of the hand, told by where it points, goes to the played cards."""
    g.played += 1
    g.cards[_BACK - g.played] = g.card_for[player, position]
    copies = g.copies[player] - (U64(1) << (U64(4) * position))
    g.copies[player] = copies
    # Without a branch: whether it was the last such card is anybody's guess, the processor's too.
    last_one = U64((copies >> (U64(4) * position)) & U64(15) == U64(0))
    g.points_at[player] ^= last_one << position


@inlined
def count_placements(g: Game, colours: tuple[int, ...], player: int) -> Any:
    """Find the legal placements of a player's every colour and size, and tell how many."""
    each = len(colours)
    named = g.points_at[player] * EVERY_CITY
    count = U64(0)
    for j in range(4 * each):
        colour = player * each + j // 4
        there = (g.tableau[colour] >> np.uint32(8 * (j % 4))) & np.uint32(255)
        sites = g.allowed[colour, j % 4] & named if there != np.uint32(0) else U64(0)
        g.legal[j] = sites
        g.before[j] = count
        count += popcount(sites)
    return count


def _new_hand(g: Game, player: int, fate: Fate) -> None:
    """Show the hand, put it down, draw another."""
    # The rules show a hand in the order of its cards, not of the sites that they name.
    for kind in range(9):
        position = U64(g.names[player, kind])
        for _ in range((g.copies[player] >> (U64(4) * position)) & U64(15)):
            put_down(g, player, position)
    for _ in range(4):
        draw(g, player, random_number(g), fate)


new_hand = never_inlined(_new_hand)


@inlined
def begin_turn(g: Game, colours: tuple[int, ...], player: int, fate: Fate) -> Any:
    """A player's legal placements. If there are none he has a new hand, once; if there are none
    then either, a block must go."""
    count = count_placements(g, colours, player)
    if count == U64(0):
        new_hand(g, player, fate)
        count = count_placements(g, colours, player)
        if count == U64(0):
            g.phase = REMOVE
    return count


@inlined
def place(
    g: Game, players: tuple[int, ...], colours: tuple[int, ...], colour: int, size: int, bit: Any
) -> None:
    """Put a block on a site, and see anew who may build there: nothing else has changed."""
    site = lowest(bit)
    shift = U64(8 * colour)
    floors = U64(g.floors[site]) + (U64(size) << shift)
    g.floors[site] = np.uint32(floors)
    g.heights[site] += np.uint8(size)
    g.log[g.built] = np.uint16(site * U64(16) + U64(colour * 4 + size - 1))
    g.built += 1
    strength = np.int64((floors >> shift) & U64(255))
    others = ~bit
    for q in range(len(players) * len(colours)):
        g.owner[q] &= others
        needs = strength - np.int64((floors >> U64(8 * q)) & U64(255))
        for t in range(4):
            rest = g.allowed[q, t] & others
            g.allowed[q, t] = rest | (bit if needs <= t + 1 else U64(0))
    g.owner[colour] |= bit


@inlined
def has_block(g: Game, colour: int, size: int) -> Any:
    """Is there such a block on a colour's tableau?"""
    return (g.tableau[colour] >> np.uint32(8 * (size - 1))) & np.uint32(255) != np.uint32(0)


@inlined
def may_build(g: Game, player: int, colour: int, size: int, bit: Any) -> Any:
    """Is a placement legal? Asked only where every move is checked."""
    named = (g.points_at[player] * EVERY_CITY) & bit != U64(0)
    return named and has_block(g, colour, size) and g.allowed[colour, size - 1] & bit != U64(0)


@inlined
def build(
    g: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: int,
    own: int,
    size: int,
    bit: Any,
    random: Any,
    fate: Fate,
) -> None:
    """A whole building turn: the block, the card, the draw."""
    colour = player * len(colours) + own
    if CHECKED and not may_build(g, player, colour, size, bit):
        raise RuntimeError(ILLEGAL)
    g.tableau[colour] -= np.uint32(1) << np.uint32(8 * (size - 1))
    place(g, players, colours, colour, size, bit)
    put_down(g, player, lowest(bit) % U64(9))
    draw(g, player, random, fate)


@inlined
def remove(g: Game, colours: tuple[int, ...], player: int, own: int, size: int) -> None:
    """Take a block out of the game."""
    colour = player * len(colours) + own
    one = np.uint32(1) << np.uint32(8 * (size - 1))
    if CHECKED and not (g.phase == REMOVE and has_block(g, colour, size)):
        raise RuntimeError(ILLEGAL)
    g.tableau[colour] -= one
    g.taken_out[colour] += one
    g.phase = BUILD


@inlined
def left_of(player: int, players: tuple[int, ...]) -> int:
    """The next player, clockwise."""
    return 0 if player + 1 == len(players) else player + 1


@inlined
def fitting_selections(g: Game, colour: int, word: int) -> Any:
    """The choices of blocks that a colour's supply can give: 64 of them, a bit each."""
    have = U64(g.supply[colour])
    low = (have & U64(15)) | ((have >> U64(4)) & U64(0x70))
    high = ((have >> U64(16)) & U64(7)) | ((have >> U64(21)) & U64(0x18))
    return FITS_LOW[g.blocks, low, word] & FITS_HIGH[g.blocks, high, word]


@inlined
def can_take(g: Game, colour: int, choice: Any) -> Any:
    """Can a colour's supply give this choice of blocks?"""
    n: Any = np.int64(choice)
    return (fitting_selections(g, colour, n // 64) >> U64(n % 64)) & U64(1) != U64(0)


@inlined
def take_blocks(g: Game, colour: int, choice: Any) -> None:
    """Move chosen blocks from a colour's supply to its tableau."""
    if CHECKED and not (g.phase == SELECT and can_take(g, colour, choice)):
        raise RuntimeError(ILLEGAL)
    chosen = SELECTIONS[g.blocks, choice]
    g.supply[colour] -= chosen
    g.tableau[colour] = chosen


@inlined
def pass_selection(g: Game, players: tuple[int, ...], colours: tuple[int, ...]) -> None:
    """The next player chooses; after the last one the building begins."""
    g.mover = left_of(g.mover, players)
    if g.mover == g.start:
        g.phase = BUILD
        g.blocks_left = g.blocks * len(colours) * len(players)
    else:
        g.phase = SELECT
