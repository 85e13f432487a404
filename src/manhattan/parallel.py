"""Parallel map over processes, threads or a Ray cluster; results come in the order of the tasks."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, TypeVar

from manhattan.rules import ManhattanError

Task = TypeVar("Task")
Result = TypeVar("Result")


class ParallelError(ManhattanError):
    """The requested way to run tasks in parallel is not available."""


def available_cores() -> int:
    """The number of cores that this process may use, which may be less than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_processes(
    work: Callable[[Task], Result], tasks: Iterable[Task], workers: int | None = None
) -> Iterator[Result]:
    """Map in separate processes: for work that is mostly Python."""

    # Spawned, not forked: compiled code and threads of this process would not survive a fork.
    def create_pool(count: int) -> Executor:
        return ProcessPoolExecutor(count, get_context("spawn"), initializer=exit_with_parent)

    yield from _map(create_pool, work, tasks, workers)


def exit_with_parent() -> None:
    """Make this worker process exit when its parent process is killed.

    Otherwise it would wait for tasks forever.
    """

    def watch() -> None:
        parent = parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def map_threads(
    work: Callable[[Task], Result], tasks: Iterable[Task], workers: int | None = None
) -> Iterator[Result]:
    """Map in threads: for work that is mostly compiled code."""
    yield from _map(ThreadPoolExecutor, work, tasks, workers)


def _map(
    create_pool: Callable[[int], Executor],
    work: Callable[[Task], Result],
    tasks: Iterable[Task],
    workers: int | None,
) -> Iterator[Result]:
    count = workers or available_cores()
    if count == 1:
        yield from map(work, tasks)
        return
    pending: deque[Future[Result]] = deque()
    with create_pool(count) as pool:
        try:
            for task in tasks:
                pending.append(pool.submit(work, task))
                if len(pending) > 2 * count:  # a bound, because results may be large
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def map_ray(
    work: Callable[[Task], Result], tasks: Iterable[Task], address: str
) -> Iterator[Result]:
    """Map on the machines of a Ray cluster; the address ``local`` starts one on this machine."""
    try:
        import ray
    except ImportError as error:
        raise ParallelError(
            "Ray is not installed. Run pip install '.[ray]' in the folder of this project."
        ) from error
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray raises many types of errors
        raise ParallelError(f"There is no Ray cluster at {address!r}: {error}") from error
    try:

        def run(task: Task) -> Result:  # Ray accepts functions, but not every callable
            return work(task)

        remote: Any = ray.remote(run)
        cluster: Any = ray
        limit = 2 * int(cluster.cluster_resources().get("CPU", 1)) + 1
        pending: deque[Any] = deque()
        for task in tasks:
            pending.append(remote.remote(task))
            if len(pending) > limit:
                yield ray.get(pending.popleft())
        while pending:
            yield ray.get(pending.popleft())
    finally:
        ray.shutdown()
