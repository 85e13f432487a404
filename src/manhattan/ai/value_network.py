"""The value network: the probability of a win at the boundary between two rounds.

A small network with shared weights encodes every site from one player's viewpoint, sums the sites
of each city, encodes every city, sums the cities, and combines that with supplies, scores and turn
order. Each round that may come next has its own network. docs/explanation/bots.md describes
the inputs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from manhattan.ai.features import NO_BLOCK, count_blocks_at_least, required_size
from manhattan.ai.jit import compiled, inlined, never_inlined
from manhattan.ai.vector_ops import LANES, add, fma, load, relu, store
from manhattan.kernel.bits import U64, trailing_zeros
from manhattan.kernel.layout import GameRecord

MAX_COLOURS = 4
OWNER_CLASSES = MAX_COLOURS + 1
"""An owner is 0 for an empty site, then the colours: the player's own first, on clockwise."""

# The first index of each group of a site's inputs; the owner classes come first.
_FLOORS = OWNER_CLASSES
_HEIGHT = _FLOORS + MAX_COLOURS
_REQUIRED_SIZE = _HEIGHT + 1  # colour, size - 1: one-hot
_TAKEOVER_BLOCKS = _REQUIRED_SIZE + MAX_COLOURS * NO_BLOCK
_NAMED = _TAKEOVER_BLOCKS + MAX_COLOURS
SITE_INPUTS = _NAMED + 1

# Most inputs of a site are 0, so sites are encoded as sparse lists of (index, value).
_COMMON_INPUTS = 3
_INPUTS_PER_COLOUR = 3
_MAX_ACTIVE_INPUTS = _COMMON_INPUTS + _INPUTS_PER_COLOUR * MAX_COLOURS

_EMPTY_SITE = 54
"""All empty sites have the same inputs, except for whether a card names them: two extra rows after
the 54 sites hold them, not named and named."""

# Inputs about the table; the supplies come first.
_SCORE_GAPS = 4 * MAX_COLOURS
_TURN_ORDER = _SCORE_GAPS + 3
TABLE_INPUTS = _TURN_ORDER + 4

SITE_UNITS, CITY_UNITS, TABLE_UNITS = LANES, LANES, 2 * LANES
WIN, LEAD, POINTS = 0, 1, 2
OUTPUTS = 3
"""The outputs: the log-odds of a win; and, in tens of points, how much the lead over the mean of
the rivals will grow, and how many points the player will still score."""
POINTS_PER_UNIT = 10.0
"""The points of one unit of ``LEAD`` and ``POINTS``; training and rollouts must agree on it."""


class ValueNetwork(NamedTuple):
    """The parameters of the networks; the first axis is the round that comes next."""

    site: npt.NDArray[np.float32]
    site_bias: npt.NDArray[np.float32]
    city: npt.NDArray[np.float32]
    city_bias: npt.NDArray[np.float32]
    table: npt.NDArray[np.float32]
    table_bias: npt.NDArray[np.float32]
    output: npt.NDArray[np.float32]
    output_bias: npt.NDArray[np.float32]


SHAPES: dict[str, tuple[int, ...]] = {
    "site": (SITE_INPUTS, SITE_UNITS),
    "site_bias": (SITE_UNITS,),
    "city": (SITE_UNITS + OWNER_CLASSES, CITY_UNITS),
    "city_bias": (CITY_UNITS,),
    "table": (CITY_UNITS + SITE_UNITS + TABLE_INPUTS, TABLE_UNITS),
    "table_bias": (TABLE_UNITS,),
    "output": (TABLE_UNITS, OUTPUTS),
    "output_bias": (OUTPUTS,),
}
"""The shape of each parameter for one round."""

_BUFFERS: list[Any] = [
    ("owners", np.int64, (54,)),  # site: owner class
    ("named", np.int64, (54,)),  # site: 1 if a card of the player names it
    ("input_ids", np.int64, (54 + 2, _MAX_ACTIVE_INPUTS)),  # towers, then the empty sites
    ("input_values", np.float32, (54 + 2, _MAX_ACTIVE_INPUTS)),
    ("table", np.float32, (TABLE_INPUTS,)),
    ("supply_counts", np.int64, (MAX_COLOURS, 6)),
    ("empty_site_units", np.float32, (2, SITE_UNITS)),
    ("tower_counts", np.float32, (OWNER_CLASSES,)),  # in the current city
    ("city_sum", np.float32, (SITE_UNITS,)),  # site units of the current city
    ("all_cities", np.float32, (CITY_UNITS,)),
    ("all_sites", np.float32, (SITE_UNITS,)),
    ("table_units", np.float32, (TABLE_UNITS,)),
    ("outputs", np.float32, (OUTPUTS,)),
    ("win_probabilities", np.float64, (4,)),  # player
]
BUFFERS = np.dtype((np.record, np.dtype(_BUFFERS, align=True)))
"""The encoded inputs of one position, the activations and the outputs."""


def new_buffers() -> Any:
    """Allocate buffers: an array of one record, as compiled code takes it."""
    return np.zeros(1, BUFFERS).view(np.recarray)


@inlined
def encode_site(
    floors: Any,
    owner: int,
    named: Any,
    player: int,
    per_player: int,
    colour_count: int,
    b: Any,
    row: Any,
) -> None:
    """Write the inputs of one site; colours are numbered from the player's first one on."""
    input_ids, input_values = b.input_ids[row], b.input_values[row]
    first = player * per_player
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
        input_ids[i + 1], input_values[i + 1] = (
            _REQUIRED_SIZE + NO_BLOCK * k + size - 1,
            np.float32(1),
        )
        blocks = np.float32(b.supply_counts[q, size])
        input_ids[i + 2], input_values[i + 2] = _TAKEOVER_BLOCKS + k, blocks / np.float32(6)
    input_ids[0], input_values[0] = owner, np.float32(1)
    input_ids[1], input_values[1] = _HEIGHT, np.float32(height) / np.float32(8)
    input_ids[2], input_values[2] = _NAMED, np.float32(named)


