"""Runs stages side by side, each with its output kept together.

What a stage writes goes to a file of its own; the output of one that fails is shown as a whole,
the others are ended, and its code comes back. What is run is in ``stages.py``.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

LOOKED_AT_EVERY = 0.1
TOLD_EVERY = 30.0
PATIENCE = 15.0
"""So many seconds a stage has to clean up when it is ended."""


@dataclass(frozen=True)
class Stage:
    """A command, and the stages that must have ended well before it begins."""

    name: str
    command: Sequence[str | Path]
    after: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    folder: Path = Path()
    shown: bool = False  # what it writes is of interest when all is well, too


class Going:
    """A stage at work, in a group of processes that can be ended together."""

    def __init__(self, stage: Stage, output: Path) -> None:
        self.stage, self.output = stage, output
        self._began = time.monotonic()
        self._used = 0.0
        with output.open("w") as file:
            self._process = subprocess.Popen(
                stage.command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=stage.folder,
                env=os.environ | stage.env,
                process_group=0,  # not a session: its niceness would count for nothing outside
            )

    def ended(self) -> int | None:
        """The code that came back; none as long as it goes on."""
        if self._process.returncode is None:
            pid, status, used = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                self._process.returncode = code if code >= 0 else 128 - code  # as shells tell it
                self._used = used.ru_utime + used.ru_stime
        return self._process.returncode

    @property
    def written(self) -> str:
        return self.output.read_text("utf-8", errors="replace").strip()

    def progress(self) -> str:
        """Its name, and how far pytest says that it is."""
        parts: list[str] = re.findall(r"\[ *(\d+)%\]", self.written)
        return f"{self.stage.name} {parts[-1]} %" if parts else self.stage.name

    def told(self) -> str:
        """How long it took, how long processors worked for it, and its last words."""
        took = f"{minutes(time.monotonic() - self._began)}, processors {minutes(self._used)}"
        *_, last = self.written.splitlines() or ["it said nothing"]
        return f"{self.stage.name} took {took}: {last.strip('= ')}"

    def end(self) -> None:
        """Ask all its processes to end, as Ctrl-C does, and after a while make them."""
        self._send(signal.SIGINT)
        patience = time.monotonic() + PATIENCE
        while self.ended() is None and time.monotonic() < patience:
            time.sleep(LOOKED_AT_EVERY)
        self._send(signal.SIGKILL)  # some ignore the first
        while self.ended() is None:
            time.sleep(LOOKED_AT_EVERY)

    def _send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # all are gone
            os.killpg(self._process.pid, number)


def minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def say(what: str) -> None:
    print(what, flush=True)


@dataclass
class Run:
    """All stages, from the first to the last or to one that fails."""

    stages: Sequence[Stage]
    outputs: Path
    say: Callable[[str], None] = say
    _going: list[Going] = field(default_factory=list)
    _done: set[str] = field(default_factory=set)
    _began: float = field(default_factory=time.monotonic)

    def run(self) -> int:
        """The code of the stage that failed, or 0."""
        self.outputs.mkdir(parents=True, exist_ok=True)
        waiting = list(self.stages)
        tell_at = time.monotonic() + TOLD_EVERY
        try:
            while waiting or self._going:
                for stage in [one for one in waiting if self._done.issuperset(one.after)]:
                    waiting.remove(stage)
                    self._tell(f"{stage.name} ...")
                    self._going.append(Going(stage, self.outputs / f"{stage.name}.log"))
                for going in list(self._going):
                    code = going.ended()
                    if code is not None:
                        self._tell_end(going, code)
                        if code:
                            return code
                        self._going.remove(going)
                if time.monotonic() >= tell_at:
                    self._tell(", ".join(going.progress() for going in self._going))
                    tell_at += TOLD_EVERY
                time.sleep(LOOKED_AT_EVERY)
            return 0
        finally:
            for going in self._going:  # (also what one that has failed has left behind)
                going.end()

    def _tell(self, what: str) -> None:
        self.say(f"{minutes(time.monotonic() - self._began):>5}  {what}")

    def _tell_end(self, going: Going, code: int) -> None:
        if code:
            self.say(going.written)
            self._tell(f"{going.stage.name} failed with code {code}: see {going.output}")
            return
        self._done.add(going.stage.name)
        if going.stage.shown:
            self.say(going.written)
        self._tell(going.told())
