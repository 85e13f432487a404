"""The documentation at /docs: its files, its content security policy, and a server without it."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from pathlib import Path

import httpx
import pytest
from aiohttp import ClientResponse, web
from aiohttp.test_utils import TestClient, TestServer

from manhattan.server.transport.http.documentation import Documentation, add_documentation
from manhattan.server.transport.http.middleware import SECURITY_HEADERS, add_security_headers
from support.server_fixtures import RunningServer

CSP = "Content-Security-Policy"
SCRIPT = "let answer = 42"
STYLE = ".search{color:red}"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "guide").mkdir()
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text(f"<script>{SCRIPT}</script><p>Welcome", "utf-8")
    (tmp_path / "index.html.br").write_bytes(b"compressed")
    (tmp_path / "guide/index.html").write_text("<p>A guide", "utf-8")
    (tmp_path / "assets/main.0123abcd.min.css").write_text("p{}", "utf-8")
    (tmp_path / "assets/docs.css").write_text("p{}", "utf-8")
    bundle = f"""var a='x',Tc='{STYLE}';function f(){{g(C("style",{{}},Tc.toString()))}}"""
    (tmp_path / "assets/bundle.0123abcd.min.js").write_text(bundle, "utf-8")
    return tmp_path


def ask(site: Path, path: str, **headers: str) -> tuple[ClientResponse, str]:
    """Ask a server that has nothing but this site."""

    async def get() -> tuple[ClientResponse, str]:
        app = web.Application()
        app.on_response_prepare.append(add_security_headers)
        add_documentation(app, Documentation(site))
        async with TestClient(TestServer(app)) as client:
            response = await client.get(path, headers=headers, allow_redirects=False)
            return response, await response.text("utf-8", "replace")

    return asyncio.run(get())


def source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_a_folder_has_a_page(site: Path) -> None:
    for path in ("/docs", "/docs/guide"):
        response, _ = ask(site, path)
        assert (response.status, response.headers["Location"]) == (308, f"{path}/")
    response, text = ask(site, "/docs/guide/")
    assert (response.status, text) == (200, "<p>A guide")
    assert response.content_type == "text/html"


@pytest.mark.parametrize("path", ["/docs/nowhere", "/docs/guide/x/", "/docs/%2e%2e/secret"])
def test_an_unknown_page_is_not_found(site: Path, path: str) -> None:
    (site.parent / "secret").write_text("secret", "utf-8")
    response, text = ask(site, path)
    assert response.status == 404
    assert "secret" not in text


def test_files_are_compressed_and_cached(site: Path) -> None:
    page, text = ask(site, "/docs/", **{"Accept-Encoding": "identity"})
    assert page.headers["Cache-Control"] == "no-cache"
    assert "Welcome" in text
    unchanged, _ = ask(site, "/docs/", **{"If-None-Match": page.headers["ETag"]})
    assert unchanged.status == 304
    hashed, _ = ask(site, "/docs/assets/main.0123abcd.min.css")
    assert "immutable" in hashed.headers["Cache-Control"]
    plain, _ = ask(site, "/docs/assets/docs.css")
    assert plain.headers["Cache-Control"] == "no-cache"


def test_a_page_allows_its_own_scripts_and_styles_by_their_hashes(site: Path) -> None:
    page, _ = ask(site, "/docs/", **{"Accept-Encoding": "identity"})
    policy = page.headers[CSP]
    assert f"script-src 'self' {source(SCRIPT)};" in policy
    assert f"style-src 'self' {source(STYLE)};" in policy
    without = policy.replace(f" {source(SCRIPT)}", "").replace(f" {source(STYLE)}", "")
    assert without == SECURITY_HEADERS[CSP]
    guide, _ = ask(site, "/docs/guide/")
    assert "script-src 'self';" in guide.headers[CSP]


def test_a_server_without_documentation_says_so(tmp_path: Path) -> None:
    for path in ("/docs", "/docs/", "/docs/guide/"):
        response, text = ask(tmp_path / "missing", path)
        assert (response.status, response.content_type) == (404, "text/plain")
        assert "make docs" in text


def test_all_other_pages_keep_their_policy(shared_server: RunningServer) -> None:
    with httpx.Client(base_url=shared_server.address) as browser:
        for path in ("/", "/rules", "/docsy", "/api/catalog"):
            assert browser.get(path).headers[CSP] == SECURITY_HEADERS[CSP]
        docs = browser.get("/docs/").headers
        assert "unsafe" not in docs[CSP]
        assert docs["X-Content-Type-Options"] == "nosniff"
        assert browser.head("/docs/").headers[CSP] == docs[CSP]
