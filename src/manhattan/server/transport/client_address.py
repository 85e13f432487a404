"""Client addresses, as reverse proxies forward them."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final

from aiohttp import web

_EVERYONE: Final = "*"
FORWARDING_HEADERS: Final = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")


class TrustedProxies:
    """The reverse proxies whose forwarding headers are believed."""

    def __init__(self, addresses: str | None) -> None:
        """``addresses`` are hosts or networks separated by commas; ``*`` trusts every peer."""
        names = [name.strip() for name in (addresses or "").split(",") if name.strip()]
        self._trusts_everyone = _EVERYONE in names
        self._names = frozenset(names)
        self._networks: list[IPv4Network | IPv6Network] = []
        for name in names:
            try:
                self._networks.append(ip_network(name, strict=False))
            except ValueError:
                continue  # a host name, or the path of a Unix socket, is compared as text

    def client_address(self, request: web.BaseRequest) -> str:
        """Return the address of the client, or of the last proxy that isn't trusted."""
        peer = request.remote or ""
        forwarded = request.headers.get("X-Forwarded-For", "")
        hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
        if not hops or not self._is_trusted(peer):
            return peer
        if self._trusts_everyone:
            return hops[0]
        return next((hop for hop in reversed(hops) if not self._is_trusted(hop)), hops[0])

    def is_https(self, request: web.BaseRequest) -> bool:
        """Whether the client uses TLS, perhaps only as far as the proxy."""
        if self._is_trusted(request.remote or ""):
            return request.headers.get("X-Forwarded-Proto", request.scheme).strip() == "https"
        return request.scheme == "https"

    def _is_trusted(self, host: str) -> bool:
        if self._trusts_everyone or host in self._names:
            return True
        try:
            address = ip_address(host)
        except ValueError:
            return False
        return any(address in network for network in self._networks)


def is_local(address: str, request: web.BaseRequest) -> bool:
    """Whether a request comes from this computer, and isn't forwarded for another client."""
    try:
        is_loopback = ip_address(address).is_loopback
    except ValueError:
        return False
    return is_loopback and not any(name in request.headers for name in FORWARDING_HEADERS)
