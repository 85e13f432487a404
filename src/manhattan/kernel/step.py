"""One move at a time: which are legal, by their numbers, and what a move does."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.actions import BUILDS, REMOVALS
from manhattan.kernel.bits import U64, lowest, popcount
from manhattan.kernel.jit import compiled, inlined, never_inlined
from manhattan.kernel.layout import BUILD, CHOICES, REMOVE, SELECT
from manhattan.kernel.policies import (
    GREEDY,
    pick_anywhere,
    pick_greedily,
    pick_removal,
    pick_selection,
)
from manhattan.kernel.scoring import score_round
from manhattan.kernel.turn import (
    NO_FATE,
    Fate,
    Game,
    begin_turn,
    build,
    can_take,
    count_placements,
    draw,
    has_block,
    left_of,
    pass_selection,
    random_number,
    remove,
    take_blocks,
)

_FOUR, _SIX = CHOICES[4], CHOICES[6]


@inlined
def selections_of(g: Game) -> int:
    """How many choices of blocks there are for a colour."""
    return _FOUR if g.blocks == 4 else _SIX


def _begin_turn(g: Game, colours: tuple[int, ...], fate: Fate) -> None:
    begin_turn(g, colours, g.mover, fate)


begin_movers_turn = never_inlined(_begin_turn)
"""Out of line: it stands in several places here, and each would be compiled anew."""


@inlined
def go_on(g: Game, players: tuple[int, ...], colours: tuple[int, ...], fate: Fate) -> None:
    """After a building turn: the next one, or the scoring."""
    g.blocks_left -= 1
    if g.blocks_left == 0:
        score_round(g, players, colours)
    else:
        g.mover = left_of(g.mover, players)
        begin_movers_turn(g, colours, fate)


@compiled
def is_legal(g: Game, colours: tuple[int, ...], action: int) -> Any:
    """May whoever is to move make this move? Any number may be asked for."""
    each = len(colours)
    if action < 0:
        return False
    if action < BUILDS * each:
        own, site, size = action // BUILDS, action % BUILDS // 4, action % 4 + 1
        sites = g.legal[4 * own + size - 1]
        return g.phase == BUILD and (sites >> U64(site)) & U64(1) != U64(0)
    if action < (BUILDS + REMOVALS) * each:
        own, size = (action - BUILDS * each) // REMOVALS, action % 4 + 1
        return g.phase == REMOVE and has_block(g, g.mover * each + own, size)
    choice = action - (BUILDS + REMOVALS) * each
    count = selections_of(g)
    if g.phase != SELECT or choice >= count**each:
        return False
    if each == 2 and not can_take(g, g.mover * each + 1, choice % count):
        return False
    return can_take(g, g.mover * each, choice if each == 1 else choice // count)


@inlined
def act_by_fate(
    g: Game, players: tuple[int, ...], colours: tuple[int, ...], action: int, fate: Fate
) -> None:
    """Make a legal move, and what follows from it up to the next decision."""
    each = len(colours)
    if action >= (BUILDS + REMOVALS) * each:
        choice = action - (BUILDS + REMOVALS) * each
        if each == 2:
            take_blocks(g, g.mover * each + 1, choice % selections_of(g))
            choice = choice // selections_of(g)
        take_blocks(g, g.mover * each, choice)
        pass_selection(g, players, colours)
        if g.phase == BUILD:
            begin_movers_turn(g, colours, fate)
        return
    if action < BUILDS * each:
        own, site, size = action // BUILDS, action % BUILDS // 4, action % 4 + 1
        bit = U64(1) << U64(site)
        build(g, players, colours, g.mover, own, size, bit, random_number(g), fate)
    else:
        own, size = (action - BUILDS * each) // REMOVALS, action % 4 + 1
        remove(g, colours, g.mover, own, size)
    go_on(g, players, colours, fate)


@compiled
def act(g: Game, players: tuple[int, ...], colours: tuple[int, ...], action: int) -> None:
    """Make a legal move where the cards fall by chance."""
    act_by_fate(g, players, colours, action, NO_FATE)


@compiled
def fill_mask(g: Game, colours: tuple[int, ...], mask: Any) -> None:
    """Set every action's byte to 1 if it is legal now, else to 0."""
    each = len(colours)
    mask[:] = 0
    if g.phase == BUILD:
        for j in range(4 * each):
            base = j // 4 * BUILDS + j % 4
            sites = g.legal[j]
            while sites != U64(0):
                mask[base + 4 * np.int64(lowest(sites))] = 1
                sites &= sites - U64(1)
    elif g.phase == REMOVE:
        for j in range(4 * each):
            if has_block(g, g.mover * each + j // 4, j % 4 + 1):
                mask[BUILDS * each + j] = 1
    elif g.phase == SELECT:
        base = (BUILDS + REMOVALS) * each
        count = selections_of(g)
        for first in range(count):
            if can_take(g, g.mover * each, first):
                if each == 1:
                    mask[base + first] = 1
                else:
                    for second in range(count):
                        if can_take(g, g.mover * each + 1, second):
                            mask[base + first * count + second] = 1


@compiled
def pick(g: Game, players: tuple[int, ...], colours: tuple[int, ...], policy: int) -> Any:
    """The move that a policy makes now, by its number."""
    each, player = len(colours), g.mover
    if g.phase == SELECT:
        choice = np.int64(pick_selection(g, player * each))
        if each == 2:
            choice = choice * selections_of(g) + np.int64(pick_selection(g, player * each + 1))
        return (BUILDS + REMOVALS) * each + choice
    if g.phase == REMOVE:
        return BUILDS * each + pick_removal(g, colours, player)
    if policy == GREEDY:
        j, bit = pick_greedily(g, players, colours, player)
    else:
        last = 4 * each - 1
        count = g.before[last] + popcount(g.legal[last])
        j, bit = pick_anywhere(g, colours, count, random_number(g))
    return j // 4 * BUILDS + 4 * np.int64(lowest(bit)) + j % 4


@compiled
def deal_unseen(g: Game, players: tuple[int, ...], colours: tuple[int, ...], viewer: int) -> None:
    """Deal what one player can't see anew: the other hands and the pile; with -1, all hands.

    Whoever is about to build can build, or he would have shown his hand: hands that can't are
    dealt again (but not for ever).
    """
    for _ in range(100):
        gather_unseen(g, players, viewer)
        for player in range(len(players)):
            if player != viewer:
                for _ in range(4):
                    draw(g, player, random_number(g), NO_FATE)
        if g.phase != BUILD or count_placements(g, colours, g.mover) != U64(0):
            return


@inlined
def gather_unseen(g: Game, players: tuple[int, ...], viewer: int) -> None:
    """Put the hands that one player can't see on the pile."""
    for player in range(len(players)):
        if player != viewer:
            for kind in range(9):
                position = U64(g.names[player, kind])
                copies = (g.copies[player] >> (U64(4) * position)) & U64(15)
                for _ in range(np.int64(copies)):
                    g.cards[g.pile] = np.uint8(kind)
                    g.pile += 1
            g.points_at[player] = U64(0)
            g.copies[player] = U64(0)
    g.in_order = 0


@compiled
def act_once(games: Any, players: Any, colours: Any, action: int, fate: Fate) -> Any:
    """False, and nothing has changed, if the move is illegal."""
    legal = is_legal(games[0], colours, action)
    if legal:
        act_by_fate(games[0], players, colours, action, fate)
    return legal


@compiled
def mask_once(games: Any, colours: Any, mask: Any) -> None:
    fill_mask(games[0], colours, mask)


@compiled
def deal_unseen_once(games: Any, players: Any, colours: Any, viewer: int) -> None:
    deal_unseen(games[0], players, colours, viewer)


@compiled
def placements_once(games: Any, colours: Any) -> Any:
    return np.int64(count_placements(games[0], colours, games[0].mover))
