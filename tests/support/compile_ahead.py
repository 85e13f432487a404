"""Compile the code that the tests of the bots and the environments need.

The test run starts this first, because measuring coverage would slow the compiler down.
"""

from __future__ import annotations

from dataclasses import replace

from manhattan.ai.model import Kind
from manhattan.ai.training.trainer import TrainConfig, Trainer
from manhattan.ai.warmup import warm_up
from manhattan.bench.rollouts import measure_rollouts
from manhattan.envs.common.env_core import EnvCore
from manhattan.envs.common.options import check_options
from manhattan.envs.openspiel_engine import template_engine
from manhattan.envs.vector_env import ManhattanVectorEnv
from manhattan.rules import set_up
from manhattan.rules.editions import DEFAULT_EDITION

if __name__ == "__main__":
    FOUR = set_up(4)
    warm_up(FOUR)
    Trainer(Kind.of(FOUR), replace(TrainConfig().scaled(0), generations=1, cycles=1), seed=1).run()
    list(measure_rollouts(Kind.of(FOUR), 1))
    for players in (4, 3, 2):
        EnvCore(check_options(players))
        template_engine(players, DEFAULT_EDITION)
        ManhattanVectorEnv(2, players=players)
    EnvCore(check_options(2, house_rules={"two_players": "6x4-one-colour"}))
