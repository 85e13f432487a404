"""Trials: what a move leads to, in many deals of what can't be seen.

A trial deals the unseen cards anew, makes the move, lets all play on by their values to the end
of the round, and judges the position there by the outlook. Trials are numbered: trial n deals the
same cards and meets the same opponents for every move, so that moves are compared under the same
luck.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.judgement.features import Game, blocks_on_tableau, context
from manhattan.judgement.jit import compiled, inlined, never_inlined
from manhattan.judgement.outlook import LEAD, POINTS, WIN, look, think
from manhattan.judgement.selfplay import choose_blocks, draw_card, take_turn
from manhattan.judgement.weigh import pick_by_value
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.bits import U64, below, lowest, stream
from manhattan.kernel.layout import OVER, SELECT
from manhattan.kernel.scoring import score_round, winners
from manhattan.kernel.step import act, deal_unseen
from manhattan.kernel.turn import count_placements, left_of, pass_selection, random_number

WORTH, FOR_ALL = 0, 1
"""What is summed up for a move: what each trial was worth. Then, if it is asked for, for each
player his part in the win; his points at the end; and his part in the win squared."""


@inlined
def lead(g: Game, players: tuple[int, ...], me: int) -> Any:
    """Own points less the mean of the others'."""
    n = len(players)
    total = 0
    for player in range(n):
        total += g.scores[player]
    return np.float64(n * g.scores[me] - total) / np.float64(n - 1)


def _part_in_win(g: Game, players: tuple[int, ...], colours: tuple[int, ...], me: int) -> Any:
    """1 for the winner; in parts if there are several."""
    bits, count = winners(g, players, colours)[0], 0
    for player in range(len(players)):
        count += bits >> player & 1
    return np.float64(bits >> me & 1) / np.float64(count)


part_in_win = never_inlined(_part_in_win)


@inlined
def draw_style(g: Game, likely: Any) -> Any:
    """One of several ways of playing, as likely as it is."""
    left = np.float64(random_number(g) >> U64(11)) / np.float64(1 << 53)
    n = 0
    while n < len(likely) - 1 and left >= likely[n]:
        left -= likely[n]
        n += 1
    return n


def _finish_round(
    g: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    who: Any,
    values: Any,
    plans: Any,
    room: Any,
) -> None:
    """Let all choose blocks by a plan, and play by their values, until the round is scored."""
    while g.phase == SELECT:
        plan = np.int64(below(random_number(g), U64(len(plans))))
        choose_blocks(g, colours, g.mover, plans[plan], 0)
        pass_selection(g, players, colours)
    me = g.mover
    for _ in range(g.blocks_left):
        if take_turn(g, players, colours, me, who[me], values, 0, room):
            draw_card(g, me)
        me = left_of(me, players)
    g.blocks_left = 0
    score_round(g, players, colours)


finish_round = never_inlined(_finish_round)


@inlined
def judge(
    g: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    me: int,
    net: Any,
    sight: Any,
    points_worth: Any,
) -> Any:
    """What a position between two rounds, or at the end, is worth to a player: his part in the
    win, and a little for the points."""
    ahead = lead(g, players, me)
    if g.phase == OVER:
        return part_in_win(g, players, colours, me) + points_worth * ahead
    look(g, players, colours, me, sight[0])
    think(sight[0], len(players) * len(colours), g.round_number, net)
    odds = np.float64(sight[0].answers[WIN])
    ahead += 10.0 * np.float64(sight[0].answers[LEAD])
    return 1.0 / (1.0 + np.exp(-odds)) + points_worth * ahead


def _judge_for_all(
    g: Game, players: tuple[int, ...], colours: tuple[int, ...], net: Any, sight: Any, sums: Any
) -> None:
    """Add every player's part in the win, and his points at the end."""
    n = len(players)
    if g.phase == OVER:
        for player in range(n):
            part = part_in_win(g, players, colours, player)
            sums[player] += part
            sums[n + player] += np.float64(g.scores[player])
            sums[2 * n + player] += part * part
        return
    total = 0.0
    chances = sight[0].chances
    for player in range(n):
        look(g, players, colours, player, sight[0])
        think(sight[0], len(players) * len(colours), g.round_number, net)
        chances[player] = 1.0 / (1.0 + np.exp(-np.float64(sight[0].answers[WIN])))
        total += chances[player]
        more = 10.0 * np.float64(sight[0].answers[POINTS])
        sums[n + player] += np.float64(g.scores[player]) + more
    for player in range(n):
        part = chances[player] / total
        sums[player] += part
        sums[2 * n + player] += part * part


judge_for_all = never_inlined(_judge_for_all)


@compiled
def try_moves(
    root: Any,
    board: Any,
    players: Any,
    colours: Any,
    moves: Any,
    begin: int,
    end: int,
    seed: Any,
    way: int,
    pool: Any,
    likely: Any,
    values: Any,
    plans: Any,
    net: Any,
    points_worth: Any,
    for_all: bool,
    room: Any,
    sight: Any,
    sums: Any,
) -> None:
    """Trials number begin to end of each of some moves, given by their numbers."""
    me, this_round = root[0].mover, root[0].round_number
    for i in range(len(moves)):
        for trial in range(begin, end):
            board[0] = root[0]
            g = board[0]
            g.random = stream(seed, U64(trial))
            deal_unseen(g, players, colours, me)
            who = room[0].who
            for player in range(len(players)):
                who[player] = pool[draw_style(g, likely[player])]
            who[me] = way
            act(g, players, colours, moves[i])
            if g.phase != OVER and g.round_number == this_round:
                finish_round(g, players, colours, who, values, plans, room)
            worth = judge(g, players, colours, me, net, sight, points_worth)
            sums[i, WORTH] += worth
            if for_all:
                judge_for_all(g, players, colours, net, sight, sums[i, FOR_ALL:])


@compiled
def weigh_placements(
    root: Any, players: Any, colours: Any, way: int, values: Any, room: Any, worth: Any
) -> None:
    """What each placement is worth by value alone, by the numbers of the moves; the rest stays."""
    g = root[0]
    me = g.mover
    count_placements(g, colours, me)
    at = context(g, colours, blocks_on_tableau(g, colours, me) - 1)
    pick_by_value(g, players, colours, me, values[way, at], room[0])
    for j in range(4 * len(colours)):
        sites = g.legal[j]
        while sites != U64(0):
            site = np.int64(lowest(sites))
            sites &= sites - U64(1)
            worth[j // 4 * BUILDS + 4 * site + j % 4] = room[0].values[j, site]
