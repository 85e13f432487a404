"""Conversion between the kernel's records and the rules' states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from manhattan.kernel.errors import KernelError
from manhattan.kernel.layout import (
    BUILD,
    CARD_TO_POSITION,
    FINAL_TIES,
    GAME,
    MAX_BLOCKS,
    OVER,
    PHASES,
    POSITION_TO_CARD,
    REMOVE,
    TALLEST_TIES,
)
from manhattan.rules import (
    SITES,
    Block,
    Built,
    Card,
    PublicState,
    Scored,
    Setup,
    Sheet,
    State,
    Stock,
    Tower,
)
from manhattan.rules.board import CLOCKWISE
from manhattan.rules.scoring import determine_result, score_round
from manhattan.rules.towers import EMPTY_SITE
from manhattan.view import View

# --- from the rules to a record ---------------------------------------------------------------


def new_record(public: PublicState) -> Any:
    """Return an array of one record with everything that is public."""
    _check_capacity(public)
    games = np.zeros(1, GAME)
    g, setup = games[0], public.setup
    for number, player in enumerate(setup.players):
        g.card_to_position[number] = CARD_TO_POSITION[CLOCKWISE.index(player.side)]
        g.position_to_card[number] = POSITION_TO_CARD[CLOCKWISE.index(player.side)]
    g.blocks, g.rounds = setup.schedule.blocks, setup.schedule.rounds
    g.tallest_tie = TALLEST_TIES.index(setup.rules.tallest_tie)
    g.final_tie = FINAL_TIES.index(setup.rules.final_tie)
    for index in range(len(setup.colours)):
        g.supply[index] = _pack_stock(public.supplies[index])
        g.tableau[index] = _pack_stock(public.tableaus[index])
        g.taken_out[index] = _pack_stock(public.taken_out[index])
    for site, tower in zip(SITES, public.board, strict=True):
        _add_tower(g, setup, site, tower)
    g.scores[: len(public.scores)] = public.scores
    for i, card in enumerate(public.played):
        g.cards[len(g.cards) - 1 - i] = card - 1
    g.played, g.shuffles = len(public.played), public.shuffles
    g.round_number, g.start, g.mover = public.round - 1, public.start_player, public.mover
    g.phase = PHASES.index(public.phase)
    if g.phase in (BUILD, REMOVE):
        g.blocks_left = sum(map(sum, public.tableaus))
    return games


def add_hands(g: Any, hands: Iterable[Sequence[Card]]) -> None:
    for player, hand in enumerate(hands):
        for card in hand:
            position = int(g.card_to_position[player, card - 1])
            g.hand_mask[player] |= np.uint64(1 << position)
            g.copies[player] += np.uint64(1 << (4 * position))


def add_pile(g: Any, cards: Sequence[Card], *, in_order: bool) -> None:
    """Set the pile, first card first. Draws from a pile that is not in order are random."""
    g.pile, g.in_order = len(cards), in_order
    g.cards[: len(cards)] = np.array(cards[::-1], np.uint8) - 1


def add_build_order(g: Any, view: View) -> bool:
    """Log the blocks in the order in which they were built; return whether the view's events have
    that order."""
    index = view.public.setup.colour_index
    builds = [event for event in view.events if isinstance(event, Built)]
    towers: list[list[Block]] = [[] for _ in SITES]
    for event in builds:
        towers[event.site].append(event.block)
    sheets = tuple(event.sheet for event in view.events if isinstance(event, Scored))
    is_same_board = tuple(map(tuple, towers)) == tuple(tower.blocks for tower in view.public.board)
    if not is_same_board or sheets != view.public.sheets:
        return False
    for number, event in enumerate(builds):
        block = event.block
        g.log[number] = event.site * 16 + index(block.colour) * 4 + block.size - 1
    built = 0
    for any_event in view.events:
        built += isinstance(any_event, Built)
        if isinstance(any_event, Scored):
            g.scored_at[any_event.sheet.round - 1] = built
    return True


def _check_capacity(public: PublicState) -> None:
    """Reject a game with more blocks than the record's log has room for."""
    schedule = public.setup.schedule
    built = sum(len(tower.blocks) for tower in public.board)
    left = schedule.blocks * len(public.setup.colours) * (schedule.rounds - public.round + 1)
    if built + left > MAX_BLOCKS:
        raise KernelError(
            f"The kernel has room for {MAX_BLOCKS} blocks; this board has {built}, and up to "
            f"{left} are still to come."
        )


