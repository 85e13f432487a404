"""What is told of the places where one may build: up to fifty of them, at every turn.

Of each place and of what building there changes there are a few thousand kinds, which come again
and again. So each half is written once and kept, and a turn only puts halves together.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import orjson

from manhattan.rules import Seat
from manhattan.rules.board import SITES, Site, card_for
from manhattan.rules.legality import builds
from manhattan.rules.moves import Build, Sizes
from manhattan.rules.prospect import Outlook, Prospects
from manhattan.rules.setup import OwnColour
from manhattan.server.protocol import PlaceTold

SITE_NAMES: Final = tuple(map(str, SITES))


def places_told(seat: Seat, outlooks: Iterable[Outlook]) -> orjson.Fragment:
    """A list of ``PlaceTold``, as JSON."""
    told: list[bytes] = []
    for own, sizes, places in outlooks:
        firsts = _firsts(seat, own, sizes)
        told += [
            firsts[least][site] + (prospects.note or _second(prospects))
            for site, least, prospects in places
        ]
    return orjson.Fragment(b"".join((b"[", b",".join(told), b"]")))


_CUT: Final = b',"takes_from"'


@lru_cache(maxsize=512)
def _firsts(seat: Seat, own: OwnColour, sizes: tuple[Sizes, ...]) -> tuple[tuple[bytes, ...], ...]:
    """``[least][site]``: the half that says where, and with which blocks."""
    nothing = Prospects(None, ())
    return tuple(
        tuple(
            orjson.dumps(_whole(site, card_for(seat, site), moves, nothing)).partition(_CUT)[0]
            for site, moves in zip(SITES, by_site, strict=True)
        )
        for by_site in builds(own.said, sizes)
    )


def _second(prospects: Prospects) -> bytes:
    """The half that says what changes."""
    whole = orjson.dumps(_whole(SITES[0], 0, (), prospects))
    prospects.note = b"".join(whole.partition(_CUT)[1:])
    return prospects.note


def _whole(site: Site, card: int, moves: tuple[Build, ...], prospects: Prospects) -> PlaceTold:
    return {
        "site": SITE_NAMES[site],
        "card": card,
        "moves": tuple(map(str, moves)),
        "takes_from": prospects.takes_from,
        "gains": prospects.gains,
    }
