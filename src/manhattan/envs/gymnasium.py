"""The game for Gymnasium: importing this module registers ``manhattan/Manhattan-v1``.

One agent plays against bots; ``gymnasium.make_vec`` makes many games that step together.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final, Unpack

import gymnasium
import numpy as np
from gymnasium.error import InvalidAction, ResetNeeded

from manhattan.bots import Bot, bot
from manhattan.envs.play import Mask, Play, Row, action_number
from manhattan.envs.rendering import FRAMES_A_SECOND, MODES, Rendering
from manhattan.envs.spaces import LegalActions, observation_space
from manhattan.envs.terms import Options, agreed
from manhattan.envs.utility import FINE, ON_ILLEGAL, RAISE, EnvError, OnIllegal, chosen
from manhattan.view import view

ID: Final = "manhattan/Manhattan-v1"


class ManhattanEnv(gymnasium.Env[Row, np.int64]):
    """One agent against bots, which are named by their levels (or any bot by its name).

    An observation is a row of bytes; the mask of legal actions is in the ``info``.
    """

    metadata = {"render_modes": list(MODES), "render_fps": FRAMES_A_SECOND}  # noqa: RUF012

    def __init__(
        self,
        *,
        opponents: str | Sequence[str] = "medium",
        seat: int | None = None,
        on_illegal: OnIllegal = "penalty",
        render_mode: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        """``opponents`` is a name for all of them, or one for each in the order of play after the
        agent. ``seat`` is the agent's place in the order of play; without one, another each game.
        The options are those of ``terms.agreed``.
        """
        terms = agreed(**options)
        table = terms.seats
        others = len(table.players) - 1
        names = [opponents] * others if isinstance(opponents, str) else list(opponents)
        if len(names) != others:
            raise EnvError(f"{others} opponents are needed; {len(names)} were named.")
        self._bots: list[Bot] = [bot(name) for name in names]
        self._fixed_seat = None if seat is None else table.setup.check_player(seat)
        self._play = Play(table, terms.utility, terms.payday)
        self._on_illegal = chosen("on_illegal", on_illegal, ON_ILLEGAL)
        self._rendering = Rendering(render_mode)
        self.render_mode = render_mode
        self._dealt = False
        self.seat = 0
        """The agent's place in this game."""
        self._dice = Random(0)  # noqa: S311 - a game
        self._mask: Mask = self._play.look(0)[1]
        self.observation_space: gymnasium.Space[Row] = observation_space()
        self.action_space = LegalActions(table.numbering.size, self.action_masks)

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - there are none
    ) -> tuple[Row, dict[str, Any]]:
        """Deal a new game, and let the bots move up to the agent's first turn.

        Cards and bots have random numbers of their own: how a bot thinks deals nobody other cards.
        """
        super().reset(seed=seed)
        cards, dice = (int(number) for number in self.np_random.integers(2**63, size=2))
        place = int(self.np_random.integers(len(self._play.seats.players)))
        self.seat = place if self._fixed_seat is None else self._fixed_seat
        self._dice = Random(dice)  # noqa: S311 - a game
        self._play.deal(cards, self._play.seats.setup.first)
        self._dealt = True
        self._let_bots_move()
        return self._told()

    def step(self, action: np.int64) -> tuple[Row, float, bool, bool, dict[str, Any]]:
        """Make a move, and let the bots move up to the agent's next turn."""
        play = self._play
        if play.over or not self._dealt:
            told = "The game is over" if play.over else "No game was dealt yet"
            raise ResetNeeded(f"{told}: call reset().")
        number = action_number(action)
        if not play.move(number):
            if self._on_illegal == RAISE or not 0 <= number < play.seats.numbering.size:
                raise InvalidAction(
                    f"{action!r} is no legal action now: see info['action_mask'], "
                    f"which allows {int(self._mask.sum())} of 0 to {len(self._mask) - 1}."
                )
            row, info = self._told()
            return row, FINE, False, False, info | {"illegal": True}
        reward = play.rewards()[self.seat] if play.scored else 0.0
        reward += self._let_bots_move()
        row, info = self._told()
        if self.render_mode == "human":
            self.render()
        return row, reward, play.over, False, info

    def _let_bots_move(self) -> float:
        """Up to the agent's next turn; what he was paid meanwhile."""
        play, reward = self._play, 0.0
        while not play.over and play.mover != self.seat:
            position = play.position()
            state, players = position.state(), len(play.seats.players)
            choose = self._bots[(play.mover - self.seat) % players - 1]
            move = choose(view(state, play.mover), self._dice)
            play.move(position.action(move))
            reward += play.rewards()[self.seat] if play.scored else 0.0
        return reward

    def _told(self) -> tuple[Row, dict[str, Any]]:
        row, self._mask = self._play.look(self.seat)
        info: dict[str, Any] = {
            "action_mask": self._mask.copy(),
            "seat": self.seat,
            "illegal": False,
        }
        if self._play.over:
            info["scores"] = tuple(self._play.scores)
        return row, info

    def action_masks(self) -> Mask:
        """The mask of legal actions: under this name stable-baselines3 looks for it."""
        return self._mask

    def render(self) -> Any:
        """The board as a text, a picture, or in a window; seen by everybody."""
        return None if self.render_mode is None else self._rendering.show(self._play)

    def close(self) -> None:
        self._rendering.close()


gymnasium.register(
    ID,
    entry_point="manhattan.envs.gymnasium:ManhattanEnv",
    vector_entry_point="manhattan.envs.vector:ManhattanVectorEnv",
)
