"""The transition function of the compiled kernel, in two phases: the action, then the draw.

Lockstep tests prove it equal to ``manhattan.rules``. An action changes a record up to the point
where cards must be drawn (``apply_selection``, ``apply_build``, ``apply_removal``) and returns
their number: none, ``ONE_CARD`` after a block, or ``NEW_HAND`` for a player without a legal
placement. When they are drawn, ``after_draw`` continues, up to the next decision or draw. ``step``
(in ``action_api``) draws from the record's own random numbers; the OpenSpiel engine, where every
card is a chance node, draws the cards that it is given. Both call the same functions.

``forced_pile`` holds the order of the next shuffled pile, first card first, where a test or a
record prescribes it; if it is empty, the record's own generator draws the cards.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.bits import U64, advance_counter, below, mix64, popcount, trailing_zeros
from manhattan.kernel.jit import CHECKED, inlined, never_inlined
from manhattan.kernel.layout import (
    BUILD,
    CARD_SLOTS,
    EVERY_CITY,
    FITS_HIGH,
    FITS_LOW,
    ILLEGAL,
    PACKED_SELECTIONS,
    REMOVE,
    SELECT,
    GameRecord,
)
from manhattan.kernel.scoring import score_round
from manhattan.rules.board import HAND_SIZE

ForcedPile = Any
NO_FORCED_PILE = np.empty(0, np.uint8)

NO_CARDS, ONE_CARD, NEW_HAND = 0, 1, HAND_SIZE
"""How many cards an action makes the mover draw."""


# --- cards ------------------------------------------------------------------------------------


@inlined
def next_random(g: GameRecord) -> Any:
    """Return the next number of the record's splitmix64 generator."""
    g.random = advance_counter(g.random)
    return mix64(g.random)


@inlined
def reshuffle(g: GameRecord, forced_pile: ForcedPile) -> None:
    """Make the played cards the pile.

    Without a forced order the cards aren't permuted: every draw from a pile that is not in order
    takes a random card, which is equivalent.
    """
    count = g.played
    if len(forced_pile) > 0:
        for i in range(count):
            g.cards[i] = forced_pile[count - 1 - i]
    else:  # copy from the back to the front, except where the two overlap
        for i in range(min(count, CARD_SLOTS - count)):
            g.cards[i] = g.cards[CARD_SLOTS - 1 - i]
    g.pile = count
    g.played = 0
    g.in_order = 1 if len(forced_pile) > 0 else 0
    g.shuffles += 1


@inlined
def take_card(g: GameRecord, player: int, index: Any) -> None:
    """Move a card of the pile to a player's hand; the pile's last card fills the gap."""
    last = g.pile - 1
    position = U64(g.card_to_position[player, g.cards[index]])
    g.cards[index] = g.cards[last]
    g.pile = last
    g.hand_mask[player] |= U64(1) << position
    g.copies[player] += U64(1) << (U64(4) * position)


@inlined
def draw(g: GameRecord, player: int, random: Any, forced_pile: ForcedPile) -> None:
    """Draw a card; if the pile is empty at this moment, reshuffle first."""
    if g.pile == 0:
        reshuffle(g, forced_pile)
    index = g.pile - 1 if g.in_order != 0 else np.int64(below(random, U64(g.pile)))
    take_card(g, player, index)


@inlined
def discard(g: GameRecord, player: int, position: Any) -> None:
    """Move the card for a position from a player's hand to the played cards."""
    g.played += 1
    g.cards[CARD_SLOTS - g.played] = g.position_to_card[player, position]
    copies = g.copies[player] - (U64(1) << (U64(4) * position))
    g.copies[player] = copies
    # Without a branch: the processor can't predict whether it was the last card of its kind.
    is_last = U64((copies >> (U64(4) * position)) & U64(15) == U64(0))
    g.hand_mask[player] ^= is_last << position


