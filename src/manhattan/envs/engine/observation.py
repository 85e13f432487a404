"""Write a player's observation of a record.

Nothing here reads another hand or the pile: the hidden cards follow from the played cards and the
viewer's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import FIELDS
from manhattan.kernel.action_api import fill_mask
from manhattan.kernel.bits import U64
from manhattan.kernel.jit import inlined
from manhattan.kernel.layout import OVER, GameRecord

(
    _FLOORS,
    _OWNER,
    _SUPPLY,
    _TABLEAU,
    _TAKEN_OUT,
    _HAND,
    _UNSEEN,
    _POINTS,
    _TO_MOVE,
    _START_PLAYER,
    _SIDE,
    _PHASE,
    _ROUND,
    _ROUNDS,
    _TURNS_LEFT,
    _PILE,
    _SHUFFLES,
    _PLAYERS,
    _COLOURS,
    _BLOCKS,
    _TALLEST_TIE,
    _FINAL_TIE,
) = (field.offset for field in FIELDS)

U32 = np.uint32
_ALL_CARDS = U64(0x555555555)  # five of each kind, 4 bits each
# Card 1 names a corner of the board, a different one from each side: south, west, north, east.
_SIDE_OF_CORNER = np.array([0, 0, 1, 0, 0, 0, 3, 0, 2], np.int64)


@inlined
def relative_colour(viewer: int, k: int, per_player: int, count: int) -> int:
    """Return the viewer's k-th colour, counted on over all colours."""
    colour = viewer * per_player + k
    return colour - count if colour >= count else colour


@inlined
def places_after(player: Any, viewer: Any, n: int) -> Any:
    """Return how many places clockwise from the viewer a player is."""
    return player - viewer if player >= viewer else player - viewer + n


@inlined
def write_floors(g: GameRecord, viewer: int, per_player: int, count: int, words: Any) -> None:
    """Write the floors, own colours first: rotate the bytes of each site."""
    right = U32(8 * per_player * viewer)
    left = U32(8 * (count - per_player * viewer) & 31)
    all_colours = (1 << 8 * count) - 1
    wrapped = U32(all_colours & ~(all_colours >> right)) if viewer > 0 else U32(0)
    floors = g.floors
    for site in range(54):
        word = floors[site]
        words[_FLOORS // 4 + site] = (word >> right) | ((word << left) & wrapped)


@inlined
def write_owners(g: GameRecord, viewer: int, per_player: int, count: int, words: Any) -> None:
    """Write the owners, own colours first: four bytes per site."""
    first = owned_sites(g, viewer, 0, per_player, count)
    second = owned_sites(g, viewer, 1, per_player, count)
    third = owned_sites(g, viewer, 2, per_player, count)
    fourth = owned_sites(g, viewer, 3, per_player, count)
    for site in range(54):
        shift = U64(site)
        words[_OWNER // 4 + site] = (
            ((first >> shift) & U64(1))
            | (((second >> shift) & U64(1)) << U64(8))
            | (((third >> shift) & U64(1)) << U64(16))
            | (((fourth >> shift) & U64(1)) << U64(24))
        )


@inlined
def owned_sites(g: GameRecord, viewer: int, k: int, per_player: int, count: int) -> Any:
    return g.owner[relative_colour(viewer, k, per_player, count)] if k < count else U64(0)


@inlined
def write_stocks(g: GameRecord, viewer: int, per_player: int, count: int, words: Any) -> None:
    """Write the blocks, own colours first: a stock is four bytes, one per size."""
    for k in range(4):
        colour = relative_colour(viewer, k, per_player, count)
        words[_SUPPLY // 4 + k] = g.supply[colour] if k < count else U32(0)
        words[_TABLEAU // 4 + k] = g.tableau[colour] if k < count else U32(0)
        words[_TAKEN_OUT // 4 + k] = g.taken_out[colour] if k < count else U32(0)


@inlined
def write_cards(g: GameRecord, viewer: int, row: Any) -> None:
    """Write the viewer's and the hidden cards, by the positions that they name for the viewer."""
    played = U64(0)
    for i in range(g.played):
        card = g.cards[U64(len(g.cards) - 1) - U64(i)]  # unsigned: no test for negative indices
        played += U64(1) << (U64(4) * U64(g.card_to_position[viewer, card]))
    own = g.copies[viewer]
    unseen = _ALL_CARDS - own - played
    for position in range(9):
        row[_HAND + position] = (own >> U64(4 * position)) & U64(15)
        row[_UNSEEN + position] = (unseen >> U64(4 * position)) & U64(15)


@compiled
def write_observation(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    viewer: int,
    row: Any,
    words: Any,
) -> None:
    """Write the viewer's observation into a row of bytes. ``words`` is the same memory as 32-bit
    words: the compiler vectorizes loops over words better than over groups of four bytes."""
    n, per_player = len(players), len(colours)
    count = n * per_player
    write_floors(g, viewer, per_player, count, words)
    write_owners(g, viewer, per_player, count, words)
    write_stocks(g, viewer, per_player, count, words)
    write_cards(g, viewer, row)
    row[_POINTS:] = 0
    viewer_side = _SIDE_OF_CORNER[g.card_to_position[viewer, 0]]
    for k in range(n):
        player = viewer + k
        player = player - n if player >= n else player
        row[_POINTS + k] = min(g.scores[player], 255)
        row[_SIDE + k] = (_SIDE_OF_CORNER[g.card_to_position[player, 0]] - viewer_side) & 3
    row[_TO_MOVE + places_after(g.mover, viewer, n)] = g.phase != OVER
    row[_START_PLAYER + places_after(g.start, viewer, n)] = 1
    row[_PHASE + g.phase] = 1
    row[_ROUND] = g.round_number + 1
    row[_ROUNDS] = g.rounds
    row[_TURNS_LEFT] = g.blocks_left
    row[_PILE] = g.pile
    row[_SHUFFLES] = g.shuffles
    row[_PLAYERS] = n
    row[_COLOURS] = per_player
    row[_BLOCKS] = g.blocks
    row[_TALLEST_TIE] = g.tallest_tie
    row[_FINAL_TIE] = g.final_tie


@compiled
def observe(
    games: Any, players: tuple[int, ...], colours: tuple[int, ...], viewer: int, row: Any, mask: Any
) -> None:
    """Write the viewer's observation, and the mask of their legal actions: all 0 if it is another
    player's turn."""
    g = games[0]
    write_observation(g, players, colours, viewer, row, row.view(np.uint32))
    if g.mover == viewer and g.phase != OVER:
        fill_mask(g, colours, mask)
    else:
        mask[:] = 0
