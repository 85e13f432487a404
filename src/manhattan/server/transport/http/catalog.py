"""Routes of the catalog: the editions, house rules and bots."""

from __future__ import annotations

from aiohttp import web

from manhattan.bots import LEVELS
from manhattan.rules import EDITIONS, HOUSE_RULES
from manhattan.server.protocol.responses import Catalog, EditionInfo, LevelInfo
from manhattan.server.transport.http.routing import RouteTable

catalog = RouteTable("catalog")


@catalog.route("GET", "/api/catalog")
async def show_catalog(_: web.Request) -> Catalog:
    """List the editions, the house rules that a table can change, and the bots."""
    return Catalog(
        editions=[
            EditionInfo(
                id=edition.id,
                title=edition.title,
                colours=[colour.value for colour in edition.colours],
                cities=list(edition.cities),
                rules={rule: getattr(edition.rules, rule) for rule in HOUSE_RULES},
            )
            for edition in EDITIONS.values()
        ],
        house_rules={rule: list(choices) for rule, choices in HOUSE_RULES.items()},
        levels=[
            LevelInfo(name=name, title=level.name, description=level.description)
            for name, level in LEVELS.items()
        ],
    )
