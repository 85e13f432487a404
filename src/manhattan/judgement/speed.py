"""How much of its time thinking spends on playing, measured.

A trial deals cards, draws ways of playing, plays to the end of the round and judges what came of
it. Beside it, in turns, the same players play from the same positions and nothing else is done.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from manhattan.figure import Figure
from manhattan.judgement.features import ROOM
from manhattan.judgement.games import table_of
from manhattan.judgement.jit import compiled
from manhattan.judgement.mind import Kind, mind_for
from manhattan.judgement.search import draw_style, finish_round
from manhattan.judgement.selfplay import choose_all_blocks, take_turn_once
from manhattan.judgement.thinking import Limits, Thinker
from manhattan.kernel.bits import U64, stream
from manhattan.kernel.layout import OVER, SELECT
from manhattan.kernel.position import Position
from manhattan.kernel.speed import best_of, start_of

EVERY: Final = 7
"""It is thought at every seventh turn: so all rounds and all moments of them have their share."""


@compiled
def _play_on(
    root: Any,
    board: Any,
    players: Any,
    colours: Any,
    way: int,
    pool: Any,
    likely: Any,
    values: Any,
    plans: Any,
    room: Any,
    count: int,
) -> None:
    """To the end of the round, so many times: as a trial does, and nothing else."""
    me = root[0].mover
    for number in range(count):
        board[0] = root[0]
        g = board[0]
        g.random = stream(U64(1), U64(number))
        who = room[0].who
        for player in range(len(players)):
            who[player] = pool[draw_style(g, likely[player])]
        who[me] = way
        finish_round(g, players, colours, who, values, plans, room)


def moments(kind: Kind) -> Iterator[Position]:
    """Positions from a whole game of players who go by the best value."""
    mind, setup = mind_for(kind), table_of(kind)
    players, colours = (0,) * kind.players, (0,) * kind.schedule.colours
    data, room = start_of(setup).data, np.zeros(1, ROOM).view(np.recarray)
    plans = kind.plans[[-1] * kind.players]
    turn = 0
    while data[0].phase != OVER:
        if data[0].phase == SELECT:
            choose_all_blocks(data, players, colours, plans, 0)
        if turn % EVERY == 0:
            yield Position(setup, data.copy(), traced=True)
        take_turn_once(data, players, colours, mind.best, mind.values, 0, room)
        turn += 1


def measure_trials(kind: Kind, trials: int) -> Iterator[Figure]:
    """Trials a second within a search, and the same playing alone; on one core."""
    mind = mind_for(kind)
    thinkers = [Thinker(mind, position, 1) for position in moments(kind)]
    likely = [thinker.styles() for thinker in thinkers]

    def searching() -> float:
        begin, done = time.process_time(), 0
        for thinker in thinkers:
            tried = thinker.try_out(thinker.candidates(), Limits(trials))
            done += sum(one.trials for one in tried)
        return done / (time.process_time() - begin)

    def playing(count: int = trials) -> float:
        begin = time.process_time()
        for thinker, styles in zip(thinkers, likely, strict=True):
            _play_on(
                thinker.position.data,
                thinker.position.data.copy(),
                (0,) * kind.players,
                (0,) * kind.schedule.colours,
                mind.best,
                mind.pool,
                styles,
                mind.values,
                kind.plans,
                np.zeros(1, ROOM).view(np.recarray),
                count,
            )
        return count * len(thinkers) / (time.process_time() - begin)

    playing(0)  # compiles
    searched, played = best_of(searching, playing)
    yield Figure("trials", kind.players, searched, "a second, within a search")
    yield Figure("rollouts", kind.players, played, "a second, playing alone")
    yield Figure("trials_ratio", kind.players, searched / played, "of playing alone")
