"""Search: the best placements by value are tried out in many deals of what can't be seen.

Every trial deals the unseen cards anew, makes the placement, lets all play on by their values to
the end of the round, and judges the position there by the value once more. Trials are numbered:
trial n deals the same cards and meets the same opponents for every candidate, so that what is
compared differs by the placement alone. After each stage the worse half of the candidates goes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.judgement.features import Game, blocks_on_tableau, context, describe
from manhattan.judgement.jit import compiled, inlined, never_inlined
from manhattan.judgement.selfplay import draw_card, take_turn
from manhattan.judgement.weigh import pick_by_value
from manhattan.kernel.bits import U64, below, lowest, stream
from manhattan.kernel.layout import OVER
from manhattan.kernel.scoring import score_round, winners
from manhattan.kernel.step import deal_unseen
from manhattan.kernel.turn import count_placements, left_of, place, put_down, random_number


@inlined
def lead(g: Game, players: tuple[int, ...], me: int) -> Any:
    """Own points less the mean of the others'."""
    n = len(players)
    total = 0
    for player in range(n):
        total += g.scores[player]
    return np.float64(n * g.scores[me] - total) / np.float64(n - 1)


@inlined
def finish_round_by_value(
    g: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    me: int,
    who: Any,
    weights: Any,
    room: Any,
) -> None:
    """Let all play on by their values until the round is scored."""
    for _ in range(g.blocks_left):
        if take_turn(g, players, colours, me, who[me], weights, 0, room):
            draw_card(g, me)
        me = left_of(me, players)
    g.blocks_left = 0
    score_round(g, players, colours)


@inlined
def judge(
    g: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    me: int,
    weights: Any,
    mind: int,
    room: Any,
    seen: Any,
    win_worth: Any,
) -> Any:
    """What a position between two rounds, or at the end, is worth to a player."""
    worth = lead(g, players, me)
    if g.phase == OVER:
        bits, count = winners(g, players, colours)[0], 0
        for player in range(len(players)):
            count += bits >> player & 1
        return worth + win_worth * np.float64(bits >> me & 1) / np.float64(count)
    describe(g, players, colours, me, room, seen)
    w = weights[mind, context(g, colours, g.blocks * len(colours) + 1)]
    for f in range(len(seen)):
        worth += np.float64(seen[f]) * np.float64(w[f])
    return worth


def _try_out(
    root: Any,
    board: Any,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    j: int,
    bit: Any,
    seed: Any,
    trial: int,
    pool: Any,
    mind: int,
    weights: Any,
    room: Any,
    seen: Any,
    win_worth: Any,
) -> Any:
    """One trial of one placement."""
    board[0] = root[0]
    g = board[0]
    me = g.mover
    g.random = stream(seed, U64(trial))
    deal_unseen(g, players, colours, me)
    who = room[0].who
    for player in range(len(players)):
        who[player] = pool[np.int64(below(random_number(g), U64(len(pool))))]
    who[me] = mind
    colour = me * len(colours) + j // 4
    g.tableau[colour] -= np.uint32(1) << np.uint32(8 * (j % 4))
    place(g, players, colours, colour, j % 4 + 1, bit)
    put_down(g, me, lowest(bit) % U64(9))
    draw_card(g, me)
    g.blocks_left -= 1
    finish_round_by_value(g, players, colours, left_of(me, players), who, weights, room)
    return judge(g, players, colours, me, weights, mind, room, seen, win_worth)


try_out = never_inlined(_try_out)


@compiled
def search_placement(
    root: Any,
    board: Any,
    players: Any,
    colours: Any,
    weights: Any,
    mind: int,
    pool: Any,
    seed: Any,
    trials: int,
    most: int,
    room: Any,
    seen: Any,
    win_worth: Any,
) -> Any:
    """The number of the placement (as in ``r.values``) that did best in the trials."""
    g = root[0]
    me = g.mover
    count_placements(g, colours, me)
    left = blocks_on_tableau(g, colours, me)
    pick_by_value(g, players, colours, me, weights[mind, context(g, colours, left - 1)], room[0])
    # Candidates, the best first.
    worth = np.full(432, -1e9)
    for j in range(4 * len(colours)):
        sites = g.legal[j]
        while sites != U64(0):
            site = np.int64(lowest(sites))
            sites &= sites - U64(1)
            worth[54 * j + site] = np.float64(room[0].values[j, site])
    order = np.argsort(-worth)
    alive = 0
    while alive < most and alive < 432 and worth[order[alive]] > -1e8:
        alive += 1
    total = np.zeros(alive)
    done = 0
    stages = 1
    while (1 << stages) < alive:
        stages += 1
    while alive > 1:
        more = max(1, trials // (stages * alive))
        for c in range(alive):
            number = order[c]
            j, bit = number // 54, U64(1) << U64(number % 54)
            for trial in range(done, done + more):
                total[c] += try_out(
                    root,
                    board,
                    players,
                    colours,
                    j,
                    bit,
                    seed,
                    trial,
                    pool,
                    mind,
                    weights,
                    room,
                    seen,
                    win_worth,
                )
        done += more
        rank = np.argsort(-total[:alive])
        kept = (alive + 1) // 2
        new_order = order[:alive][rank].copy()
        new_total = total[:alive][rank].copy()
        for c in range(kept):
            order[c] = new_order[c]
            total[c] = new_total[c]
        alive = kept
    return order[0]
