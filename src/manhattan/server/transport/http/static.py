"""The page's files, served from memory.

The files are indexed when the server starts: a path that isn't in the index doesn't exist, so no
path leads out of the folder. A build has a compressed version of each text file beside it.
HTML has tags for previews of links, which name pictures by their whole address: they are completed
with the origin of the request, and for a table or a replay with those of its own preview.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Final

from aiohttp import hdrs, web

from manhattan.server.transport.http.previews import preview_tags
from manhattan.server.transport.request_context import origin_of

PAGE_FOLDER: Final = Path(str(resources.files("manhattan").joinpath("page")))

_ADDRESSES: Final = re.compile(
    r"((?P<kind>new|table|learn|rules|replay)(/(?P<id>[A-Za-z0-9-]+))?|(?P<alone>account|games|watch))?/?"
)
"""The addresses that the page itself interprets. Each kind has an HTML file, which names the
scripts that it needs."""
_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_REVALIDATE: Final = "no-cache"
_BROTLI: Final = ".br"
_ASSET: Final = re.compile("^assets/")
_PREVIEWED: Final = frozenset({"table", "replay"})
_GENERIC_TAGS: Final = re.compile(r'\s*<meta\s+(property="og:|name="twitter:)[^>]*>')
_RELATIVE_PICTURE: Final = re.compile(r'<meta\s+property="og:image"\s+content="(?=/)')
_HEAD_END: Final = "</head>"


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page."""

    body: bytes
    brotli: bytes | None
    content_type: str
    etag: str
    cache_control: str
    gzip: bytes | None = None

    def response(self, request: web.Request, status: int = 200) -> web.Response:
        """Answer a request with this file, compressed if the client accepts it."""
        headers = {hdrs.CACHE_CONTROL: self.cache_control, hdrs.VARY: hdrs.ACCEPT_ENCODING}
        if any(tag.value in (self.etag, "*") for tag in request.if_none_match or ()):
            response = web.Response(status=304, headers=headers)
        else:
            body, accepted = self.body, request.headers.get(hdrs.ACCEPT_ENCODING, "")
            for encoding, compressed in (("br", self.brotli), ("gzip", self.gzip)):
                if compressed is not None and encoding in accepted:
                    body, headers[hdrs.CONTENT_ENCODING] = compressed, encoding
                    break
            headers[hdrs.CONTENT_TYPE] = self.content_type
            response = web.Response(body=body, status=status, headers=headers)
        response.etag = self.etag
        return response


class Page:
    """The index of the page's files."""

    def __init__(self, folder: Path = PAGE_FOLDER) -> None:
        self._files = load_folder(folder, _ASSET)

    async def serve(self, request: web.Request) -> web.Response:
        """Serve a file, or the page's HTML for an address that the page interprets."""
        path = request.match_info["path"]
        if address := _ADDRESSES.fullmatch(path):
            file = self._file(f"{address['kind'] or address['alone'] or 'index'}.html")
            if address["id"] and address["kind"] in _PREVIEWED:
                tags = await preview_tags(request, address["kind"], address["id"])
                if tags is not None:
                    return _with_tags(file, tags).response(request)
            origin = origin_of(request)
            return (file if origin is None else _with_origin(file, origin)).response(request)
        accepts_html = "text/html" in request.headers.get(hdrs.ACCEPT, "")
        if accepts_html and not PurePosixPath(path).suffix:
            return self._file("index.html").response(request, status=404)  # the page explains it
        return self._file(path).response(request)

    def _file(self, path: str) -> PageFile:
        file = self._files.get(path)
        if file is None:
            raise web.HTTPNotFound
        return file


def add_page(app: web.Application, page: Page) -> None:
    """Serve the page at every path outside the API."""
    for method in ("GET", "HEAD"):
        app.router.add_route(method, "/{path:(?!api(?:/|$)).*}", page.serve)


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))


def _with_tags(file: PageFile, tags: str) -> PageFile:
    """Replace the tags that all pages have."""
    text = _GENERIC_TAGS.sub("", file.body.decode())
    head, end, rest = text.partition(_HEAD_END)
    return _with_body(file, f"{head.rstrip()}\n    {tags}\n  {end}{rest}")


@lru_cache(maxsize=64)
def _with_origin(file: PageFile, origin: str) -> PageFile:
    """Complete the address of the picture that all pages have."""
    return _with_body(file, _RELATIVE_PICTURE.sub(rf"\g<0>{origin}", file.body.decode()))


def _with_body(file: PageFile, text: str) -> PageFile:
    body = text.encode()
    compressed = gzip.compress(body, mtime=0)
    return replace(file, body=body, brotli=None, gzip=compressed, etag=_etag(body))


def _etag(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:16]


def load_folder(folder: Path, immutable: re.Pattern[str]) -> dict[str, PageFile]:
    """Load all files of a built site, by their paths.

    The names of files that match ``immutable`` change with their content.
    """
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return {
        name: _load(path, is_immutable=immutable.search(name) is not None)
        for name, path in paths.items()
        if path.is_file() and path.suffix != _BROTLI and not _is_hidden(name)
    }


def _load(path: Path, *, is_immutable: bool) -> PageFile:
    body = path.read_bytes()
    compressed = path.with_name(path.name + _BROTLI)
    content_type, _ = mimetypes.guess_type(path.name)
    if content_type is None:
        content_type = "application/octet-stream"
    elif content_type.startswith("text/"):
        content_type += "; charset=utf-8"
    return PageFile(
        body=body,
        brotli=compressed.read_bytes() if compressed.is_file() else None,
        content_type=content_type,
        etag=_etag(body),
        cache_control=_IMMUTABLE if is_immutable else _REVALIDATE,
    )
