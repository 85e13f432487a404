"""Options, markers and settings of all tests; a run with skipped tests fails."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent

MARKERS_BY_FOLDER = {
    "ai": ["uncompiled_only"],
    "kernel": ["compute", "uncompiled"],
    "lockstep": ["compute"],
    "page": ["browser"],
    "properties": ["compute"],
}
"""Markers of all tests in a folder; pyproject.toml describes them."""

# NumPy reads this when it is imported. The workers share the cores: if each of them used all
# cores, they would mostly wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A run in the background ignores Ctrl-C, and so would all processes that the tests start and
# interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "tests",
    deadline=None,  # machines are shared and noisy; speed is measured in bench/
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("soak", parent=settings.get_profile("tests"), max_examples=2000)
settings.load_profile("soak" if os.environ.get("SOAK") else "tests")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--games",
        type=int,
        default=200,
        help="games of every edition and player count to play against the oracle",
    )
    parser.addoption(
        "--soak",
        type=int,
        default=0,
        help="games to play in the soak test of the kernel; 0 plays two hundred of each kind",
    )
    parser.addoption(
        "--bot-moves",
        type=int,
        default=1,
        help="moves that bots make at every table, in whole games",
    )
    parser.addoption(
        "--kills",
        type=int,
        default=25,
        help="how often the crash test kills a server, with each database",
    )
    parser.addoption(
        "--messages",
        type=int,
        default=20_000,
        help="random messages that the server gets in the test of its memory",
    )


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    for item in items:
        folder = item.path.relative_to(TESTS).parts[0]
        for marker in MARKERS_BY_FOLDER.get(folder, ()):
            item.add_marker(marker)
        if item.get_closest_marker("uncompiled_only") and item.get_closest_marker("compiled"):
            raise pytest.UsageError(f"{item.nodeid} would never run: compiled, uncompiled_only")


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> object:
    """Fail a run that skipped tests: they would go unnoticed."""
    outcome = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if skipped and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        print(f"\n{len(skipped)} test(s) were skipped; every test has to run.")
    return outcome
