"""What the server counts, for Prometheus."""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

REGISTRY: Final = CollectorRegistry()

ENTRIES: Final[Counted[str]] = Counted()
"""What was written down, by kind."""
REFUSED: Final = Counter(
    "manhattan_refused", "What was not done, by reason.", ["reason"], registry=REGISTRY
)
REQUESTS: Final = Counter(
    "manhattan_http_requests", "Answers over HTTP.", ["route", "status"], registry=REGISTRY
)
SOCKETS: Final = Gauge("manhattan_sockets", "Open websockets.", registry=REGISTRY)
TABLES: Final = Gauge("manhattan_tables", "Tables in memory.", registry=REGISTRY)
DROPPED: Final = Counter(
    "manhattan_sockets_dropped", "Viewers who could not keep up.", registry=REGISTRY
)
WRITING: Final = Histogram(
    "manhattan_writing_seconds",
    "How long a batch takes until it is durable.",
    registry=REGISTRY,
    buckets=(0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5),
)
BATCH: Final = Histogram(
    "manhattan_batch_entries",
    "How many entries are written together.",
    registry=REGISTRY,
    buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500),
)
THINKING: Final = Histogram(
    "manhattan_thinking_seconds",
    "How long a bot's move takes, waiting for its turn included.",
    ["level"],
    registry=REGISTRY,
)


class _Entries(Collector):
    """Tells ``ENTRIES`` to who asks. (A counter of Prometheus takes a lock for each move.)"""

    def collect(self) -> Iterator[Metric]:
        told = CounterMetricFamily(
            "manhattan_entries", "What was written down, by kind.", labels=["kind"]
        )
        for kind, count in ENTRIES.items():
            told.add_metric([kind], count)
        yield told


REGISTRY.register(_Entries())
