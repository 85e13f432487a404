"""``manhattan_v1`` for PettingZoo: ``env()`` wrapped in the classic way, and ``raw_env``."""

from __future__ import annotations

from typing import Any

from pettingzoo import register

from manhattan.envs import guards
from manhattan.envs.aec import ManhattanAEC as raw_env  # noqa: N813 - PettingZoo's name

__all__ = ["env", "raw_env"]


def env(**options: Any) -> Any:
    """The game with PettingZoo's usual guards: whoever makes an illegal move loses."""
    game: Any = raw_env(**options)
    game = guards.TerminateIllegal(game, illegal_reward=-1)
    game = guards.AssertOutOfBounds(game)
    return guards.OrderEnforcing(game)


register("aec", "manhattan/Manhattan-v1", entry_point="manhattan.envs.manhattan_v1:env")
