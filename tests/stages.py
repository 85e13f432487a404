"""Everything that ``make test`` checks, in three lanes that go on side by side.

In one lane are the stages that wait: for servers, browsers, processes and files. In another one
is what compiles; in the last are those that only compute: with a low priority they fill the gaps,
so that no core is idle and none of those who wait gets too little. Almost nothing depends on
anything else.

    python tests/stages.py                 all of it
    python tests/stages.py types waiting   these alone
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import FrameType

from run_all import Run, Stage

ROOT = Path(__file__).parent.parent
WEB = ROOT / "web"
PYTHON = Path(sys.executable)
NODE = PYTHON.with_name("node")
NICE = ("nice", "-n", "19")
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# Measuring the coverage makes Python half as fast: not where many games are played.
COMPUTING = ["tests/lockstep", "tests/kernel", "tests/properties"]
NEVER_COMPILED = "tests/kernel/test_checked.py"  # so once is enough

# Nor where processes are started, killed and waited for, if others measure the same.
WAITING = [
    *(f"tests/server/test_{name}.py" for name in ("killed", "full_disk", "leaks")),
    *(f"tests/server/test_{name}.py" for name in ("two_processes", "store_addresses")),
    *(f"tests/test_cli_{name}.py" for name in ("background", "hot_seat", "screen")),
    *(f"tests/test_{name}.py" for name in ("bad_input", "docs", "remembered", "spread")),
]

# What is compiled can't be seen into: its coverage is that of a run without the compiler,
# kept apart from the other one (under a name that combining that one doesn't take in).
UNCOMPILED = {
    "NUMBA_DISABLE_JIT": "1",
    "MANHATTAN_CHECKED": "1",
    "COVERAGE_FILE": ".coverage-uncompiled",
}
KERNEL = ["src/manhattan/kernel", "src/manhattan/judgement"]
ENGINE = ["src/manhattan/envs/engine"]
SEEN_INTO = [*KERNEL, *ENGINE]
SEEN_INTO_BY = [
    "tests/judgement",
    "tests/kernel",
    "tests/lockstep/test_kernel_against_the_rules.py",
    "tests/lockstep/test_games_abreast.py",
    "tests/envs/test_in_lockstep.py",
    "tests/envs/test_resampling.py",
    "tests/envs/test_observations.py::test_a_row_of_a_crowded_board_is_what_the_rules_show",
    "tests/envs/test_gymnasium.py::test_one_against_compiled_opponents",
    "tests/envs/test_gymnasium.py::test_or_in_the_same_step",
    "tests/envs/test_gymnasium.py::test_if_one_is_an_error_none_is_made",
    "tests/envs/test_gymnasium.py::test_illegal_moves_in_some_of_many_games",
]


def pytest(workers: int | str, *options: str) -> list[str | Path]:
    return [PYTHON, "-m", "pytest", "-n", str(workers), "--dist", "loadgroup", *options]


def ruff(*words: str) -> list[str | Path]:
    return [PYTHON.with_name("ruff"), *words, "."]


def looked_at(tool: str, *words: str) -> list[str | Path]:
    """The page's code, looked at by one of Node's programs."""
    return [NODE, WEB / "node_modules" / tool, *words]


def everything_under(folders: list[str]) -> str:
    return ",".join(f"{folder}/*" for folder in folders)


def covered(
    name: str, percent: int, which: str, after: str, env: Mapping[str, str] | None = None
) -> Stage:
    """That so much of some files was gone through by the tests of a stage."""
    report = PYTHON.with_name("coverage"), "report", f"--fail-under={percent}", which
    return Stage(name, report, (after,), env or {}, shown=True)


STAGES = [
    # --- who waits ---
    Stage("style", ruff("check")),
    Stage("format", ruff("format", "--check"), after=("style",)),
    Stage(
        "page-format",
        looked_at("prettier/bin/prettier.cjs", "--check", "--log-level", "warn", "."),
        after=("format",),
        folder=WEB,
    ),
    Stage(
        "page-types",
        looked_at("svelte-check/bin/svelte-check", "--fail-on-warnings", "--output", "human"),
        after=("page-format",),
        env={"NO_COLOR": "1"},  # or it paints where CI is set
        folder=WEB,
    ),
    Stage("waiting", pytest(3, *WAITING), after=("page-types",)),
    Stage(
        "page",
        pytest(3, "-m", "not thorough", "tests/page"),
        after=("waiting", "compiled"),
    ),
    Stage(
        "measured",
        pytest(
            2,
            *(f"--ignore={path}" for path in (*COMPUTING, *WAITING, "tests/judgement")),
            "--ignore=tests/page",
            "--cov",
            "--cov-report=",
        ),
        after=("page",),
    ),
    covered("coverage-rules", 100, "--include=src/manhattan/rules/*", "measured"),
    covered("coverage", 95, f"--omit={everything_under(SEEN_INTO)}", "coverage-rules"),
    # --- who compiles ---
    # The bots and environments are compiled before anybody measures or waits for them.
    Stage("compiled", [PYTHON, "tests/compile_ahead.py"]),
    Stage("types", [PYTHON.with_name("mypy")], after=("compiled",)),
    # --- who computes ---
    # First what needs no compiler: where nothing is compiled yet, nobody waits for it.
    Stage(
        "uncompiled",
        [
            *NICE,
            *pytest(2, "-m", "not compiled", "--games", "2", *SEEN_INTO_BY),
            *(f"--cov={folder}" for folder in SEEN_INTO),
            "--cov-report=",
        ],
        env=UNCOMPILED,
    ),
    covered(
        "coverage-kernel", 95, f"--include={everything_under(KERNEL)}", "uncompiled", UNCOMPILED
    ),
    covered(
        "coverage-engine",
        95,
        f"--include={everything_under(ENGINE)}",
        "coverage-kernel",
        UNCOMPILED,
    ),
    Stage(
        "computing",
        [*NICE, *pytest(2, f"--ignore={NEVER_COMPILED}", *COMPUTING)],
        after=("compiled", "coverage-engine"),
    ),
]


def only(names: list[str]) -> list[Stage]:
    """The stages of these names, which wait for nobody but each other; without names, all."""
    unknown = set(names) - {stage.name for stage in STAGES}
    if unknown:
        known = ", ".join(stage.name for stage in STAGES)
        raise SystemExit(f"There is no stage {', '.join(sorted(unknown))}. There are: {known}.")
    chosen = [stage for stage in STAGES if not names or stage.name in names]
    there = {stage.name for stage in chosen}
    return [replace(one, after=tuple(n for n in one.after if n in there)) for one in chosen]


def heed_signals() -> None:
    """Whoever breaks off, or closes the terminal, ends all that was started, too. (A run in the
    background would ignore Ctrl-C otherwise, and so would the tests, which press it.)"""

    def broken_off(number: int, _frame: FrameType | None) -> None:
        for other in ENDS:  # once is enough: what was started is being ended
            signal.signal(other, signal.SIG_IGN)
        raise SystemExit(128 + number)

    for number in ENDS:
        signal.signal(number, broken_off)


if __name__ == "__main__":
    os.chdir(ROOT)
    heed_signals()
    sys.exit(Run(only(sys.argv[1:]), ROOT / "build" / "test").run())
