"""Previews of shared links: the picture of a table, and the Open Graph tags of its pages."""

from __future__ import annotations

import asyncio
import html
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from aiohttp import hdrs, web

from manhattan.rules import ManhattanError
from manhattan.server.protocol.requests import MAX_PLY, PreviewQuery
from manhattan.server.service.preview_image import HEIGHT, WIDTH, draw_preview
from manhattan.server.service.previews import Preview, preview_of
from manhattan.server.transport.http.routing import RouteTable
from manhattan.server.transport.request_context import (
    client_key,
    is_table_id,
    origin_of,
    services_of,
    table_id,
)

previews = RouteTable("previews")

_FINAL: Final = "public, max-age=604800, immutable"
_CHANGING: Final = "public, max-age=60"
_LOADING_TIMEOUT_S: Final = 1.0
"""A page doesn't wait longer for its tags: a slow database must not delay people."""
_PLY: Final = re.compile("[0-9]{1,4}")
_DRAWING: Final = ThreadPoolExecutor(1, "previews")
"""Pictures are drawn one at a time, so that crawlers take at most one core from players."""


@previews.route("GET", "/api/tables/{table}/preview.png", media_type="image/png", response=bytes)
async def show_preview(request: web.Request, query: PreviewQuery) -> web.Response:
    """Draw a table as a picture for previews of links: its players and its board, seen from above.
    It is the same for everyone and shows nothing hidden."""
    services, table = services_of(request), table_id(request)
    services.rate_limiter.previews.take(client_key(request))
    preview = preview_of((await services.tables.session(table)).state, query.at)
    loop = asyncio.get_running_loop()
    picture = await loop.run_in_executor(_DRAWING, draw_preview, preview)
    headers = {
        hdrs.CACHE_CONTROL: _FINAL if preview.is_final else _CHANGING,
        # Sites that show the link may embed the picture.
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
    return web.Response(body=picture, content_type="image/png", headers=headers)


async def preview_tags(request: web.Request, kind: str, table: str) -> str | None:
    """Return the Open Graph tags for the page of a table or of its replay, or None if the table
    doesn't exist or can't be read in time."""
    services, origin = services_of(request), origin_of(request)
    if not is_table_id(table) or origin is None:
        return None
    try:
        services.rate_limiter.requests.take(client_key(request))
        async with asyncio.timeout(_LOADING_TIMEOUT_S):
            session = await services.tables.session(table)
    except (ManhattanError, TimeoutError):
        return None
    preview = preview_of(session.state, _moment(request) if kind == "replay" else None)
    return _tags(preview, origin, kind, table)


def _moment(request: web.Request) -> int | None:
    """Return the moment that a link to a replay names; the page ignores a malformed one, too."""
    at = request.query.get("at", "")
    return min(int(at), MAX_PLY) if _PLY.fullmatch(at) else None


def _tags(preview: Preview, origin: str, kind: str, table: str) -> str:
    # The moment is part of the picture's address, because sites keep pictures by their address.
    moment = "" if preview.ply is None else f"?at={preview.ply}"
    properties = {
        "og:site_name": "Manhattan",
        "og:type": "website",
        "og:url": f"{origin}/{kind}/{table}{moment if kind == 'replay' else ''}",
        "og:title": f"Replay of {preview.title}" if kind == "replay" else preview.title,
        "og:description": preview.description,
        "og:image": f"{origin}/api/tables/{table}/preview.png{moment}",
        "og:image:type": "image/png",
        "og:image:width": str(WIDTH),
        "og:image:height": str(HEIGHT),
        "og:image:alt": f"The board seen from above. {preview.description}",
    }
    lines = [
        f'<meta property="{name}" content="{html.escape(content)}" />'
        for name, content in properties.items()
    ]
    return "\n    ".join([*lines, '<meta name="twitter:card" content="summary_large_image" />'])
