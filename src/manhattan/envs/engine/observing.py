"""What one player sees of a record, and what may be done: written in one go.

Nothing here looks at another hand or at the pile: what can't be seen is reckoned from the cards
that were played and the viewer's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import CARD_KINDS, FIELDS
from manhattan.envs.engine.memory import Address, beyond, bytes_at, game_at, seen_at
from manhattan.envs.engine.wide import spread, stamp, tally, turn
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.bits import U64
from manhattan.kernel.jit import inlined
from manhattan.kernel.layout import BUILD, GAME, OVER, REMOVE, SELECT
from manhattan.kernel.step import selections_of
from manhattan.kernel.turn import Game, fitting_selections, has_block

U32 = np.uint32
_FIVES = U64(0x555555555)  # five of each kind, 4 bits each
# The position that card 1 names is a corner: it tells the side. South, west, north, east.
_QUARTER = np.array([0, 0, 1, 0, 0, 0, 3, 0, 2], np.int64)
_GAME_FIELDS: Any = GAME.fields
_FLOORS, _CARDS, _CARD_FOR = (_GAME_FIELDS[name][1] for name in ("floors", "cards", "card_for"))
(_OWNER,) = (field.offset for field in FIELDS if field.name == "owner")


@inlined
def as_bytes(nibbles: Any) -> Any:
    """Eight numbers of 4 bits, as bytes."""
    wide = nibbles & U64(0xFFFFFFFF)
    wide = (wide | (wide << U64(16))) & U64(0x0000FFFF0000FFFF)
    wide = (wide | (wide << U64(8))) & U64(0x00FF00FF00FF00FF)
    return (wide | (wide << U64(4))) & U64(0x0F0F0F0F0F0F0F0F)


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
def see_towers(
    where: Address, row: Address, g: Game, o: Any, viewer: int, each: int, count: int
) -> None:
    """Own colours first: the bytes of each site turn by as many places."""
    right = 8 * each * viewer
    left = 8 * count - right
    all_of_them = (1 << 8 * count) - 1
    up, down = all_of_them >> left << left, all_of_them >> right
    # Nobody's turn is one by 32 bits, which a word can't do: it is one by none, and up is 0.
    turn(beyond(where, _FLOORS), row, U32(right), U32(left & 31), U32(up), U32(down))
    spread(
        beyond(row, _OWNER),
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
def see_cards(where: Address, g: Game, o: Any, viewer: int) -> None:
    """By where they point for the viewer, 4 bits each: his own, and those he can't see."""
    played = tally(beyond(where, _CARDS), g.played, beyond(where, _CARD_FOR + CARD_KINDS * viewer))
    own = g.copies[viewer]
    unseen = _FIVES - own - played
    o.hand = as_bytes(own)
    o.hand_9 = np.uint8(own >> U64(32))
    o.unseen = as_bytes(unseen)
    o.unseen_9 = np.uint8(unseen >> U64(32))


@compiled
def see(
    where: Address, players: tuple[int, ...], colours: tuple[int, ...], viewer: int, row: Address
) -> None:
    """Write what a player sees into a row."""
    g, o = game_at(where), seen_at(row)
    n, each = len(players), len(colours)
    see_towers(where, row, g, o, viewer, each, n * each)
    see_cards(where, g, o, viewer)
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


@compiled
def allow(where: Address, colours: tuple[int, ...], mask: Address, size: int) -> None:
    """Set every action's byte to 1 if it is legal now, else to 0; there are ``size``."""
    g = game_at(where)
    each = len(colours)
    building = g.phase == BUILD
    for own in range(each):
        spread(
            beyond(mask, BUILDS * own),
            g.legal[4 * own] if building else U64(0),
            g.legal[4 * own + 1] if building else U64(0),
            g.legal[4 * own + 2] if building else U64(0),
            g.legal[4 * own + 3] if building else U64(0),
        )
    others = bytes_at(beyond(mask, BUILDS * each), size - BUILDS * each)
    if g.phase != SELECT:
        others[:] = 0
        if g.phase == REMOVE:
            for j in range(4 * each):
                others[j] = has_block(g, g.mover * each + j // 4, j % 4 + 1)
        return
    for j in range(4 * each):
        others[j] = 0
    first = 4 * each
    count = selections_of(g)
    colour = g.mover * each
    if each == 1:
        low, high = fitting_selections(g, colour, 0), fitting_selections(g, colour, 1)
        for k in range(min(count, 64)):
            others[first + k] = (low >> U64(k)) & U64(1)
        for k in range(64, count):
            others[first + k] = (high >> U64(k - 64)) & U64(1)
        return
    fits, second = fitting_selections(g, colour, 0), fitting_selections(g, colour + 1, 0)
    selections = beyond(mask, BUILDS * each + first)
    for n in range(count):
        stamp(beyond(selections, count * n), second, (fits >> U64(n)) & U64(1))
