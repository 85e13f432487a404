"""The rules page: every edition in every language, on a small phone."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from manhattan.rules import EDITIONS
from support.browser_user import open_browser
from support.server_fixtures import RunningServer

SMALL_PHONE = (360, 740)
MESSAGES = Path(__file__).parent.parent.parent / "web/src/i18n/rules"
STARTS = {"the oldest": "compare.start.oldest", "settled freely": "compare.start.free"}


@pytest.mark.parametrize(
    "language",
    ["pl", *(pytest.param(code, marks=pytest.mark.thorough) for code in ("en", "de", "fr", "nl"))],
)
def test_every_edition_has_its_rules(
    browser: Browser, server: RunningServer, language: str
) -> None:
    messages = json.loads((MESSAGES / f"{language}.json").read_text("utf-8"))
    with open_browser(browser, server.address, SMALL_PHONE, language) as user:
        page = user.page
        user.go("/rules")
        for edition in EDITIONS.values():
            page.locator(f".editions a[href='/rules/{edition.id}']").click()
            expect(page.locator(".editions [aria-current=page]")).to_have_text(edition.title)
            tie = messages[f"end.final_tie.{edition.rules.final_tie}"]
            expect(page.locator("#end")).to_contain_text(tie.split("<")[0].strip())
            rules = page.locator("#compare td.own .rule")
            start = messages[STARTS[edition.start_player]]
            expect(rules.nth(1)).to_contain_text(start)
            levels = page.locator("h1, h2, h3").evaluate_all("all => all.map(h => +h.tagName[1])")
            assert levels[0] == 1
            assert all(after - before <= 1 for before, after in pairwise(levels))
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_link_opens_a_section_of_an_edition(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address) as user:
        page = user.page
        user.go("/rules/foxgames-2018#end")
        expect(page.locator("#end h2")).to_be_in_viewport()
        page.locator(".contents a[href='#aim']").click()
        expect(page.locator("#aim h2")).to_be_in_viewport()
        assert page.url.endswith("/rules/foxgames-2018#aim")
        user.go("/rules/of-another-game")
        expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
