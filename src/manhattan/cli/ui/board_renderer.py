"""Board renderer: the board turned to the viewer, hands, stocks, score sheets and advice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table as Grid
from rich.text import Text

from manhattan.bots import LEVELS, Evaluation
from manhattan.bots.names import level_of_bot_name
from manhattan.rules import (
    CITIES,
    EDITIONS,
    Card,
    Colour,
    Phase,
    PublicState,
    Setup,
    Sheet,
    Side,
    Site,
)
from manhattan.rules.blocks import SIZES, Stock
from manhattan.rules.board import CARD_NAMES, CARDS, TARGETS
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
"""Columns of a site."""
_CITY_GRID: Final = (2, 3)
"""Rows and columns of cities, seen from the south: A B C, then D E F."""


def chip(colour: Colour) -> Text:
    """A patch of a colour with its letter, which is readable without colours as well."""
    return Text(f" {colour.letter} ", STYLES[colour])


def rotate_grid(side: Side, rows: int, columns: int) -> list[list[tuple[int, int]]]:
    """A grid seen from a side: rows from far to near, each from left to right. Every cell is the
    (row, column) that it has seen from the south."""
    match side:
        case Side.SOUTH:
            return [[(r, c) for c in range(columns)] for r in range(rows)]
        case Side.NORTH:
            return [[(r, c) for c in reversed(range(columns))] for r in reversed(range(rows))]
        case Side.WEST:
            return [[(r, c) for r in range(rows)] for c in reversed(range(columns))]
        case Side.EAST:
            return [[(r, c) for r in reversed(range(rows))] for c in range(columns)]


def _city_rows(side: Side) -> list[list[str]]:
    """The cities seen from a side, row by row."""
    _, columns = _CITY_GRID
    return [[CITIES[r * columns + c] for r, c in row] for row in rotate_grid(side, *_CITY_GRID)]


def max_board_height(side: Side) -> int:
    """The lines that the board takes, seen from a side, when every row has mixed towers."""
    return 7 * len(_city_rows(side))


def board_width(side: Side) -> int:
    """The columns that the board takes, seen from a side."""
    return len(_city_rows(side)[0]) * (3 * _CELL + 2) - 2


def render_board(
    public: PublicState,
    side: Side,
    *,
    marked: Collection[Site] = (),
    targets: Collection[Site] = (),
    floors: bool = True,
) -> RenderableType:
    """The board seen from a side. A star is put on ``marked`` sites, brackets around ``targets``.
    Without ``floors`` it is lower, and does not show how many floors each colour has."""
    lines: list[Text] = []
    for cities in _city_rows(side):
        names = (_city_name(public.setup, city) for city in cities)
        lines.append(Text("  ").join(Text(f"{name:^{3 * _CELL}}", "bold") for name in names))
        for row in range(3):  # of sites, from far to near
            cards = [row * 3 + column + 1 for column in range(3)]
            sites = [[TARGETS[side][card][CITIES.index(city)] for card in cards] for city in cities]
            heights = (
                Text("").join(_render_height(public, site, marked, targets) for site in city)
                for city in sites
            )
            lines.append(Text("  ").join(heights))
            mixed = any(len(public.board[site].floors) > 1 for city in sites for site in city)
            if floors and mixed:
                cells = (Text("").join(_render_floors(public, site) for site in c) for c in sites)
                lines.append(Text("  ").join(cells))
    return Group(*lines)


def _city_name(setup: Setup, city: str) -> str:
    name = EDITIONS[setup.edition].cities[CITIES.index(city)]
    return f"City {city}" if name == city else f"{city} {name}"


def _render_height(
    public: PublicState, site: Site, marked: Collection[Site], targets: Collection[Site]
) -> Text:
    """The first line of a site: its number, and its height in the owner's colour."""
    tower = public.board[site]
    before, after = ("[", "]") if site in targets else (" ", " ")
    star = "*" if site in marked else " "
    number = Text(str(site.position), "bold green" if site in targets else _DIM)
    if tower.owner is None:
        body = Text("  · ", _DIM)
    else:
        body = Text(f"{tower.height:>2}{tower.owner.letter} ", STYLES[tower.owner])
    return Text.assemble(
        (before, "bold green"), number, (star, "bold"), body, (after, "bold green")
    )


