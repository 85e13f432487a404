"""The policy network: how likely a strong player is to make each placement.

Like the value network, it encodes every site from the mover's viewpoint with shared weights, sums
the sites of each city, encodes every city and combines them with what is known of the table. A
second layer of units for each site, which also sees its city and the table, then scores the
placements of each size there. Unlike the value network, it takes into account which cards rivals
may hold: not those that have been played since the last shuffle. It is fitted to the choices of
searches; in rollouts it plays for the mover and for rivals who play well.
docs/explanation/bots.md describes the inputs.
"""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from manhattan.ai.features import NO_BLOCK, count_blocks_at_least, required_size
from manhattan.ai.jit import compiled, inlined, never_inlined
from manhattan.ai.value_network import MAX_COLOURS, OWNER_CLASSES, add_product, site_layer
from manhattan.ai.vector_ops import LANES, add, load, relu, store
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.bits import U64, trailing_zeros
from manhattan.kernel.layout import CARD_SLOTS, MAX_ROUNDS, GameRecord
from manhattan.kernel.transition import list_placements, next_random
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

_EMPTY_SITE = 54
"""Nine rows after the 54 sites stand for the empty sites of each position in a city, which the same
cards name."""
_SITE_ROWS = _EMPTY_SITE + 9

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

SITE_UNITS, CITY_UNITS, TABLE_UNITS, PLACEMENT_UNITS = LANES, LANES, 2 * LANES, LANES
OUTPUTS = 8
"""The scores of a site: own colour * 4 + size - 1."""

TARGET_TEMPERATURE = 0.02
"""The difference in win probability that makes a placement less likely by a factor of e, in the
policy to which the network is fitted."""


class PolicyNetwork(NamedTuple):
    """The parameters of the network; it is the same in all rounds."""

    site: npt.NDArray[np.float32]
    site_bias: npt.NDArray[np.float32]
    city: npt.NDArray[np.float32]
    city_bias: npt.NDArray[np.float32]
    table: npt.NDArray[np.float32]
    table_bias: npt.NDArray[np.float32]
    # The second layer of a site takes the units of the site, of its city, and of the table.
    placement_site: npt.NDArray[np.float32]
    placement_city: npt.NDArray[np.float32]
    placement_table: npt.NDArray[np.float32]
    placement_bias: npt.NDArray[np.float32]
    output: npt.NDArray[np.float32]
    """``[output, unit]``"""


SHAPES: dict[str, tuple[int, ...]] = {
    "site": (SITE_INPUTS, SITE_UNITS),
    "site_bias": (SITE_UNITS,),
    "city": (SITE_UNITS + OWNER_CLASSES, CITY_UNITS),
    "city_bias": (CITY_UNITS,),
    "table": (CITY_UNITS + SITE_UNITS + TABLE_INPUTS, TABLE_UNITS),
    "table_bias": (TABLE_UNITS,),
    "placement_site": (SITE_UNITS, PLACEMENT_UNITS),
    "placement_city": (CITY_UNITS, PLACEMENT_UNITS),
    "placement_table": (TABLE_UNITS, PLACEMENT_UNITS),
    "placement_bias": (PLACEMENT_UNITS,),
    "output": (OUTPUTS, PLACEMENT_UNITS),
}
"""The shape of each parameter."""

NO_NETWORK = PolicyNetwork(**{name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()})
"""For compiled code that takes a network where no policy uses one."""

_FIELDS: list[Any] = [(name, np.float32, shape) for name, shape in SHAPES.items()]
_PARAMETERS = np.dtype((np.record, np.dtype(_FIELDS, align=True)))


def packed(*networks: PolicyNetwork) -> Any:
    """Return the parameters as an array of records, as compiled code takes them: passing a dozen
    arrays from function to function made the rollouts of all policies a fifth slower."""
    parameters = np.zeros(len(networks), _PARAMETERS).view(np.recarray)
    for number, network in enumerate(networks):
        for name, array in network._asdict().items():
            parameters[name][number] = array
    return parameters


