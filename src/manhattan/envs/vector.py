"""Many games that step together, as a vector environment of Gymnasium: NumPy in and out."""

from __future__ import annotations

from collections.abc import Mapping
from sys import getrefcount
from typing import Any, Final, Literal, Unpack

import numpy as np
import numpy.typing as npt
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from manhattan.envs.engine import many
from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import SIZE
from manhattan.envs.engine.memory import address_of
from manhattan.envs.spaces import LegalActions, ManyLegalActions, observation_space
from manhattan.envs.terms import Options, agreed
from manhattan.envs.utility import FINE, ON_ILLEGAL, RAISE, EnvError, OnIllegal, chosen
from manhattan.kernel.layout import GAME
from manhattan.kernel.playouts import POLICIES
from manhattan.kernel.warm import announced

Rows = npt.NDArray[np.uint8]
Opponents = Literal["self", "uniform", "greedy"]
OPPONENTS: Final[Mapping[str, int]] = {"self": many.EVERYBODY, **POLICIES}


_OURS: Final = 2
"""Who holds an array that nobody else does: the pool, and whoever counts."""
_KEPT: Final = 3


class ManhattanVectorEnv(VectorEnv[Rows, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """So many games at once.

    With the opponents ``"self"`` every decision of every player is asked for, each seen by whoever
    has to decide (``infos["player"]``). The reward is his who made the move;
    ``infos["rewards"]`` has everybody's. With ``"uniform"`` or ``"greedy"`` one player of each
    game is asked, and the others are played by the compiled policies of that name. He begins in
    one game, is second in the next, and so on.
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
        """Without ``copy`` every step writes into the same arrays: some faster, for whoever is
        done with the last ones by then. The options are those of ``terms.agreed``."""
        if num_envs < 1:
            raise EnvError(f"There must be at least one game, not {num_envs}.")
        if render_mode is not None:
            raise EnvError("Many games are not rendered: make a single one for that.")
        mode = AutoresetMode(autoreset_mode)
        if mode is AutoresetMode.DISABLED:
            raise EnvError("Games that end are dealt anew, in the next step or in the same one.")
        self.metadata = {"autoreset_mode": mode, "render_modes": []}
        self.num_envs = num_envs
        self._terms = agreed(**options)
        self.table = self._terms.seats
        self._policy = chosen("kind of opponents", opponents, OPPONENTS)
        # Game n is begun by player n: so it is a turn later for the same player in each one.
        self._asked = many.EVERYBODY if self._policy == many.EVERYBODY else 0
        self._on_illegal = chosen("way with illegal moves", on_illegal, ON_ILLEGAL)
        self._at_once = int(mode is AutoresetMode.SAME_STEP)
        self._copy = copy
        actions = self.table.numbering.size
        self.single_observation_space = observation_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.single_action_space = LegalActions(actions, self._first_mask)
        self.action_space = ManyLegalActions(actions, num_envs, self._all_masks)
        self._make_room(num_envs, actions, len(self.table.players))
        with announced(self.table.setup, "many games", compiled.cache):
            self._rehearse()

    def _make_room(self, count: int, actions: int, players: int) -> None:
        self._games = np.tile(self.table.blank()[: GAME.itemsize], count).view(GAME)
        self._actions = np.zeros(count, np.int64)
        self._pool: dict[str, list[Rows]] = {}
        self._shapes = {"rows": (count, SIZE), "masks": (count, actions)}
        self._everybody = (count, players)
        self._renew()
        self._last_rows = np.zeros((count, SIZE), np.uint8)
        self._waiting = np.zeros(count, np.uint8)
        self._last_viewers = np.zeros(count, np.int64)
        self._numbers = np.arange(count, dtype=np.int64)
        self._seed: np.uint64 | None = None

    def _renew(self) -> None:
        """Arrays for what is told next, so that nobody's earlier ones are written over."""
        count = self.num_envs
        self._rows = self._unheld("rows")
        self._masks = self._unheld("masks")
        self._rewards = np.empty(self._everybody, np.float32)
        self._own = np.empty(count, np.float32)
        self._ended = np.empty(count, np.bool_)
        self._illegal = np.empty(count, np.bool_)
        self._viewers = np.empty(count, np.int64)

    def _first_mask(self) -> Rows:
        mask: Rows = self._masks[0]
        return mask

    def _all_masks(self) -> Rows:
        return self._masks

    def _unheld(self, name: str) -> Rows:
        """An array that nobody holds: one of earlier steps, or a new one. The system takes longer
        to give new memory of that size than a step takes to fill it."""
        pool = self._pool.setdefault(name, [])
        for number in range(len(pool)):
            if getrefcount(pool[number]) == _OURS:
                return pool[number]
        new = np.empty(self._shapes[name], np.uint8)
        if len(pool) < _KEPT:
            pool.append(new)
        return new

    def _rehearse(self) -> None:
        """Do everything once, so that it is compiled."""
        self._deal(0)
        actions = self.random_actions()
        many.first_illegal(address_of(self._games), self.table.colours, actions, self._waiting)
        self._advance(actions)
        self._seed = None

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - there are none
    ) -> tuple[Rows, dict[str, Any]]:
        """Deal all games. A game follows from the seed and its number alone: game n of a large
        batch is game n of a small one."""
        super().reset(seed=seed)
        self._deal(int(self.np_random.integers(2**63)))
        return self._rows, self._told()

    def _deal(self, seed: int) -> None:
        if self._copy:
            self._renew()
        self._seed = np.uint64(seed)
        self._numbers = np.arange(self.num_envs, dtype=np.int64)
        self._waiting[:] = 0
        self._rewards[:] = 0
        self._illegal[:] = False
        many.deal_all(
            address_of(self._games),
            self.table.players,
            self.table.colours,
            self._policy,
            self._seed,
            self._numbers,
            self._asked,
            address_of(self._rows),
            address_of(self._masks),
            self._masks.shape[1],
            self._viewers,
        )

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Rows, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """A move in every game. An illegal one is not made, and fined; or, if so it was asked for,
        it is an error and none is made.

        A game that has ended takes any action: it is dealt anew with it (or was already, if so it
        was asked for).
        """
        if self._seed is None:
            raise ResetNeeded("Call reset() before the first step.")
        chosen_actions = self._checked(actions)
        if self._copy:
            self._renew()
        ended = self._advance(chosen_actions)
        infos = self._told()
        if ended and self._at_once:
            infos |= self._of_the_ended()
        return (
            self._rows,
            self._own,
            self._ended,
            np.zeros(self.num_envs, np.bool_),
            infos,
        )

    def _checked(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        numbers = np.asarray(actions)
        if numbers.shape != (self.num_envs,) or numbers.dtype.kind not in "iu":
            raise InvalidAction(
                f"A step takes {self.num_envs} whole numbers, one for each game, "
                f"not {numbers.dtype} of shape {numbers.shape}."
            )
        # Of whichever kind they came: compiled code is always given this array.
        np.copyto(self._actions, numbers, casting="unsafe")
        last = self._masks.shape[1] - 1
        if self._actions.view(np.uint64).max() > last:  # a negative one is a large one, so seen
            raise InvalidAction(f"Actions are 0 to {last}, not {numbers.min()} to {numbers.max()}.")
        if self._on_illegal == RAISE:
            wrong = many.first_illegal(
                address_of(self._games), self.table.colours, self._actions, self._waiting
            )
            if wrong >= 0:
                raise InvalidAction(
                    f"Action {numbers[wrong]} is illegal in game {wrong}: see infos['action_mask']."
                )
        return self._actions

    def _advance(self, actions: npt.NDArray[np.int64]) -> int:
        ended: int = many.step_all(
            address_of(self._games),
            self.table.players,
            self.table.colours,
            self._policy,
            self._seed,
            self._numbers,
            self._asked,
            actions,
            self._terms.utility,
            self._terms.payday,
            self._at_once,
            self._waiting,
            address_of(self._rows),
            address_of(self._masks),
            self._masks.shape[1],
            self._viewers,
            self._rewards,
            self._own,
            self._ended,
            address_of(self._last_rows),
            self._last_viewers,
            self._illegal,
            FINE,
        )
        return ended

    def _told(self) -> dict[str, Any]:
        return {
            "action_mask": self._masks,
            "player": self._viewers,
            "rewards": self._rewards,
            "illegal": self._illegal,
        }

    def _of_the_ended(self) -> dict[str, Any]:
        """What was seen of games that ended and have been dealt anew in the same step."""
        last = np.full(self.num_envs, None, object)
        for game in np.flatnonzero(self._ended):
            last[game] = self._last_rows[game].copy()
        players = {"player": self._last_viewers.copy(), "_player": self._ended.copy()}
        return {
            "final_obs": last,
            "_final_obs": self._ended.copy(),
            "final_info": players,
            "_final_info": self._ended.copy(),
        }

    def random_actions(self) -> npt.NDArray[np.int64]:
        """Any legal action for each game, all alike, by the games' own random numbers."""
        actions = np.empty(self.num_envs, np.int64)
        many.pick_all(address_of(self._games), self.table.players, self.table.colours, actions)
        return actions
