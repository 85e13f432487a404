"""Games between players who go by values, greed or chance, and what can be learned from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.judgement.features import (
    Game,
    blocks_on_tableau,
    context,
    describe,
)
from manhattan.judgement.jit import compiled, inlined, never_inlined
from manhattan.judgement.weigh import pick_by_value
from manhattan.kernel.bits import U64, below, lowest
from manhattan.kernel.layout import OVER, REMOVE, SELECT, SELECTIONS
from manhattan.kernel.policies import (
    pick_anywhere,
    pick_greedily,
    pick_removal,
    pick_selection,
)
from manhattan.kernel.scoring import score_round, winners
from manhattan.kernel.start import start_game
from manhattan.kernel.step import go_on
from manhattan.kernel.turn import (
    NO_FATE,
    begin_turn,
    draw,
    left_of,
    pass_selection,
    place,
    put_down,
    random_number,
    remove,
    take_blocks,
)

NOBODY, CHANCE, GREED = -3, -2, -1
"""Who plays: by chance, greedily, or (from 0 on) by the values of that number."""


@inlined
def now_and_then(g: Game, often: int) -> Any:
    """True so many times in 1,024."""
    return often > 0 and below(random_number(g), U64(1024)) < U64(often)


@inlined
def affordable_blocks(g: Game, colour: int, choice: Any) -> Any:
    """What a plan wants, a byte for each size; what the supply lacks is made up from the largest
    that are left, as ``plans.affordable`` does it."""
    wanted, supply = SELECTIONS[g.blocks, choice], g.supply[colour]
    chosen, missing = np.uint32(0), np.uint32(0)
    for t in range(4):
        want = (wanted >> np.uint32(8 * t)) & np.uint32(255)
        have = (supply >> np.uint32(8 * t)) & np.uint32(255)
        chosen += min(want, have) << np.uint32(8 * t)
        missing += want - min(want, have)
    for t in range(3, -1, -1):
        have = ((supply - chosen) >> np.uint32(8 * t)) & np.uint32(255)
        more = min(missing, have)
        chosen += more << np.uint32(8 * t)
        missing -= more
    return chosen


def _choose_blocks(g: Game, colours: tuple[int, ...], me: int, plan: Any, wander: int) -> None:
    """Choose the blocks of a round by a plan; any, if there is none, or now and then for a
    change."""
    each = len(colours)
    choice: Any = np.int64(plan[g.round_number])
    anything = now_and_then(g, wander) or choice < 0
    for colour in range(me * each, me * each + each):
        if anything:
            take_blocks(g, colour, pick_selection(g, colour))
        else:
            chosen = affordable_blocks(g, colour, choice)
            g.supply[colour] -= chosen
            g.tableau[colour] = chosen


choose_blocks = never_inlined(_choose_blocks)


def _take_turn(
    g: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    me: int,
    who: int,
    values: Any,
    wander: int,
    room: Any,
) -> Any:
    """One building turn up to the draw: False if a block had to be taken out."""
    count = U64(0)
    if g.phase != REMOVE:
        count = begin_turn(g, colours, me, NO_FATE)
    if count == U64(0):
        j = pick_removal(g, colours, me)
        remove(g, colours, me, j // 4, j % 4 + 1)
        return False
    if who == CHANCE or now_and_then(g, wander):
        j, bit = pick_anywhere(g, colours, count, random_number(g))
    elif who == GREED:
        j, bit = pick_greedily(g, players, colours, me)
    else:
        at = context(g, colours, blocks_on_tableau(g, colours, me) - 1)
        j, bit = pick_by_value(g, players, colours, me, values[who, at], room[0])
    colour = me * len(colours) + j // 4
    g.tableau[colour] -= np.uint32(1) << np.uint32(8 * (j % 4))
    place(g, players, colours, colour, j % 4 + 1, bit)
    put_down(g, me, lowest(bit) % U64(9))
    return True


take_turn = never_inlined(_take_turn)


@inlined
def draw_card(g: Game, me: int) -> None:
    draw(g, me, random_number(g) >> U64(32), NO_FATE)


@inlined
def note(
    g: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    me: int,
    left: int,
    room: Any,
    notes: Any,
    heads: Any,
    noted: int,
) -> Any:
    """Keep the position as this player sees it, and what he leads by."""
    describe(g, players, colours, me, room, notes[noted])
    heads[noted, 0] = me
    heads[noted, 1] = context(g, colours, left)
    total = 0
    for player in range(len(players)):
        total += g.scores[player]
    heads[noted, 2] = len(players) * g.scores[me] - total
    return noted + 1


def _play_game(
    g: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    who: Any,
    plans: Any,
    values: Any,
    wander: int,
    learner: int,
    room: Any,
    notes: Any,
    heads: Any,
    noted: int,
    boards: Any,
) -> Any:
    """A whole game; positions as the players see them who play as the learner does, and, where
    there is room for them, the positions between two rounds."""
    full = g.blocks * len(colours)
    while g.phase != OVER:
        if 0 < g.round_number <= len(boards):
            boards[g.round_number - 1] = g
        for player in range(len(players)):
            if who[player] == learner:
                noted = note(g, players, colours, player, full + 1, room, notes, heads, noted)
        while g.phase == SELECT:
            choose_blocks(g, colours, g.mover, plans[g.mover], wander)
            pass_selection(g, players, colours)
        for player in range(len(players)):
            if who[player] == learner:
                noted = note(g, players, colours, player, full, room, notes, heads, noted)
        me = g.mover
        for _ in range(g.blocks_left):
            built = take_turn(g, players, colours, me, who[me], values, wander, room)
            if who[me] == learner:
                left = blocks_on_tableau(g, colours, me)
                noted = note(g, players, colours, me, left, room, notes, heads, noted)
            if built:
                draw_card(g, me)
            me = left_of(me, players)
        g.blocks_left = 0
        score_round(g, players, colours)
    return noted


play_game = never_inlined(_play_game)


@compiled
def play_many(
    data: Any,
    players: Any,
    colours: Any,
    seats: Any,
    plans: Any,
    values: Any,
    wander: int,
    learner: int,
    seed: Any,
    begin: int,
    room: Any,
    notes: Any,
    heads: Any,
    gains: Any,
    boards: Any,
    scores: Any,
    won: Any,
) -> Any:
    """Games with who sits where, game by game. Notes of the learner's positions, and what he led
    by more in the end than then: by so many of them."""
    n = len(players)
    g = data[0]
    noted = 0
    for game in range(len(seats)):
        first = (begin + game) % n
        start_game(g, players, first, seed, begin + game)
        before = noted
        noted = play_game(
            g,
            players,
            colours,
            seats[game],
            plans[game],
            values,
            wander,
            learner,
            room,
            notes,
            heads,
            noted,
            boards[game],
        )
        total = 0
        for player in range(n):
            total += g.scores[player]
            scores[game, player] = g.scores[player]
        bits, count = winners(g, players, colours)[0], 0
        won[game] = bits
        for player in range(n):
            count += bits >> player & 1
        for i in range(before, noted):
            me = heads[i, 0]
            gains[i, 0] = np.float32(n * g.scores[me] - total - heads[i, 2]) / np.float32(n - 1)
            gains[i, 1] = np.float32(bits >> me & 1) / np.float32(count)
    return noted


@compiled
def choose_all_blocks(data: Any, players: Any, colours: Any, plans: Any, wander: int) -> None:
    """Everybody chooses the blocks of a round."""
    g = data[0]
    while g.phase == SELECT:
        choose_blocks(g, colours, g.mover, plans[g.mover], wander)
        pass_selection(g, players, colours)
    begin_turn(g, colours, g.mover, NO_FATE)


@compiled
def take_turn_once(
    data: Any, players: Any, colours: Any, who: int, values: Any, wander: int, room: Any
) -> None:
    """The mover's turn, and what follows from it up to the next decision."""
    g = data[0]
    if take_turn(g, players, colours, g.mover, who, values, wander, room):
        draw_card(g, g.mover)
    go_on(g, players, colours, NO_FATE)
