"""Garbage is collected while the server is idle."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from manhattan.server.ops.tuning import IDLE, IdleGarbageCollector


class Ring:
    """A reference cycle."""

    def __init__(self) -> None:
        self.self = self


@pytest.fixture
def collector() -> Iterator[IdleGarbageCollector]:
    before = gc.get_threshold()
    try:
        yield IdleGarbageCollector(now=0)
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def drop_cycles() -> weakref.ref[Ring]:
    """Create many unreachable cycles, and return a reference to one of them."""
    for _ in range(30_000):
        Ring()
    return weakref.ref(Ring())


def test_nothing_is_collected_while_the_server_is_busy(collector: IdleGarbageCollector) -> None:
    ring = drop_cycles()
    collector.collect_if_idle(last_activity=5_000, now=5_000 + IDLE - 1)
    assert ring() is not None


def test_new_garbage_is_collected_when_the_server_is_idle(collector: IdleGarbageCollector) -> None:
    ring = drop_cycles()
    collector.collect_if_idle(last_activity=5_000, now=5_000 + IDLE)
    assert ring() is None


def test_old_garbage_is_collected_in_a_full_collection(collector: IdleGarbageCollector) -> None:
    held = Ring()
    ring = weakref.ref(held)
    drop_cycles()
    collector.collect_if_idle(last_activity=0, now=5_000)
    del held
    drop_cycles()
    collector.collect_if_idle(last_activity=0, now=10_000)
    assert ring() is not None  # of an older generation
    drop_cycles()
    collector.collect_if_idle(last_activity=0, now=700_000)
    assert ring() is None


def test_much_new_garbage_is_collected_on_a_busy_server(collector: IdleGarbageCollector) -> None:
    ring = drop_cycles()
    many = [[number] for number in range(600_000)]
    assert ring() is None
    assert len(many) == 600_000
