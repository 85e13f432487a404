"""A position in the kernel: to and from the rules' states, and from what a player sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from manhattan.kernel.actions import Numbering
from manhattan.kernel.layout import (
    BUILD,
    FINAL_TIES,
    GAME,
    KIND,
    MOST_BUILT,
    PHASES,
    POSITION,
    REMOVE,
    TALLEST_TIES,
)
from manhattan.kernel.scoring import winners_once
from manhattan.kernel.start import stream_once
from manhattan.kernel.step import act_once, deal_unseen_once, mask_once, placements_once
from manhattan.kernel.turn import NO_FATE
from manhattan.kernel.warm import announced
from manhattan.rules import (
    SITES,
    Block,
    Built,
    Card,
    ManhattanError,
    Move,
    Scored,
    Setup,
    Sheet,
    State,
    Stock,
    Table,
    Tower,
)
from manhattan.rules.board import CLOCKWISE
from manhattan.rules.scoring import decide, score_round
from manhattan.rules.towers import EMPTY_SITE
from manhattan.view import View


class KernelError(ManhattanError, ValueError):
    """Something was handed to the kernel that it can't play with."""


@dataclass
class Position:
    """One game in the kernel. Moves change it in place; ``copy`` keeps one."""

    setup: Setup
    data: Any
    """One record of dtype ``GAME``, in an array of its own."""
    sheets: tuple[Sheet, ...] = ()
    """The score sheets of the rounds that were over when the position was made."""
    traced: bool = False
    """Is what was built kept in the order in which it was?"""
    numbering: Numbering = field(init=False)

    def __post_init__(self) -> None:
        if getattr(self.data, "dtype", None) != GAME or self.data.shape != (1,):
            raise KernelError("A position is one record of the kernel's dtype GAME, in an array.")
        self.numbering = Numbering.of(self.setup)

    @classmethod
    def of_state(cls, state: State, seed: int = 0) -> Position:
        """The position of a whole state; its pile falls as it lies."""
        position = cls._of_table(state.table, seed)
        g = position.data[0]
        for player, hand in enumerate(state.hands):
            _hold(g, player, hand)
        g.pile, g.in_order = len(state.pile), 1
        g.cards[: len(state.pile)] = np.array(state.pile[::-1], np.uint8) - 1
        if g.phase == BUILD:
            placements_once(position.data, (0,) * state.table.setup.schedule.colours)
        return position

    @classmethod
    def of_view(cls, view: View, seed: int = 0) -> Position:
        """A position that fits what a player, or an onlooker, knows; what he can't see is dealt
        at random."""
        position = cls._of_table(view.table, seed)
        g = position.data[0]
        viewer = -1 if view.player is None else view.player
        unseen = list(view.unseen)
        for player in range(len(view.table.setup.players)):
            hand = view.hand if player == viewer else [unseen.pop() for _ in range(4)]
            _hold(g, player, hand)
        g.pile, g.in_order = len(unseen), 0
        g.cards[: len(unseen)] = np.array(unseen, np.uint8) - 1
        position.traced = _retrace(g, view)
        position.deal_unseen(view.player)
        return position

    @classmethod
    def _of_table(cls, table: Table, seed: int) -> Position:
        """Everything that lies open."""
        _check_room(table)
        data = np.zeros(1, GAME).view(np.recarray)
        g, setup = data[0], table.setup
        for player, who in enumerate(setup.players):
            g.names[player] = POSITION[CLOCKWISE.index(who.seat)]
            g.card_for[player] = KIND[CLOCKWISE.index(who.seat)]
        g.blocks, g.rounds = setup.schedule.blocks, setup.schedule.rounds
        g.tallest_tie = TALLEST_TIES.index(setup.rules.tallest_tie)
        g.final_tie = FINAL_TIES.index(setup.rules.final_tie)
        for slot in range(len(setup.colours)):
            g.supply[slot] = _bytes(table.supplies[slot])
            g.tableau[slot] = _bytes(table.tableaus[slot])
            g.taken_out[slot] = _bytes(table.taken_out[slot])
        for site, tower in zip(SITES, table.board, strict=True):
            _raise_tower(g, setup, site, tower)
        g.scores[: len(table.scores)] = table.scores
        for i, card in enumerate(table.played):
            g.cards[len(g.cards) - 1 - i] = card - 1
        g.played, g.shuffles = len(table.played), table.shuffles
        g.round_number, g.start, g.mover = table.round - 1, table.start_player, table.mover
        g.phase = PHASES.index(table.phase)
        if g.phase in (BUILD, REMOVE):
            g.blocks_left = sum(map(sum, table.tableaus))
        g.random = stream_once(np.uint64(seed), np.uint64(0))
        return cls(setup, data, table.sheets)

    @property
    def _players(self) -> tuple[int, ...]:
        return (0,) * len(self.setup.players)

    @property
    def _colours(self) -> tuple[int, ...]:
        return (0,) * self.setup.schedule.colours

    @property
    def mover(self) -> int:
        return int(self.data[0].mover)

    @property
    def over(self) -> bool:
        return bool(PHASES[self.data[0].phase] == "over")

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(map(int, self.data[0].scores[: len(self.setup.players)]))

    def copy(self) -> Position:
        return Position(self.setup, self.data.copy(), self.sheets, self.traced)

    def mask(self) -> npt.NDArray[np.uint8]:
        """A byte for each action: 1 if it is legal now."""
        mask = np.zeros(self.numbering.size, np.uint8)
        mask_once(self.data, self._colours, mask)
        return mask

    def legal_actions(self) -> list[int]:
        """The numbers of the legal moves, ascending."""
        return [int(action) for action in np.flatnonzero(self.mask())]

    def move(self, action: int) -> Move:
        """The move of a number, for whoever is to move."""
        return self.numbering.move(action, self.setup.players[self.mover].colours)

    def action(self, move: Move) -> int:
        """The number of a move, for whoever is to move."""
        return self.numbering.number(move, self.setup.players[self.mover].colours)

    def act(self, action: int, next_pile: Sequence[Card] = ()) -> None:
        """Make a move. If it leads to a shuffle, the cards fall at random, or as prescribed."""
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise KernelError(f"An action is a whole number, not {action!r}.")
        fate = np.array(next_pile, np.uint8) - np.uint8(1) if len(next_pile) else NO_FATE
        legal = False
        if 0 <= action < self.numbering.size:
            with announced(self.setup, "moves"):
                legal = act_once(self.data, self._players, self._colours, int(action), fate)
        if not legal:
            raise KernelError(
                f"Action {action} is illegal here (there are 0 to {self.numbering.size - 1}, "
                f"{len(self.legal_actions())} of them legal)."
            )

    def deal_unseen(self, player: int | None) -> None:
        """Deal anew what a player (None: an onlooker) can't see."""
        viewer = -1 if player is None else self.setup.check_player(player)
        with announced(self.setup, "dealing"):
            deal_unseen_once(self.data, self._players, self._colours, viewer)

    def winners(self) -> tuple[tuple[int, ...], str]:
        """Who has won, and what decided it."""
        if not self.over:
            raise KernelError("The game is not over.")
        bits, by = winners_once(self.data, self._players, self._colours)
        won = tuple(p for p in range(len(self.setup.players)) if bits >> p & 1)
        return won, ("points", "tallest", "majorities", "shared")[by]

    def state(self) -> State:
        """The same position as the rules know it. An unshuffled pile comes out as it lies."""
        g, setup = self.data[0], self.setup
        board = _board(g, setup, int(g.built))
        sheets = list(self.sheets)
        done = int(g.round_number) + (1 if self.over else 0)
        for number in range(len(sheets), done):
            before = sheets[-1].scores if sheets else (0,) * len(setup.players)
            then = _board(g, setup, int(g.scored_at[number]))
            sheets.append(score_round(then, setup, number + 1, before))
        table = Table(
            setup=setup,
            board=board,
            supplies=tuple(unpacked(g.supply[i]) for i in range(len(setup.colours))),
            tableaus=tuple(unpacked(g.tableau[i]) for i in range(len(setup.colours))),
            taken_out=tuple(unpacked(g.taken_out[i]) for i in range(len(setup.colours))),
            played=tuple(int(c) + 1 for c in g.cards[::-1][: int(g.played)]),
            shuffles=int(g.shuffles),
            round=int(g.round_number) + 1,
            start_player=int(g.start),
            mover=int(g.mover),
            phase=PHASES[int(g.phase)],
            sheets=tuple(sheets),
            result=decide(board, setup, sheets[-1].scores) if self.over else None,
        )
        pile = tuple(int(c) + 1 for c in g.cards[: int(g.pile)][::-1])
        return State(table, tuple(self._hand(p) for p in range(len(setup.players))), pile)

    def _hand(self, player: int) -> tuple[Card, ...]:
        g = self.data[0]
        return tuple(
            kind + 1
            for kind in range(9)
            for _ in range(int(g.copies[player]) >> (4 * int(g.names[player, kind])) & 15)
        )


