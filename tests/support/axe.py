"""Accessibility violations that axe finds on a page."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from support.browser_user import BrowserUser

AXE: Final = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"


@cache
def axe() -> str:
    return AXE.read_text("utf-8")


def violations(user: BrowserUser, *rules: str) -> list[str]:
    """Violations that axe finds, by all of its rules or by some.

    Playwright evaluates axe outside the page's content security policy.
    """
    user.settle()  # contrast is lower during a fade-in
    if not user.page.evaluate("'axe' in window"):
        user.page.evaluate(axe())
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = rules
    result: dict[str, Any] = user.page.evaluate("options => axe.run(options)", options)
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in result["violations"]
        for node in violation["nodes"]
    ]
