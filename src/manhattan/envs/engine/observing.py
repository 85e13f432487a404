"""What one player sees of a record, and what may be done: written in one go.

Nothing here looks at another hand or at the pile: what can't be seen is reckoned from the cards
that were played and the viewer's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel import bits
from manhattan.kernel.bits import HAS_PDEP, U64
from manhattan.kernel.jit import COMPILED, inlined
from manhattan.kernel.layout import BUILD, CHOICES, OVER, REMOVE, SELECT
from manhattan.kernel.turn import Game, can_take, fitting_selections, has_block

U32 = np.uint32
_BACK = 48  # played cards lie at the back of the array
_FIVES = U64(0x555555555)  # five of each kind, 4 bits each
_FOUR, _SIX = CHOICES[4], CHOICES[6]
# The position that card 1 names is a corner: it tells the side. South, west, north, east.
_QUARTER = np.array([0, 0, 1, 0, 0, 0, 3, 0, 2], np.int64)

_LOWEST_BITS = U64(0x0101010101010101)
_LOW_NIBBLES = U64(0x0F0F0F0F0F0F0F0F)
_BOTH = U64(0x100000001)
_FIRST, _SECOND = U64(0x1111111111111111), U64(0x2222222222222222)
_THIRD, _FOURTH = U64(0x4444444444444444), U64(0x8888888888888888)


@inlined
def spread_by_bits(pairs: Any, first: int, b0: Any, b1: Any, b2: Any, b3: Any) -> None:
    """For each of 54 sites four bytes, the site's bits of four sets; two sites in each word."""
    for k in range(27):
        s = U64(2 * k)
        here0, here1, here2, here3 = b0 >> s, b1 >> s, b2 >> s, b3 >> s
        low = (
            (here0 & U64(1))
            | ((here1 & U64(1)) << U64(8))
            | ((here2 & U64(1)) << U64(16))
            | ((here3 & U64(1)) << U64(24))
        )
        high = (
            ((here0 & U64(2)) << U64(31))
            | ((here1 & U64(2)) << U64(39))
            | ((here2 & U64(2)) << U64(47))
            | ((here3 & U64(2)) << U64(55))
        )
        pairs[first + k] = low | high


@inlined
def bytes_by_shifts(nibbles: Any) -> Any:
    """Eight numbers of 4 bits, as bytes."""
    wide = nibbles & U64(0xFFFFFFFF)
    wide = (wide | (wide << U64(16))) & U64(0x0000FFFF0000FFFF)
    wide = (wide | (wide << U64(8))) & U64(0x00FF00FF00FF00FF)
    return (wide | (wide << U64(4))) & _LOW_NIBBLES


if COMPILED and HAS_PDEP:
    deposit: Any = bits._deposit  # noqa: SLF001 - the kernel's own, and this is its other half

    @inlined
    def spread(pairs: Any, first: int, b0: Any, b1: Any, b2: Any, b3: Any) -> None:
        """For each of 54 sites four bytes, the site's bits of four sets; two sites in each word.
        The processor does two sites in one step."""
        for j in range(4):
            at = U64(16 * j)
            nibbles = (
                deposit(b0 >> at, _FIRST)
                | deposit(b1 >> at, _SECOND)
                | deposit(b2 >> at, _THIRD)
                | deposit(b3 >> at, _FOURTH)
            )
            for k in range(8 if j < 3 else 3):
                pairs[first + 8 * j + k] = deposit(nibbles >> U64(8 * k), _LOWEST_BITS)

    @inlined
    def as_bytes(nibbles: Any) -> Any:
        """Eight numbers of 4 bits, as bytes."""
        return deposit(nibbles, _LOW_NIBBLES)

else:
    spread = spread_by_bits
    as_bytes = bytes_by_shifts


@inlined
def owned_by(g: Game, viewer: int, k: int, each: int, count: int) -> Any:
    """The sites of the viewer's k-th colour, counted on over all colours."""
    if k >= count:
        return U64(0)
    colour = viewer * each + k
    return g.owner[colour - count if colour >= count else colour]


@inlined
def ahead(player: Any, viewer: Any, n: int) -> Any:
    """How many places a player sits after the viewer, clockwise."""
    return player - viewer if player >= viewer else player - viewer + n