@never_inlined
def encode(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], player: int, b: Any
) -> None:
    """Write the inputs of a position between two rounds, from a player's viewpoint."""
    n, per_player = len(players), len(colours)
    colour_count = n * per_player
    count_blocks_at_least(g.supply, colour_count, b.supply_counts)
    for site in range(54):
        b.owners[site] = 0
        b.named[site] = np.int64((g.hand_mask[player] >> U64(site % 9)) & U64(1))
    for k in range(colour_count):
        left = g.owner[(player * per_player + k) % colour_count]
        while left != U64(0):
            tower = np.int64(trailing_zeros(left))
            left &= left - U64(1)
            b.owners[tower] = k + 1
            floors = U64(g.floors[tower])
            encode_site(floors, k + 1, b.named[tower], player, per_player, colour_count, b, tower)
    for named in range(2):
        encode_site(U64(0), 0, named, player, per_player, colour_count, b, _EMPTY_SITE + named)
    for i in range(TABLE_INPUTS):
        b.table[i] = np.float32(0)
    for k in range(colour_count):
        stock = g.supply[(player * per_player + k) % colour_count]
        for t in range(4):
            blocks = np.int64((stock >> np.uint32(8 * t)) & np.uint32(255))
            b.table[4 * k + t] = np.float32(blocks) / np.float32(6)
    for k in range(1, n):
        gap = g.scores[(player + k) % n] - g.scores[player]
        b.table[_SCORE_GAPS + k - 1] = np.float32(gap) / np.float32(10)
    b.table[_TURN_ORDER + (player - g.start + n) % n] = np.float32(1)


@inlined
def site_layer(b: Any, row: int, active_inputs: int, matrix: Any, bias: Any) -> Any:
    """Return the units of one site."""
    units = load(bias, 0)
    for i in range(active_inputs):
        units = fma(units, b.input_values[row, i], matrix, LANES * b.input_ids[row, i])
    return relu(units)


@inlined
def add_product(inputs: Any, first_row: int, matrix: Any, width: int, at: int, units: Any) -> Any:
    """Add the product of the inputs and the rows of a matrix of some width to the units."""
    for i in range(len(inputs)):
        units = fma(units, inputs[i], matrix, width * (first_row + i) + at)
    return units


@never_inlined
def forward(b: Any, colour_count: int, round_number: int, net: Any) -> None:
    """Compute the outputs from the encoded inputs (forward pass)."""
    active_inputs = _COMMON_INPUTS + _INPUTS_PER_COLOUR * colour_count
    matrix, bias = net.site[round_number], net.site_bias[round_number]
    city_matrix, city_bias = net.city[round_number], net.city_bias[round_number]
    for named in range(2):
        units = site_layer(b, _EMPTY_SITE + named, active_inputs, matrix, bias)
        store(b.empty_site_units, LANES * named, units)
    b.all_cities[:] = np.float32(0)
    b.all_sites[:] = np.float32(0)
    for city in range(6):
        b.tower_counts[:] = np.float32(0)
        b.city_sum[:] = np.float32(0)
        city_sum = load(b.city_sum, 0)
        for site in range(9 * city, 9 * city + 9):
            owner = b.owners[site]
            b.tower_counts[owner] += np.float32(1)
            if owner > 0:
                city_sum = add(city_sum, site_layer(b, site, active_inputs, matrix, bias))
            else:
                city_sum = add(city_sum, load(b.empty_site_units, LANES * b.named[site]))
        store(b.city_sum, 0, city_sum)
        store(b.all_sites, 0, add(load(b.all_sites, 0), city_sum))
        units = add_product(b.city_sum, 0, city_matrix, LANES, 0, load(city_bias, 0))
        units = add_product(b.tower_counts, SITE_UNITS, city_matrix, LANES, 0, units)
        store(b.all_cities, 0, add(load(b.all_cities, 0), relu(units)))
    table, table_bias = net.table[round_number], net.table_bias[round_number]
    for at in range(0, TABLE_UNITS, LANES):
        units = load(table_bias, at)
        units = add_product(b.all_cities, 0, table, TABLE_UNITS, at, units)
        units = add_product(b.all_sites, CITY_UNITS, table, TABLE_UNITS, at, units)
        units = add_product(b.table, CITY_UNITS + SITE_UNITS, table, TABLE_UNITS, at, units)
        store(b.table_units, at, relu(units))
    for output in range(OUTPUTS):
        b.outputs[output] = net.output_bias[round_number, output]
        for unit in range(TABLE_UNITS):
            b.outputs[output] += b.table_units[unit] * net.output[round_number, unit, output]


@compiled
def encode_many(
    states: Any, viewers: Any, players: Any, colours: Any, buffers: Any, sites: Any, table: Any
) -> None:
    """Write the dense inputs of many positions, each from one player's viewpoint, for training."""
    active_inputs = _COMMON_INPUTS + _INPUTS_PER_COLOUR * len(players) * len(colours)
    b = buffers[0]
    for i in range(len(states)):
        encode(states[i], players, colours, viewers[i], b)
        for site in range(54):
            row = site if b.owners[site] > 0 else _EMPTY_SITE + b.named[site]
            sites[i, site] = np.float32(0)
            for n in range(active_inputs):
                sites[i, site, b.input_ids[row, n]] = b.input_values[row, n]
        table[i] = b.table