def _add_tower(g: Any, setup: Setup, site: int, tower: Tower) -> None:
    """Put a tower on its site, and note which blocks may go on top."""
    bit = np.uint64(1 << site)
    for block in tower.blocks:
        index = setup.colour_index(block.colour)
        g.floors[site] += np.uint32(block.size << (8 * index))
        g.heights[site] += np.uint8(block.size)
        g.log[g.built] = site * 16 + index * 4 + block.size - 1
        g.built += 1
    for index, colour in enumerate(setup.colours):
        if tower.owner is colour:
            g.owner[index] |= bit
        for size in range(tower.min_size[colour], 5):
            g.allowed[index, size - 1] |= bit


def _pack_stock(stock: Stock) -> np.uint32:
    return np.uint32(sum(count << (8 * i) for i, count in enumerate(stock)))


# --- from a record to the rules ---------------------------------------------------------------


def state_of(g: Any, setup: Setup, sheets: Sequence[Sheet]) -> State:
    """Return the rules' state of a record. The sheets are those of the rounds that were over when
    the record was made; the rules score the later rounds from the log."""
    board = _board_of(g, setup, int(g.built))
    is_over = int(g.phase) == OVER
    all_sheets = list(sheets)
    for number in range(len(sheets), int(g.round_number) + is_over):
        scores = all_sheets[-1].scores if all_sheets else (0,) * len(setup.players)
        scored_board = _board_of(g, setup, int(g.scored_at[number]))
        all_sheets.append(score_round(scored_board, setup, number + 1, scores))
    public = PublicState(
        setup=setup,
        board=board,
        supplies=tuple(unpack_stock(g.supply[i]) for i in range(len(setup.colours))),
        tableaus=tuple(unpack_stock(g.tableau[i]) for i in range(len(setup.colours))),
        taken_out=tuple(unpack_stock(g.taken_out[i]) for i in range(len(setup.colours))),
        played=tuple(int(c) + 1 for c in g.cards[::-1][: int(g.played)]),
        shuffles=int(g.shuffles),
        round=int(g.round_number) + 1,
        start_player=int(g.start),
        mover=int(g.mover),
        phase=PHASES[int(g.phase)],
        sheets=tuple(all_sheets),
        result=determine_result(board, setup, all_sheets[-1].scores) if is_over else None,
    )
    pile = tuple(int(c) + 1 for c in g.cards[: int(g.pile)][::-1])
    return State(public, tuple(_hand_of(g, p) for p in range(len(setup.players))), pile)


def _hand_of(g: Any, player: int) -> tuple[Card, ...]:
    copies, positions = int(g.copies[player]), g.card_to_position[player].tolist()
    return tuple(kind + 1 for kind in range(9) for _ in range(copies >> 4 * positions[kind] & 15))


def _board_of(g: Any, setup: Setup, built: int) -> tuple[Tower, ...]:
    """Return the board after the first ``built`` blocks of the log."""
    towers: list[list[Block]] = [[] for _ in SITES]
    for entry in map(int, g.log[:built]):
        towers[entry // 16].append(Block(setup.colours[entry // 4 % 4], entry % 4 + 1))
    return tuple(Tower(tuple(blocks)) if blocks else EMPTY_SITE for blocks in towers)


def unpack_stock(packed: Any) -> Stock:
    """Return a stock that is packed into an integer, one byte per size."""
    counts = int(packed)
    return counts & 255, counts >> 8 & 255, counts >> 16 & 255, counts >> 24
