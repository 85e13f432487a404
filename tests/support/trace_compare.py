"""Replay a trace in the kernel, and compare the kernel's record with every line of it.

All of this is compiled. It reads the record directly and calls the functions that ``Position``
calls.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from manhattan.kernel.action_api import fill_mask_of, is_legal, list_placements_of, try_action
from manhattan.kernel.jit import compiled, never_inlined
from manhattan.kernel.layout import ALL_SITES, BUILD, OVER
from manhattan.kernel.scoring import winners_of
from support.game_trace import (
    ACTION,
    HEAD,
    HEIGHT,
    LEGAL,
    LISTED,
    MOVER,
    NO_ACTION,
    OWNER,
    PHASE,
    PILE,
    PILE_CARDS,
    PLAYED,
    ROUND,
    SHUFFLES,
    SITE,
    SITES_SUM,
    START,
    TOP,
    TOWER_HEAD,
    TOWERS,
)

DIFFERENCES: Final = (
    "nothing",
    "whose turn",
    "scores",
    "blocks",
    "hands",
    "pile",
    "played cards",
    "towers",
    "who may build where",
    "the order of building",
    "legal moves",
    "a single move's legality",
    "a legal move was rejected",
    "winners",
)
"""What can differ, by the numbers below."""

(
    _NOTHING,
    _TURN,
    _SCORES,
    _BLOCKS,
    _HANDS,
    _PILE,
    _PLAYED,
    _TOWERS,
    _ALLOWED,
    _LOG,
    _MASK,
    _LEGALITY,
    _REJECTED,
    _WINNERS,
) = range(len(DIFFERENCES))

_U64 = np.uint64
_HAND = 4
_BACK = 48
_BUILDS = 216
_STRIDE = 31
"""Every 31st action, legal or not, is checked by itself; at each turn, other ones."""


@compiled
def set_cards(games: Any, players: Any, colours: Any, line: Any) -> None:
    """Put the cards of the trace's first line into a record of the same table."""
    g = games[0]
    n = len(players)
    at = len(line) - 45
    g.cards[:] = 0
    for player in range(n):
        g.hand_mask[player] = _U64(0)
        g.copies[player] = _U64(0)
        for i in range(_HAND):
            position = _U64(g.card_to_position[player, line[at + _HAND * player + i] - 1])
            g.hand_mask[player] |= _U64(1) << position
            g.copies[player] += _U64(1) << (_U64(4) * position)
    at += _HAND * n
    g.pile, g.played, g.in_order = line[PILE], line[PLAYED], 1
    for i in range(g.pile):
        g.cards[g.pile - 1 - i] = line[at + i] - 1
    for i in range(g.played):
        g.cards[_BACK - 1 - i] = line[at + g.pile + i] - 1
    g.shuffles, g.phase = line[SHUFFLES], line[PHASE]
    g.legal[:] = 0
    g.before[:] = 0
    if g.phase == BUILD:
        list_placements_of(games, colours)


@never_inlined
def _stocks_differ(stocks: Any, count: int, line: Any, at: int) -> bool:
    for colour in range(count):
        for size in range(4):
            have = (stocks[colour] >> np.uint32(8 * size)) & np.uint32(255)
            if have != line[at + 4 * colour + size]:
                return True
    return False


@never_inlined
def _hands_differ(g: Any, n: int, line: Any, at: int) -> bool:
    for player in range(n):
        copies, hand_mask = _U64(0), _U64(0)
        for i in range(_HAND):
            position = _U64(g.card_to_position[player, line[at + _HAND * player + i] - 1])
            copies += _U64(1) << (_U64(4) * position)
            hand_mask |= _U64(1) << position
        if g.copies[player] != copies or g.hand_mask[player] != hand_mask:
            return True
    return False


@never_inlined
def _cards_differ(g: Any, n: int, line: Any) -> int:
    at = len(line) - 45
    if _hands_differ(g, n, line, at):
        return _HANDS
    at += _HAND * n
    if g.pile != line[PILE] or g.in_order != 1 or g.shuffles != line[SHUFFLES]:
        return _PILE
    for i in range(g.pile):
        if g.cards[g.pile - 1 - i] + 1 != line[at + i]:
            return _PILE
    if g.played != line[PLAYED]:
        return _PLAYED
    for i in range(g.played):
        if g.cards[_BACK - 1 - i] + 1 != line[at + g.pile + i]:
            return _PLAYED
    return _NOTHING


@never_inlined
def _line_differs(g: Any, n: int, count: int, line: Any) -> int:
    """Compare everything but the board."""
    if g.mover != line[MOVER] or g.phase != line[PHASE]:
        return _TURN
    if g.round_number + 1 != line[ROUND] or g.start != line[START]:
        return _TURN
    for player in range(n):
        if g.scores[player] != line[HEAD + player]:
            return _SCORES
    at = HEAD + n
    if (
        _stocks_differ(g.supply, count, line, at)
        or _stocks_differ(g.tableau, count, line, at + 4 * count)
        or _stocks_differ(g.taken_out, count, line, at + 8 * count)
    ):
        return _BLOCKS
    return _cards_differ(g, n, line)


