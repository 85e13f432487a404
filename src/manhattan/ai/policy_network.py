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

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from manhattan.ai.jit import compiled, inlined, never_inlined
from manhattan.ai.policy_inputs import (
    EMPTY_SITE,
    INPUT_FIELDS,
    SITE_INPUTS,
    SITE_ROWS,
    TABLE_INPUTS,
    active_inputs,
    encode_for_policy,
)
from manhattan.ai.value_network import OWNER_CLASSES, add_product, site_layer
from manhattan.ai.vector_ops import LANES, add, load, relu, store
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.bits import U64, trailing_zeros
from manhattan.kernel.layout import GameRecord
from manhattan.kernel.transition import list_placements, next_random

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
    *INPUT_FIELDS,
    ("site_units", np.float32, (SITE_ROWS, SITE_UNITS)),
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
def encode_board(b: Any, input_count: int, net: Any) -> None:
    """Compute the units of the sites, of the cities and of the table."""
    for position in range(9):
        row = EMPTY_SITE + position
        units = site_layer(b, row, input_count, net.site, net.site_bias)
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
            row = EMPTY_SITE + site % 9
            if owner > 0:
                row = site
                units = site_layer(b, row, input_count, net.site, net.site_bias)
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
    encode_board(b, active_inputs(len(players) * per_player), net)
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
            row = site if b.owners[site] > 0 else EMPTY_SITE + site % 9
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
