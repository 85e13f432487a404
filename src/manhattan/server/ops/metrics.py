"""Metrics of the server, for Prometheus."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY: Final = CollectorRegistry()

EVENTS: Final = Counter(
    "manhattan_table_events",
    "Durable table events other than moves, by type.",
    ["type"],
    registry=REGISTRY,
)
MOVES: Final = Counter("manhattan_moves", "Durable moves.", ["player"], registry=REGISTRY)
MOVES_OF_PEOPLE: Final = MOVES.labels("person")
MOVES_OF_BOTS: Final = MOVES.labels("bot")
REJECTED_COMMANDS: Final = Counter(
    "manhattan_commands_rejected", "Rejected commands by reason.", ["reason"], registry=REGISTRY
)
HTTP_REQUESTS: Final = Counter(
    "manhattan_http_requests", "HTTP responses.", ["route", "status"], registry=REGISTRY
)
WEBSOCKETS: Final = Gauge("manhattan_websockets", "Open websockets.", registry=REGISTRY)
DROPPED_WEBSOCKETS: Final = Counter(
    "manhattan_websockets_dropped", "Websockets closed for being too slow.", registry=REGISTRY
)
LOADED_TABLES: Final = Gauge("manhattan_tables_loaded", "Tables in memory.", registry=REGISTRY)
COMMIT_SECONDS: Final = Histogram(
    "manhattan_commit_duration_seconds",
    "Time until a batch of events is durable.",
    registry=REGISTRY,
    buckets=(0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5),
)
COMMIT_EVENTS: Final = Histogram(
    "manhattan_commit_batch_events",
    "Events in a batch.",
    registry=REGISTRY,
    buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500),
)
DATABASE_AVAILABLE: Final = Gauge(
    "manhattan_database_available",
    "Whether the database can be read and written: 1 or 0.",
    registry=REGISTRY,
)
REDIS_AVAILABLE: Final = Gauge(
    "manhattan_redis_available",
    "Whether Redis answers: 1 or 0. Without the option redis always 1.",
    registry=REGISTRY,
)
LAST_BACKUP: Final = Gauge(
    "manhattan_last_backup_timestamp_seconds",
    "When `manhattan backup` last copied the database, as a Unix time; 0 if never.",
    registry=REGISTRY,
)
PUSH_MESSAGES: Final = Counter(
    "manhattan_push_messages", "Web Push messages by outcome.", ["outcome"], registry=REGISTRY
)
BOT_SECONDS: Final = Histogram(
    "manhattan_bot_move_duration_seconds",
    "Time until a bot has chosen a move, including its wait in the queue.",
    ["level"],
    registry=REGISTRY,
)
