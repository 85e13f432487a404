"""One game: its moves by the record's own chance, and what a player sees of it."""

from __future__ import annotations

from typing import Any

from manhattan.envs.engine.jit import compiled
from manhattan.envs.engine.memory import Address, bytes_at, game_at
from manhattan.envs.engine.observing import allow, see
from manhattan.kernel.jit import inlined
from manhattan.kernel.layout import OVER
from manhattan.kernel.scoring import winners
from manhattan.kernel.start import start_game
from manhattan.kernel.step import act, is_legal

ILLEGAL = -1
SCORED = 64
"""Added to what a move leads to if a round was scored with it."""


@inlined
def whats_next(g: Any) -> Any:
    """Who is to do what: a number from 0 to 15."""
    return g.mover + 4 * g.phase


@compiled
def start(where: Address, players: tuple[int, ...], first: int, seed: Any, number: int) -> Any:
    """Deal; who is to move, and what."""
    start_game(game_at(where), players, first, seed, number)
    return whats_next(game_at(where))


@compiled
def move(where: Address, players: tuple[int, ...], colours: tuple[int, ...], action: int) -> Any:
    """Make a move; who is to move then, and what. Nothing happens if it is illegal."""
    g = game_at(where)
    if not is_legal(g, colours, action):
        return ILLEGAL
    choosing = g.blocks_left == 0
    act(g, players, colours, action)
    return whats_next(g) + (SCORED if g.blocks_left == 0 and not choosing else 0)


@compiled
def look(
    where: Address,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    viewer: int,
    seen: Address,
    mask: Address,
    size: int,
) -> None:
    """What a player sees, and what he may do now: nothing if it is another's turn. ``size`` is the
    number of actions."""
    see(where, players, colours, viewer, seen)
    g = game_at(where)
    if g.mover == viewer and g.phase != OVER:
        allow(where, colours, mask, size)
    else:
        bytes_at(mask, size)[:] = 0


@compiled
def who_won(where: Address, players: tuple[int, ...], colours: tuple[int, ...]) -> int:
    """A bit for each winner."""
    bits, _ = winners(game_at(where), players, colours)
    return bits