def _render_floors(public: PublicState, site: Site) -> Text:
    """The second line of a site: the floors of each colour, if there are several."""
    tower = public.board[site]
    if len(tower.floors) < 2:
        return Text(" " * _CELL)
    # The owner comes first among colours with equally many floors.
    ranked = sorted(tower.floors.items(), key=lambda item: (-item[1], item[0] is not tower.owner))
    shown = [(f"{colour.letter}{floors}", colour) for colour, floors in ranked]
    while sum(len(text) for text, _ in shown) > _CELL - (len(shown) < len(ranked)):
        shown.pop()  # the smallest, as a whole: half a number would mislead
    text = Text("").join(Text(text, Style(color=STYLES[colour].bgcolor)) for text, colour in shown)
    if len(shown) < len(ranked):
        text.append("…", _DIM)
    text.align("center", _CELL)
    return text


def render_hand(cards: Collection[Card], *, compact: bool = False) -> RenderableType:
    """Cards as small grids, the way their player sees them; compact, as one line of words."""
    if compact:
        words = (f"{card} ({CARD_NAMES[card - 1]})" for card in cards)
        return Text.assemble("hand: ", ("  ".join(words), "bold"))
    lines = [Text("  ") for _ in range(4)]
    for card in cards:
        lines[0].append(f" card {card}  ", _DIM)
        for row in range(3):
            lines[row + 1].append("  ")
            for column in range(3):
                is_target = row * 3 + column + 1 == card
                lines[row + 1].append("■ " if is_target else "· ", "bold" if is_target else _DIM)
            lines[row + 1].append(" ")
    return Group(*lines)


def render_stocks(public: PublicState) -> Grid:
    """Every colour's blocks on the tableau and in the supply, and every player's points."""
    grid = Grid(box=None, padding=(0, 1, 0, 0))
    for heading in ("", "player", "points", "this round", "supply:", " 1", " 2", " 3", " 4"):
        numeric = heading == "points" or heading.startswith(" ")
        grid.add_column(heading, justify="right" if numeric else "left")
    for number, player in enumerate(public.setup.players):
        for own in public.setup.colours_by_player[number]:
            first = own.colour is player.colours[0]
            to_move = first and number == public.mover and public.result is None
            starts = ", starts" if number == public.start_player and public.result is None else ""
            grid.add_row(
                Text.assemble("▶" if to_move else " ", chip(own.colour)),
                f"{_with_level(player.name)} ({player.side}{starts})" if first else "",
                str(public.scores[number]) if first else "",
                _blocks(public.tableaus[own.slot]),
                "",
                *(str(count) for count in public.supplies[own.slot]),
            )
    return grid


def _with_level(name: str) -> str:
    """A player's name; that of a bot with its level."""
    level = level_of_bot_name(name)
    return name if level is None else f"{name}, {LEVELS[level].name}"


NARROW: Final = 28
"""Columns of the stocks beside the board."""


def render_narrow_stocks(public: PublicState) -> RenderableType:
    """The stocks for the space beside the board: each player's name above their blocks."""
    lines = [Text("     this round   supply", "dim")]
    for number, player in enumerate(public.setup.players):
        is_over = public.result is not None
        points = f"{public.scores[number]} points"
        starts = ", starts" if number == public.start_player and not is_over else ""
        room = NARROW - 2 - len(points) - len(starts)
        with_level = _with_level(player.name)
        name = Text(with_level if len(with_level) <= room else player.name)
        name.truncate(room, overflow="ellipsis")
        line = Text("▶" if number == public.mover and not is_over else " ") + name + Text(starts)
        line.pad_right(NARROW - line.cell_len - len(points))
        lines.append(line.append(points))
        for own in public.setup.colours_by_player[number]:
            blocks = _blocks(public.tableaus[own.slot])
            supply = " ".join(map(str, public.supplies[own.slot]))
            lines.append(Text(" ") + chip(own.colour) + Text(f" {blocks:<11}  {supply}"))
    return Group(*lines)


def _blocks(stock: Stock) -> str:
    """The sizes of all blocks, one by one."""
    return " ".join(str(size) for size in SIZES for _ in range(stock[size - 1])) or "-"


