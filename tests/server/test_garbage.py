"""Garbage is looked for while nobody plays."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from manhattan.server.garbage import QUIET, Garbage


class Ring:
    """Something that refers to itself: it does not go by itself."""

    def __init__(self) -> None:
        self.self = self


@pytest.fixture
def garbage() -> Iterator[Garbage]:
    before = gc.get_threshold()
    try:
        yield Garbage(now=0)
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def dropped() -> weakref.ref[Ring]:
    """A ring that nobody holds, among many other new things."""
    for _ in range(30_000):
        Ring()
    return weakref.ref(Ring())


def test_while_somebody_plays_nobody_waits_for_it(garbage: Garbage) -> None:
    ring = dropped()
    garbage.look(last_played=5_000, now=5_000 + QUIET - 1)
    assert ring() is not None


def test_as_soon_as_nobody_plays_it_is_found(garbage: Garbage) -> None:
    ring = dropped()
    garbage.look(last_played=5_000, now=5_000 + QUIET)
    assert ring() is None


def test_what_became_garbage_late_is_found_later(garbage: Garbage) -> None:
    held = Ring()
    ring = weakref.ref(held)
    dropped()
    garbage.look(last_played=0, now=5_000)
    del held
    dropped()
    garbage.look(last_played=0, now=10_000)
    assert ring() is not None  # it was not new any more
    dropped()
    garbage.look(last_played=0, now=700_000)
    assert ring() is None


def test_so_much_is_looked_through_in_any_case(garbage: Garbage) -> None:
    ring = dropped()
    many = [[number] for number in range(600_000)]
    assert ring() is None
    assert len(many) == 600_000
