"""What all tests share: how many games, and that nothing is skipped in silence."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# Read when NumPy is loaded. Workers share the cores: if each of them calculated on all of them,
# they would mostly wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Whoever runs the tests in the background has Ctrl-C ignored, and so would all that they start:
# the tests press it.
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
        help="how many games of every edition and player count to play against the oracle",
    )
    parser.addoption(
        "--soak",
        type=int,
        default=0,
        help="how many games to play in the soak of the kernel; 0 is two hundred of each kind",
    )
    parser.addoption(
        "--bot-moves",
        type=int,
        default=1,
        help="how many moves bots make at every table, in whole games",
    )
    parser.addoption(
        "--kills",
        type=int,
        default=3,
        help="how often a server is killed while people play",
    )


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(
    session: pytest.Session, exitstatus: int
) -> object:  # a skipped test is a hole in the net: say so by failing
    outcome = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if skipped and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        print(f"\n{len(skipped)} test(s) were skipped; every test has to run.")
    return outcome
