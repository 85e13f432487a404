"""The Gymnasium environment: importing this module registers ``manhattan/Manhattan-v1``.

One agent plays against bots; ``gymnasium.make_vec`` makes a batch of games that step together.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final, Unpack

import gymnasium
import numpy as np
from gymnasium.error import InvalidAction, ResetNeeded

from manhattan.bots import Bot, bot
from manhattan.envs.common.env_core import EnvCore, Mask, Observation, action_number
from manhattan.envs.common.options import Options, check_options
from manhattan.envs.common.rendering import RENDER_FPS, RENDER_MODES, Renderer
from manhattan.envs.common.rewards import (
    ILLEGAL_PENALTY,
    ON_ILLEGAL,
    RAISE,
    EnvError,
    OnIllegal,
    option_value,
)
from manhattan.envs.common.spaces import LegalActions, observation_space
from manhattan.view import view

ID: Final = "manhattan/Manhattan-v1"


class ManhattanEnv(gymnasium.Env[Observation, np.int64]):
    """One agent against bots, given by their levels (or any bot's name).

    An observation is a row of bytes; the mask of legal actions is in the ``info``.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        *,
        opponents: str | Sequence[str] = "medium",
        seat: int | None = None,
        on_illegal: OnIllegal = "penalty",
        render_mode: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        """``opponents`` is one name for all of them, or one for each in the order of play after
        the agent. ``seat`` is the agent's place in the order of play; without it, each game has
        another. ``options`` are those of ``check_options``.
        """
        env_options = check_options(**options)
        self._core = EnvCore(env_options)
        spec = env_options.spec
        count = len(spec.players) - 1
        names = [opponents] * count if isinstance(opponents, str) else list(opponents)
        if len(names) != count:
            raise EnvError(f"The table needs {count} opponents, not {len(names)}.")
        self._bots: list[Bot] = [bot(name) for name in names]
        self._fixed_seat = None if seat is None else spec.setup.check_player(seat)
        self._on_illegal = option_value("on_illegal", on_illegal, ON_ILLEGAL)
        self._renderer = Renderer(render_mode)
        self.render_mode = render_mode
        self._was_reset = False
        self.seat = 0
        """The agent's place in this game."""
        self._bot_random = Random(0)  # noqa: S311 - a game, not a secret
        self._mask: Mask = self._core.observe(0)[1]
        self.observation_space: gymnasium.Space[Observation] = observation_space()
        self.action_space = LegalActions(spec.action_space.size, self.action_masks)

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - there are none
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a new game, and let the bots move up to the agent's first turn.

        Cards and bots have separate random numbers: a bot's choices don't change the deal.
        """
        super().reset(seed=seed)
        card_seed, bot_seed = (int(number) for number in self.np_random.integers(2**63, size=2))
        seat = int(self.np_random.integers(len(self._core.spec.players)))
        self.seat = seat if self._fixed_seat is None else self._fixed_seat
        self._bot_random = Random(bot_seed)  # noqa: S311 - a game, not a secret
        self._core.reset(card_seed)
        self._was_reset = True
        self._play_bots()
        return self._observe()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Apply an action, and let the bots move up to the agent's next turn."""
        core = self._core
        if core.is_over or not self._was_reset:
            reason = "The game is over" if core.is_over else "No game has been dealt"
            raise ResetNeeded(f"{reason}: call reset().")
        number = action_number(action)
        if not core.apply(number):
            if self._on_illegal == RAISE or not 0 <= number < core.spec.action_space.size:
                raise InvalidAction(
                    f"{action!r} is not a legal action now: see info['action_mask'], "
                    f"which allows {int(self._mask.sum())} of 0 to {len(self._mask) - 1}."
                )
            row, info = self._observe()
            return row, ILLEGAL_PENALTY, False, False, info | {"illegal": True}
        reward = core.rewards()[self.seat] if core.scored else 0.0
        reward += self._play_bots()
        row, info = self._observe()
        if self.render_mode == "human":
            self.render()
        return row, reward, core.is_over, False, info

    def _play_bots(self) -> float:
        """Let the bots move up to the agent's next turn; return the agent's reward meanwhile."""
        core, reward = self._core, 0.0
        while not core.is_over and core.mover != self.seat:
            seats_after_agent = (core.mover - self.seat) % len(core.spec.players)
            choose_move = self._bots[seats_after_agent - 1]
            move = choose_move(view(core.position.state(), core.mover), self._bot_random)
            core.apply(core.position.encode(move))
            reward += core.rewards()[self.seat] if core.scored else 0.0
        return reward

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        row, self._mask = self._core.observe(self.seat)
        info: dict[str, Any] = {
            "action_mask": self._mask.copy(),
            "seat": self.seat,
            "illegal": False,
        }
        if self._core.is_over:
            info["scores"] = self._core.position.scores
        return row, info

    def action_masks(self) -> Mask:
        """Return the mask of legal actions, under the name that stable-baselines3 looks for."""
        return self._mask

    def render(self) -> Any:
        """Return the board as text or as an image, or show it in a window. No hand is shown."""
        if self.render_mode is None:
            return None
        return self._renderer.render(self._core.position.state().public)

    def close(self) -> None:
        self._renderer.close()


gymnasium.register(
    ID,
    entry_point="manhattan.envs.gymnasium:ManhattanEnv",
    vector_entry_point="manhattan.envs.vector_env:ManhattanVectorEnv",
)
