"""Routes of a person's feed: its address, and the feed itself."""

from __future__ import annotations

from typing import Final

from aiohttp import hdrs, web

from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.protocol.responses import FeedAddress
from manhattan.server.service.atom_feed import MEDIA_TYPE, atom_feed
from manhattan.server.transport.http.routing import RouteTable
from manhattan.server.transport.request_context import origin_of, require_identity, services_of

feed = RouteTable("feed")

_PATH: Final = "/api/feeds/{token}"
_GAMES: Final = 50


@feed.route("GET", "/api/me/feed")
async def show_feed_address(request: web.Request) -> FeedAddress:
    """Show the address of your feed, for programs that can't send your cookie. It stays valid until
    this device is signed out."""
    identity = await require_identity(request)
    return FeedAddress(path=_PATH.format(token=services_of(request).accounts.feed_token(identity)))


@feed.route("GET", _PATH, media_type=MEDIA_TYPE, response=bytes)
async def show_feed(request: web.Request) -> web.Response:
    """Show a person's turns, the start and the end of their games as an Atom feed."""
    services = services_of(request)
    person = await services.accounts.find_feed_owner(request.match_info["token"])
    if person is None:
        raise CommandRejected(ErrorCode.NO_IDENTITY)
    games = await services.tables.store.games.page(person.id, None, None, _GAMES)
    origin = origin_of(request) or ""
    return web.Response(
        body=atom_feed(person.name, games, origin, request.path),
        content_type=MEDIA_TYPE,
        charset="utf-8",
        headers={hdrs.CACHE_CONTROL: "private, max-age=60"},
    )