def _check_room(table: Table) -> None:
    """The record keeps every placement of a game: more than there is room for can't be played."""
    plan = table.setup.schedule
    standing = sum(len(tower.blocks) for tower in table.board)
    to_come = plan.blocks * len(table.setup.colours) * (plan.rounds - table.round + 1)
    if standing + to_come > MOST_BUILT:
        raise KernelError(
            f"The kernel has room for {MOST_BUILT} blocks; {standing} stand on this board and up "
            f"to {to_come} are still to come."
        )


def _hold(g: Any, player: int, hand: Sequence[Card]) -> None:
    for card in hand:
        position = int(g.names[player, card - 1])
        g.points_at[player] |= np.uint64(1 << position)
        g.copies[player] += np.uint64(1 << (4 * position))


def _raise_tower(g: Any, setup: Setup, site: int, tower: Tower) -> None:
    """Put a tower on its site, and see who may build there."""
    bit = np.uint64(1 << site)
    for block in tower.blocks:
        slot = setup.colour_index(block.colour)
        g.floors[site] += np.uint32(block.size << (8 * slot))
        g.heights[site] += np.uint8(block.size)
        g.log[g.built] = site * 16 + slot * 4 + block.size - 1
        g.built += 1
    for index, colour in enumerate(setup.colours):
        if tower.owner is colour:
            g.owner[index] |= bit
        for size in range(tower.smallest_for(colour), 5):
            g.allowed[index, size - 1] |= bit


