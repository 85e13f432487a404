"""The Gymnasium vector environment: a batch of games that step together, in compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from manhattan.envs.common.options import Options, check_options
from manhattan.envs.common.rewards import (
    ILLEGAL_PENALTY,
    ON_ILLEGAL,
    RAISE,
    EnvError,
    OnIllegal,
    option_value,
)
from manhattan.envs.common.spaces import BatchedLegalActions, LegalActions, observation_space
from manhattan.envs.engine.batch_step import (
    ALL_PLAYERS,
    BATCH,
    NOT_AN_ACTION,
    first_illegal,
    pick_all,
    reset_all,
    step_all,
)
from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import SIZE
from manhattan.kernel.compile_notice import announce_compilation
from manhattan.kernel.playouts import POLICIES
from manhattan.kernel.position import Position

Observations = npt.NDArray[np.uint8]
Masks = npt.NDArray[np.int8]
Opponents = Literal["self", "uniform", "greedy"]
_NO_POLICY: Final = 0
OPPONENTS: Final[Mapping[str, int]] = {"self": _NO_POLICY, **POLICIES}
AUTORESET_MODES: Final[Mapping[str, int]] = {"NextStep": 0, "SameStep": 1}


class StepArrays(NamedTuple):
    """The arrays that a step fills."""

    observations: Observations
    masks: Masks
    viewers: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float32]
    """``[game, player]``"""
    own_rewards: npt.NDArray[np.float32]
    """``[game]``: the reward of the player who moved."""
    terminations: npt.NDArray[np.bool_]
    illegal: npt.NDArray[np.bool_]

    @classmethod
    def allocate(cls, games: int, actions: int, players: int) -> StepArrays:
        return cls(
            np.empty((games, SIZE), np.uint8),
            np.empty((games, actions), np.int8),
            np.empty(games, np.int64),
            np.zeros((games, players), np.float32),
            np.zeros(games, np.float32),
            np.zeros(games, np.bool_),
            np.zeros(games, np.bool_),
        )


class ManhattanVectorEnv(VectorEnv[Observations, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """A batch of games.

    With the opponents ``"self"`` the caller decides for every player; each observation is that of
    the player who has to decide (``infos["player"]``), and the reward is that of the player who
    moved. ``infos["rewards"]`` has the rewards of all players. With ``"uniform"`` or ``"greedy"``
    the caller decides for one player per game, and the compiled policy of that name plays the
    others. This player begins in one game, is second in the next, and so on.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponents: Opponents = "self",
        on_illegal: OnIllegal = "penalty",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: None = None,
        copy: bool = True,
        **options: Unpack[Options],
    ) -> None:
        """With ``copy=False`` every step overwrites the arrays of the one before, which is faster.
        ``options`` are those of ``check_options``."""
        if num_envs < 1:
            raise EnvError(f"There must be at least one game, not {num_envs}.")
        if render_mode is not None:
            raise EnvError("A batch of games can't be rendered: make a single game for that.")
        mode = getattr(autoreset_mode, "value", autoreset_mode)
        self._same_step_reset = option_value("autoreset_mode", mode, AUTORESET_MODES)
        self.metadata = {"autoreset_mode": AutoresetMode(mode), "render_modes": []}
        self.num_envs = num_envs
        env_options = check_options(**options)
        self.table_spec = env_options.spec
        policy = option_value("opponents", opponents, OPPONENTS)
        self._on_illegal = option_value("on_illegal", on_illegal, ON_ILLEGAL)
        self._copy = copy
        actions = self.table_spec.action_space.size
        self.single_observation_space = observation_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.single_action_space = LegalActions(actions, self._first_mask)
        self.action_space = BatchedLegalActions(actions, num_envs, self._all_masks)
        self._batch = np.zeros(1, BATCH)
        batch = self._batch[0]
        # Player n begins game n: so the same player is one turn later in each game.
        batch.agent = ALL_PLAYERS if policy == _NO_POLICY else 0
        batch.policy, batch.same_step_reset = policy, self._same_step_reset
        batch.utility, batch.timing = env_options.utility, env_options.timing
        batch.illegal_penalty = ILLEGAL_PENALTY
        self._games = np.repeat(Position.new(self.table_spec.setup).data, num_envs)
        self._numbers = np.zeros(num_envs, np.int64)
        self._waiting = np.zeros(num_envs, np.bool_)
        self._actions = np.zeros(num_envs, np.int64)
        self._final_observations = np.zeros((num_envs, SIZE), np.uint8)
        self._final_viewers = np.zeros(num_envs, np.int64)
        self._last = self._new_arrays()
        with announce_compilation(self.table_spec.setup, "batches", compiled.cache):
            self._warm_up()

    def _new_arrays(self) -> StepArrays:
        return StepArrays.allocate(
            self.num_envs, self.table_spec.action_space.size, len(self.table_spec.players)
        )

    def _first_mask(self) -> Masks:
        mask: Masks = self._last.masks[0]
        return mask

    def _all_masks(self) -> Masks:
        return self._last.masks

    def _warm_up(self) -> None:
        """Call every compiled function once."""
        self._deal(0)
        self._actions[:] = self.random_actions()
        self._first_illegal()
        self._step_into(self._last)
        self._was_reset = False

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Deal all games. The seed and its number determine a game: game n of a large batch is
        game n of a small one."""
        if options and "reset_mask" in options:
            raise EnvError("All games are reset together: games that end are reset automatically.")
        super().reset(seed=seed)
        if self._copy:
            self._last = self._new_arrays()
        self._deal(int(self.np_random.integers(2**63)))
        return self._last.observations, self._infos()

    def _deal(self, seed: int) -> None:
        self._was_reset = True
        self._batch["seed"] = seed
        self._numbers[:] = np.arange(self.num_envs)
        self._waiting[:] = False
        self._last.rewards[:] = 0
        self._last.illegal[:] = False
        reset_all(
            self._batch,
            self.table_spec.players,
            self.table_spec.colours,
            self._games,
            self._numbers,
            self._last.observations,
            self._last.masks,
            self._last.viewers,
        )

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Observations, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Apply an action in every game. An illegal one is not applied and costs a penalty; with
        ``on_illegal="raise"`` it is an error, and no action is applied.

        A game that has ended takes any action, which resets it (in the autoreset mode SameStep it
        was reset already).
        """
        if not self._was_reset:
            raise ResetNeeded("Call reset() before the first step.")
        numbers = np.asarray(actions)
        if numbers.shape != (self.num_envs,) or numbers.dtype.kind not in "iu":
            raise InvalidAction(
                f"A step takes {self.num_envs} integers, one for each game, "
                f"not {numbers.dtype} of shape {numbers.shape}."
            )
        # The compiled code always gets the same array: another dtype would be compiled again.
        np.copyto(self._actions, numbers, casting="unsafe")
        if self._on_illegal == RAISE and (game := self._first_illegal()) >= 0:
            raise InvalidAction(
                f"Action {numbers[game]} is illegal in game {game}: see infos['action_mask']."
            )
        arrays = self._new_arrays() if self._copy else self._last
        endings = self._step_into(arrays)
        if endings == NOT_AN_ACTION:
            last = self.table_spec.action_space.size - 1
            raise InvalidAction(f"Actions are 0 to {last}, not {numbers.min()} to {numbers.max()}.")
        self._last = arrays
        infos = self._infos()
        if endings and self._same_step_reset:
            infos |= self._final_infos()
        truncations = np.zeros(self.num_envs, np.bool_)
        return arrays.observations, arrays.own_rewards, arrays.terminations, truncations, infos

    def _first_illegal(self) -> int:
        return first_illegal(self.table_spec.colours, self._games, self._waiting, self._actions)

    def _step_into(self, arrays: StepArrays) -> int:
        return step_all(
            self._batch,
            self.table_spec.players,
            self.table_spec.colours,
            self._games,
            self._numbers,
            self._waiting,
            self._actions,
            self._final_observations,
            self._final_viewers,
            *arrays,
        )

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self._last.masks,
            "player": self._last.viewers,
            "rewards": self._last.rewards,
            "illegal": self._last.illegal,
        }

    def _final_infos(self) -> dict[str, Any]:
        """Return the last observations of games that ended and were reset in the same step."""
        ended = self._last.terminations
        observations = np.full(self.num_envs, None, object)
        for game in np.flatnonzero(ended):
            observations[game] = self._final_observations[game].copy()
        players = {"player": self._final_viewers.copy(), "_player": ended.copy()}
        return {
            "final_obs": observations,
            "_final_obs": ended.copy(),
            "final_info": players,
            "_final_info": ended.copy(),
        }

    def random_actions(self) -> npt.NDArray[np.int64]:
        """Return a random legal action for each game, by the games' own random numbers."""
        actions = np.empty(self.num_envs, np.int64)
        pick_all(self.table_spec.players, self.table_spec.colours, self._games, actions)
        return actions
