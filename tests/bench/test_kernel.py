"""The benchmark of the kernel runs and compares. Speed is measured, not tested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from manhattan.bench import kernel
from manhattan.bench.kernel import run_yardstick
from manhattan.kernel import KernelError
from support.cli_runner import run_cli


def test_the_kernel_is_measured_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The yardstick claims one game a second, so the ratio is the kernel's own figure."""
    monkeypatch.setattr(kernel, "RUNS", 1)
    program = tmp_path / "yardstick"
    program.write_text("#!/bin/sh\necho games_per_s=1.0 for $1 players\n", "utf-8")
    program.chmod(0o755)
    path = tmp_path / "figures.json"
    shown = run_cli(
        *("bench", "kernel", "--players", "4", "--games", "100"),
        *("--json", path, "--yardstick", program),
    )
    assert shown.code == 0
    figures = json.loads(path.read_text("utf-8"))
    assert figures["random_single"]["4"] == figures["random_single_ratio"]["4"] > 1
    assert figures["greedy_single"]["4"] > 1
    assert "random_single_ratio" in shown.out


@pytest.mark.parametrize(
    "script", ["#!/bin/sh\necho nothing\n", "#!/bin/sh\nexit 3\n", "no program"]
)
def test_a_yardstick_that_measures_nothing_is_rejected(script: str, tmp_path: Path) -> None:
    program = tmp_path / "yardstick"
    program.write_text(script, "utf-8")
    program.chmod(0o755)
    with pytest.raises(KernelError, match="yardstick"):
        run_yardstick(program, 4, 100)
