"""Bans: addresses, networks and people whom the operator has excluded."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from manhattan.server.domain.events import PersonId
from manhattan.server.service.table_service import TableService


def parse_network(subject: str) -> IPv4Network | IPv6Network | None:
    """Return the address or network that a ban names; None if it names a person."""
    try:
        return ip_network(subject, strict=False)
    except ValueError:
        return None


class Bans:
    """The bans as this process knows them."""

    def __init__(self, tables: TableService) -> None:
        self._tables = tables
        self._subjects: frozenset[str] = frozenset()
        self._networks: tuple[IPv4Network | IPv6Network, ...] = ()

    async def refresh(self) -> None:
        """Read the bans, and disconnect those who are banned now."""
        subjects = frozenset(await self._tables.store.operators.bans())
        if subjects != self._subjects:
            self.replace(subjects)
            self._tables.disconnect_banned(
                lambda viewer: self.has_address(viewer.address) or self.has_person(viewer.person)
            )

    def replace(self, subjects: Iterable[str]) -> None:
        """Set the bans."""
        self._subjects = frozenset(subjects)
        networks = map(parse_network, self._subjects)
        self._networks = tuple(network for network in networks if network is not None)

    def has_person(self, person: PersonId | None) -> bool:
        return person is not None and person in self._subjects

    def has_address(self, address: str) -> bool:
        """Tell whether an address is banned, itself or with its network."""
        if not self._networks:
            return False
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._networks)
