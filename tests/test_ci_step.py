"""How ``make test`` runs its targets: side by side through ``.ci/step``, and ended together."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.project_files import ROOT

pytestmark = pytest.mark.process

MAKEFILE = f"""
.PHONY: test endless other later
test:
	@exec $(MAKE) --no-print-directory --jobs TOGETHER=$$$$ endless other later
endless:
	@exec {ROOT}/.ci/step endless bash -c "(touch begun; sleep 20 && echo alive >&$(PIPE)) & wait"
other:
	@exec {ROOT}/.ci/step other sh -c "until test -e begun; do sleep 0.01; done; $(OTHER)"
later: | other
	@exec {ROOT}/.ci/step later touch later
"""
"""``test`` as in our Makefile, with a target that has a process in the background."""


class Run:
    """A run of ``make test``, and a pipe that stays open while any process of it lives."""

    def __init__(self, folder: Path, other: str) -> None:
        (folder / "Makefile").write_text(MAKEFILE, "utf-8")
        ours = ("MAKE", "MFLAGS", "TOGETHER")  # set where `make test` runs this test
        self._pipe, write_end = os.pipe()
        self.process = subprocess.Popen(
            ["make", "test", f"OTHER={other}", f"PIPE={write_end}"],
            cwd=folder,
            env={name: value for name, value in os.environ.items() if not name.startswith(ours)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            pass_fds=[write_end],
            process_group=0,
        )
        os.close(write_end)

    def wait(self) -> tuple[int, str]:
        """Return the exit code and the output."""
        output, _ = self.process.communicate(timeout=60)
        return self.process.returncode, output

    def assert_no_process_is_left(self) -> None:
        assert os.read(self._pipe, 100) == b""
        os.close(self._pipe)


def test_a_step_keeps_its_output_and_reports_its_last_line(tmp_path: Path) -> None:
    step = [str(ROOT / ".ci/step"), "quiet", "sh", "-c", "echo first; echo last"]
    result = subprocess.run(step, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout == "quiet ...\nquiet (0:00): last\n"
    assert (tmp_path / "build/test/quiet.log").read_text("utf-8") == "first\nlast\n"


@pytest.mark.parametrize(("ending", "code"), [("exit 3", 3), (r"kill -9 \$$$$", 128 + 9)])
def test_a_failing_step_shows_its_output_and_ends_the_others(
    ending: str, code: int, tmp_path: Path
) -> None:
    run = Run(tmp_path, f"echo why; {ending}")
    status, output = run.wait()
    assert status == 2
    assert "why\n" in output
    assert f"other failed after 0:00 with exit code {code}" in output
    assert not (tmp_path / "later").exists()
    run.assert_no_process_is_left()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_no_process_behind(
    number: signal.Signals, tmp_path: Path
) -> None:
    run = Run(tmp_path, "sleep 20")
    while not (tmp_path / "begun").exists():
        time.sleep(0.01)
    os.killpg(run.process.pid, number)  # as the terminal does
    assert run.wait()[0] == -number
    run.assert_no_process_is_left()
