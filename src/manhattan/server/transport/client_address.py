"""Client addresses, as reverse proxies forward them."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final

from aiohttp import web

from manhattan.rules import ManhattanError

_EVERYONE: Final = "*"


class UnsafeProxy(ManhattanError):
    """A proxy was named so broadly that every client could forge its address."""


class TrustedProxies:
    """The reverse proxies whose forwarding headers are believed."""

    def __init__(self, addresses: str | None) -> None:
        """``addresses`` are hosts or networks separated by commas."""
        names = [name.strip() for name in (addresses or "").split(",") if name.strip()]
        self._names = frozenset(names)
        self._networks: list[IPv4Network | IPv6Network] = []
        for name in names:
            try:
                self._networks.append(ip_network(name, strict=False))
            except ValueError:
                continue  # a host name, or the path of a Unix socket, is compared as text
        if _EVERYONE in names or any(not network.prefixlen for network in self._networks):
            raise UnsafeProxy(
                "A trusted proxy can't be everyone: every client could then claim any address. "
                "Name the proxy's address or its network, such as 127.0.0.1 or 172.16.0.0/12."
            )

    def client_address(self, request: web.BaseRequest) -> str:
        """Return the address of the client, or of the last proxy that isn't trusted."""
        peer = request.remote or ""
        forwarded = request.headers.get("X-Forwarded-For", "")
        hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
        if not hops or not self._is_trusted(peer):
            return peer
        return next((hop for hop in reversed(hops) if not self._is_trusted(hop)), hops[0])

    def is_forwarded(self, request: web.BaseRequest) -> bool:
        """Whether a request comes from a trusted proxy."""
        return self._is_trusted(request.remote or "")

    def is_https(self, request: web.BaseRequest) -> bool:
        """Whether the client uses TLS, perhaps only as far as the proxy."""
        if self.is_forwarded(request):
            return request.headers.get("X-Forwarded-Proto", request.scheme).strip() == "https"
        return request.scheme == "https"

    def _is_trusted(self, host: str) -> bool:
        if host in self._names:
            return True
        try:
            address = ip_address(host)
        except ValueError:
            return False
        return any(address in network for network in self._networks)
