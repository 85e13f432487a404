"""How ``make test`` runs its stages: side by side, in order where it counts, ended together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from run_all import Run, Stage
from stages import STAGES, only

HERE = Path(__file__).parent


def run(folder: Path, *stages: Stage) -> tuple[int, str]:
    """The code, and all that was told."""
    told: list[str] = []
    code = Run(stages, folder / "outputs", told.append).run()
    return code, "\n".join(told)


def sh(name: str, line: str, *after: str, shown: bool = False) -> Stage:
    return Stage(name, ["sh", "-c", line], after=after, shown=shown)


def test_a_stage_waits_for_those_that_it_comes_after_and_for_no_others(tmp_path: Path) -> None:
    """Two that wait for each other's file can only be going on at the same time."""
    wait = f"cd {tmp_path}; touch {{}}; while ! test -e {{}}; do sleep 0.01; done"
    code, told = run(
        tmp_path,
        sh("last", f"test -e {tmp_path}/made", "one", "other"),
        sh("one", wait.format("a", "b")),
        sh("other", wait.format("b", "a") + "; touch made"),
    )
    assert code == 0
    assert told.index("one took") < told.index("last ...")


def test_the_output_is_kept_and_shown_where_it_is_of_interest(tmp_path: Path) -> None:
    lines = "echo first; echo '== last words =='"
    code, told = run(tmp_path, sh("quiet", lines), sh("loud", lines, shown=True))
    assert code == 0
    assert told.count("first") == 1
    assert "quiet took 0:00, processors 0:00: last words" in told
    assert (tmp_path / "outputs/quiet.log").read_text().startswith("first\n")


class Witness:
    """Somebody who is started and goes on, whoever started him; he is heard if he lives on."""

    def __init__(self, folder: Path) -> None:
        self._pipe, self._here = folder / "pipe", folder / "here"
        os.mkfifo(self._pipe)
        self._hears = os.open(self._pipe, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(self._hears, True)

    @property
    def stage(self) -> Stage:
        on = f"(touch {self._here}; sleep 20; echo still here >&3) & wait"
        return sh("long", f"exec 3>{self._pipe}; {on}")

    @property
    def is_here(self) -> str:
        return f"while ! test -e {self._here}; do sleep 0.01; done"

    def wait(self) -> None:
        subprocess.run(["sh", "-c", self.is_here], check=True)

    def assert_gone(self) -> None:
        """The end of the pipe comes when the last one who could write to it has ended."""
        assert os.read(self._hears, 100) == b""
        os.close(self._hears)


@pytest.mark.parametrize(("line", "code"), [("exit 3", 3), ("kill -9 $$", 128 + 9)])
def test_who_fails_is_shown_and_ends_the_others(line: str, code: int, tmp_path: Path) -> None:
    """At once, with all that they have started; and nobody begins any more."""
    other = Witness(tmp_path)
    failing = f"{other.is_here}; echo why; {line}"
    ended, told = run(
        tmp_path, other.stage, sh("fails", failing), sh("never", "echo never", "fails")
    )
    assert ended == code
    assert "why\n" in told
    assert f"fails failed with code {code}" in told
    assert "never" not in told
    other.assert_gone()


BROKEN_OFF = """
import sys
from pathlib import Path
from run_all import Run, Stage
from stages import heed_signals

heed_signals()
name, command, outputs = sys.argv[1:]
sys.exit(Run([Stage(name, ["sh", "-c", command])], Path(outputs)).run())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_breaks_off_leaves_nobody_at_work(number: signal.Signals, tmp_path: Path) -> None:
    going = Witness(tmp_path)
    script = str(going.stage.command[-1])
    command = [sys.executable, "-c", BROKEN_OFF, "long", script, str(tmp_path)]
    with subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE) as run:
        going.wait()
        run.send_signal(number)
        assert run.wait() == 128 + number
    going.assert_gone()


def test_every_stage_can_begin_and_may_be_run_alone() -> None:
    done: set[str] = set()
    for _ in STAGES:
        done |= {stage.name for stage in STAGES if done.issuperset(stage.after)}
    assert done == {stage.name for stage in STAGES}
    (alone,) = only(["measured"])
    assert alone.after == ()
    assert [stage.after for stage in only(["page", "measured"])] == [(), ("page",)]
    with pytest.raises(SystemExit, match="There is no stage nonsense"):
        only(["nonsense"])
