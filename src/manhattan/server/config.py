"""Configuration of a server."""

from __future__ import annotations

from dataclasses import dataclass, field

from manhattan.server.service.web_push import PUSH_SERVICES
from manhattan.server.transport.ratelimit import Limits


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """How a server runs."""

    database: str
    """A file for SQLite, or ``postgresql://…``."""
    redis: str | None = None
    """``redis://…``: the pub/sub of several processes that share a PostgreSQL database."""
    bot_workers: int = 1
    """Processes in which bots choose their moves."""
    warm_up: bool = True
    """Compile the bots' code as soon as the server starts."""
    limits: Limits = field(default_factory=Limits)
    public_metrics: bool = False
    """Serve ``/metrics`` to everyone."""
    metrics_token: str | None = None
    """Serve ``/metrics`` to clients that send this token (``Authorization: Bearer …``)."""
    allowed_hosts: tuple[str, ...] = ()
    """Host names of this server on the internet; ``*`` allows all. Addresses and names of the local
    network need no permission."""
    keep_games_days: int | None = None
    """Days after which finished games and closed tables are deleted; None keeps them for ever."""
    keep_people_days: int | None = None
    """Days after which people without a game are deleted who were not here; None keeps them."""
    push_contact: str = "mailto:operator@localhost"
    """How push services reach the operator: a ``mailto:`` or ``https:`` address."""
    push_services: tuple[str, ...] = PUSH_SERVICES
    """The origins of push services to which notifications may be sent."""
    host: str = "127.0.0.1"
    port: int = 0
    """0 chooses a free port."""
    trusted_proxies: str | None = None
    """Addresses or networks of reverse proxies, separated by commas. The client address and the
    scheme that a trusted proxy forwards are believed."""
