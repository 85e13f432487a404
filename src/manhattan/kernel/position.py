"""A position in the kernel: made from a state or from one player's view, changed by actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from manhattan.kernel.action_api import fill_mask_of, list_placements_of, try_action
from manhattan.kernel.actions import ActionSpace
from manhattan.kernel.compile_notice import announce_compilation
from manhattan.kernel.conversion import (
    add_build_order,
    add_hands,
    add_pile,
    new_record,
    state_of,
)
from manhattan.kernel.determinization import SPECTATOR, determinize_of
from manhattan.kernel.errors import KernelError
from manhattan.kernel.layout import BUILD, GAME, OVER, copy_records, table_shape
from manhattan.kernel.reset import start_game_of, stream_start_of
from manhattan.kernel.scoring import winners_of
from manhattan.kernel.transition import NO_FORCED_PILE
from manhattan.rules import Card, Move, SeedShuffler, Setup, Sheet, State, deal
from manhattan.rules.board import HAND_SIZE
from manhattan.view import View

_DECIDED_BY = ("points", "tallest", "majorities", "shared")


@dataclass
class Position:
    """One game in the kernel. Actions change it in place; ``copy`` returns an independent one."""

    setup: Setup
    data: Any
    """An array of one record of dtype ``GAME``."""
    sheets: tuple[Sheet, ...] = ()
    """The score sheets of the rounds that were over when the position was made."""
    has_build_order: bool = False
    """Whether the record's log has the blocks in the order in which they were built."""
    action_space: ActionSpace = field(init=False)

    def __post_init__(self) -> None:
        if getattr(self.data, "dtype", None) != GAME or self.data.shape != (1,):
            raise KernelError("A position is one record of the kernel's dtype GAME, in an array.")
        self.action_space = ActionSpace.for_setup(self.setup)
        setup = self.setup
        self._players, self._colours = table_shape(len(setup.players), setup.schedule.colours)

    @classmethod
    def from_state(cls, state: State, seed: int = 0) -> Position:
        """Return the position of a state. Its pile keeps its order; a reshuffle is random."""
        data, setup = new_record(state.public), state.public.setup
        g = data[0]
        add_hands(g, state.hands)
        add_pile(g, state.pile, in_order=True)
        g.random = stream_start_of(np.uint64(seed))
        if g.phase == BUILD:
            _, colours = table_shape(len(setup.players), setup.schedule.colours)
            list_placements_of(data, colours)
        return cls(setup, data, state.public.sheets)

    @classmethod
    def from_view(cls, view: View, seed: int = 0) -> Position:
        """Return a random determinization of a player's or a spectator's view."""
        data = new_record(view.public)
        g = data[0]
        unseen = list(view.unseen)
        players = range(len(view.public.setup.players))
        add_hands(
            g,
            [
                view.hand if player == view.player else [unseen.pop() for _ in range(HAND_SIZE)]
                for player in players
            ],
        )
        add_pile(g, unseen[::-1], in_order=False)
        g.random = stream_start_of(np.uint64(seed))
        has_build_order = add_build_order(g, view)
        position = cls(view.public.setup, data, view.public.sheets, has_build_order)
        position.determinize(view.player)
        return position

    @classmethod
    def new(cls, setup: Setup, seed: int = 0) -> Position:
        """Return a new game, dealt by the kernel's own generator."""
        position = cls.from_state(deal(setup, SeedShuffler(bytes(32))))
        position.reset(seed)
        return position

    def reset(self, seed: int = 0) -> None:
        """Deal a new game."""
        with announce_compilation(self.setup, "dealing"):
            start_game_of(self.data, self._players, self.setup.first, np.uint64(seed % 2**64), 0)
        self.sheets, self.has_build_order = (), True

    @property
    def mover(self) -> int:
        return int(self.data["mover"][0])

    @property
    def is_over(self) -> bool:
        return int(self.data["phase"][0]) == OVER

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(self.data["scores"][0].tolist()[: len(self.setup.players)])

    def copy(self) -> Position:
        return Position(self.setup, copy_records(self.data), self.sheets, self.has_build_order)

    def mask(self) -> npt.NDArray[np.uint8]:
        """Return one byte per action: 1 if it is legal now."""
        mask = np.empty(self.action_space.size, np.uint8)
        fill_mask_of(self.data, self._colours, mask)
        return mask

    def legal_actions(self) -> list[int]:
        """Return the legal actions, ascending."""
        actions: list[int] = np.flatnonzero(self.mask()).tolist()
        return actions

    def decode(self, action: int) -> Move:
        """Return the mover's move of an action."""
        return self.action_space.decode(action, self.setup.players[self.mover].colours)

    def encode(self, move: Move) -> int:
        """Return the action of a move of the mover."""
        return self.action_space.encode(move, self.setup.players[self.mover].colours)

    def apply(self, action: int, next_pile: Sequence[Card] = ()) -> None:
        """Apply an action. If it leads to a shuffle, the new pile is ``next_pile``, or random."""
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise KernelError(f"An action is an integer, not {action!r}.")
        if not self.try_apply(int(action), next_pile):
            raise KernelError(
                f"Action {action} is illegal here (actions are 0 to {self.action_space.size - 1}; "
                f"{len(self.legal_actions())} of them are legal)."
            )

    def try_apply(self, action: int, next_pile: Sequence[Card] = ()) -> bool:
        """Apply an action if it is legal; return whether it is. An illegal one changes nothing."""
        if not 0 <= action < self.action_space.size:
            return False
        forced = np.array(next_pile, np.uint8) - np.uint8(1) if next_pile else NO_FORCED_PILE
        with announce_compilation(self.setup, "moves"):
            return bool(try_action(self.data, self._players, self._colours, action, forced))

    def determinize(self, player: int | None) -> None:
        """Deal the cards that a player (None: a spectator) can't see at random."""
        viewer = SPECTATOR if player is None else self.setup.check_player(player)
        with announce_compilation(self.setup, "determinizing"):
            determinize_of(self.data, self._players, self._colours, viewer)

    def winners(self) -> tuple[tuple[int, ...], str]:
        """Return the winners, and what decided between them."""
        if not self.is_over:
            raise KernelError("The game is not over.")
        bits, reason = winners_of(self.data, self._players, self._colours)
        won = tuple(p for p in range(len(self.setup.players)) if bits >> p & 1)
        return won, _DECIDED_BY[reason]

    def state(self) -> State:
        """Return the rules' state. A pile that is not in order keeps its arbitrary order."""
        return state_of(self.data[0], self.setup, self.sheets)
