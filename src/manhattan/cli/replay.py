"""``manhattan replay``: walk through a saved game, or check it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from manhattan import record
from manhattan.cli import drawing
from manhattan.cli import screen as layout
from manhattan.cli.telling import sentence
from manhattan.cli.terminal import broken_off, console
from manhattan.record import Record, RecordError
from manhattan.replay import Walk, walk
from manhattan.rules import Build, Scored, Seat, SetupError, Site, Table

_KEYS = "→ on  ← back  r next round  R round before  g start  G end  q quit"


def replay(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A saved game, or many, one a line; - is the input."),
    ],
    verify: Annotated[
        bool, typer.Option("--verify", help="Check rules, shuffles and scores; show nothing.")
    ] = False,
    game: Annotated[
        int | None, typer.Option("--game", min=1, help="Which game of the file; else the first.")
    ] = None,
    at: Annotated[
        int | None, typer.Option("--at", help="Show the moment after so many moves, and stop.")
    ] = None,
    side: Annotated[
        Seat, typer.Option("--side", help="The side from which the board is seen.")
    ] = Seat.SOUTH,
) -> None:
    """Walk through a saved game on the terminal, or check it with --verify."""
    if verify:
        if game is not None or at is not None:
            raise SetupError("--verify checks every game of a file: leave --game and --at out.")
        _verify(file)
        return
    recorded = next(islice(_read(file), (game or 1) - 1, None), None)
    if recorded is None:
        raise RecordError(f"There is no game {game} in this file.", _named(file))
    shown = Pages(_walked(recorded, _named(file)), side)
    screen = console()
    if at is not None:
        _print(screen, shown.page(at, screen))
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _turn_pages(screen, shown)
    else:
        for ply in range(len(shown)):
            shown.print_line(screen, ply)


def _verify(file: Path) -> None:
    screen, name = console(stderr=True), _named(file)
    count = seen_only = unfinished = seedless = 0
    whole = False
    with suppress(KeyboardInterrupt), screen.status("Checking ...") as status:
        for recorded in _read(file):
            _walked(recorded, f"{name}, game {count + 1}")
            count += 1
            unfinished += recorded.result is None
            seen_only += recorded.deck is None
            seedless += recorded.deck is not None and recorded.seed is None
            status.update(f"Checking ... {count} games are right so far")
        whole = True
    if not whole:
        are = "1 game, which is" if count == 1 else f"{count} games, which are"
        broken_off(screen, f"after {are} right")
    notes = [
        f"{number} {what}"
        for number, what in (
            (unfinished, "not over"),
            (seen_only, "only as others may see it"),
            (seedless, "without a seed: its shuffles are only as told"),
        )
        if number
    ]
    many = "1 game is" if count == 1 else f"{count} games are"
    note = f" ({'; '.join(notes)})" if notes else ""
    typer.echo(f"{name}: {many} right: rules, shuffles and scores{note}.")


def _read(file: Path) -> Iterator[Record]:
    """The records of a file, or of the input."""
    if str(file) != "-":
        yield from record.read(file)
        return
    # Not sys.stdin, which makes question marks of what is no text.
    with open(0, encoding="utf-8", closefd=False) as opened:
        yield from record.read_open(opened, _named(file))


def _named(file: Path) -> str:
    return "the input" if str(file) == "-" else str(file)


def _walked(recorded: Record, where: str) -> Walk:
    try:
        return walk(recorded)
    except RecordError as error:
        raise error.inside(where) from None


class Pages:
    """A recorded game as pages: page 0 is the deal, then one for each move."""

    def __init__(self, walked: Walk, side: Seat) -> None:
        self._walk = walked
        self._side = side
        self.rounds = [0] + [
            ply
            for ply, step in enumerate(walked.steps, start=1)
            if any(isinstance(event, Scored) for event in step.events)
        ]

    def __len__(self) -> int:
        return len(self._walk.steps) + 1

    def _table(self, ply: int) -> Table:
        return self._walk.steps[ply - 1].table if ply else self._walk.start

    def page(self, ply: int, screen: Console) -> list[RenderableType]:
        """The whole table after so many moves, in brief if the screen is low; below it there is a
        line to spare."""
        if not 0 <= ply < len(self):
            raise RecordError(f"This game has 0 to {len(self) - 1} moves, so no moment {ply}.")
        table = self._table(ply)
        low = screen.is_terminal and screen.height < self._most_lines
        scored = table.sheets[-1] if ply in self.rounds[1:] else None
        parts: list[RenderableType] = [
            drawing.headline(table, None if table.result else scored),
            Text(f"move {ply} of {len(self) - 1}", "dim"),
        ]
        board = drawing.board(table, self._side, last=self._last(ply), floors=not low)
        if scored is None:
            parts += layout.with_stocks(screen, table, self._side, board, low=low)
        else:  # a scoring has its sheet in that place
            parts.append(board)
        sheets = [layout.sheet(table.setup, scored, low=low)] if scored else []
        events = self._walk.steps[ply - 1].events if ply else ()
        news = [Text(sentence(event, table.setup), "bold") for event in events]
        return [*parts, *layout.newest(screen, news, [*parts, *sheets], below=1), *sheets]

    @property
    def _most_lines(self) -> int:
        """So many show a scoring at its largest: two lines of heading, cities with floors, what
        happened, the sheet with its frame, and the keys."""
        colours = len(self._walk.start.setup.colours)
        return 2 + drawing.most_lines(self._side) + 4 + (colours + 6) + 1

    def print_line(self, screen: Console, ply: int) -> None:
        """One line a move, for a pipe or a file; the board after each round."""
        table = self._table(ply)
        if ply == 0:
            screen.print(drawing.headline(table))
            return
        step = self._walk.steps[ply - 1]
        for event in step.events:
            screen.print(f"{ply:>4}  {sentence(event, table.setup)}", soft_wrap=True)
            if isinstance(event, Scored):
                screen.print(drawing.board(table, self._side))
                screen.print(drawing.sheet(table.setup, event.sheet))

    def _last(self, ply: int) -> tuple[Site, ...]:
        move = self._walk.steps[ply - 1].move if ply else None
        return (move.site,) if isinstance(move, Build) else ()


def _print(screen: Console, parts: Iterable[RenderableType]) -> None:
    for part in parts:
        screen.print(part)


def _turn_pages(screen: Console, pages: Pages) -> None:
    ply: int | None = 0
    try:
        while ply is not None:
            screen.clear()
            _print(screen, pages.page(ply, screen))
            screen.print(Text(_KEYS, "dim"), end="")  # a line more would scroll the first away
            ply = _turned(pages, ply, typer.getchar())
    finally:
        screen.print()


def _turned(pages: Pages, ply: int, key: str) -> int | None:
    """The page that a key leads to; None if it leads out."""
    end = len(pages) - 1
    match key:
        case " " | "\r" | "\n" | "n" | "l" | "\x1b[C" | "\x1bOC":
            return min(end, ply + 1)
        case "p" | "b" | "h" | "\x1b[D" | "\x1bOD":
            return max(0, ply - 1)
        case "r":
            return min((r for r in pages.rounds if r > ply), default=end)
        case "R":
            return max((r for r in pages.rounds if r < ply), default=0)
        case "g" | "\x1b[H" | "\x1bOH" | "\x1b[1~":
            return 0
        case "G" | "\x1b[F" | "\x1bOF" | "\x1b[4~":
            return end
        case "q" | "\x1b" | "\x04":
            return None
        case _:
            return ply
