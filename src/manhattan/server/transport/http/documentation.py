"""The documentation site, at ``/docs``.

``build_docs.py`` builds it into the package. Its pages contain small scripts, and its script adds a
style sheet for the search. The content security policy of these pages allows them by their hashes;
the policy of all other pages stays as it is.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from aiohttp import hdrs, web

from manhattan.server.transport.http.middleware import SECURITY_HEADERS
from manhattan.server.transport.http.static import PageFile, load_folder

SITE_FOLDER: Final = Path(str(resources.files("manhattan").joinpath("docs")))

_CSP: Final = "Content-Security-Policy"
_HASHED_NAME: Final = re.compile(r"\.[0-9a-f]{8}\.min\.(js|css)$")
_INLINE_SCRIPT: Final = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_ADDED_STYLE: Final = re.compile(rb"""\b(\w+)='([^'\\]*)'.*\("style",\{\},\1\.toString\(\)\)""")
"""In the minified script: a constant, and where it becomes a style sheet."""
_INDEX: Final = "index.html"
_NOT_BUILT: Final = (
    "The documentation is not part of this installation. Run `make docs` in the project's folder "
    "and start the server again, or read the files in docs/.\n"
)
_NOT_FOUND: Final = "There is no such page. The documentation begins at /docs/.\n"


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file of the site."""

    file: PageFile
    policy: str
    """The content security policy."""


class Documentation:
    """The index of the site's files."""

    def __init__(self, folder: Path = SITE_FOLDER) -> None:
        files = load_folder(folder, _HASHED_NAME)
        styles = {
            style
            for path, file in files.items()
            if path.endswith(".js")
            for _, style in _ADDED_STYLE.findall(file.body)
        }
        self._files = {path: SiteFile(file, _policy(file, styles)) for path, file in files.items()}

    async def serve(self, request: web.Request) -> web.Response:
        """Serve a file, or the page of a folder."""
        if not self._files:
            return web.Response(text=_NOT_BUILT, status=404)
        path = request.match_info.get("path", "")
        if f"{path}/{_INDEX}".lstrip("/") in self._files and not request.path.endswith("/"):
            return web.Response(status=308, headers={hdrs.LOCATION: f"{request.path}/"})
        found = self._files.get(f"{path}{_INDEX}" if request.path.endswith("/") else path)
        if found is None:
            return web.Response(text=_NOT_FOUND, status=404)
        response = found.file.response(request)
        response.headers[_CSP] = found.policy
        return response


def add_documentation(app: web.Application, documentation: Documentation) -> None:
    """Serve the documentation; its routes come before those of the page."""
    for method in ("GET", "HEAD"):
        app.router.add_route(method, "/docs", documentation.serve)
        app.router.add_route(method, "/docs/{path:.*}", documentation.serve)


def _policy(file: PageFile, styles: Iterable[bytes]) -> str:
    """Return the usual policy, with the hashes of a page's scripts and of added style sheets."""
    policy = SECURITY_HEADERS[_CSP]
    if not file.content_type.startswith("text/html"):
        return policy
    for directive, texts in (
        ("script-src 'self'", _INLINE_SCRIPT.findall(file.body)),
        ("style-src 'self'", styles),
    ):
        policy = policy.replace(directive, " ".join([directive, *sorted(set(map(_hash, texts)))]))
    return policy


def _hash(text: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'"
