"""Actions by number: which are legal, and what they do."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.actions import BUILDS, REMOVALS
from manhattan.kernel.bits import U64, unpack_site_sets
from manhattan.kernel.jit import compiled, inlined
from manhattan.kernel.layout import BUILD, REMOVE, SELECT, SELECTIONS, GameRecord
from manhattan.kernel.transition import (
    NO_FORCED_PILE,
    ONE_CARD,
    ForcedPile,
    apply_build,
    apply_removal,
    apply_selection,
    available_selections,
    can_select,
    draw_cards,
    has_block,
    list_placements,
    next_random,
)

_FOUR, _SIX = len(SELECTIONS[4]), len(SELECTIONS[6])


@inlined
def selection_count(g: GameRecord) -> int:
    """Return the number of selections for one colour."""
    return _FOUR if g.blocks == 4 else _SIX


@compiled
def is_legal(g: GameRecord, colours: tuple[int, ...], action: int) -> Any:
    """Return whether an action is legal for the mover. Any number may be given."""
    per_player = len(colours)
    if action < 0:
        return False
    if action < BUILDS * per_player:
        own, site, size = action // BUILDS, action % BUILDS // 4, action % 4 + 1
        sites = g.legal[4 * own + size - 1]
        return g.phase == BUILD and (sites >> U64(site)) & U64(1) != U64(0)
    if action < (BUILDS + REMOVALS) * per_player:
        own, size = (action - BUILDS * per_player) // REMOVALS, action % 4 + 1
        return g.phase == REMOVE and has_block(g, g.mover * per_player + own, size)
    selection = action - (BUILDS + REMOVALS) * per_player
    count = selection_count(g)
    if g.phase != SELECT or selection >= count**per_player:
        return False
    if per_player == 2 and not can_select(g, g.mover * per_player + 1, selection % count):
        return False
    return can_select(g, g.mover * per_player, selection if per_player == 1 else selection // count)


@inlined
def apply_action(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], action: int
) -> int:
    """Apply a legal action up to the first draw; return how many cards the mover must draw."""
    per_player = len(colours)
    if action < BUILDS * per_player:
        own, site, size = action // BUILDS, action % BUILDS // 4, action % 4 + 1
        return apply_build(g, players, colours, own, size, U64(1) << U64(site))
    if action < (BUILDS + REMOVALS) * per_player:
        own, size = (action - BUILDS * per_player) // REMOVALS, action % 4 + 1
        return apply_removal(g, players, colours, own, size)
    selection = action - (BUILDS + REMOVALS) * per_player
    if per_player == 1:
        return apply_selection(g, players, colours, selection, 0)
    count = selection_count(g)
    return apply_selection(g, players, colours, selection // count, selection % count)


@inlined
def step_with_pile(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    action: int,
    forced_pile: ForcedPile,
) -> None:
    """Apply a legal action and draw the cards, up to the next decision."""
    cards = apply_action(g, players, colours, action)
    random = next_random(g) if cards == ONE_CARD else U64(0)
    draw_cards(g, players, colours, cards, random, forced_pile)


@compiled
def step(g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], action: int) -> None:
    """Apply a legal action; the record's own generator draws the cards."""
    step_with_pile(g, players, colours, action, NO_FORCED_PILE)


@compiled
def fill_mask(g: GameRecord, colours: tuple[int, ...], mask: Any) -> None:
    """Set the byte of every action to 1 if it is legal for the mover now, else to 0."""
    per_player = len(colours)
    building = g.phase == BUILD
    for own in range(per_player):
        unpack_site_sets(
            mask,
            BUILDS * own,
            g.legal[4 * own] if building else U64(0),
            g.legal[4 * own + 1] if building else U64(0),
            g.legal[4 * own + 2] if building else U64(0),
            g.legal[4 * own + 3] if building else U64(0),
        )
    removals = BUILDS * per_player
    for block in range(4 * per_player):
        colour = g.mover * per_player + block // 4
        mask[removals + block] = g.phase == REMOVE and has_block(g, colour, block % 4 + 1)
    selections = (BUILDS + REMOVALS) * per_player
    if g.phase != SELECT:
        mask[selections:] = 0
        return
    count, colour = selection_count(g), g.mover * per_player
    first = available_selections(g, colour, 0)
    if per_player == 1:
        rest = available_selections(g, colour, 1)
        for n in range(min(count, 64)):
            mask[selections + n] = (first >> U64(n)) & U64(1)
        for n in range(64, count):
            mask[selections + n] = (rest >> U64(n - 64)) & U64(1)
        return
    second = available_selections(g, colour + 1, 0)
    for m in range(count):
        is_available = (first >> U64(m)) & U64(1)
        for n in range(count):
            mask[selections + count * m + n] = (second >> U64(n)) & is_available


# Entry points from Python.


@compiled
def try_action(games: Any, players: Any, colours: Any, action: int, forced_pile: ForcedPile) -> Any:
    """Apply an action if it is legal; return whether it is."""
    legal = is_legal(games[0], colours, action)
    if legal:
        step_with_pile(games[0], players, colours, action, forced_pile)
    return legal


@compiled
def fill_mask_of(games: Any, colours: Any, mask: Any) -> None:
    fill_mask(games[0], colours, mask)


@compiled
def list_placements_of(games: Any, colours: Any) -> Any:
    return np.int64(list_placements(games[0], colours, games[0].mover))
