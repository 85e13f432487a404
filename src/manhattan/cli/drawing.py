"""Drawing the game on a terminal: the board turned to whoever looks, hands, tableaus, scores."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table as Grid
from rich.text import Text

from manhattan.bots import Evaluation
from manhattan.rules import CITIES, EDITIONS, Card, Colour, Phase, Seat, Setup, Sheet, Site, Table
from manhattan.rules.blocks import SIZES, Stock
from manhattan.rules.board import CARDS, TARGETS
from manhattan.rules.scoring import MAJORITY_POINTS

STYLES: Final[Mapping[Colour, Style]] = MappingProxyType(
    {
        Colour.ORANGE: Style(bgcolor="#dc7035", color="#1b1712", bold=True),
        Colour.BLUE: Style(bgcolor="#4596cb", color="#1b1712", bold=True),
        Colour.YELLOW: Style(bgcolor="#f0c64f", color="#1b1712", bold=True),
        Colour.PURPLE: Style(bgcolor="#6a4a9e", color="#ffffff", bold=True),
        Colour.BLACK: Style(bgcolor="#3a3a3a", color="#ffffff", bold=True),
        Colour.RED: Style(bgcolor="#c0392b", color="#ffffff", bold=True),
        Colour.GREEN: Style(bgcolor="#3d8b4f", color="#ffffff", bold=True),
    }
)
_DIM: Final = Style(dim=True)
_CELL: Final = 8
_ROWS, _COLUMNS = 2, 3  # how the cities lie, seen from the south: A B C, then D E F


def chip(colour: Colour, text: str = "") -> Text:
    """A colour as a patch with its letter, so that it reads without colours too."""
    return Text(f" {text or colour.letter} ", STYLES[colour])


def turned(seat: Seat, rows: int, columns: int) -> list[list[tuple[int, int]]]:
    """A grid as it looks from a seat: rows from far to near, each from left to right, of the
    (row, column) that lies there seen from the south."""
    match seat:
        case Seat.SOUTH:
            return [[(r, c) for c in range(columns)] for r in range(rows)]
        case Seat.NORTH:
            return [[(r, c) for c in reversed(range(columns))] for r in reversed(range(rows))]
        case Seat.WEST:
            return [[(r, c) for r in range(rows)] for c in reversed(range(columns))]
        case Seat.EAST:
            return [[(r, c) for r in reversed(range(rows))] for c in range(columns)]


def rows_of_cities(seat: Seat) -> int:
    """How many rows the cities make, seen from a seat."""
    return len(turned(seat, _ROWS, _COLUMNS))


def most_lines(seat: Seat) -> int:
    """So many lines the board takes, seen from a seat, when towers are mixed everywhere."""
    return 7 * rows_of_cities(seat)


def board_width(seat: Seat) -> int:
    """So many columns of the terminal the board takes, seen from a seat."""
    cities = _ROWS * _COLUMNS // rows_of_cities(seat)
    return cities * (3 * _CELL + 2) - 2


def board(
    table: Table,
    seat: Seat,
    *,
    last: Collection[Site] = (),
    targets: Collection[Site] = (),
    floors: bool = True,
) -> RenderableType:
    """The board seen from a seat. ``last`` are marked with a star, ``targets`` with brackets.
    Without ``floors`` it takes less room, and does not tell who has how many in a tower."""
    lines: list[Text] = []
    for row in turned(seat, _ROWS, _COLUMNS):
        cities = [CITIES[r * _COLUMNS + c] for r, c in row]
        names = (_city_name(table.setup, city) for city in cities)
        lines.append(Text("  ").join(Text(f"{n:^{3 * _CELL}}", "bold") for n in names))
        for near in range(3):  # the three rows of sites, far to near
            cards = [near * 3 + column + 1 for column in range(3)]
            sites = [[TARGETS[seat][card][CITIES.index(city)] for card in cards] for city in cities]
            heights = (
                Text("").join(_height(table, site, last, targets) for site in city)
                for city in sites
            )
            lines.append(Text("  ").join(heights))
            mixed = any(len(table.board[site].floors) > 1 for city in sites for site in city)
            if floors and mixed:
                shares = (Text("").join(_floors(table, site) for site in city) for city in sites)
                lines.append(Text("  ").join(shares))
    return Group(*lines)


def _city_name(setup: Setup, city: str) -> str:
    name = EDITIONS[setup.edition].cities[CITIES.index(city)]
    return f"City {city}" if name == city else f"{city} {name}"


def _height(table: Table, site: Site, last: Collection[Site], targets: Collection[Site]) -> Text:
    """The first line of a site: its number, its height in its owner's colour."""
    tower = table.board[site]
    before, after = ("[", "]") if site in targets else (" ", " ")
    star = "*" if site in last else " "
    number = Text(str(site.position), "bold green" if site in targets else _DIM)
    if tower.owner is None:
        body = Text("  · ", _DIM)
    else:
        body = Text(f"{tower.height:>2}{tower.owner.letter} ", STYLES[tower.owner])
    return Text.assemble(
        (before, "bold green"), number, (star, "bold"), body, (after, "bold green")
    )


