"""Constructed positions in the middle of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from manhattan.game import Game
from manhattan.rules import (
    SITES,
    Block,
    Card,
    Phase,
    SeedShuffler,
    Setup,
    State,
    Stock,
    Tower,
    deal,
    parse_board,
    set_up,
)
from manhattan.rules.blocks import EMPTY_STOCK, FULL_STOCK, add, stock_of, subtract
from manhattan.rules.board import CARDS, COPIES

SEED = bytes(32)
CHANCE = SeedShuffler(SEED)


def position(
    board: str = "",
    *,
    players: int = 4,
    tableaus: Mapping[str, Sequence[int]] | None = None,
    hands: Mapping[int, Sequence[Card]] | None = None,
    pile: Sequence[Card] | None = None,
    round: int = 1,
    mover: int = 0,
    start_player: int = 0,
    phase: Phase = Phase.BUILD,
    setup: Setup | None = None,
    **options: Any,
) -> State:
    """A state with this board, these tableaus (by colour), these hands and this pile.

    The supplies have the rest of the 24 blocks of each colour. Hands that are not given are dealt
    from the remaining cards, and all other cards have been played.
    """
    setup = setup or set_up(players, **options)
    public = deal(setup, CHANCE).public
    built = parse_board(board)
    on_tableaus = [EMPTY_STOCK] * len(setup.colours)
    for colour, sizes in (tableaus or {}).items():
        on_tableaus[[c.value for c in setup.colours].index(colour)] = stock_of(sizes)
    left: list[Stock] = []
    for colour, tableau in zip(setup.colours, on_tableaus, strict=True):
        used = stock_of(b.size for tower in built for b in tower.blocks if b.colour is colour)
        left.append(subtract(FULL_STOCK, add(used, tableau)))
        assert min(left[-1]) >= 0, f"{colour} has no more than 24 blocks"
    cards = [card for card in CARDS for _ in range(COPIES)]
    held: dict[int, tuple[Card, ...]] = {}
    for player, hand in (hands or {}).items():
        held[player] = tuple(sorted(hand))
        for card in hand:
            cards.remove(card)
    for card in pile or ():
        cards.remove(card)
    for player in range(len(setup.players)):
        if player not in held:
            held[player] = tuple(sorted(cards.pop() for _ in range(4)))
    if pile is None:
        pile, cards = cards, []
    return State(
        public._replace(
            board=built,
            supplies=tuple(left),
            tableaus=tuple(on_tableaus),
            played=tuple(cards),
            round=round,
            mover=mover,
            start_player=start_player,
            phase=phase,
        ),
        tuple(held[player] for player in range(len(setup.players))),
        tuple(pile),
    )


def play_out(game: Game, step: int = 7919, until: int | None = None) -> Game:
    """Play a game to its end, or to a ply, with an arbitrary but fixed choice of moves."""
    while not game.is_over and game.ply != until:
        moves = game.legal_moves()
        game.play(moves[game.ply * step % len(moves)])
    return game


def crowded(setup: Setup, rng: Random, *, low: bool = False) -> State:
    """A state in which most players have no legal placement.

    It is the first building turn of a round. Nearly all sites have strong towers of one colour, and
    the tableaus have mostly small blocks. Low towers have one block each.
    """
    state = deal(setup, SeedShuffler(rng.randbytes(32)))
    public = state.public
    dominant = rng.choice(setup.colours)
    others = [colour for colour in setup.colours if colour is not dominant]

    def tower() -> Tower:
        owner = dominant if rng.random() < 0.97 else rng.choice(others)
        if low:
            return Tower((Block(owner, 4),))
        below = [Block(rng.choice(setup.colours), rng.choice([1, 2]))] * rng.randint(0, 2)
        return Tower((*below, *[Block(owner, 4)] * rng.randint(2, 3)))

    tableau = {4: (3, 1, 0, 0), 6: (4, 2, 0, 0)}[setup.schedule.blocks]
    return state._replace(
        public=public._replace(
            board=tuple(tower() for _ in SITES),
            tableaus=(tableau,) * len(setup.colours),
            phase=Phase.BUILD,
        )
    )