_BUFFERS: list[Any] = [
    ("owners", np.int64, (54,)),  # site: owner class
    ("named", np.int64, (54,)),  # site: 1 if a card of the mover names it
    ("input_ids", np.int64, (_SITE_ROWS, _MAX_ACTIVE_INPUTS)),
    ("input_values", np.float32, (_SITE_ROWS, _MAX_ACTIVE_INPUTS)),
    ("unseen", np.int64, (9,)),  # card: copies that the player has not seen
    ("cards", np.float32, (4, 9)),  # colour, position: see encode_cards
    ("table", np.float32, (TABLE_INPUTS,)),
    ("supply_counts", np.int64, (MAX_COLOURS, 6)),
    ("tableau_counts", np.int64, (MAX_COLOURS, 6)),
    ("site_units", np.float32, (_SITE_ROWS, SITE_UNITS)),
    ("city_units", np.float32, (6, CITY_UNITS)),
    ("tower_counts", np.float32, (OWNER_CLASSES,)),  # in the current city
    ("city_sum", np.float32, (SITE_UNITS,)),  # of its sites
    ("all_cities", np.float32, (CITY_UNITS,)),
    ("all_sites", np.float32, (SITE_UNITS,)),
    ("table_units", np.float32, (TABLE_UNITS,)),
    ("placement_units", np.float32, (PLACEMENT_UNITS,)),
    ("scores", np.float32, (OUTPUTS, 54)),
]
BUFFERS = np.dtype((np.record, np.dtype(_BUFFERS, align=True)))
"""The encoded inputs of one position, the activations and the scores of its placements."""


def new_policy_buffers() -> Any:
    """Allocate buffers: an array of one record, as compiled code takes it."""
    return np.zeros(1, BUFFERS).view(np.recarray)


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
        row, named = _EMPTY_SITE + position, b.named[position]
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


@inlined
def encode_board(b: Any, active_inputs: int, net: Any) -> None:
    """Compute the units of the sites, of the cities and of the table."""
    for position in range(9):
        row = _EMPTY_SITE + position
        units = site_layer(b, row, active_inputs, net.site, net.site_bias)
        store(b.site_units, LANES * row, units)
    b.all_cities[:] = np.float32(0)
    b.all_sites[:] = np.float32(0)
    for city in range(6):
        b.tower_counts[:] = np.float32(0)
        b.city_sum[:] = np.float32(0)
        city_sum = load(b.city_sum, 0)
        for site in range(9 * city, 9 * city + 9):
            owner = b.owners[site]
            b.tower_counts[owner] += np.float32(1)
            row = _EMPTY_SITE + site % 9
            if owner > 0:
                row = site
                units = site_layer(b, row, active_inputs, net.site, net.site_bias)
                store(b.site_units, LANES * row, units)
            city_sum = add(city_sum, load(b.site_units, LANES * row))
        store(b.city_sum, 0, city_sum)
        store(b.all_sites, 0, add(load(b.all_sites, 0), city_sum))
        units = add_product(b.city_sum, 0, net.city, LANES, 0, load(net.city_bias, 0))
        units = relu(add_product(b.tower_counts, SITE_UNITS, net.city, LANES, 0, units))
        store(b.city_units, LANES * city, units)
        store(b.all_cities, 0, add(load(b.all_cities, 0), units))
    for at in range(0, TABLE_UNITS, LANES):
        units = load(net.table_bias, at)
        units = add_product(b.all_cities, 0, net.table, TABLE_UNITS, at, units)
        units = add_product(b.all_sites, CITY_UNITS, net.table, TABLE_UNITS, at, units)
        units = add_product(b.table, CITY_UNITS + SITE_UNITS, net.table, TABLE_UNITS, at, units)
        store(b.table_units, at, relu(units))