def _retrace(g: Any, view: View) -> bool:
    """Keep what was built in the order in which it was; false if that has not been told."""
    setup = view.table.setup
    builds = [event for event in view.events if isinstance(event, Built)]
    towers: list[list[Block]] = [[] for _ in SITES]
    for event in builds:
        towers[event.site].append(event.block)
    scored = tuple(event.sheet for event in view.events if isinstance(event, Scored))
    fits = tuple(map(tuple, towers)) == tuple(tower.blocks for tower in view.table.board)
    if not fits or scored != view.table.sheets:
        return False
    for number, event in enumerate(builds):
        slot = setup.colour_index(event.block.colour)
        g.log[number] = event.site * 16 + slot * 4 + event.block.size - 1
    built = 0
    for told in view.events:
        built += isinstance(told, Built)
        if isinstance(told, Scored):
            g.scored_at[told.sheet.round - 1] = built
    return True


def _board(g: Any, setup: Setup, built: int) -> tuple[Tower, ...]:
    towers: list[list[Block]] = [[] for _ in SITES]
    for entry in map(int, g.log[:built]):
        towers[entry // 16].append(Block(setup.colours[entry // 4 % 4], entry % 4 + 1))
    return tuple(Tower(tuple(blocks)) if blocks else EMPTY_SITE for blocks in towers)


def _bytes(stock: Stock) -> np.uint32:
    return np.uint32(sum(count << (8 * i) for i, count in enumerate(stock)))


def unpacked(counts: Any) -> Stock:
    """A stock that is packed into a number, a byte for each size."""
    packed = int(counts)
    return packed & 255, packed >> 8 & 255, packed >> 16 & 255, packed >> 24
