"""Replay viewer: a recorded game as pages to walk through, or as a log for a pipe."""

from __future__ import annotations

from typing import Final

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from manhattan.cli.ui import board_renderer, layout
from manhattan.cli.ui.narration import describe_event
from manhattan.record import RecordError
from manhattan.replay import ReplayTrace
from manhattan.rules import Build, PublicState, Scored, Side, Site

_KEYS: Final = "→ next  ← previous  r next round  R previous round  g start  G end  q quit"
_KEY_LINES: Final = 1


class ReplayPages:
    """A recorded game as pages: page 0 is the deal, every other page one move."""

    def __init__(self, trace: ReplayTrace, side: Side) -> None:
        self._trace = trace
        self._side = side
        self.round_ends = [0] + [
            ply
            for ply, step in enumerate(trace.steps, start=1)
            if any(isinstance(event, Scored) for event in step.events)
        ]
        """The deal, and every page that ends a round."""

    def __len__(self) -> int:
        return len(self._trace.steps) + 1

    def page(self, ply: int, screen: Console) -> list[RenderableType]:
        """The table after a number of moves, compact if the screen is low. It leaves a line for
        the keys."""
        last_ply = len(self) - 1
        if not 0 <= ply <= last_ply:
            raise RecordError(f"There is no move {ply}: this game has moves 0 to {last_ply}.")
        public = self._public(ply)
        compact = screen.is_terminal and screen.height < self._full_height
        sheet = public.sheets[-1] if ply in self.round_ends[1:] else None
        parts: list[RenderableType] = [
            board_renderer.render_headline(public, None if public.result else sheet),
            Text(f"move {ply} of {last_ply}", "dim"),
        ]
        board = board_renderer.render_board(
            public, self._side, marked=self._last_site(ply), floors=not compact
        )
        if sheet is None:
            parts += layout.board_with_stocks(screen, public, self._side, board, compact=compact)
        else:  # the sheet takes the place of the stocks
            parts.append(board)
        sheets = [layout.score_sheet(public.setup, sheet, compact=compact)] if sheet else []
        events = self._trace.steps[ply - 1].events if ply else ()
        sentences = [Text(describe_event(event, public.setup), "bold") for event in events]
        shown = layout.latest_that_fit(screen, sentences, [*parts, *sheets], _KEY_LINES)
        return [*parts, *shown, *sheets]

    def print_log(self, screen: Console) -> None:
        """Print one line for each event, and the board and scores after each round."""
        screen.print(board_renderer.render_headline(self._public(0)))
        for ply, step in enumerate(self._trace.steps, start=1):
            setup = step.public.setup
            for event in step.events:
                screen.print(f"{ply:>4}  {describe_event(event, setup)}", soft_wrap=True)
                if isinstance(event, Scored):
                    screen.print(board_renderer.render_board(step.public, self._side))
                    screen.print(board_renderer.render_sheet(setup, event.sheet))

    def _public(self, ply: int) -> PublicState:
        return self._trace.steps[ply - 1].public if ply else self._trace.start

    @property
    def _full_height(self) -> int:
        """The lines of a scoring at its largest: two lines of heading, cities with floors, events,
        the framed sheet, and the keys."""
        heading, events = 2, 4
        sheet = len(self._trace.start.setup.colours) + 6
        return heading + board_renderer.max_board_height(self._side) + events + sheet + _KEY_LINES

    def _last_site(self, ply: int) -> tuple[Site, ...]:
        move = self._trace.steps[ply - 1].move if ply else None
        return (move.site,) if isinstance(move, Build) else ()


def browse(screen: Console, pages: ReplayPages) -> None:
    """Walk through the pages with the keyboard."""
    ply: int | None = 0
    try:
        while ply is not None:
            screen.clear()
            for part in pages.page(ply, screen):
                screen.print(part)
            screen.print(Text(_KEYS, "dim"), end="")  # a newline would scroll the first line away
            ply = _page_after_key(pages, ply, typer.getchar())
    finally:
        screen.print()


def _page_after_key(pages: ReplayPages, ply: int, key: str) -> int | None:
    """The page that a key leads to; None if it quits."""
    end = len(pages) - 1
    match key:
        case " " | "\r" | "\n" | "n" | "l" | "\x1b[C" | "\x1bOC":
            return min(end, ply + 1)
        case "p" | "b" | "h" | "\x1b[D" | "\x1bOD":
            return max(0, ply - 1)
        case "r":
            return min((r for r in pages.round_ends if r > ply), default=end)
        case "R":
            return max((r for r in pages.round_ends if r < ply), default=0)
        case "g" | "\x1b[H" | "\x1bOH" | "\x1b[1~":
            return 0
        case "G" | "\x1b[F" | "\x1bOF" | "\x1b[4~":
            return end
        case "q" | "\x1b" | "\x04":
            return None
        case _:
            return ply
