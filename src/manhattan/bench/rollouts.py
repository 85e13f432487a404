"""Rollout benchmark: rollouts per second within a search, and how much of that time is play.

A rollout deals cards, samples policies, plays to the end of the round and evaluates the result.
A bare rollout only plays, with the same policies from the same positions; the runs alternate.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from manhattan.ai.jit import compiled
from manhattan.ai.model import Kind, load_model
from manhattan.ai.networks import load_networks
from manhattan.ai.playout_policy import new_policy_memory
from manhattan.ai.rollout import RolloutMemory, RolloutModel, finish_round, sample_policies
from manhattan.ai.search import POINT_VALUE, Searcher, SearchLimits
from manhattan.ai.training.self_play import play_turn, select_all_blocks
from manhattan.ai.training.training_data import setup_for_kind
from manhattan.bench.kernel import best_of, dealt_position
from manhattan.bench.measurement import Measurement
from manhattan.kernel.bits import U64, stream_start
from manhattan.kernel.layout import OVER, SELECT, table_shape
from manhattan.kernel.position import Position

SAMPLE_EVERY: Final = 7
"""Every seventh turn of a game is searched: all rounds and all parts of a round are covered."""


@compiled
def _bare_rollouts(
    root: Any,
    players: Any,
    colours: Any,
    model: RolloutModel,
    posterior: Any,
    memory: RolloutMemory,
    count: int,
) -> None:
    """Play to the end of the round a number of times, as a rollout does, and nothing else."""
    mover, work = root[0].mover, memory.work
    policy_ids = memory.policies.scratch[0].policy_ids
    for number in range(count):
        work[0] = root[0]
        g = work[0]
        g.random = stream_start(U64(1), U64(number))
        sample_policies(
            g, players, mover, model.mover_policy, model.policy_pool, posterior, policy_ids
        )
        finish_round(g, players, colours, policy_ids, model, POINT_VALUE, memory)


def sample_positions(kind: Kind) -> Iterator[Position]:
    """Yield positions from a whole game between players who follow the best policy."""
    model, setup = load_model(kind), setup_for_kind(kind)
    players, colours = table_shape(kind.players, kind.schedule.colours)
    data, memory = dealt_position(setup).data, new_policy_memory()
    plans = kind.plans[[-1] * kind.players]
    turn = 0
    while data[0].phase != OVER:
        if data[0].phase == SELECT:
            select_all_blocks(data, players, colours, plans, 0)
        if turn % SAMPLE_EVERY == 0:
            yield Position(setup, data.copy(), has_build_order=True)
        play_turn(data, players, colours, model.best_policy, model.policies, 0, memory)
        turn += 1


def measure_rollouts(kind: Kind, rollouts: int) -> Iterator[Measurement]:
    """Measure the rollouts per second of Champion's search and bare ones, on one core."""
    model, networks = load_model(kind), load_networks(kind)
    searchers = [Searcher(model, position, 1, networks) for position in sample_positions(kind)]
    posteriors = [searcher.posterior() for searcher in searchers]

    def search() -> float:
        begin, done = time.process_time(), 0
        for searcher in searchers:
            stats = searcher.search(searcher.candidates(), SearchLimits(rollouts))
            done += sum(move.rollouts for move in stats)
        return done / (time.process_time() - begin)

    def play(count: int = rollouts) -> float:
        begin = time.process_time()
        for searcher, posterior in zip(searchers, posteriors, strict=True):
            _bare_rollouts(
                searcher.position.data,
                *table_shape(kind.players, kind.schedule.colours),
                searcher.rollout_model,
                posterior,
                searcher.memory,
                count,
            )
        return count * len(searchers) / (time.process_time() - begin)

    play(0)  # compiles
    in_search, bare = best_of(search, play)
    yield Measurement("search_rollouts", kind.players, in_search, "per second, within a search")
    yield Measurement("bare_rollouts", kind.players, bare, "per second, play alone")
    yield Measurement("rollout_ratio", kind.players, in_search / bare, "of play alone")