@never_inlined
def score_placements(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], player: int, net: Any, b: Any
) -> None:
    """Write the score of each placement in ``g.legal`` to ``b.scores``: its log-probability, up to
    a common constant."""
    encode_for_policy(g, players, colours, player, b)
    per_player = len(colours)
    encode_board(b, _COMMON_INPUTS + _INPUTS_PER_COLOUR * len(players) * per_player, net)
    of_table = load(net.placement_bias, 0)
    of_table = add_product(b.table_units, 0, net.placement_table, LANES, 0, of_table)
    named_sites = U64(0)
    for block in range(4 * per_player):
        named_sites |= g.legal[block]
    for city in range(6):
        left = (named_sites >> U64(9 * city)) & U64(511)
        if left == U64(0):
            continue
        of_city = add_product(b.city_units[city], 0, net.placement_city, LANES, 0, of_table)
        while left != U64(0):
            site = 9 * city + np.int64(trailing_zeros(left))
            left &= left - U64(1)
            row = site if b.owners[site] > 0 else _EMPTY_SITE + site % 9
            units = add_product(b.site_units[row], 0, net.placement_site, LANES, 0, of_city)
            store(b.placement_units, 0, relu(units))
            for block in range(4 * per_player):
                if (g.legal[block] >> U64(site)) & U64(1) != U64(0):
                    score = np.float32(0)
                    for unit in range(PLACEMENT_UNITS):
                        score += b.placement_units[unit] * net.output[block, unit]
                    b.scores[block, site] = score


@never_inlined
def pick_by_network(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: int,
    net: Any,
    temperature: Any,
    b: Any,
) -> Any:
    """Draw a placement of ``g.legal`` by its probability, which a low temperature sharpens; at
    temperature 0 it is the most likely one. Returns colour and size (as in ``g.legal``) and the
    site's bit."""
    score_placements(g, players, colours, player, net, b)
    best, best_block, best_bit = np.float32(-1e9), 0, U64(0)
    for block in range(4 * len(colours)):
        left = g.legal[block]
        while left != U64(0):
            bit = left & (~left + U64(1))
            left ^= bit
            score = b.scores[block, np.int64(trailing_zeros(bit))]
            if temperature > np.float32(0):
                # The greatest sum of a score and Gumbel noise is a draw from the softmax.
                uniform = np.float64((next_random(g) >> U64(11)) + U64(1)) / np.float64(1 << 53)
                score -= temperature * np.float32(np.log(-np.log(uniform) + 1e-12))
            if score > best:
                best, best_block, best_bit = score, block, bit
    return best_block, best_bit


@never_inlined
def placement_probability(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: int,
    placement: Any,
    net: Any,
    b: Any,
) -> Any:
    """Return the probability of a placement of ``g.legal``: colour and size, and the site."""
    score_placements(g, players, colours, player, net, b)
    chosen = b.scores[placement[0], placement[1]]
    total = 0.0
    for block in range(4 * len(colours)):
        left = g.legal[block]
        while left != U64(0):
            site = np.int64(trailing_zeros(left))
            left &= left - U64(1)
            total += np.exp(np.float64(b.scores[block, site] - chosen))
    return 1.0 / total


@compiled
def score_actions(
    root: Any, players: Any, colours: Any, net: Any, buffers: Any, scores: Any
) -> None:
    """Write the score of each legal placement to its action number; leave all others unchanged."""
    g = root[0]
    list_placements(g, colours, g.mover)
    score_placements(g, players, colours, g.mover, net[0], buffers[0])
    for block in range(4 * len(colours)):
        sites = g.legal[block]
        while sites != U64(0):
            site = np.int64(trailing_zeros(sites))
            sites &= sites - U64(1)
            scores[block // 4 * BUILDS + 4 * site + block % 4] = buffers[0].scores[block, site]


@compiled
def encode_many_for_policy(
    states: Any, players: Any, colours: Any, work: Any, buffers: Any, inputs: Any, legal: Any
) -> None:
    """Write the dense inputs (sites, table) of many positions, from their movers' viewpoints, and
    which placements are legal, for training."""
    active_inputs = _COMMON_INPUTS + _INPUTS_PER_COLOUR * len(players) * len(colours)
    sites, table = inputs
    b = buffers[0]
    for i in range(len(states)):
        work[0] = states[i]
        g = work[0]
        list_placements(g, colours, g.mover)
        encode_for_policy(g, players, colours, g.mover, b)
        for site in range(54):
            row = site if b.owners[site] > 0 else _EMPTY_SITE + site % 9
            sites[i, site] = np.float32(0)
            for n in range(active_inputs):
                sites[i, site, b.input_ids[row, n]] = b.input_values[row, n]
            for block in range(4 * len(colours)):
                legal[i, site, block] = (g.legal[block] >> U64(site)) & U64(1) != U64(0)
        table[i] = b.table