@inlined
def see_towers(g: Game, o: Any, viewer: int, each: int, count: int) -> None:
    """Own colours first: the bytes of each site turn by as many places."""
    turn = 8 * each * viewer
    right, left = U64(turn), U64(8 * count - turn)
    kept = U64(2 ** (8 * count) - 1)
    up = ((kept >> left) << left) * _BOTH
    down = (kept >> right) * _BOTH
    floors = g.floors.view(np.uint64)
    for k in range(27):
        o.floors[k] = ((floors[k] >> right) & down) | ((floors[k] << left) & up)
    spread(
        o.owner,
        0,
        owned_by(g, viewer, 0, each, count),
        owned_by(g, viewer, 1, each, count),
        owned_by(g, viewer, 2, each, count),
        owned_by(g, viewer, 3, each, count),
    )
    for k in range(4):
        colour = viewer * each + k
        colour = colour - count if colour >= count else colour
        there = k < count
        o.supply[k] = g.supply[colour] if there else U32(0)
        o.tableau[k] = g.tableau[colour] if there else U32(0)
        o.taken_out[k] = g.taken_out[colour] if there else U32(0)


@inlined
def see_cards(g: Game, o: Any, viewer: int) -> None:
    """By where they point for the viewer, 4 bits each: his own, and those he can't see."""
    played = U64(0)
    for i in range(_BACK - g.played, _BACK):
        played += U64(1) << (U64(4) * U64(g.names[viewer, g.cards[i]]))
    own = g.copies[viewer]
    unseen = _FIVES - own - played
    o.hand = as_bytes(own)
    o.hand_9 = np.uint8(own >> U64(32))
    o.unseen = as_bytes(unseen)
    o.unseen_9 = np.uint8(unseen >> U64(32))


@inlined
def see(g: Game, o: Any, players: tuple[int, ...], colours: tuple[int, ...], viewer: int) -> None:
    """Write what a player sees into a row."""
    n, each = len(players), len(colours)
    see_towers(g, o, viewer, each, n * each)
    see_cards(g, o, viewer)
    side = _QUARTER[g.names[viewer, 0]]
    for k in range(n):
        player = viewer + k
        player = player - n if player >= n else player
        o.points[k] = np.uint8(min(g.scores[player], 255))
        o.side[k] = np.uint8((_QUARTER[g.names[player, 0]] - side) & 3)
    for k in range(n, 4):
        o.points[k] = np.uint8(0)
        o.side[k] = np.uint8(0)
    o.to_move = U32(0 if g.phase == OVER else 1 << (8 * ahead(g.mover, viewer, n)))
    o.start_player = U32(1 << (8 * ahead(g.start, viewer, n)))
    o.phase = U32(1 << (8 * g.phase))
    o.round = np.uint8(g.round_number + 1)
    o.rounds = np.uint8(g.rounds)
    o.turns_left = np.uint8(g.blocks_left)
    o.pile = np.uint8(g.pile)
    o.shuffles = np.uint8(g.shuffles)
    o.players = np.uint8(n)
    o.colours = np.uint8(each)
    o.blocks = np.uint8(g.blocks)
    o.tallest_tie = np.uint8(g.tallest_tie)
    o.final_tie = np.uint8(g.final_tie)


@inlined
def selections_of(g: Game) -> int:
    return _FOUR if g.blocks == 4 else _SIX


@inlined
def allow(g: Game, colours: tuple[int, ...], m: Any) -> None:
    """Set every action's byte to 1 if it is legal now, else to 0."""
    each = len(colours)
    building = g.phase == BUILD
    for own in range(each):
        spread(
            m.builds,
            27 * own,
            g.legal[4 * own] if building else U64(0),
            g.legal[4 * own + 1] if building else U64(0),
            g.legal[4 * own + 2] if building else U64(0),
            g.legal[4 * own + 3] if building else U64(0),
        )
    if g.phase != SELECT:
        m.others[:] = 0
        if g.phase == REMOVE:
            for j in range(4 * each):
                m.others[j] = has_block(g, g.mover * each + j // 4, j % 4 + 1)
        return
    for j in range(4 * each):
        m.others[j] = 0
    first = 4 * each
    count = selections_of(g)
    colour = g.mover * each
    if each == 1:
        low, high = fitting_selections(g, colour, 0), fitting_selections(g, colour, 1)
        for k in range(min(count, 64)):
            m.others[first + k] = (low >> U64(k)) & U64(1)
        for k in range(64, count):
            m.others[first + k] = (high >> U64(k - 64)) & U64(1)
        return
    second = fitting_selections(g, colour + 1, 0)
    for n in range(count):
        can = U64(can_take(g, colour, n))
        for k in range(count):
            m.others[first + n * count + k] = (second >> U64(k)) & can
