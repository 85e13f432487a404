"""The HTTP API: the routes of all resources."""

from __future__ import annotations

from typing import Final

from manhattan.server.transport.http.accounts import accounts
from manhattan.server.transport.http.catalog import catalog
from manhattan.server.transport.http.devices import devices
from manhattan.server.transport.http.feed import feed
from manhattan.server.transport.http.games import games
from manhattan.server.transport.http.my_games import my_games
from manhattan.server.transport.http.previews import previews
from manhattan.server.transport.http.push import push
from manhattan.server.transport.http.routing import Route
from manhattan.server.transport.http.seats import seats
from manhattan.server.transport.http.sign_in import sign_in
from manhattan.server.transport.http.tables import tables
from manhattan.server.transport.http.tutorial import tutorial

ROUTES: Final[tuple[Route, ...]] = (
    *accounts.routes,
    *devices.routes,
    *sign_in.routes,
    *push.routes,
    *catalog.routes,
    *tutorial.routes,
    *my_games.routes,
    *feed.routes,
    *tables.routes,
    *seats.routes,
    *games.routes,
    *previews.routes,
)
