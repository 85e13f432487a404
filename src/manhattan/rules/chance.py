"""Reproducible shuffles from a seed of 32 bytes and SHA-256, and seeds that several parties draw
together (RECORD).

Nothing in the rules draws a random number. A ``Shuffler`` is passed in: usually a ``SeedShuffler``,
but it may also read the piles from a saved game.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from manhattan.rules.board import Card
from manhattan.rules.errors import SetupError

Shuffler = Callable[[int, tuple[Card, ...]], tuple[Card, ...]]
"""Takes the number of the shuffle (0 is the deal) and the sorted cards, and returns them in the
order in which they will be drawn."""

SEED_BYTES: Final = 32
NONCE_BYTES: Final = 32
_LOT: Final = 2**32 - 1
_EIGHT_NUMBERS: Final = struct.Struct(">8I")
_PADDING: Final = b"\x80" + bytes(23) + (8 * SEED_BYTES).to_bytes(8, "big")
"""What SHA-256 appends to a message of 32 bytes. A client whose nonce is this could compute the
seed from the commitment alone (length extension), so it is no nonce."""


def commitment(seed: bytes) -> str:
    """The hash of a seed, published at the deal: it fixes the seed without revealing it."""
    return hashlib.sha256(_checked(seed)).hexdigest()


def is_usable_nonce(nonce: bytes) -> bool:
    """Tell whether a nonce can become part of a seed."""
    return len(nonce) == NONCE_BYTES and nonce != _PADDING


@dataclass(frozen=True, slots=True)
class JointSeed:
    """A seed that a server and the players' clients have drawn together.

    The server commits to its part before it knows the nonces, and the clients commit to their
    nonces before they are revealed: nobody could choose the seed.
    """

    server_seed: bytes = field(repr=False)
    nonces: tuple[bytes | None, ...]
    """One for each player in turn order; None for a bot, or a client that revealed none."""

    def __post_init__(self) -> None:
        _checked(self.server_seed)
        revealed = [nonce for nonce in self.nonces if nonce is not None]
        if not revealed:  # the seed would be the commitment, which everyone knows
            raise SetupError("A joint seed needs a nonce.")
        if not all(map(is_usable_nonce, revealed)):
            raise SetupError(f"A nonce has {NONCE_BYTES} bytes, and is not SHA-256's padding.")

    @property
    def seed(self) -> bytes:
        """The seed of the shuffles."""
        revealed = (nonce for nonce in self.nonces if nonce is not None)
        return hashlib.sha256(self.server_seed + b"".join(revealed)).digest()

    @property
    def commitment(self) -> str:
        """The hash that the server published before it knew a nonce."""
        return commitment(self.server_seed)


def shuffle(seed: bytes, number: int, cards: Sequence[Card]) -> tuple[Card, ...]:
    """Shuffle the cards into the order in which they will be drawn."""
    numbers = _numbers(_checked(seed), number)
    pile = sorted(cards)
    for i in range(len(pile) - 1, 0, -1):
        j = _below(i + 1, numbers)
        pile[i], pile[j] = pile[j], pile[i]
    return tuple(pile)


def draw_start_player(seed: bytes, players: int) -> int:
    """Draw the start player at random."""
    return _below(players, _numbers(_checked(seed), _LOT))


@dataclass(frozen=True, slots=True)
class SeedShuffler:
    """A shuffler that derives all shuffles of a game from one seed. Its ``repr`` hides the seed."""

    seed: bytes

    def __post_init__(self) -> None:
        _checked(self.seed)

    def __call__(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return shuffle(self.seed, number, cards)

    def __repr__(self) -> str:
        return f"<SeedShuffler, commitment {commitment(self.seed)[:8]}…>"


def _checked(seed: bytes) -> bytes:
    if not isinstance(seed, bytes):
        raise SetupError(f"A seed is {SEED_BYTES} bytes, not a {type(seed).__name__}.")
    if len(seed) != SEED_BYTES:
        raise SetupError(f"A seed has {SEED_BYTES} bytes; this one has {len(seed)}.")
    return seed


def _numbers(seed: bytes, number: int) -> Iterator[int]:
    """Yield the 32-bit numbers of one shuffle."""
    prefix = seed + number.to_bytes(4, "big")
    counter = 0
    while True:
        digest = hashlib.sha256(prefix + counter.to_bytes(4, "big")).digest()
        yield from _EIGHT_NUMBERS.unpack(digest)
        counter += 1


def _below(n: int, numbers: Iterator[int]) -> int:
    """Choose uniformly from 0 to n - 1. Numbers past the last whole multiple of n are skipped."""
    limit = n * (2**32 // n)
    while (x := next(numbers)) >= limit:
        pass
    return x % n
