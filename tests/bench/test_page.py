"""Without Chromium, the benchmark of the page ends in an error message."""

from __future__ import annotations

import shutil

import pytest

from manhattan.bench import page
from support.cli_runner import run_cli


def test_a_missing_chromium_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "_find_npm", lambda: "npm")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    outcome = run_cli("bench", "page")
    assert outcome.code == 1
    assert "Chromium is not installed." in outcome.error