def _floors(table: Table, site: Site) -> Text:
    """The second line of a site: the floors of each colour, where there are several."""
    tower = table.board[site]
    if len(tower.floors) < 2:
        return Text(" " * _CELL)
    # Of equals the owner comes first: the tower is his, though another has as many floors.
    ranked = sorted(tower.floors.items(), key=lambda item: (-item[1], item[0] is not tower.owner))
    told = [(f"{colour.letter}{floors}", colour) for colour, floors in ranked]
    while sum(len(text) for text, _ in told) > _CELL - (len(told) < len(ranked)):
        told.pop()  # the least of them, whole: half a number would mislead
    text = Text("").join(Text(text, Style(color=STYLES[colour].bgcolor)) for text, colour in told)
    if len(told) < len(ranked):
        text.append("…", _DIM)
    text.align("center", _CELL)
    return text


def hand(cards: Collection[Card]) -> RenderableType:
    """Cards as little grids, as their player sees them."""
    lines = [Text("  ") for _ in range(4)]
    for card in cards:
        lines[0].append(f" card {card}  ", _DIM)
        for row in range(3):
            lines[row + 1].append("  ")
            for column in range(3):
                here = row * 3 + column + 1 == card
                lines[row + 1].append("■ " if here else "· ", "bold" if here else _DIM)
            lines[row + 1].append(" ")
    return Group(*lines)


_WHERE: Final = ("far left", "far", "far right", "left", "centre", "right", "near left", "near",
                 "near right")  # fmt: skip


def hand_in_a_line(cards: Collection[Card]) -> Text:
    """Cards by their number and where they point, for low screens."""
    told = (f"{card} ({_WHERE[card - 1]})" for card in cards)
    return Text.assemble("hand: ", ("  ".join(told), "bold"))


def stocks(table: Table) -> Grid:
    """Every colour's blocks on the tableau and in the supply, and every player's points."""
    grid = Grid(box=None, padding=(0, 1, 0, 0))
    for heading in ("", "player", "points", "this round", "supply:", " 1", " 2", " 3", " 4"):
        numeric = heading == "points" or heading.startswith(" ")
        grid.add_column(heading, justify="right" if numeric else "left")
    for number, player in enumerate(table.setup.players):
        for own in table.setup.own[number]:
            first = own.colour is player.colours[0]
            to_move = first and number == table.mover and table.result is None
            starts = ", starts" if number == table.start_player and table.result is None else ""
            grid.add_row(
                Text.assemble("▶" if to_move else " ", chip(own.colour)),
                f"{player.name} ({player.seat}{starts})" if first else "",
                str(table.scores[number]) if first else "",
                _blocks(table.tableaus[own.slot]),
                "",
                *(str(count) for count in table.supplies[own.slot]),
            )
    return grid


NARROW: Final = 28
"""Columns that the stocks take beside a board."""


def narrow_stocks(table: Table) -> RenderableType:
    """The stocks for a place beside the board: everybody's name above his blocks."""
    lines = [Text("     this round   supply", "dim")]
    for number, player in enumerate(table.setup.players):
        over = table.result is not None
        points = f"{table.scores[number]} points"
        starts = ", starts" if number == table.start_player and not over else ""
        name = Text(player.name)
        name.truncate(NARROW - 2 - len(points) - len(starts), overflow="ellipsis")
        line = Text("▶" if number == table.mover and not over else " ") + name + Text(starts)
        line.pad_right(NARROW - line.cell_len - len(points))
        lines.append(line.append(points))
        for own in table.setup.own[number]:
            blocks = _blocks(table.tableaus[own.slot])
            supply = " ".join(map(str, table.supplies[own.slot]))
            lines.append(Text(" ") + chip(own.colour) + Text(f" {blocks:<11}  {supply}"))
    return Group(*lines)


