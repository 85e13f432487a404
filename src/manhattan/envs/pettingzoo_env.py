"""The PettingZoo environment: agents take turns, and each observes what a player may see."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from gymnasium import logger, spaces
from gymnasium.error import InvalidAction
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from manhattan.envs.common.env_core import EnvCore, action_number
from manhattan.envs.common.options import Options, check_options
from manhattan.envs.common.rendering import RENDER_FPS, RENDER_MODES, Renderer
from manhattan.envs.common.spaces import observation_space


class ManhattanAEC(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """Whole games. Selecting blocks and building are decisions in one action space.

    An observation is a dictionary of the row of bytes and the mask; the mask of an agent that is
    not to move is all zeros. The mask is in ``infos``, too.
    """

    metadata = {  # noqa: RUF012 - as PettingZoo has it
        "render_modes": list(RENDER_MODES),
        "name": "manhattan_v1",
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }

    def __init__(self, *, render_mode: str | None = None, **options: Unpack[Options]) -> None:
        """``options`` are those of ``check_options``."""
        AECEnv.__init__(self)
        self._core = EnvCore(check_options(**options))
        self._renderer = Renderer(render_mode)
        self.render_mode = render_mode
        spec = self._core.spec
        self.possible_agents = [f"player_{number}" for number in range(len(spec.players))]
        self.agents = list(self.possible_agents)
        self._number = {agent: number for number, agent in enumerate(self.possible_agents)}
        actions = spec.action_space.size
        self._empty_mask = np.zeros(actions, np.int8)
        self.action_spaces = {a: spaces.Discrete(actions) for a in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": observation_space(),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._np_random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - there are none
    ) -> None:
        """Deal a new game. A seed determines this deal and all later ones, whatever the agents
        do."""
        if seed is not None or self._np_random is None:
            self._np_random, _ = seeding.np_random(seed)
        self._core.reset(int(self._np_random.integers(2**63)))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._empty_mask.copy()} for agent in self.agents}
        self._skip_agent_selection = None
        self._has_rewards: bool = False
        self._select_mover()

    def _select_mover(self) -> None:
        mover = self._core.mover
        agent = self.possible_agents[mover]
        self.agent_selection = agent
        row, mask = self._core.observe(mover)
        self._observation: dict[str, Any] = {"observation": row, "action_mask": mask}
        self.infos[agent] = {"action_mask": mask}

    def observe(self, agent: str) -> dict[str, Any]:
        """Return an agent's observation and mask; the mask is empty if another is to move."""
        if agent == self.agent_selection and not self._core.is_over:
            return self._observation.copy()
        row, mask = self._core.observe(self._number[agent])
        return {"observation": row, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Apply the selected agent's action. An illegal action raises and changes nothing."""
        agent, core = self.agent_selection, self._core
        if core.is_over or self.terminations[agent]:
            self._was_dead_step(action)
            return
        if not core.apply(action_number(action)):
            raise InvalidAction(
                f"{action!r} is not a legal action of {agent} now: see the action mask, "
                f"which allows {int(self._observation['action_mask'].sum())}."
            )
        self._cumulative_rewards[agent] = 0.0
        if self._has_rewards:
            self.rewards = dict.fromkeys(self.agents, 0.0)
        self._has_rewards = core.scored
        if core.scored:
            self.rewards = dict(zip(self.agents, core.rewards(), strict=True))
            self._accumulate_rewards()
        self.infos[agent] = {"action_mask": self._empty_mask.copy()}
        if self._core.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
            self._deads_step_first()
        else:
            self._select_mover()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Return the board as text or as an image, or show it in a window. No hand is shown."""
        if self.render_mode is None:
            logger.warn("There is nothing to render: give a render_mode to the environment.")
            return None
        return self._renderer.render(self._core.position.state().public)

    def close(self) -> None:
        self._renderer.close()
