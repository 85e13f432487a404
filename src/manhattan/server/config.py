"""Configuration of a server."""

from __future__ import annotations

from dataclasses import dataclass, field

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.state import REVEAL_TIMEOUT
from manhattan.server.options import ServerOptions
from manhattan.server.service.web_push import PUSH_SERVICES
from manhattan.server.transport.ratelimit import Limits


@dataclass(frozen=True, slots=True)
class ServerConfig(ServerOptions):
    """How a server runs: what an operator sets, and what only programs and tests do."""

    limits: Limits = field(default_factory=Limits)
    push_services: tuple[str, ...] = PUSH_SERVICES
    """The origins of push services to which notifications may be sent."""
    reveal_ms: Milliseconds = REVEAL_TIMEOUT
    """How long a deal waits for the nonces of clients."""
