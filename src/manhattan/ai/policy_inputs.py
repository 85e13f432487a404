"""The inputs of the policy network: what a player who is to build knows of a position."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from manhattan.ai.features import NO_BLOCK, count_blocks_at_least, required_size
from manhattan.ai.jit import compiled, inlined, never_inlined
from manhattan.ai.value_network import MAX_COLOURS, OWNER_CLASSES
from manhattan.kernel.bits import U64, trailing_zeros
from manhattan.kernel.layout import CARD_SLOTS, MAX_ROUNDS, GameRecord
from manhattan.kernel.transition import list_placements
from manhattan.rules.board import HAND_SIZE

# The first index of each group of a site's inputs; the owner classes come first.
_FLOORS = OWNER_CLASSES
_HEIGHT = _FLOORS + MAX_COLOURS
_BELOW_TALLEST = _HEIGHT + 1
_REQUIRED_SIZE = _BELOW_TALLEST + 1  # colour, size - 1: one-hot
_SUPPLY_BLOCKS = _REQUIRED_SIZE + MAX_COLOURS * NO_BLOCK
_TABLEAU_BLOCKS = _SUPPLY_BLOCKS + MAX_COLOURS
_NAMED = _TABLEAU_BLOCKS + MAX_COLOURS
_CARDS = _NAMED + 1
SITE_INPUTS = _CARDS + MAX_COLOURS

# Most inputs of a site are 0, so sites are encoded as sparse lists of (index, value).
_COMMON_INPUTS = 4
_INPUTS_PER_COLOUR = 5
_MAX_ACTIVE_INPUTS = _COMMON_INPUTS + _INPUTS_PER_COLOUR * MAX_COLOURS

EMPTY_SITE = 54
"""Nine rows after the 54 sites stand for the empty sites of each position in a city, which the same
cards name."""
SITE_ROWS = EMPTY_SITE + 9

_HOLDS_CARD = np.array(
    [
        [
            1 - comb(max(hidden - copies, 0), HAND_SIZE) / comb(max(hidden, HAND_SIZE), HAND_SIZE)
            for hidden in range(45 + 1)
        ]
        for copies in range(5 + 1)
    ],
    np.float32,
)
"""``[copies, hidden]``: how likely a hand holds one of the copies of a card that a player has not
seen, given the number of hidden cards."""

# Inputs about the table; the supplies come first.
_TABLEAUS = 4 * MAX_COLOURS
_SCORE_GAPS = _TABLEAUS + 4 * MAX_COLOURS
_TURN_ORDER = _SCORE_GAPS + 3
_TALLEST = _TURN_ORDER + 4
_HAND = _TALLEST + MAX_COLOURS
_ROUND = _HAND + 9
TABLE_INPUTS = _ROUND + MAX_ROUNDS

INPUT_FIELDS: list[Any] = [
    ("owners", np.int64, (54,)),  # site: owner class
    ("named", np.int64, (54,)),  # site: 1 if a card of the mover names it
    ("input_ids", np.int64, (SITE_ROWS, _MAX_ACTIVE_INPUTS)),
    ("input_values", np.float32, (SITE_ROWS, _MAX_ACTIVE_INPUTS)),
    ("unseen", np.int64, (9,)),  # card: copies that the player has not seen
    ("cards", np.float32, (4, 9)),  # colour, position: see encode_cards
    ("table", np.float32, (TABLE_INPUTS,)),
    ("supply_counts", np.int64, (MAX_COLOURS, 6)),
    ("tableau_counts", np.int64, (MAX_COLOURS, 6)),
]
"""The fields of the encoded inputs of one position."""


@inlined
def active_inputs(colour_count: int) -> int:
    """Return how many inputs of a site may differ from 0."""
    return _COMMON_INPUTS + _INPUTS_PER_COLOUR * colour_count


@inlined
def encode_site(
    floors: Any,
    owner: int,
    position: Any,
    named: Any,
    tallest: Any,
    first: int,
    colour_count: int,
    b: Any,
    row: Any,
) -> None:
    """Write the inputs of one site; colours are numbered from the mover's first one on."""
    input_ids, input_values = b.input_ids[row], b.input_values[row]
    strength: Any = 0
    if owner > 0:
        strength = np.int64((floors >> U64(8 * ((first + owner - 1) % colour_count))) & U64(255))
    height: Any = 0
    for k in range(colour_count):
        q = (first + k) % colour_count
        own = np.int64((floors >> U64(8 * q)) & U64(255))
        size = required_size(strength, floors, q)
        height += own
        i = _COMMON_INPUTS + _INPUTS_PER_COLOUR * k
        input_ids[i], input_values[i] = _FLOORS + k, np.float32(own) / np.float32(5)
        input_ids[i + 1] = _REQUIRED_SIZE + NO_BLOCK * k + size - 1
        input_values[i + 1] = np.float32(1)
        input_ids[i + 2] = _SUPPLY_BLOCKS + k
        input_values[i + 2] = np.float32(b.supply_counts[q, size]) / np.float32(6)
        input_ids[i + 3] = _TABLEAU_BLOCKS + k
        input_values[i + 3] = np.float32(b.tableau_counts[q, size]) / np.float32(3)
        input_ids[i + 4], input_values[i + 4] = _CARDS + k, b.cards[k, position]
    input_ids[0], input_values[0] = owner, np.float32(1)
    input_ids[1], input_values[1] = _HEIGHT, np.float32(height) / np.float32(8)
    input_ids[2], input_values[2] = _NAMED, np.float32(named)
    input_ids[3], input_values[3] = _BELOW_TALLEST, np.float32(tallest - height) / np.float32(8)


