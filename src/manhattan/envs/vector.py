"""Many games that step together, as a vector environment of Gymnasium: NumPy in and out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import getrefcount
from typing import Any, Final, Literal, Unpack

import numpy as np
import numpy.typing as npt
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from manhattan.envs.engine import many
from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import BATCH, SIZE
from manhattan.envs.engine.memory import Address, address_of
from manhattan.envs.spaces import LegalActions, ManyLegalActions, observation_space
from manhattan.envs.terms import Options, agreed
from manhattan.envs.utility import FINE, ON_ILLEGAL, RAISE, EnvError, OnIllegal, chosen
from manhattan.kernel.layout import GAME
from manhattan.kernel.playouts import POLICIES
from manhattan.kernel.warm import announced

Rows = npt.NDArray[np.uint8]
Masks = npt.NDArray[np.int8]
Opponents = Literal["self", "uniform", "greedy"]
OPPONENTS: Final[Mapping[str, int]] = {"self": many.EVERYBODY, **POLICIES}
AUTORESETS: Final[Mapping[str, int]] = {"NextStep": 0, "SameStep": 1}
"""When a game that has ended is dealt anew; that it never is there is no use for here."""


Placed = tuple[npt.NDArray[Any], Address]
"""An array, and where it lies."""

_OURS: Final = 2
"""Who holds an array that nobody else does: the pool, and whoever counts."""
_KEPT: Final = 3


def _placed(array: npt.NDArray[Any]) -> Placed:
    return array, address_of(array)


def _new(shape: tuple[int, ...], dtype: Any, pool: list[Placed]) -> Placed:
    """A new array: kept, too, if it is one of the first."""
    new = _placed(np.empty(shape, dtype))
    if len(pool) < _KEPT:
        pool.append(new)
    return new


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
        anew = getattr(autoreset_mode, "value", autoreset_mode)
        self._at_once = chosen("autoreset_mode", anew, AUTORESETS)
        mode = AutoresetMode(anew)
        self.metadata = {"autoreset_mode": mode, "render_modes": []}
        self.num_envs = num_envs
        self._terms = agreed(**options)
        self.table = self._terms.seats
        self._policy = chosen("opponents", opponents, OPPONENTS)
        self._on_illegal = chosen("on_illegal", on_illegal, ON_ILLEGAL)
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
        self._batch = np.zeros(1, BATCH)
        told = self._batch[0]
        told["count"], told["actions"] = count, actions
        # Game n is begun by player n: so it is a turn later for the same player in each one.
        told["asked"] = many.EVERYBODY if self._policy == many.EVERYBODY else 0
        told["policy"], told["at_once"] = self._policy, self._at_once
        told["utility"], told["payday"] = self._terms.utility, self._terms.payday
        told["fine"] = FINE
        self._games = np.tile(self.table.blank()[: GAME.itemsize], count).view(GAME)
        self._numbers = np.zeros(count, np.int64)
        self._waiting = np.zeros(count, np.uint8)
        self._actions = np.zeros(count, np.int64)
        self._last_rows = np.zeros((count, SIZE), np.uint8)
        self._last_viewers = np.zeros(count, np.int64)
        self._dealt = False
        self._kinds: tuple[tuple[tuple[int, ...], Any], ...] = (
            ((count, SIZE), np.uint8),
            ((count, actions), np.int8),
            ((count,), np.int64),
            ((count, players), np.float32),
            ((count,), np.float32),
            ((count,), np.bool_),
            ((count,), np.bool_),
        )
        self._find_places()
        self._tell(self._unheld())

    def _find_places(self) -> None:
        """Where everything lies that compiled code is told of: all that stays where it is."""
        self._batch_at = address_of(self._batch)
        self._games_at = address_of(self._games)
        self._numbers_at = address_of(self._numbers)
        self._waiting_at = address_of(self._waiting)
        self._actions_at = address_of(self._actions)
        self._last_at = address_of(self._last_rows), address_of(self._last_viewers)
        self._pools: list[list[Placed]] = [[] for _ in self._kinds]

    def _tell(self, told: Sequence[Placed]) -> None:
        """From now on these arrays have what is told."""
        self._told_at = [place for _, place in told]
        (
            self._rows,
            self._masks,
            self._viewers,
            self._rewards,
            self._own,
            self._ended,
            self._illegal,
        ) = (array for array, _ in told)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy lies elsewhere."""
        self.__dict__.update(state)
        told = self._rows, self._masks, self._viewers, self._rewards
        self._find_places()
        self._tell([_placed(array) for array in (*told, self._own, self._ended, self._illegal)])

    def _first_mask(self) -> Masks:
        mask: Masks = self._masks[0]
        return mask

    def _all_masks(self) -> Masks:
        return self._masks

    def _unheld(self) -> list[Placed]:
        """Arrays for what is told next, which nobody holds: of earlier steps, or new ones. The
        system takes longer to give new memory of that size than a step takes to fill it."""
        told = []
        for pool, (shape, dtype) in zip(self._pools, self._kinds, strict=True):
            for placed in pool:
                if getrefcount(placed[0]) == _OURS:
                    break
            else:
                placed = _new(shape, dtype, pool)
            told.append(placed)
        return told

    def _rehearse(self) -> None:
        """Do everything once, so that it is compiled."""
        self._deal(0)
        self._actions[:] = self.random_actions()
        self._first_illegal()
        self._advance(self._told_at)
        self._dealt = False

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Rows, dict[str, Any]]:
        """Deal all games. A game follows from the seed and its number alone: game n of a large
        batch is game n of a small one."""
        if options and "reset_mask" in options:
            raise EnvError("All games are dealt at once, not some: those that end deal themselves.")
        super().reset(seed=seed)
        self._deal(int(self.np_random.integers(2**63)))
        return self._rows, self._told()

    def _deal(self, seed: int) -> None:
        if self._copy:
            self._tell(self._unheld())
        self._dealt = True
        self._batch["seed"] = seed
        self._numbers[:] = np.arange(self.num_envs)
        self._waiting[:] = 0
        self._rewards[:] = 0
        self._illegal[:] = False
        many.deal_all(
            self._batch_at,
            self.table.players,
            self.table.colours,
            self._games_at,
            self._numbers_at,
            *self._told_at[:3],
        )

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Rows, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """A move in every game. An illegal one is not made, and fined; or, if so it was asked for,
        it is an error and none is made.

        A game that has ended takes any action: it is dealt anew with it (or was already, if so it
        was asked for).
        """
        if not self._dealt:
            raise ResetNeeded("Call reset() before the first step.")
        numbers = np.asarray(actions)
        if numbers.shape != (self.num_envs,) or numbers.dtype.kind not in "iu":
            raise InvalidAction(
                f"A step takes {self.num_envs} whole numbers, one for each game, "
                f"not {numbers.dtype} of shape {numbers.shape}."
            )
        # Of whichever kind they came: compiled code is always given this array.
        np.copyto(self._actions, numbers, casting="unsafe")
        if self._on_illegal == RAISE and (wrong := self._first_illegal()) >= 0:
            raise InvalidAction(
                f"Action {numbers[wrong]} is illegal in game {wrong}: see infos['action_mask']."
            )
        told = self._unheld() if self._copy else None
        ended = self._advance([place for _, place in told] if told else self._told_at)
        if ended == many.NO_ACTION:
            last = self._masks.shape[1] - 1
            raise InvalidAction(f"Actions are 0 to {last}, not {numbers.min()} to {numbers.max()}.")
        if told:
            self._tell(told)
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

    def _first_illegal(self) -> int:
        return many.first_illegal(
            self._batch_at, self.table.colours, self._games_at, self._waiting_at, self._actions_at
        )

    def _advance(self, told_at: Sequence[Address]) -> int:
        """Make the moves, and write to these places what is told of it."""
        return many.step_all(
            self._batch_at,
            self.table.players,
            self.table.colours,
            self._games_at,
            self._numbers_at,
            self._waiting_at,
            self._actions_at,
            *self._last_at,
            *told_at,
        )

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
        many.pick_all(
            self._batch_at,
            self.table.players,
            self.table.colours,
            self._games_at,
            address_of(actions),
        )
        return actions
