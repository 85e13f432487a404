"""Whole games of the kernel, told by what is left of them: to play the same ones elsewhere."""

from __future__ import annotations

import json
from hashlib import sha256

from manhattan.kernel.bits import HAS_PDEP
from manhattan.kernel.jit import CACHE
from manhattan.kernel.policies import GREEDY, UNIFORM
from manhattan.kernel.speed import _games, start_of
from manhattan.rules import set_up

GAMES = 3


def endings() -> list[str]:
    """The whole record at the end of some games of each policy, as a hash."""
    setup = set_up(4)
    room = start_of(setup).data
    left = []
    for policy in (UNIFORM, GREEDY):
        for seed in range(GAMES):
            points = _games(room, (0,) * 4, (0,), policy, seed, 1)
            left.append(f"{points} {sha256(room.tobytes()).hexdigest()}")
    return left


if __name__ == "__main__":
    print(json.dumps({"pdep": HAS_PDEP, "cache": CACHE.name, "endings": endings()}))
