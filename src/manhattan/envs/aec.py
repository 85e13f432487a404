"""The game for PettingZoo: agents take turns, and each sees what a player may see."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.error import InvalidAction
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from manhattan.envs.play import Play, action_number
from manhattan.envs.rendering import FRAMES_A_SECOND, MODES, Rendering
from manhattan.envs.spaces import observation_space
from manhattan.envs.terms import Options, agreed


class ManhattanAEC(AECEnv):  # type: ignore[misc]
    """Whole games. To choose blocks and to build are decisions in one space of actions.

    An observation is a dictionary of the row of bytes and the mask; whoever is not to move has a
    mask of zeros. The mask is in ``infos``, too.
    """

    metadata = {  # noqa: RUF012 - as PettingZoo has it
        "render_modes": list(MODES),
        "name": "manhattan_v1",
        "is_parallelizable": False,
        "render_fps": FRAMES_A_SECOND,
    }

    def __init__(self, *, render_mode: str | None = None, **options: Unpack[Options]) -> None:
        """The options are those of ``terms.agreed``."""
        AECEnv.__init__(self)
        terms = agreed(**options)
        table = terms.seats
        self._play = Play(table, terms.utility, terms.payday)
        self._rendering = Rendering(render_mode)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{number}" for number in range(len(table.players))]
        self.agents = list(self.possible_agents)
        self._number = {agent: number for number, agent in enumerate(self.possible_agents)}
        actions = table.numbering.size
        self._no_actions = np.zeros(actions, np.int8)
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
        self._chance: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - there are none
    ) -> None:
        """Deal a new game. The same seed deals the same ones, whatever the agents do."""
        if seed is not None or self._chance is None:
            self._chance, _ = seeding.np_random(seed)
        self._play.deal(int(self._chance.integers(2**63)), self._play.seats.setup.first)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._no_actions.copy()} for agent in self.agents}
        self._skip_agent_selection = None
        self._paid: bool = False
        self._ask()

    def _ask(self) -> None:
        """It is the mover's turn: he is told what he sees and may do."""
        agent = self.possible_agents[self._play.mover]
        self.agent_selection = agent
        row, mask = self._play.look(self._play.mover)
        self._seen: dict[str, Any] = {"observation": row, "action_mask": mask}
        self.infos[agent] = {"action_mask": self._seen["action_mask"]}

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees, and what it may do: nothing if it is another's turn."""
        if agent == self.agent_selection and not self._play.over:
            return self._seen.copy()
        row, mask = self._play.look(self._number[agent])
        return {"observation": row, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Make a move for whoever is asked. An illegal one is refused, and nothing has changed."""
        agent = self.agent_selection
        play = self._play
        if play.over or self.terminations[agent]:
            self._was_dead_step(action)
            return
        if not play.move(action_number(action)):
            raise InvalidAction(
                f"{action!r} is no legal action of {agent} now: see the action mask, "
                f"which allows {int(self._seen['action_mask'].sum())}."
            )
        self._cumulative_rewards[agent] = 0.0
        if self._paid:
            self.rewards = dict.fromkeys(self.agents, 0.0)
        self._paid = play.scored
        if play.scored:
            self.rewards = dict(zip(self.agents, play.rewards(), strict=True))
            self._accumulate_rewards()
        self.infos[agent] = {"action_mask": self._no_actions.copy()}
        if self._play.over:
            self.terminations = dict.fromkeys(self.agents, True)
            self._deads_step_first()
        else:
            self._ask()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """The board as a text, a picture, or in a window; seen by everybody."""
        if self.render_mode is None:
            from gymnasium import logger

            logger.warn("There is nothing to render: name a render_mode when you make it.")
            return None
        return self._rendering.show(self._play)

    def close(self) -> None:
        self._rendering.close()
