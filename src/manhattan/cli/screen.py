"""What stands on the screen in a turn, laid out so that all of it has room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from manhattan.cli import drawing
from manhattan.cli.telling import sentence
from manhattan.rules import Build, Built, Event, Seat, Setup, Sheet, Table
from manhattan.view import View

_GAP = 2
"""Columns between the board and what stands beside it."""
_PROMPT = 1


def page(
    screen: Console,
    seen: View,
    seat: Seat,
    news: Sequence[Event],
    *,
    proof: str | None = None,
    scored: Sheet | None = None,
    below: int = 0,
) -> list[RenderableType]:
    """The table seen from a seat, with a hand if it is a player's view, and what is new. With a
    score sheet: the end of its round or of the game, when nobody needs blocks and cards. So many
    lines are to be left below it for what else will be told."""
    table = seen.table
    low = screen.is_terminal and screen.height < _lines_of_all(table, seat)
    over = table.result is not None
    parts: list[RenderableType] = [drawing.headline(table, None if over else scored)]
    wide = drawing.board_width(seat)
    if screen.width < wide:
        told = f"The board takes {wide} columns, this window has {screen.width}: make it wider."
        parts.append(Text(told, "red"))
    last = [event.site for event in news if isinstance(event, Built)]
    targets = {move.site for move in seen.legal_moves() if isinstance(move, Build)}
    board = drawing.board(table, seat, last=last, targets=targets, floors=not low)
    if scored is not None:
        parts.append(board)
    else:
        parts += with_stocks(screen, table, seat, board, low=low)
        parts.append(drawing.cards_seen(table))
        if seen.player is not None:
            parts.append((drawing.hand_in_a_line if low else drawing.hand)(seen.hand))
    if proof is not None:
        told = f"The seed of the cards is told at the end. SHA-256: {proof}"
        parts.append(Text(told, "dim"))
    sheets = [] if scored is None else [sheet(table.setup, scored, low=low)]
    told_news = [Text(sentence(event, table.setup), "italic") for event in news]
    return [*parts, *newest(screen, told_news, [*parts, *sheets], below + _PROMPT), *sheets]


def with_stocks(
    screen: Console, table: Table, seat: Seat, board: RenderableType, *, low: bool
) -> Iterator[RenderableType]:
    """The board, and everybody's blocks and points below it, or beside it where that has room."""
    wide = drawing.board_width(seat)
    if low and screen.width >= wide + _GAP + drawing.NARROW:
        beside = Grid.grid(padding=(0, _GAP, 0, 0))
        beside.add_column(width=wide)
        beside.add_column(width=drawing.NARROW)
        beside.add_row(board, drawing.narrow_stocks(table))
        yield beside
    else:
        yield board
        yield drawing.stocks(table)


def sheet(setup: Setup, scored: Sheet, *, low: bool) -> RenderableType:
    """A score sheet as large as there is room for."""
    return drawing.brief_sheet(setup, scored) if low else drawing.sheet(setup, scored)


def newest(
    screen: Console, news: list[Text], others: Iterable[RenderableType], below: int
) -> list[Text]:
    """As much of the news as has room on a terminal beside everything else. The oldest is one's
    own move: it can best be spared."""
    if not screen.is_terminal:
        return news
    room = screen.height - below - _lines(screen, others)
    while news and _lines(screen, news) > room:
        news = news[1:]
    return news


def _lines_of_all(table: Table, seat: Seat) -> int:
    """So many lines show everything at its largest: headline, cities with floors, stocks, pile,
    cards, what everybody did, and the question. On a lower screen things are told in brief."""
    setup = table.setup
    return (
        1 + drawing.most_lines(seat) + 1 + len(setup.colours) + 1 + 4 + len(setup.players) + _PROMPT
    )


def _lines(screen: Console, parts: Iterable[RenderableType]) -> int:
    return sum(len(screen.render_lines(part, pad=False)) for part in parts)
