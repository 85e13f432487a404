"""The core of the single-game environments: one game, its observations and rewards."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from manhattan.envs.common.options import EnvOptions
from manhattan.envs.common.rewards import AT_END, WIN_SHARE, utility_of_points, win_shares
from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.layout import SIZE
from manhattan.envs.engine.observation import observe
from manhattan.kernel.compile_notice import announce_compilation
from manhattan.kernel.position import Position

Observation = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.int8]
"""Of this type because Gymnasium's spaces accept no other masks."""


class EnvCore:
    """A game at a table, from one reset to the next."""

    def __init__(self, options: EnvOptions) -> None:
        self.options = options
        self.spec = options.spec
        self.position = Position.new(self.spec.setup)
        self.scored = False
        """Whether the last action ended a round."""
        self._rewarded_points = (0,) * len(self.spec.players)
        """The points that earlier rewards have paid."""
        with announce_compilation(self.spec.setup, "observations", compiled.cache):
            self.observe(0)

    def reset(self, seed: int) -> None:
        """Deal a new game. The seed determines all its cards."""
        self.position.reset(seed)
        self.scored = False
        self._rewarded_points = (0,) * len(self.spec.players)

    @property
    def mover(self) -> int:
        return self.position.mover

    @property
    def is_over(self) -> bool:
        return self.position.is_over

    def apply(self, action: int) -> bool:
        """Apply an action; return whether it is legal. An illegal one changes nothing."""
        was_selecting = self._blocks_left() == 0
        if not self.position.try_apply(action):
            return False
        self.scored = not was_selecting and self._blocks_left() == 0
        return True

    def _blocks_left(self) -> int:
        return int(self.position.data["blocks_left"][0])

    def observe(self, viewer: int) -> tuple[Observation, Mask]:
        """Return a player's observation and the mask of their legal actions, in new arrays."""
        row = np.empty(SIZE, np.uint8)
        mask = np.empty(self.spec.action_space.size, np.int8)
        observe(self.position.data, self.spec.players, self.spec.colours, viewer, row, mask)
        return row, mask

    def rewards(self) -> list[float]:
        """Return the rewards of the last action. Call this once after each scoring."""
        players = len(self.spec.players)
        if self.options.utility == WIN_SHARE:
            winners = self.position.winners()[0] if self.is_over else ()
            return win_shares(sum(1 << player for player in winners), players)
        if self.options.timing == AT_END and not self.is_over:
            return [0.0] * players
        points = self.position.scores
        gains = [now - paid for now, paid in zip(points, self._rewarded_points, strict=True)]
        self._rewarded_points = points
        return utility_of_points(self.options.utility, gains)


_TOO_LARGE: Final = 1 << 31
"""Greater than any action."""


def action_number(action: object) -> int:
    """Return an action of any integer type as an int; -1 if it isn't one."""
    if isinstance(action, np.ndarray) and action.shape == ():
        action = action[()]
    if not isinstance(action, int | np.integer) or isinstance(action, bool):
        return -1
    return int(action) if 0 <= action < _TOO_LARGE else -1
