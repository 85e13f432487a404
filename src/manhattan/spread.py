"""Work spread over the cores of this machine, or over machines with Ray; results in order."""

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
Done = TypeVar("Done")


class SpreadError(ManhattanError):
    """Work that can't be spread as it was asked for."""


def cores() -> int:
    """How many this process may use, which may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def over_processes(
    work: Callable[[Task], Done], tasks: Iterable[Task], workers: int | None = None
) -> Iterator[Done]:
    """In processes of their own: for work that is mostly Python."""

    # Fresh ones: what has been compiled or started here would not survive a fork.
    def pool(count: int) -> Executor:
        return ProcessPoolExecutor(count, get_context("spawn"), initializer=end_with_parent)

    yield from _over(pool, work, tasks, workers)


def end_with_parent() -> None:
    """Said in a process that works for another: if that one is killed, nobody tells this one, and
    it would wait for work for ever."""

    def watch() -> None:
        parent = parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def over_threads(
    work: Callable[[Task], Done], tasks: Iterable[Task], workers: int | None = None
) -> Iterator[Done]:
    """In threads: for work that is mostly compiled."""
    yield from _over(ThreadPoolExecutor, work, tasks, workers)


def _over(
    pool_of: Callable[[int], Executor],
    work: Callable[[Task], Done],
    tasks: Iterable[Task],
    workers: int | None,
) -> Iterator[Done]:
    count = workers or cores()
    if count == 1:
        yield from map(work, tasks)
        return
    waiting: deque[Future[Done]] = deque()
    with pool_of(count) as pool:
        try:
            for task in tasks:
                waiting.append(pool.submit(work, task))
                if len(waiting) > 2 * count:  # not all at once: results may be large
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def over_ray(work: Callable[[Task], Done], tasks: Iterable[Task], address: str) -> Iterator[Done]:
    """On the machines of a Ray cluster; ``local`` starts one here."""
    try:
        import ray
    except ImportError as error:
        raise SpreadError(
            "Ray is not installed: pip install '.[ray]' in the folder of this project."
        ) from error
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray has many ways to say no
        raise SpreadError(f"There is no Ray cluster at {address!r}: {error}") from error
    try:

        def one(task: Task) -> Done:  # Ray takes plain functions, not whatever can be called
            return work(task)

        remote: Any = ray.remote(one)
        cluster: Any = ray
        limit = 2 * int(cluster.cluster_resources().get("CPU", 1)) + 1
        waiting: deque[Any] = deque()
        for task in tasks:
            waiting.append(remote.remote(task))
            if len(waiting) > limit:
                yield ray.get(waiting.popleft())
        while waiting:
            yield ray.get(waiting.popleft())
    finally:
        ray.shutdown()
