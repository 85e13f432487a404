"""What stands on the screen in a turn, laid out so that all of it has room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from manhattan.cli import drawing
from manhattan.cli.telling import sentence
from manhattan.rules import Build, Built, Event, Seat, Sheet, Table
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
) -> list[RenderableType]:
    """The table seen from a seat, with a hand if it is a player's view, and what is new. With a
    score sheet: the end of its round, when nobody needs blocks and cards."""
    low = screen.is_terminal and screen.height < _lines_of_all(seen.table, seat)
    parts: list[RenderableType] = [drawing.headline(seen.table, scored)]
    wide = drawing.board_width(seat)
    if screen.width < wide:
        told = f"The board takes {wide} columns, this window has {screen.width}: make it wider."
        parts.append(Text(told, "red"))
    parts += _table(screen, seen, seat, news, low=low, scored=scored is not None)
    if proof is not None:
        told = f"The seed of the cards is told at the end. SHA-256: {proof}"
        parts.append(Text(told, "dim"))
    sheets = [] if scored is None else [drawing.sheet(seen.table.setup, scored)]
    told_news = [Text(sentence(event, seen.table.setup), "italic") for event in news]
    if screen.is_terminal:
        room = screen.height - _PROMPT - _lines(screen, [*parts, *sheets])
        told_news = _newest(screen, told_news, room)
    return [*parts, *told_news, *sheets]


def _table(
    screen: Console, seen: View, seat: Seat, news: Sequence[Event], *, low: bool, scored: bool
) -> Iterator[RenderableType]:
    """The board, and below it or beside it whatever else lies on the table."""
    last = [event.site for event in news if isinstance(event, Built)]
    targets = {move.site for move in seen.legal_moves() if isinstance(move, Build)}
    board = drawing.board(seen.table, seat, last=last, targets=targets, floors=not low)
    if scored:
        yield board
        return
    wide = drawing.board_width(seat)
    if low and screen.width >= wide + _GAP + drawing.NARROW:
        beside = Grid.grid(padding=(0, _GAP, 0, 0))
        beside.add_column(width=wide)
        beside.add_column(width=drawing.NARROW)
        beside.add_row(board, drawing.narrow_stocks(seen.table))
        yield beside
    else:
        yield board
        yield drawing.stocks(seen.table)
    yield drawing.cards_seen(seen.table)
    if seen.player is not None:
        yield (drawing.hand_in_a_line if low else drawing.hand)(seen.hand)


def _lines_of_all(table: Table, seat: Seat) -> int:
    """So many lines show everything at its largest: headline, cities with floors, stocks, pile,
    cards, what everybody did, and the question. On a lower screen things are told in brief."""
    cities, setup = drawing.rows_of_cities(seat), table.setup
    return 1 + 7 * cities + 1 + len(setup.colours) + 1 + 4 + len(setup.players) + _PROMPT


def _lines(screen: Console, parts: Iterable[RenderableType]) -> int:
    return sum(len(screen.render_lines(part, pad=False)) for part in parts)


def _newest(screen: Console, news: list[Text], room: int) -> list[Text]:
    """As much of the news as has room. The oldest is one's own move: it can best be spared."""
    while news and _lines(screen, news) > room:
        news = news[1:]
    return news