def _blocks(stock: Stock) -> str:
    """Blocks by their sizes, each for itself."""
    return " ".join(str(size) for size in SIZES for _ in range(stock[size - 1])) or "-"


def sheet(setup: Setup, scored: Sheet) -> Grid:
    """The score sheet of a round."""
    grid = _filled(Grid(title=f"Round {scored.round}", title_justify="left"), setup, scored)
    grid.caption = _tallest(scored) or None
    return grid


_BRIEF_NAME: Final = 18


def brief_sheet(setup: Setup, scored: Sheet) -> RenderableType:
    """The same in fewer lines: a heading, and a line for each colour below its own."""
    heading = " · ".join(filter(None, (f"Round {scored.round}", _tallest(scored))))
    plain = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    return Group(Text(heading, "italic"), _filled(plain, setup, scored, _BRIEF_NAME))


def _tallest(scored: Sheet) -> str:
    where = ", ".join(map(str, scored.tallest))
    return f"tallest: {where}, {scored.height} floors" if where else ""


def _filled(grid: Grid, setup: Setup, scored: Sheet, longest: int | None = None) -> Grid:
    """A score sheet's columns and lines, with names no longer than that."""
    for heading in ("", "player", "tallest", "majorities", "towers", "points", "total"):
        left = heading in ("", "player", "majorities")
        grid.add_column(heading, justify="left" if left else "right")
    for slot, (colour, score) in enumerate(zip(setup.colours, scored.colours, strict=True)):
        number = setup.player_of(colour)
        last = slot + 1 == len(setup.colours) or setup.player_of(setup.colours[slot + 1]) != number
        cities = ", ".join(score.majorities)
        worth = f"{MAJORITY_POINTS * len(score.majorities)}" + (f" ({cities})" if cities else "")
        name = Text(setup.players[number].name)
        if longest is not None:
            name.truncate(longest, overflow="ellipsis")
        grid.add_row(
            chip(colour),
            name,
            str(score.tallest),
            worth,
            str(score.towers),
            str(score.points),
            str(scored.scores[number]) if last else "",
        )
    return grid


ADVICE = 5
"""So many moves are told, the best first."""


def advice(setup: Setup, found: Evaluation) -> Grid:
    """The best moves, and what is to be expected after each of them."""
    grid = Grid("move", *(player.name for player in setup.players), title_justify="left")
    for column in grid.columns[1:]:
        column.justify = "right"
    for ranked in found.moves[:ADVICE]:
        cells = []
        for player, (chance, score) in enumerate(zip(ranked.chances, ranked.scores, strict=True)):
            low, high = 100 * ranked.low[player], 100 * ranked.high[player]
            sure = f" ({low:.0f}-{high:.0f})" if player == found.player else ""
            cells.append(f"{100 * chance:.0f} %{sure}, {score:.0f}")
        grid.add_row(str(ranked.move), *cells)
    grid.caption = "each player's chance to win (95 % sure of yours), and points at the end"
    return grid


_TO_DO: Final[Mapping[Phase, str]] = MappingProxyType(
    {
        Phase.SELECT: "to choose blocks",
        Phase.BUILD: "to build",
        Phase.REMOVE: "to take a block out",
    }
)


def headline(table: Table, scored: Sheet | None = None) -> Text:
    """Where the game stands, in a line; with a sheet, at the end of its round."""
    setup = table.setup
    text = Text.assemble(
        (EDITIONS[setup.edition].title, "bold"),
        *(f", {row}={value}" for row, value in setup.house_rules),
        f" · round {scored.round if scored else table.round} of {setup.schedule.rounds}",
    )
    if scored is not None:
        text.append(" is over")
    elif table.result is None:
        text.append(f" · {table.player.name} {_TO_DO[table.phase]}")
    else:
        text.append(" · over")
    return text


def cards_seen(table: Table) -> Text:
    """How many cards are left to draw, and which were played since the last shuffle."""
    counts = [(card, table.played.count(card)) for card in CARDS]
    played = " ".join(f"{card}x{count}" for card, count in counts if count)
    return Text(f"pile: {table.pile_size} cards · played: {played or 'none'}", _DIM)
