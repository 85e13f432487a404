"""A client's part in a fair deal: its nonces, and what it saw, against which it checks the record.

The server commits to its part of the seed when a table opens, and every client to its nonce when it
takes a seat. The client reveals its nonce only to a server that still has the commitment that the
client saw first. ``docs/explanation/fairness.md`` says what that proves.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any, Literal

from manhattan import record
from manhattan.replay import replay
from manhattan.rules import ManhattanError, draw_start_player
from manhattan.rules.chance import NONCE_BYTES

Json = dict[str, Any]
Verdict = Literal["joint", "missing", "watched"]
"""Everything fits, and the client's nonce is part of the seed; the cards were dealt without it; or
the client had no seat with a nonce."""


class UnfairDeal(ManhattanError):
    """A finished game doesn't fit what the client saw of its deal, or its record is wrong."""


def nonce_hash(nonce: str) -> str:
    """Return what a client publishes of a nonce before it reveals it. Both are hexadecimal."""
    return hashlib.sha256(bytes.fromhex(nonce)).hexdigest()


@dataclass(slots=True)
class _SeenDeal:
    """What a client saw of one table's deal."""

    commitment: str | None
    is_first_random: bool = False
    hashes: tuple[str | None, ...] = ()
    """The hashes of all seats when the game started."""
    own: frozenset[str] = frozenset()
    """The hashes of the nonces that the client drew for its seats."""
    has_revealed: bool = False
    """The server has accepted the client's nonces."""


@dataclass(slots=True)
class DealWitness:
    """The nonces of a client, and what it saw of the deals at its tables."""

    _nonces: dict[str, str] = field(default_factory=dict)
    """By their hashes."""
    _deals: dict[str, _SeenDeal] = field(default_factory=dict)
    """By table."""

    def draw_nonces(self, count: int) -> list[str]:
        """Draw nonces, and return their hashes."""
        drawn = [secrets.token_bytes(NONCE_BYTES).hex() for _ in range(count)]
        hashes = list(map(nonce_hash, drawn))
        self._nonces.update(zip(hashes, drawn, strict=True))
        return hashes

    def see(self, table: Json) -> list[str]:
        """Note what a table shows of its deal; return the nonces that the client reveals now."""
        seats = table["seats"]
        deal = self._deals.setdefault(table["id"], _SeenDeal(table["commitment"]))
        if deal.commitment != table["commitment"]:
            return []  # the check reports it
        if table["stage"] == "lobby":
            deal.is_first_random = table["first"] == "random"
        deal.own = frozenset(
            seat["nonce_hash"]
            for seat in seats
            if seat["you"] and seat["nonce_hash"] in self._nonces
        )
        if table["reveal_until"] is None or deal.has_revealed:
            return []
        deal.hashes = deal.hashes or tuple(seat["nonce_hash"] for seat in seats)
        return [self._nonces[digest] for digest in sorted(deal.own)]

    def note_revelation(self, table: str) -> None:
        """Note that the server has accepted the client's nonces."""
        self._deals[table].has_revealed = True

    def check(self, table: str, saved: Json) -> Verdict:
        """Check the record of a finished game, and compare it with what the client saw.

        Raises ``UnfairDeal`` if something doesn't fit.
        """
        try:
            game = replay(record.parse(record.to_line(saved)))
        except ManhattanError as error:
            raise UnfairDeal(f"The record is wrong: {error}") from error
        if not game.is_over or game.seed is None:
            raise UnfairDeal("The deal can be checked when the game is over.")
        deal = self._deals.get(table)
        if deal is None:
            return "watched"
        if deal.commitment not in (None, game.commitment):
            raise UnfairDeal("The server's commitment is not the one that it published first.")
        if deal.is_first_random:
            drawn = draw_start_player(game.seed, len(game.setup.players))
            if drawn != game.setup.first:
                raise UnfairDeal("The start player is not the one that the seed draws.")
        nonces = game.joint.nonces if game.joint else (None,) * len(game.setup.players)
        revealed = tuple(None if nonce is None else nonce.hex() for nonce in nonces)
        return _check_nonces(deal, revealed)


def _check_nonces(deal: _SeenDeal, nonces: tuple[str | None, ...]) -> Verdict:
    for nonce, expected in zip(nonces, deal.hashes, strict=False):
        if nonce is not None and nonce_hash(nonce) != expected:
            raise UnfairDeal("A nonce is not the one whose hash was published before the deal.")
    found = {nonce_hash(nonce) for nonce in nonces if nonce is not None}
    if not deal.own:
        return "watched"
    if deal.own <= found:
        return "joint"
    if deal.has_revealed:
        raise UnfairDeal("The server accepted this client's nonce and dealt without it.")
    return "missing"
