"""The PettingZoo module ``manhattan_v1``: ``env()`` with the usual wrappers, and ``raw_env``."""

from __future__ import annotations

from typing import Any

from pettingzoo import register
from pettingzoo.utils import wrappers

from manhattan.envs.pettingzoo_env import ManhattanAEC as raw_env  # noqa: N813 - PettingZoo's name

__all__ = ["env", "raw_env"]


def env(**options: Any) -> Any:
    """Return the game in PettingZoo's usual wrappers: an illegal move loses the game."""
    game: Any = wrappers.TerminateIllegalWrapper(raw_env(**options), illegal_reward=-1)
    game = wrappers.AssertOutOfBoundsWrapper(game)
    return wrappers.OrderEnforcingWrapper(game)


register("aec", "manhattan/Manhattan-v1", entry_point="manhattan.envs.manhattan_v1:env")
