"""Layout: what the screen shows in a turn, arranged so that all of it fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from manhattan.cli.ui import board_renderer
from manhattan.cli.ui.narration import describe_event
from manhattan.rules import Build, Built, Event, PublicState, Setup, Sheet, Side
from manhattan.view import View

_GAP: Final = 2
"""Columns between the board and the stocks beside it."""
_PROMPT_LINES: Final = 1


def table_page(
    screen: Console,
    view: View,
    side: Side,
    events: Sequence[Event],
    *,
    commitment: str | None = None,
    sheet: Sheet | None = None,
    lines_below: int = 0,
) -> list[RenderableType]:
    """The table seen from a side, with the viewer's hand and the latest events.

    With a score sheet it is the page at the end of a round or of the game, which shows no blocks
    and cards. ``lines_below`` keeps space for what will be printed under the page.
    """
    public = view.public
    compact = screen.is_terminal and screen.height < _full_height(public, side)
    parts: list[RenderableType] = [
        board_renderer.render_headline(public, None if public.result is not None else sheet),
        *_width_warning(screen, side),
    ]
    board = board_renderer.render_board(
        public,
        side,
        marked=[event.site for event in events if isinstance(event, Built)],
        targets={move.site for move in view.legal_moves() if isinstance(move, Build)},
        floors=not compact,
    )
    if sheet is not None:
        parts.append(board)
    else:
        parts += board_with_stocks(screen, public, side, board, compact=compact)
        parts.append(board_renderer.render_pile(public))
        if view.player is not None:
            parts.append(board_renderer.render_hand(view.hand, compact=compact))
    if commitment is not None:
        text = f"Commitment to the shuffles (SHA-256 of the seed): {commitment}"
        parts.append(Text(text, "dim"))
    sheets = [] if sheet is None else [score_sheet(public.setup, sheet, compact=compact)]
    sentences = [Text(describe_event(event, public.setup), "italic") for event in events]
    lines_below += _PROMPT_LINES
    return [*parts, *latest_that_fit(screen, sentences, [*parts, *sheets], lines_below), *sheets]


def _width_warning(screen: Console, side: Side) -> Iterator[RenderableType]:
    width = board_renderer.board_width(side)
    if screen.width < width:
        text = f"The board needs {width} columns; this window has {screen.width}. Make it wider."
        yield Text(text, "red")


def board_with_stocks(
    screen: Console, public: PublicState, side: Side, board: RenderableType, *, compact: bool
) -> Iterator[RenderableType]:
    """The board with every player's blocks and points, below it or, if they fit, beside it."""
    width = board_renderer.board_width(side)
    if compact and screen.width >= width + _GAP + board_renderer.NARROW:
        beside = Grid.grid(padding=(0, _GAP, 0, 0))
        beside.add_column(width=width)
        beside.add_column(width=board_renderer.NARROW)
        beside.add_row(board, board_renderer.render_narrow_stocks(public))
        yield beside
    else:
        yield board
        yield board_renderer.render_stocks(public)


def score_sheet(setup: Setup, sheet: Sheet, *, compact: bool) -> RenderableType:
    """A score sheet, as large as the screen allows."""
    if compact:
        return board_renderer.render_compact_sheet(setup, sheet)
    return board_renderer.render_sheet(setup, sheet)


def latest_that_fit(
    screen: Console, sentences: list[Text], others: Iterable[RenderableType], lines_below: int
) -> list[Text]:
    """The latest sentences, as many as fit on a terminal beside everything else. The oldest is
    the viewer's own move, which they know."""
    if not screen.is_terminal:
        return sentences
    available = screen.height - lines_below - _height_of(screen, others)
    while sentences and _height_of(screen, sentences) > available:
        sentences = sentences[1:]
    return sentences


def _full_height(public: PublicState, side: Side) -> int:
    """The lines that everything needs at its largest: headline, cities with floors, stocks, pile,
    hand, a sentence for each player, and the prompt. Lower screens get the compact page."""
    setup = public.setup
    stocks = 1 + len(setup.colours)
    hand = 4
    return (
        1
        + board_renderer.max_board_height(side)
        + stocks
        + 1
        + hand
        + len(setup.players)
        + _PROMPT_LINES
    )


def _height_of(screen: Console, parts: Iterable[RenderableType]) -> int:
    return sum(len(screen.render_lines(part, pad=False)) for part in parts)
