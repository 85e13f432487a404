"""Fixed deals for a server in this process, and pairs of games that differ only in hidden cards."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from random import Random

import pytest

import manhattan.game
from manhattan.game import Game
from manhattan.rules import DECK, Built, Card, Move, Redrew, Setup, Shuffled, Shuffler, shuffle
from manhattan.rules.board import HAND_SIZE
from manhattan.server.service import clock_and_secrets

Pile = tuple[Card, ...]
Place = tuple[int, int]
"""The number of a shuffle, and the index of a card in its pile."""


class Dealer:
    """Replaces the system's random source and the shuffler that uses it."""

    def __init__(self) -> None:
        self.seed = bytes(range(32))
        self.piles: Sequence[Pile] = ()
        """The results of the first shuffles; the seed determines the others."""

    def token_bytes(self, length: int) -> bytes:
        assert length == len(self.seed)
        return self.seed

    def token_hex(self, length: int) -> str:
        return secrets.token_hex(length)

    def token_urlsafe(self, length: int) -> str:
        return secrets.token_urlsafe(length)

    def shuffler(self, seed: bytes) -> Shuffler:
        piles = self.piles
        return lambda n, cards: piles[n] if n < len(piles) else shuffle(seed, n, cards)


@contextmanager
def dealing() -> Iterator[Dealer]:
    """Replace the dealer of this process for a while."""
    dealer = Dealer()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock_and_secrets, "secrets", dealer)
        patch.setattr(manhattan.game, "SeedShuffler", dealer.shuffler)
        yield dealer


def twins(
    setup: Setup, viewers: Collection[int], plies: int
) -> tuple[list[Pile], list[Pile], tuple[Move, ...]]:
    """Two series of shuffles and moves that are legal with both.

    The two games look the same to players who see only the viewers' hands.
    """
    seed, rng = bytes(range(32)), Random(plies)
    piles = [shuffle(seed, 0, DECK)]

    def chance(number: int, cards: Pile) -> Pile:
        if number == len(piles):
            piles.append(shuffle(seed, number, cards))
        return piles[number]

    game = Game(setup, chance)
    while game.ply < plies:
        game.play(rng.choice(game.legal_moves()))
    other_piles = _change_hidden(game, piles, viewers, rng)
    return piles, other_piles, game.moves


def _change_hidden(
    game: Game, piles: list[Pile], viewers: Collection[int], rng: Random
) -> list[Pile]:
    """The same piles with another order of the cards that the viewers have not seen."""
    last = len(piles) - 1
    hidden = [at for number, at in _hidden_places(game, piles, viewers) if number == last]
    cards = [piles[last][at] for at in hidden]
    changed = list(piles[last])
    for at, card in zip(hidden, rng.sample(cards, len(cards)), strict=True):
        changed[at] = card
    assert tuple(changed) != piles[last]
    return [*piles[:last], tuple(changed)]


def _hidden_places(game: Game, piles: list[Pile], viewers: Collection[int]) -> list[Place]:
    """The places of the cards that are now in other hands or in the pile."""
    number, players = 0, len(game.setup.players)
    turns = [(player - game.setup.first) % players for player in range(players)]
    held = [[(0, HAND_SIZE * turn + n) for n in range(HAND_SIZE)] for turn in turns]
    following = HAND_SIZE * players
    for event in game.events:
        assert not isinstance(event, Redrew)  # these games have none
        if isinstance(event, Shuffled):
            number, following = number + 1, 0
        elif isinstance(event, Built):
            hand = held[event.player]
            hand.remove(next(at for at in hand if piles[at[0]][at[1]] == event.card))
            hand.append((number, following))
            following += 1
    in_hands = [at for player, hand in enumerate(held) if player not in viewers for at in hand]
    return in_hands + [(number, at) for at in range(following, len(piles[number]))]