def render_sheet(setup: Setup, sheet: Sheet) -> Grid:
    """The score sheet of a round."""
    grid = _fill_sheet(Grid(title=f"Round {sheet.round}", title_justify="left"), setup, sheet)
    grid.caption = _tallest(sheet) or None
    return grid


_COMPACT_NAME: Final = 18


def render_compact_sheet(setup: Setup, sheet: Sheet) -> RenderableType:
    """The score sheet of a round in fewer lines."""
    heading = " · ".join(filter(None, (f"Round {sheet.round}", _tallest(sheet))))
    plain = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    return Group(Text(heading, "italic"), _fill_sheet(plain, setup, sheet, _COMPACT_NAME))


def _tallest(sheet: Sheet) -> str:
    sites = ", ".join(map(str, sheet.tallest_sites))
    return f"tallest: {sites}, {sheet.height} floors" if sites else ""


def _fill_sheet(grid: Grid, setup: Setup, sheet: Sheet, max_name: int | None = None) -> Grid:
    """Add the columns and rows of a score sheet, and shorten long names."""
    for heading in ("", "player", "tallest", "majorities", "towers", "points", "total"):
        is_text = heading in ("", "player", "majorities")
        grid.add_column(heading, justify="left" if is_text else "right")
    for slot, (colour, score) in enumerate(zip(setup.colours, sheet.colours, strict=True)):
        number = setup.player_of(colour)
        last = slot + 1 == len(setup.colours) or setup.player_of(setup.colours[slot + 1]) != number
        cities = ", ".join(score.majorities)
        majorities = str(MAJORITY_POINTS * len(score.majorities)) + (f" ({cities})" * bool(cities))
        name = Text(setup.players[number].name)
        if max_name is not None:
            name.truncate(max_name, overflow="ellipsis")
        grid.add_row(
            chip(colour),
            name,
            str(score.tallest_points),
            majorities,
            str(score.towers),
            str(score.points),
            str(sheet.scores[number]) if last else "",
        )
    return grid


_MAX_ADVICE: Final = 5
"""The number of moves that advice lists."""


def render_advice(setup: Setup, evaluation: Evaluation) -> Grid:
    """The best moves, each with the chances and final points that it leads to."""
    grid = Grid("move", *(player.name for player in setup.players), title_justify="left")
    for column in grid.columns[1:]:
        column.justify = "right"
    for ranked in evaluation.moves[:_MAX_ADVICE]:
        cells = []
        for player, (chance, score) in enumerate(
            zip(ranked.win_probabilities, ranked.expected_scores, strict=True)
        ):
            low, high = 100 * ranked.low[player], 100 * ranked.high[player]
            interval = f" ({low:.0f}-{high:.0f})" if player == evaluation.player else ""
            cells.append(f"{100 * chance:.0f} %{interval}, {score:.0f}")
        grid.add_row(str(ranked.move), *cells)
    grid.caption = "chance to win (yours with a 95 % interval), and points at the end"
    return grid


_TASKS: Final[Mapping[Phase, str]] = MappingProxyType(
    {
        Phase.SELECT: "to choose blocks",
        Phase.BUILD: "to build",
        Phase.REMOVE: "to remove a block",
    }
)


def render_headline(public: PublicState, sheet: Sheet | None = None) -> Text:
    """Edition, round and turn in one line; with a sheet, the headline at the end of its round."""
    setup = public.setup
    text = Text.assemble(
        (EDITIONS[setup.edition].title, "bold"),
        *(f", {rule}={value}" for rule, value in setup.house_rules),
        f" · round {sheet.round if sheet else public.round} of {setup.schedule.rounds}",
    )
    if sheet is not None:
        text.append(" is over")
    elif public.result is None:
        text.append(f" · {public.player.name} {_TASKS[public.phase]}")
    else:
        text.append(" · game over")
    return text


def render_pile(public: PublicState) -> Text:
    """The number of cards left to draw, and those played since the last shuffle."""
    counts = [(card, public.played.count(card)) for card in CARDS]
    played = " ".join(f"{card}x{count}" for card, count in counts if count)
    return Text(f"pile: {public.pile_size} cards · played: {played or 'none'}", _DIM)
