"""A stranger's verifier of fair deals, written from RECORD alone.

It uses only the standard library, and ``independent_replayer``, which does so, too. A client notes
what it saw before the deal; the verifier compares the record of the finished game with that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from support.independent_replayer import below, replay_independently, stream

Record = dict[str, Any]


class Unfair(Exception):
    """The record doesn't prove a fair deal."""


class Seen(NamedTuple):
    """What a client saw and did before the deal."""

    commitment: str
    """Published when the table opened."""
    hashes: Sequence[str | None]
    """Of all seats, when the game started and before any nonce was revealed."""
    revealed: Mapping[int, str]
    """The client's own nonces that the server accepted, by player."""
    by_lot: bool
    """Whether the start player is drawn by lot."""


def verify_deal(record: Record, seen: Seen) -> None:
    """Check that the cards of a finished game could be chosen by nobody."""
    if "server_seed" not in record or "nonces" not in record:
        raise Unfair("One party alone dealt.")
    if record["commitment"] != seen.commitment:
        raise Unfair("The commitment was changed.")
    server_seed, nonces = bytes.fromhex(record["server_seed"]), record["nonces"]
    if _sha256(server_seed) != seen.commitment:
        raise Unfair("The server's part was changed after it was committed to.")
    _verify_nonces(nonces, seen)
    parts = b"".join(bytes.fromhex(nonce) for nonce in nonces if nonce is not None)
    if _sha256(server_seed + parts) != record["seed"]:
        raise Unfair("The seed doesn't follow from the parts.")
    lot = below(len(record["players"]), stream(bytes.fromhex(record["seed"]), 2**32 - 1))
    if seen.by_lot and record["first"] != lot:
        raise Unfair("The start player was not drawn by lot.")
    try:
        replay_independently(record)
    except AssertionError as error:
        raise Unfair("The cards don't follow from the seed.") from error


def _verify_nonces(nonces: list[str | None], seen: Seen) -> None:
    if len(nonces) != len(seen.hashes):
        raise Unfair("There isn't one entry for each player.")
    for nonce, digest in zip(nonces, seen.hashes, strict=True):
        if nonce is not None and _sha256(bytes.fromhex(nonce)) != digest:
            raise Unfair("A nonce is not the one that was committed to.")
    for player, nonce in seen.revealed.items():
        if nonces[player] != nonce:
            raise Unfair("My nonce was dropped.")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