@never_inlined
def discard_hand(g: GameRecord, player: int) -> None:
    """Discard the whole hand, in the order in which the rules reveal it: by card."""
    for card in range(9):
        position = U64(g.card_to_position[player, card])
        for _ in range((g.copies[player] >> (U64(4) * position)) & U64(15)):
            discard(g, player, position)


# --- building turns ---------------------------------------------------------------------------


@inlined
def list_placements(g: GameRecord, colours: tuple[int, ...], player: int) -> Any:
    """List a player's legal placements in ``g.legal``, by colour and size, and count them."""
    per_player = len(colours)
    named = g.hand_mask[player] * EVERY_CITY
    count = U64(0)
    for block in range(4 * per_player):
        colour = player * per_player + block // 4
        # A mask instead of a branch, which the processor could not predict: a quarter faster.
        has_size = U64(0) - U64(has_block(g, colour, block % 4 + 1))
        sites = g.allowed[colour, block % 4] & named & has_size
        g.legal[block] = sites
        g.before[block] = count
        count += popcount(sites)
    return count


@inlined
def place_block(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    colour: int,
    size: int,
    bit: Any,
) -> None:
    """Put a block on a site, and update for this one site which blocks may go there."""
    site = trailing_zeros(bit)
    shift = U64(8 * colour)
    floors = U64(g.floors[site]) + (U64(size) << shift)
    g.floors[site] = np.uint32(floors)
    g.heights[site] += np.uint8(size)
    g.log[g.built] = np.uint16(site * U64(16) + U64(colour * 4 + size - 1))
    g.built += 1
    owner_floors = np.int64((floors >> shift) & U64(255))
    other_sites = ~bit
    for q in range(len(players) * len(colours)):
        g.owner[q] &= other_sites
        missing = owner_floors - np.int64((floors >> U64(8 * q)) & U64(255))
        for t in range(4):
            sites = g.allowed[q, t] & other_sites
            g.allowed[q, t] = sites | (bit if missing <= t + 1 else U64(0))
    g.owner[colour] |= bit


@inlined
def has_block(g: GameRecord, colour: int, size: int) -> Any:
    """Return whether a block of this size is on a colour's tableau."""
    return (g.tableau[colour] >> np.uint32(8 * (size - 1))) & np.uint32(255) != np.uint32(0)


@inlined
def is_legal_build(g: GameRecord, player: int, colour: int, size: int, bit: Any) -> Any:
    """Return whether a placement is legal. Only the checked mode asks."""
    named = (g.hand_mask[player] * EVERY_CITY) & bit != U64(0)
    return named and has_block(g, colour, size) and g.allowed[colour, size - 1] & bit != U64(0)


@inlined
def apply_build(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], own: int, size: int, bit: Any
) -> int:
    """Build the mover's block on a site and discard the card; one card must be drawn."""
    player = g.mover
    colour = player * len(colours) + own
    if CHECKED and not is_legal_build(g, player, colour, size, bit):
        raise RuntimeError(ILLEGAL)
    g.tableau[colour] -= np.uint32(1) << np.uint32(8 * (size - 1))
    place_block(g, players, colours, colour, size, bit)
    discard(g, player, trailing_zeros(bit) % U64(9))
    return ONE_CARD


@inlined
def remove_block(g: GameRecord, colours: tuple[int, ...], own: int, size: int) -> None:
    """Remove a block of the mover from the game."""
    colour = g.mover * len(colours) + own
    block = np.uint32(1) << np.uint32(8 * (size - 1))
    if CHECKED and not (g.phase == REMOVE and has_block(g, colour, size)):
        raise RuntimeError(ILLEGAL)
    g.tableau[colour] -= block
    g.taken_out[colour] += block
    g.phase = BUILD


@inlined
def apply_removal(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], own: int, size: int
) -> int:
    """Remove a block of the mover and end the turn; return how many cards must be drawn."""
    remove_block(g, colours, own, size)
    return next_turn(g, players, colours)


