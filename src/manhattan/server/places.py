"""What is told of the places where one may build: up to fifty of them, at every turn.

Of each place and of what building there changes there are a few thousand kinds, which come again
and again. So each half is written once and kept, and a turn only puts halves together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import orjson

from manhattan.rules.board import SITES
from manhattan.rules.legality import Placements
from manhattan.rules.prospect import Prospects
from manhattan.server.protocol import PlaceTold

T = TypeVar("T")

SITE_NAMES: Final = tuple(map(str, SITES))

_MOST: Final = 50_000
"""Halves that are kept of each kind; then we begin anew."""


def places_told(places: list[Placements], prospects: list[Prospects]) -> orjson.Fragment:
    """A list of ``PlaceTold``, as JSON."""
    firsts, seconds = _FIRSTS, _SECONDS
    told = [
        (firsts.get(place) or _kept(firsts, place, _first))
        + (seconds.get(prospect) or _kept(seconds, prospect, _second))
        for place, prospect in zip(places, prospects, strict=True)
    ]
    return orjson.Fragment(b"[" + b",".join(told) + b"]")


def _whole(place: Placements, prospects: Prospects) -> PlaceTold:
    return {
        "site": SITE_NAMES[place.site],
        "card": place.card,
        "moves": tuple(map(str, place.builds)),
        "takes_from": prospects.takes_from,
        "gains": prospects.gains,
    }


_CUT: Final = b',"takes_from"'
_NO_PLACE: Final = Placements(0, 0, SITES[0], 0, (), 0, ())
_NO_PROSPECTS: Final = Prospects(None, ())


def _first(place: Placements) -> bytes:
    """The half that says where."""
    return orjson.dumps(_whole(place, _NO_PROSPECTS)).partition(_CUT)[0]


def _second(prospects: Prospects) -> bytes:
    """The half that says what changes."""
    return b"".join(orjson.dumps(_whole(_NO_PLACE, prospects)).partition(_CUT)[1:])


def _kept(known: dict[T, bytes], one: T, write: Callable[[T], bytes]) -> bytes:
    if len(known) >= _MOST:
        known.clear()
    known[one] = written = write(one)
    return written


_FIRSTS: dict[Placements, bytes] = {}
_SECONDS: dict[Prospects, bytes] = {}