@inlined
def encode_stocks(
    stocks: Any, first: int, colour_count: int, unit: Any, table: Any, at: int
) -> None:
    """Write how many blocks of each size the colours have, in parts of ``unit``."""
    for k in range(colour_count):
        stock = stocks[(first + k) % colour_count]
        for t in range(4):
            blocks = np.int64((stock >> np.uint32(8 * t)) & np.uint32(255))
            table[at + 4 * k + t] = np.float32(blocks) / unit


@inlined
def encode_heights(g: GameRecord, first: int, colour_count: int, table: Any) -> Any:
    """Write the height of each colour's tallest tower; return the greatest."""
    tallest: Any = 0
    for k in range(colour_count):
        left = g.owner[(first + k) % colour_count]
        height: Any = 0
        while left != U64(0):
            height = max(height, np.int64(g.heights[trailing_zeros(left)]))
            left &= left - U64(1)
        tallest = max(tallest, height)
        table[_TALLEST + k] = np.float32(height) / np.float32(8)
    return tallest


@inlined
def encode_cards(g: GameRecord, player: int, per_player: int, colour_count: int, b: Any) -> None:
    """Write, for each colour and position in a city, the player's own copies of the card that names
    it, or how likely a rival holds one, as far as the player can know."""
    hidden: Any = 0
    for card in range(9):
        position = U64(g.card_to_position[player, card])
        b.unseen[card] = 5 - np.int64((g.copies[player] >> (U64(4) * position)) & U64(15))
        hidden += b.unseen[card]
    for i in range(g.played):
        b.unseen[g.cards[CARD_SLOTS - 1 - i]] -= 1
    hidden -= g.played
    for k in range(colour_count):
        q = (player * per_player + k) % colour_count // per_player
        for card in range(9):
            position = U64(g.card_to_position[q, card])
            copies = np.float32((g.copies[q] >> (U64(4) * position)) & U64(15))
            if q == player:
                b.cards[k, np.int64(position)] = copies / np.float32(2)
            else:
                b.cards[k, np.int64(position)] = _HOLDS_CARD[b.unseen[card], hidden]


@never_inlined
def encode_for_policy(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], player: int, b: Any
) -> None:
    """Write the inputs of a position in which a player is to build."""
    n, per_player = len(players), len(colours)
    colour_count, first = n * per_player, player * per_player
    count_blocks_at_least(g.supply, colour_count, b.supply_counts)
    count_blocks_at_least(g.tableau, colour_count, b.tableau_counts)
    for i in range(TABLE_INPUTS):
        b.table[i] = np.float32(0)
    tallest = encode_heights(g, first, colour_count, b.table)
    encode_cards(g, player, per_player, colour_count, b)
    for site in range(54):
        b.owners[site] = 0
        b.named[site] = np.int64((g.hand_mask[player] >> U64(site % 9)) & U64(1))
    for k in range(colour_count):
        left = g.owner[(first + k) % colour_count]
        while left != U64(0):
            tower = np.int64(trailing_zeros(left))
            left &= left - U64(1)
            b.owners[tower] = k + 1
            floors = U64(g.floors[tower])
            encode_site(
                floors, k + 1, tower % 9, b.named[tower], tallest, first, colour_count, b, tower
            )
    for position in range(9):
        row, named = EMPTY_SITE + position, b.named[position]
        encode_site(U64(0), 0, position, named, tallest, first, colour_count, b, row)
    encode_stocks(g.supply, first, colour_count, np.float32(6), b.table, 0)
    encode_stocks(g.tableau, first, colour_count, np.float32(3), b.table, _TABLEAUS)
    for k in range(1, n):
        gap = g.scores[(player + k) % n] - g.scores[player]
        b.table[_SCORE_GAPS + k - 1] = np.float32(gap) / np.float32(10)
    b.table[_TURN_ORDER + (player - g.start + n) % n] = np.float32(1)
    for position in range(9):
        copies = np.int64((g.copies[player] >> U64(4 * position)) & U64(15))
        b.table[_HAND + position] = np.float32(copies) / np.float32(2)
    b.table[_ROUND + g.round_number] = np.float32(1)


@compiled
def encode_many_for_policy(
    states: Any, players: Any, colours: Any, work: Any, buffers: Any, inputs: Any, legal: Any
) -> None:
    """Write the dense inputs (sites, table) of many positions, from their movers' viewpoints, and
    which placements are legal, for training."""
    inputs_per_site = active_inputs(len(players) * len(colours))
    sites, table = inputs
    b = buffers[0]
    for i in range(len(states)):
        work[0] = states[i]
        g = work[0]
        list_placements(g, colours, g.mover)
        encode_for_policy(g, players, colours, g.mover, b)
        for site in range(54):
            row = site if b.owners[site] > 0 else EMPTY_SITE + site % 9
            sites[i, site] = np.float32(0)
            for n in range(inputs_per_site):
                sites[i, site, b.input_ids[row, n]] = b.input_values[row, n]
            for block in range(4 * len(colours)):
                legal[i, site, block] = (g.legal[block] >> U64(site)) & U64(1) != U64(0)
        table[i] = b.table
