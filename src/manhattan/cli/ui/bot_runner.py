"""Bot runner: moves, hints and advice by bots, with a status line that explains any wait."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from rich.console import Console
from rich.text import Text

from manhattan.bots import (
    COMPILED_BOTS,
    FALLBACK_LEVEL,
    LEVELS,
    bot,
    evaluate,
    hint,
    needs_compiled_code,
    start_warmup,
)
from manhattan.cli.ui.board_renderer import render_advice
from manhattan.cli.ui.narration import describe_hint
from manhattan.cli.ui.seats import Seats
from manhattan.rules import Move, Phase, Setup
from manhattan.view import View
from manhattan.warmup import NO_JOB


class BotRunner:
    """Runs the bots of one game. Their code is compiled in a background process, which starts as
    soon as it is clear that the game needs it."""

    def __init__(self, console: Console, setup: Setup, seats: Seats) -> None:
        self.console = console
        self.setup = setup
        self.compile_job = NO_JOB
        self._has_fallen_back = False
        self.has_compiled_bots = bool(COMPILED_BOTS.intersection(filter(None, seats)))
        if self.has_compiled_bots:
            self._start_compiling()  # while people choose their first blocks

    def choose_move(self, bot_name: str, view: View, rng: Random) -> Move:
        """Let a bot choose a move; until its code is compiled, a weaker level chooses for it."""
        if (
            self.console.is_terminal
            and needs_compiled_code(bot_name, view.public.phase)
            and not self.compile_job.finished
        ):
            bot_name, self._has_fallen_back = FALLBACK_LEVEL, True
        with self._status(f"{view.public.player.name} is thinking"):
            return bot(bot_name)(view, rng)

    @property
    def notice(self) -> str | None:
        """What players have to know about the bots at the moment."""
        if not self._has_fallen_back or self.compile_job.finished:
            return None
        return (
            "The strong bots are being compiled (about 30 s, first time only); until then they "
            f"play like {LEVELS[FALLBACK_LEVEL].name}."
        )

    def print_hint(self, view: View, rng: Random) -> None:
        """Suggest a move, as strong as the bots of this game: if none of them needs compiled code,
        the hint needs none either."""
        if self.has_compiled_bots and view.public.phase is Phase.BUILD:
            with self._status("Looking for a move", compiled=True):
                suggestion = hint(view, rng, use_model=True)
        else:
            suggestion = hint(view, rng, use_model=self.has_compiled_bots)
        self.console.print(describe_hint(suggestion, self.setup, view.public.mover), soft_wrap=True)

    def print_advice(self, view: View, rng: Random) -> None:
        """Evaluate the best moves: every player's chance to win, and final points."""
        self._start_compiling()
        try:
            with self._status("Evaluating moves", compiled=True):
                evaluation = evaluate(view, rng)
        except KeyboardInterrupt:  # cancels the advice, not the game
            self.console.print("Advice cancelled.")
        else:
            self.console.print(render_advice(self.setup, evaluation))

    def stop(self) -> None:
        """Stop compiling: the game has ended."""
        self.compile_job.stop()

    def _start_compiling(self) -> None:
        if self.console.is_terminal and self.compile_job is NO_JOB:
            self.compile_job = start_warmup(len(self.setup.players), self.setup.schedule.colours)

    @contextmanager
    def _status(self, activity: str, *, compiled: bool = False) -> Iterator[None]:
        """Show what the program is doing; if it needs compiled code, wait for the compiler."""
        if not self.console.is_terminal:
            yield
            return
        if compiled and not self.compile_job.finished:
            with self.console.status(Text("Compiling the bot (about 30 s, first time only)…")):
                self.compile_job.wait()
        with self.console.status(Text(f"{activity}…")):
            yield
