"""Parallel maps over processes, threads or machines give the results of a plain map."""

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

from manhattan.parallel import ParallelError, available_cores, map_processes, map_ray, map_threads

pytestmark = pytest.mark.process

# Other processes must be able to import the work, so it is a function of the standard library.
POWERS = [2**n for n in range(12)]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("parallel_map", [map_threads, map_processes])
def test_results_come_in_the_order_of_the_tasks(
    parallel_map: Callable[..., Any], workers: int
) -> None:
    assert list(parallel_map(partial(pow, 2), range(12), workers)) == POWERS


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("parallel_map", [map_threads, map_processes])
def test_an_error_of_a_task_is_raised(parallel_map: Callable[..., Any], workers: int) -> None:
    """It comes after the results of the tasks before it."""
    results = parallel_map(math.factorial, [3, 4, -1, 5], workers)
    assert next(results) == 6
    assert next(results) == 24
    with pytest.raises(ValueError, match="factorial"):
        next(results)


@pytest.mark.parametrize("parallel_map", [map_threads, partial(map_threads, workers=1)])
def test_no_tasks_give_no_results(parallel_map: Callable[..., Any]) -> None:
    assert list(parallel_map(math.factorial, [])) == []


def test_a_fast_task_does_not_overtake_a_slow_one() -> None:
    ready = threading.Event()

    def work(task: int) -> int:
        if task == 0:
            assert ready.wait(10)
        else:
            ready.set()
        return task

    assert list(map_threads(work, range(3), workers=2)) == [0, 1, 2]


def test_one_worker_runs_in_the_calling_thread() -> None:
    this = threading.current_thread()
    assert list(map_threads(lambda _: threading.current_thread(), range(3), 1)) == [this] * 3


def test_only_a_few_tasks_are_started_ahead() -> None:
    """Results may be large, so they don't pile up before the caller takes them."""
    started: list[int] = []

    def tasks() -> Iterator[int]:
        for task in range(100):
            started.append(task)
            yield task

    results = map_threads(abs, tasks(), workers=2)
    assert next(results) == 0
    assert len(started) <= 6
    assert list(results) == list(range(1, 100))


def test_closing_the_iterator_cancels_the_remaining_tasks() -> None:
    done: list[int] = []

    def work(task: int) -> int:
        done.append(task)
        return task

    results = map_threads(work, range(1000), workers=2)
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]  # it is a generator
    assert len(done) <= 6


def test_the_default_is_one_worker_for_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.sched_getaffinity")  # some systems don't have it
    monkeypatch.setattr("os.cpu_count", lambda: None)
    this = threading.current_thread()
    assert list(map_threads(lambda _: threading.current_thread(), [1])) == [this]


def test_a_ray_cluster_gives_the_same_results_and_errors() -> None:
    """Any callable can be the work. One test covers both, because a cluster takes seconds to
    start."""
    results = map_ray(partial(math.comb, 12), [*range(12), -1, 4], "local")
    assert list(islice(results, 12)) == [math.comb(12, n) for n in range(12)]
    with pytest.raises(ValueError, match="k must be a non-negative integer"):
        next(results)


def test_a_missing_ray_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ParallelError, match=r"pip install '\.\[ray\]'"):
        next(map_ray(abs, [1], "local"))


def test_a_missing_cluster_is_reported() -> None:
    with pytest.raises(ParallelError, match="There is no Ray cluster at 'nonsense'"):
        next(map_ray(math.factorial, [3], "nonsense"))


def test_the_cpu_affinity_limits_the_number_of_cores() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert available_cores() == 1
    finally:
        os.sched_setaffinity(0, before)
    assert available_cores() == len(before)


SCRIPT = """
import os, time
from manhattan.parallel import map_processes

def work(task):
    print(os.getpid(), flush=True)
    time.sleep(60)

if __name__ == "__main__":
    list(map_processes(work, range(2), 2))
"""


def test_workers_exit_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, "utf-8")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        parent.kill()
        try:
            # All processes share the pipe, so it ends when the last one has exited.
            assert parent.communicate(timeout=30)[0] == ""
        finally:
            for worker in workers:
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