@never_inlined
def _add_tower(tower: Any, count: int, board: Any) -> Any:
    """Add a tower of the trace to the expected board; return the expected entry of the log."""
    floors, heights, owner, allowed = board
    site = np.int64(tower[SITE])
    bit = _U64(1) << _U64(site)
    heights[site] = tower[HEIGHT]
    floors[site] = 0
    for q in range(count):
        floors[site] |= np.int64(tower[TOWER_HEAD + q]) << (8 * q)
        owner[q] = (owner[q] & ~bit) | (bit if tower[OWNER] == q else _U64(0))
        for t in range(4):
            free = bit if tower[TOWER_HEAD + count + q] <= t + 1 else _U64(0)
            allowed[q, t] = (allowed[q, t] & ~bit) | free
    return site * 16 + np.int64(tower[OWNER]) * 4 + np.int64(tower[TOP]) - 1


@never_inlined
def _log_differs(g: Any, count: int, towers: Any, begin: int, end: int, board: Any) -> int:
    """Add the towers since the last line to the expected board, and compare the log."""
    for i in range(begin, end):
        if g.log[i] != _add_tower(towers[i], count, board):
            return _LOG
    return _NOTHING if g.built == end else _LOG


@never_inlined
def _scoring_differs(g: Any, before: Any, line: Any, built: int) -> int:
    """Compare the length of the log at the end of a round, if the last move ended one."""
    scored = line[ROUND] != before[ROUND] or (line[PHASE] != before[PHASE] and line[PHASE] == OVER)
    return _LOG if scored and g.scored_at[before[ROUND] - 1] != built else _NOTHING


@never_inlined
def _board_differs(g: Any, count: int, board: Any) -> int:
    floors, heights, owner, allowed = board
    for site in range(54):
        if g.floors[site] != floors[site] or g.heights[site] != heights[site]:
            return _TOWERS
    for q in range(count):
        if g.owner[q] != owner[q]:
            return _TOWERS
        for t in range(4):
            if g.allowed[q, t] != allowed[q, t]:
                return _ALLOWED
    return _NOTHING


@never_inlined
def _moves_differ(games: Any, colours: Any, mask: Any, line: Any, listed: Any, ply: int) -> int:
    """Compare the legal moves: their number, their sites, and if they are listed, each of them."""
    fill_mask_of(games, colours, mask)
    legal = sites = 0
    for action in range(len(mask)):
        legal += mask[action]
        sites += mask[action] * (action % _BUILDS // 4)
    if legal != line[LEGAL] or (line[PHASE] == BUILD and sites != line[SITES_SUM]):
        return _MASK
    for action in range(ply % _STRIDE, len(mask), _STRIDE):
        if is_legal(games[0], colours, action) != (mask[action] == 1):
            return _LEGALITY
    for action in listed:  # none twice, and as many as are legal: so all of them
        if mask[action] != 1:
            return _MASK
        mask[action] = 0
    return _NOTHING if len(listed) in (0, legal) else _MASK


@compiled
def first_difference(
    games: Any,
    players: Any,
    colours: Any,
    lines: Any,
    actions: Any,
    towers: Any,
    piles: Any,
    mask: Any,
    winners: int,
    decided_by: int,
) -> tuple[int, int]:
    """Replay a trace; return the number of moves up to the first difference, and its code."""
    g, n, count = games[0], len(players), len(players) * len(colours)
    board = (
        np.zeros(54, np.int64),
        np.zeros(54, np.int64),
        np.zeros(4, np.uint64),
        np.full((4, 4), ALL_SITES, np.uint64),
    )
    action, tower, pile = 0, 0, 0
    for ply in range(len(lines)):
        line = lines[ply]
        built, listed = tower + line[TOWERS], action + line[LISTED]
        differs = _log_differs(g, count, towers, tower, built, board)
        if differs == _NOTHING:
            differs = _scoring_differs(g, lines[max(0, ply - 1)], line, built)
        if differs == _NOTHING:
            differs = _line_differs(g, n, count, line)
        if differs == _NOTHING:
            differs = _board_differs(g, count, board)
        if differs == _NOTHING:
            moves = actions[action:listed]
            differs = _moves_differ(games, colours, mask, line, moves, ply)
        if differs != _NOTHING:
            return ply, differs
        if line[ACTION] != NO_ACTION:
            cards = piles[pile : pile + line[PILE_CARDS]]
            if not try_action(games, players, colours, int(line[ACTION]), cards):
                return ply, _REJECTED
        action, tower, pile = listed, built, pile + line[PILE_CARDS]
    won, by = winners_of(games, players, colours)
    differs = _NOTHING if won == winners and by == decided_by else _WINNERS
    return len(lines) - 1, differs
