"""What the events of a game's start lead to: the revealed nonces, and the seed of the shuffles.

A part of the decider's second half: see ``evolve``.
"""

from __future__ import annotations

from manhattan.rules import JointSeed
from manhattan.server.domain.events import GameStarted, NoncesRequested, NoncesRevealed
from manhattan.server.domain.state import PendingDeal, TableState


def pending_deal(state: TableState, event: NoncesRequested | NoncesRevealed) -> PendingDeal:
    """Return the deal that waits for nonces, after some were asked for or revealed."""
    if isinstance(event, NoncesRequested):
        return PendingDeal(event.until, (None,) * len(state.seats))
    pending = state.pending_deal
    assert pending is not None
    new = dict(zip(event.seats, event.nonces, strict=True))
    nonces = tuple(new.get(seat, nonce) for seat, nonce in enumerate(pending.nonces))
    return PendingDeal(pending.until, nonces)


def seed_of(state: TableState, event: GameStarted) -> bytes | JointSeed:
    """Return the seed of the shuffles. Without a nonce it is the server's part itself: the hash of
    that part alone is the commitment, which everyone knows."""
    if event.seed is not None:
        return bytes.fromhex(event.seed)
    assert state.server_seed is not None
    server_seed = bytes.fromhex(state.server_seed)
    nonces = tuple(None if nonce is None else bytes.fromhex(nonce) for nonce in event.nonces)
    return JointSeed(server_seed, nonces) if nonces else server_seed