@inlined
def next_player(player: int, players: tuple[int, ...]) -> int:
    """Return the next player, clockwise."""
    return 0 if player + 1 == len(players) else player + 1


@inlined
def begin_turn(g: GameRecord, colours: tuple[int, ...]) -> int:
    """List the mover's placements; without any, discard the hand and ask for a new one."""
    if list_placements(g, colours, g.mover) != U64(0):
        return NO_CARDS
    discard_hand(g, g.mover)
    return NEW_HAND


@inlined
def next_turn(g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...]) -> int:
    """After a building turn: score the round, or begin the next player's turn; return how many
    cards must be drawn."""
    g.blocks_left -= 1
    if g.blocks_left == 0:
        score_round(g, players, colours)
        return NO_CARDS
    g.mover = next_player(g.mover, players)
    return begin_turn(g, colours)


@inlined
def after_draw(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], cards: int
) -> int:
    """Continue when the requested cards are drawn; return how many more must be drawn.

    A player whose new hand still has no legal placement must remove a block.
    """
    if cards == ONE_CARD:
        return next_turn(g, players, colours)
    if list_placements(g, colours, g.mover) == U64(0):
        g.phase = REMOVE
    return NO_CARDS


@inlined
def draw_cards(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    cards: int,
    random: Any,
    forced_pile: ForcedPile,
) -> None:
    """Draw the cards that an action asks for, up to the next decision. The random number is for
    the card after a block."""
    if cards == ONE_CARD:
        draw(g, g.mover, random, forced_pile)
        cards = after_draw(g, players, colours, ONE_CARD)
    if cards == NEW_HAND:
        draw_new_hand(g, players, colours, forced_pile)


@never_inlined
def draw_new_hand(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], forced_pile: ForcedPile
) -> None:
    for _ in range(HAND_SIZE):
        draw(g, g.mover, next_random(g), forced_pile)
    after_draw(g, players, colours, NEW_HAND)


# --- selections -------------------------------------------------------------------------------


@inlined
def available_selections(g: GameRecord, colour: int, word: int) -> Any:
    """Return which of 64 selections a colour's supply has the blocks for, as bits."""
    supply = U64(g.supply[colour])
    low = (supply & U64(15)) | ((supply >> U64(4)) & U64(0x70))
    high = ((supply >> U64(16)) & U64(7)) | ((supply >> U64(21)) & U64(0x18))
    return FITS_LOW[g.blocks, low, word] & FITS_HIGH[g.blocks, high, word]


@inlined
def can_select(g: GameRecord, colour: int, selection: Any) -> Any:
    """Return whether a colour's supply has the blocks of a selection."""
    n: Any = np.int64(selection)
    return (available_selections(g, colour, n // 64) >> U64(n % 64)) & U64(1) != U64(0)


@inlined
def select_blocks(g: GameRecord, colour: int, selection: Any) -> None:
    """Move the blocks of a selection from a colour's supply to its tableau."""
    if CHECKED and not (g.phase == SELECT and can_select(g, colour, selection)):
        raise RuntimeError(ILLEGAL)
    blocks = PACKED_SELECTIONS[g.blocks, selection]
    g.supply[colour] -= blocks
    g.tableau[colour] = blocks


@inlined
def pass_selection(g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...]) -> int:
    """Let the next player select, or begin the first building turn; return how many cards must be
    drawn."""
    g.mover = next_player(g.mover, players)
    if g.mover != g.start:
        return NO_CARDS
    g.phase = BUILD
    g.blocks_left = g.blocks * len(colours) * len(players)
    return begin_turn(g, colours)


@inlined
def apply_selection(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], first: Any, second: Any
) -> int:
    """Select the mover's blocks of one or two colours; return how many cards must be drawn."""
    select_blocks(g, g.mover * len(colours), first)
    if len(colours) == 2:
        select_blocks(g, g.mover * 2 + 1, second)
    return pass_selection(g, players, colours)
