"""Who thinks at the table: bots, and whoever is asked for advice. Waiting is always explained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from rich.console import Console
from rich.text import Text

from manhattan.background import NOTHING, start_rehearsal
from manhattan.bots import THINKERS, bot, evaluate, hint
from manhattan.cli import drawing
from manhattan.cli.seats import Seats
from manhattan.cli.telling import reason
from manhattan.rules import Move, Phase, Setup
from manhattan.view import View


class Thinking:
    """What was learned has to be compiled: that goes on beside the game, as soon as it is known
    that somebody will need it."""

    def __init__(self, console: Console, setup: Setup, seats: Seats) -> None:
        self.console = console
        self.setup = setup
        self.rehearsal = NOTHING
        self.learned = bool(THINKERS.intersection(filter(None, seats)))
        """Does somebody at this table play by what was learned?"""
        if self.learned:
            self._compile_beside()  # while people choose their first blocks

    def choose(self, played_by: str, seen: View, rng: Random) -> Move:
        """What a bot does."""
        # Blocks are chosen, and a block is taken out, without compiled code.
        compiled = played_by in THINKERS and seen.table.phase is Phase.BUILD
        with self._shown(f"{seen.table.player.name} is thinking", compiled=compiled):
            return bot(played_by)(seen, rng)

    def hint(self, seen: View, rng: Random) -> None:
        """As good as the bots at this table: where none of them needs to be compiled, no hint
        does."""
        if self.learned and seen.table.phase is Phase.BUILD:
            with self._shown("Looking for a move", compiled=True):
                found = hint(seen, rng, learned=True)
        else:
            found = hint(seen, rng, learned=self.learned)
        self.console.print(reason(found, self.setup, seen.table.mover), soft_wrap=True)

    def advise(self, seen: View, rng: Random) -> None:
        """Moves thought over, and who may win."""
        self._compile_beside()
        try:
            with self._shown("Thinking it over", compiled=True):
                found = evaluate(seen, rng)
        except KeyboardInterrupt:  # it takes too long for somebody who still wants to play
            self.console.print("No advice, then.")
        else:
            self.console.print(drawing.advice(self.setup, found))

    def stop(self) -> None:
        """Nobody plays any more."""
        self.rehearsal.stop()

    def _compile_beside(self) -> None:
        if self.console.is_terminal and self.rehearsal is NOTHING:
            self.rehearsal = start_rehearsal(
                "manhattan.judgement.rehearsal",
                len(self.setup.players),
                self.setup.schedule.colours,
            )

    @contextmanager
    def _shown(self, told: str, *, compiled: bool) -> Iterator[None]:
        """Show that somebody thinks, and why it takes long the first time, if it is compiled."""
        if not self.console.is_terminal:
            yield
            return
        if compiled and not self.rehearsal.over:
            waiting = f"{told}, and has to be compiled first: half a minute, this once ..."
            with self.console.status(Text(waiting)):
                self.rehearsal.wait()
        with self.console.status(Text(f"{told} ...")):
            yield
