"""Dealing by hand: a server in this process deals what a test wants; and pairs of games that are
the same to one who looks on, and differ in the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from random import Random

import pytest

import manhattan.game
from manhattan.game import Game
from manhattan.rules import DECK, Built, Card, Move, Redrew, Setup, Shuffled, Shuffler, shuffle
from manhattan.rules.board import HAND_SIZE
from manhattan.server import decisions

Pile = tuple[Card, ...]
Place = tuple[int, int]
"""Which shuffle, and which of its cards."""


class Dealer:
    """Stands in for the randomness of the system, and for what shuffles by it."""

    def __init__(self) -> None:
        self.seed = bytes(range(32))
        self.piles: Sequence[Pile] = ()
        """What the first shuffles give; all others are by the seed."""

    def token_bytes(self, length: int) -> bytes:
        assert length == len(self.seed)
        return self.seed

    def shuffler(self, seed: bytes) -> Shuffler:
        piles = self.piles
        return lambda n, cards: piles[n] if n < len(piles) else shuffle(seed, n, cards)


@contextmanager
def dealing() -> Iterator[Dealer]:
    """Whoever deals in this process meanwhile, deals so."""
    dealer = Dealer()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decisions, "secrets", dealer)
        patch.setattr(manhattan.game, "SeedShuffler", dealer.shuffler)
        yield dealer


def twins(
    setup: Setup, eyes: Collection[int], plies: int
) -> tuple[list[Pile], list[Pile], tuple[Move, ...]]:
    """Two ways in which the cards fall, and moves that can be made in both: up to there, nobody
    who sees no hands but these can tell them apart."""
    seed, dice = bytes(range(32)), Random(plies)
    piles = [shuffle(seed, 0, DECK)]

    def chance(number: int, cards: Pile) -> Pile:
        if number == len(piles):
            piles.append(shuffle(seed, number, cards))
        return piles[number]

    game = Game(setup, chance)
    while game.ply < plies:
        game.play(dice.choice(game.legal_moves()))
    others = _unseen_changed(game, piles, eyes, dice)
    return piles, others, game.moves


def _unseen_changed(
    game: Game, piles: list[Pile], eyes: Collection[int], dice: Random
) -> list[Pile]:
    """The same piles, but what can't be seen from these seats so far lies otherwise."""
    last = len(piles) - 1
    unseen = [at for number, at in _unseen(game, piles, eyes) if number == last]
    cards = [piles[last][at] for at in unseen]
    changed = list(piles[last])
    for at, card in zip(unseen, dice.sample(cards, len(cards)), strict=True):
        changed[at] = card
    assert tuple(changed) != piles[last]
    return [*piles[:last], tuple(changed)]


def _unseen(game: Game, piles: list[Pile], eyes: Collection[int]) -> list[Place]:
    """Where the cards lay that are in other hands now, or in the pile."""
    number, players = 0, len(game.setup.players)
    turns = [(player - game.setup.first) % players for player in range(players)]
    held = [[(0, HAND_SIZE * turn + n) for n in range(HAND_SIZE)] for turn in turns]
    following = HAND_SIZE * players
    for event in game.events:
        assert not isinstance(event, Redrew)  # not in these games
        if isinstance(event, Shuffled):
            number, following = number + 1, 0
        elif isinstance(event, Built):
            hand = held[event.player]
            hand.remove(next(at for at in hand if piles[at[0]][at[1]] == event.card))
            hand.append((number, following))
            following += 1
    in_hands = [at for player, hand in enumerate(held) if player not in eyes for at in hand]
    return in_hands + [(number, at) for at in range(following, len(piles[number]))]
