"""Work spread over processes, threads or machines: as if it had been done one by one."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from manhattan.spread import SpreadError, cores, over_processes, over_ray, over_threads

# What is sent to other processes has to be found there: so the work is Python's own.
POWERS = [2**n for n in range(12)]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("over", [over_threads, over_processes])
def test_results_come_in_the_order_of_the_tasks(over: Callable[..., Any], workers: int) -> None:
    assert list(over(partial(pow, 2), range(12), workers)) == POWERS


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("over", [over_threads, over_processes])
def test_what_the_work_raises_is_raised(over: Callable[..., Any], workers: int) -> None:
    """After the results of the tasks before it."""
    results = over(math.factorial, [3, 4, -1, 5], workers)
    assert next(results) == 6
    assert next(results) == 24
    with pytest.raises(ValueError, match="factorial"):
        next(results)


@pytest.mark.parametrize("over", [over_threads, partial(over_threads, workers=1)])
def test_no_tasks_are_no_work(over: Callable[..., Any]) -> None:
    assert list(over(math.factorial, [])) == []


def test_whoever_is_done_first_waits_for_those_before_him() -> None:
    ready = threading.Event()

    def work(task: int) -> int:
        if task == 0:
            assert ready.wait(10)
        else:
            ready.set()
        return task

    assert list(over_threads(work, range(3), workers=2)) == [0, 1, 2]


def test_one_worker_needs_no_thread() -> None:
    here = threading.current_thread()
    assert list(over_threads(lambda _: threading.current_thread(), range(3), 1)) == [here] * 3


def test_tasks_are_not_all_begun_at_once() -> None:
    """Results may be large: they are not piled up before somebody takes them."""
    asked: list[int] = []

    def tasks() -> Iterator[int]:
        for task in range(100):
            asked.append(task)
            yield task

    results = over_threads(abs, tasks(), workers=2)
    assert next(results) == 0
    assert len(asked) <= 6
    assert list(results) == list(range(1, 100))


def test_who_stops_listening_ends_the_work() -> None:
    done: list[int] = []

    def work(task: int) -> int:
        done.append(task)
        return task

    results = over_threads(work, range(1000), workers=2)
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]  # it is a generator
    assert len(done) <= 6


def test_without_a_number_there_is_a_worker_for_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.sched_getaffinity")  # other systems have none
    monkeypatch.setattr("os.cpu_count", lambda: None)
    here = threading.current_thread()
    assert list(over_threads(lambda _: threading.current_thread(), [1])) == [here]


def test_a_ray_cluster_gives_the_same_results_and_errors() -> None:
    """Whatever can be called may be the work, not functions alone. (One cluster has to do for
    both: it takes seconds to start.)"""
    results = over_ray(partial(math.comb, 12), [*range(12), -1, 4], "local")
    assert list(islice(results, 12)) == [math.comb(12, n) for n in range(12)]
    with pytest.raises(ValueError, match="k must be a non-negative integer"):
        next(results)


def test_without_ray_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SpreadError, match=r"pip install '\.\[ray\]'"):
        next(over_ray(abs, [1], "local"))


def test_a_cluster_that_is_not_there_is_told() -> None:
    with pytest.raises(SpreadError, match="There is no Ray cluster at 'nonsense'"):
        next(over_ray(math.factorial, [3], "nonsense"))


def test_no_more_cores_are_used_than_are_allowed() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, before)
    assert cores() == len(before)


AT_WORK = """
import os, time
from manhattan.spread import over_processes

def work(task):
    print(os.getpid(), flush=True)
    time.sleep(60)

if __name__ == "__main__":
    list(over_processes(work, range(2), 2))
"""


def test_nobody_works_on_for_somebody_who_was_killed(tmp_path: Path) -> None:
    script = tmp_path / "at_work.py"
    script.write_text(AT_WORK, "utf-8")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        workers = [int(killed.stdout.readline()) for _ in range(2)]
        killed.kill()
        try:
            # The end of what all of them write to comes when the last one has ended.
            assert killed.communicate(timeout=30)[0] == ""
        finally:
            for worker in workers:
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
