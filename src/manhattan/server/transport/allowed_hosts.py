"""The names under which a server answers: a check of the ``Host`` header against DNS rebinding.

A page of another site could let its own name point to the address of this server; the browser would
then treat the two as one site. The ``Host`` header still names the other site. Addresses, and names
that no site on the internet can have, need no setting.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final

_ANY: Final = "*"
_LOCAL_DOMAINS: Final = ("localhost", "local", "lan", "home.arpa", "internal", "test")
"""Domains that only a local network can define."""
_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.%]+\]|[^:\s/@]+)(:[0-9]{1,5})?", re.ASCII)


class AllowedHosts:
    """The host names that requests may be for."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """``*.example.org`` allows every name below a domain, and ``*`` every name."""
        allowed = {name.strip().lower().rstrip(".") for name in names}
        self._allows_any = _ANY in allowed
        self._names = {name for name in allowed if not name.startswith("*.")}
        self._names.add(socket.gethostname().lower())
        self._domains = (
            *(name[1:] for name in allowed if name.startswith("*.")),
            *(f".{domain}" for domain in _LOCAL_DOMAINS),
        )

    def allows(self, header: str) -> bool:
        """Return whether a request with this ``Host`` header may be for this server."""
        if self._allows_any:
            return True
        match = _HOST.fullmatch(header.lower())
        if match is None:
            return False
        name = match["name"].rstrip(".")
        if name in self._names or name.endswith(self._domains) or "." not in name.strip("[]"):
            return True  # a name without a dot belongs to the local network, too
        try:
            ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True
