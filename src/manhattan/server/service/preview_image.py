"""The picture of a preview: the six cities from above, like the page's plan, and the players."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from io import BytesIO
from types import MappingProxyType
from typing import Final

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from manhattan.palette import (
    FIGURE,
    INK,
    INK_2,
    LINE,
    LOT,
    LOT_LINE,
    PAPER,
    PLATE,
    PLATE_EDGE,
    SHADES,
    SURFACE,
)
from manhattan.rules import Colour
from manhattan.rules.towers import Tower
from manhattan.server.service.previews import Preview, PreviewPlayer

WIDTH, HEIGHT = 1200, 630
"""The size that the sites which show previews recommend."""
CACHED_PICTURES: Final = 64
"""Pictures of about 50 kB that are kept."""

_SCALE: Final = 2
"""Everything is drawn at twice its size and then reduced, which smooths the edges."""
_CELL, _GAP, _PADDING = 70, 4, 8
_PLATE_SIZE: Final = 3 * _CELL + 2 * _GAP + 2 * _PADDING
_CITY_ACROSS, _CITY_DOWN = _PLATE_SIZE + 26, _PLATE_SIZE + 50
_BOARD_LEFT, _BOARD_TOP = 400, 62
_LEFT, _COLUMN = 52, 310
_ROOF, _BAR = 40, 13
"""The widths of a cell's roof and of its bar of floors."""
_MAX_FLOOR: Final = 4.6
_TILE: Final = 8

_Box = tuple[float, float, float, float]
_LETTERS: Final = str.maketrans(
    {
        "ß": "ss",
        "ł": "l\u0338",
        "Ł": "L\u0338",
        "ø": "o\u0338",
        "Ø": "O\u0338",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "\u2019": "'",
    }
)
_DOT: Final = ((0.0, -0.14), (0.0, -0.15))
_MARKS: Final[Mapping[str, tuple[tuple[tuple[float, float], ...], ...]]] = MappingProxyType(
    {
        "\u0300": (((-0.1, -0.22), (0.05, -0.1)),),  # grave
        "\u0301": (((-0.05, -0.1), (0.1, -0.22)),),  # acute
        "\u0302": (((-0.13, -0.1), (0.0, -0.2), (0.13, -0.1)),),  # circumflex
        "\u0303": (((-0.16, -0.1), (-0.07, -0.17), (0.07, -0.11), (0.16, -0.18)),),  # tilde
        "\u0304": (((-0.14, -0.14), (0.14, -0.14)),),  # macron
        "\u0306": (((-0.13, -0.2), (0.0, -0.11), (0.13, -0.2)),),  # breve
        "\u0307": (_DOT,),
        "\u0308": tuple(tuple((x + side, y) for x, y in _DOT) for side in (-0.12, 0.12)),
        "\u030a": (((0.0, -0.08), (-0.08, -0.15), (0.0, -0.22), (0.08, -0.15), (0.0, -0.08)),),
        "\u030b": (((-0.12, -0.1), (-0.02, -0.22)), ((0.04, -0.1), (0.14, -0.22))),
        "\u030c": (((-0.13, -0.2), (0.0, -0.1), (0.13, -0.2)),),  # caron
    }
)
"""The accents as lines above a letter, in units of the size: Pillow's font has none."""
_MARKS_BELOW: Final[Mapping[str, tuple[tuple[float, float], ...]]] = MappingProxyType(
    {
        "\u0327": ((0.0, 0.03), (0.06, 0.12), (-0.05, 0.17)),  # cedilla
        "\u0328": ((0.13, 0.02), (0.06, 0.12), (0.17, 0.17)),  # ogonek
    }
)
_STROKE: Final = "\u0338"
"""The stroke through a letter."""


@lru_cache(maxsize=CACHED_PICTURES)
def draw_preview(preview: Preview) -> bytes:
    """Draw a preview as a PNG file."""
    image = _ground()
    pen = _Pen(image)
    _draw_column(pen, preview)
    for number, city in enumerate(preview.cities):
        left = _BOARD_LEFT + number % 3 * _CITY_ACROSS
        top = _BOARD_TOP + number // 3 * _CITY_DOWN
        pen.text((left + 2, top - 10), city, 17, bold=True)
        for cell, tower in enumerate(preview.board[9 * number : 9 * number + 9]):
            across, down = cell % 3 * (_CELL + _GAP), cell // 3 * (_CELL + _GAP)
            if tower.owner is not None:
                _draw_tower(pen, tower, left + _PADDING + across, top + _PADDING + down)
    file = BytesIO()
    image.resize((WIDTH, HEIGHT), Image.Resampling.BOX).save(file, "PNG")
    return file.getvalue()


class _Pen:
    """Draws in the units of the finished picture."""

    def __init__(self, image: Image.Image) -> None:
        self.image = image
        self._draw = ImageDraw.Draw(image)

    def box(
        self,
        box: _Box,
        radius: float,
        fill: str | None,
        outline: str | None = None,
        width: float = 1,
    ) -> None:
        corners = [_SCALE * value for value in box]
        corners[2:] = [value - 1 for value in corners[2:]]  # Pillow includes the last pixels
        if corners[2] >= corners[0] and corners[3] >= corners[1]:
            self._draw.rounded_rectangle(
                corners, _SCALE * radius, fill, outline, round(_SCALE * width)
            )

    def text(
        self,
        at: tuple[float, float],
        text: str,
        size: float,
        colour: str = INK,
        *,
        anchor: str = "ls",
        bold: bool = False,
    ) -> None:
        """Write text; the font has one weight, and bold text is drawn with a wider stroke."""
        place = (_SCALE * at[0], _SCALE * at[1])
        font, stroke = _font(size), size / 60 * _SCALE if bold else 0
        plain = _drawable(text)
        self._draw.text(place, plain, colour, font, anchor, stroke_width=stroke)
        if anchor == "ls":
            for number, mark in _marks(text):
                letter, before = plain[number], font.getlength(plain[:number])
                middle = place[0] + before + font.getlength(letter) / 2
                top = font.getbbox(letter, anchor="ls")[1]
                for line in _mark_lines(mark, top / font.size):
                    points = [(middle + x * font.size, place[1] + y * font.size) for x, y in line]
                    self._draw.line(points, colour, round(font.size / 13 + stroke), "curve")

    def length(self, text: str, size: float) -> float:
        return _font(size).getlength(_drawable(text)) / _SCALE

    def facade(self, colour: Colour, box: _Box, radius: float) -> None:
        """Fill a box with a colour and its pattern."""
        left, top, right, bottom = (round(_SCALE * value) for value in box)
        if right > left and bottom > top:
            face, mask = _facade(colour, right - left, bottom - top, round(_SCALE * radius))
            self.image.paste(face, (left, top), mask)


def _draw_column(pen: _Pen, preview: Preview) -> None:
    """Draw the title, the stage and the players."""
    for left, top, colour in (
        (0, 20, Colour.BLUE),
        (15, 0, Colour.ORANGE),
        (30, 12, Colour.YELLOW),
    ):
        at = _LEFT + left
        pen.box((at, 62 + top, at + 12, 102), 2, SHADES[colour].front)
    pen.text((_LEFT + 58, 101), "Manhattan", 46)
    pen.text((_LEFT, 152), preview.stage, 22 if len(preview.stage) < 28 else 18, bold=True)
    pen.text((_LEFT, 180), preview.rules, 17, INK_2)
    top = 220
    for player in preview.players:
        pen.box((_LEFT, top, _LEFT + _COLUMN, top + 1), 0, LINE)
        _draw_player(pen, player, top)
        top += 84
    pen.box((_LEFT, top, _LEFT + _COLUMN, top + 1), 0, LINE)


def _draw_player(pen: _Pen, player: PreviewPlayer, top: float) -> None:
    middle = top + 42
    at: float = _LEFT
    for colour in player.colours:
        chip = (at, middle - 14, at + 28, middle + 14)
        if player.name:
            pen.facade(colour, chip, 8)
        else:
            pen.box(chip, 8, SHADES[colour].roof, SHADES[colour].front, 1.5)
        at += 34
    at += 8
    right: float = _LEFT + _COLUMN
    if player.points is not None:
        points = str(player.points)
        pen.text((right, middle + 13), points, 36, anchor="rs", bold=True)
        right -= pen.length(points, 36) + 14
    if not player.name:
        pen.text((at, middle + 8), "Open seat", 22, INK_2)
        return
    name = player.name if _drawable(player.name).strip() else player.colours[0].capitalize()
    while pen.length(name, 24) > right - at:
        name = f"{name.removesuffix('…')[:-1].rstrip()}…"
    pen.text((at, middle + 8), name, 24, bold=player.wins)
    if player.wins:
        pen.text((at, middle + 28), "Winner", 15, INK_2)


def _draw_tower(pen: _Pen, tower: Tower, left: float, top: float) -> None:
    """Draw a cell: the owner's facade, the height on the roof, and a bar of the floors."""
    assert tower.owner is not None
    pen.facade(tower.owner, (left, top, left + _CELL, top + _CELL), 7)
    edge = 6
    roof = (left + edge, top + edge, left + edge + _ROOF, top + _CELL - edge)
    pen.box(roof, 5, SHADES[tower.owner].roof)
    size = 32 if tower.height < 10 else 27
    middle = (left + edge + _ROOF / 2, top + _CELL / 2 + size * 0.36)
    pen.text(middle, str(tower.height), size, FIGURE, anchor="ms", bold=True)
    bar, ground = left + _CELL - edge - _BAR, top + _CELL - edge - 2
    floor = min(_MAX_FLOOR, (_CELL - 2 * edge - 4) / tower.height)
    roof_line = ground - tower.height * floor
    pen.box((bar - 2, roof_line - 2, bar + _BAR + 2, ground + 2), 3, SURFACE)
    for block in tower.blocks:
        upper = ground - block.size * floor
        pen.box((bar, upper + 0.5, bar + _BAR, ground - 0.5), 1, SHADES[block.colour].front)
        for line in range(1, block.size):
            at = ground - line * floor
            pen.box((bar, at - 0.5, bar + _BAR, at + 0.5), 0, SHADES[block.colour].roof)
        ground = upper


def _ground() -> Image.Image:
    return _empty_board().copy()


@lru_cache(maxsize=1)
def _empty_board() -> Image.Image:
    """Draw the paper and the plates, with their soft shadows."""
    size = (WIDTH * _SCALE, HEIGHT * _SCALE)
    image = Image.new("RGB", size, PAPER)
    plates = [
        (_BOARD_LEFT + column * _CITY_ACROSS, _BOARD_TOP + row * _CITY_DOWN)
        for row in range(2)
        for column in range(3)
    ]
    shadow = Image.new("L", size, 0)
    pen = ImageDraw.Draw(shadow)
    for left, top in plates:
        box = (left + 8, top + 20, left + _PLATE_SIZE - 8, top + _PLATE_SIZE + 10)
        pen.rounded_rectangle([_SCALE * value for value in box], 14 * _SCALE, 90)
    shadow = shadow.filter(ImageFilter.GaussianBlur(9 * _SCALE))
    image.paste("#3C2E1A", (0, 0), shadow)
    draw = _Pen(image)
    for left, top in plates:
        right, bottom = left + _PLATE_SIZE, top + _PLATE_SIZE
        draw.box((left, top + 3, right, bottom + 3), 14, PLATE_EDGE)
        draw.box((left, top, right, bottom), 14, PLATE, LINE)
        for cell in range(9):
            across = left + _PADDING + cell % 3 * (_CELL + _GAP)
            down = top + _PADDING + cell // 3 * (_CELL + _GAP)
            draw.box((across, down, across + _CELL, down + _CELL), 7, LOT, LOT_LINE)
    return image


@lru_cache(maxsize=32)
def _facade(
    colour: Colour, width: int, height: int, radius: int
) -> tuple[Image.Image, Image.Image]:
    """Return a face of a colour with its pattern, and the mask of its rounded corners."""
    face = Image.new("RGB", (width, height), SHADES[colour].front)
    pattern = Image.new("L", (width, height), 0)
    tile = _pattern(colour)
    for x in range(0, width, tile.width):
        for y in range(0, height, tile.height):
            pattern.paste(tile, (x, y))
    is_dark = colour in (Colour.PURPLE, Colour.BLACK)
    tone = SHADES[colour].roof if is_dark else SHADES[colour].side
    face.paste(tone, (0, 0), ImageChops.multiply(pattern, Image.new("L", pattern.size, 128)))
    mask = Image.new("L", (width, height), 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, width - 1, height - 1), radius, 255)
    return face, mask


def _pattern(colour: Colour) -> Image.Image:
    """Return one tile of a colour's pattern: each colour has its own architecture, as on the
    page, so that nobody depends on telling colours apart."""
    unit = _SCALE
    width, height = {
        Colour.ORANGE: (_TILE, 6),
        Colour.BLUE: (6, 6),
        Colour.YELLOW: (5, _TILE),
        Colour.BLACK: (7, 7),
        Colour.RED: (7, 7),
    }.get(colour, (_TILE, _TILE))
    tile = Image.new("L", (width * unit, height * unit), 0)
    pen = ImageDraw.Draw(tile)

    def scaled(*values: float) -> list[float]:
        return [unit * value for value in values]

    match colour:
        case Colour.ORANGE:  # horizontal ribbons
            pen.rectangle(scaled(0, 2, 8, 3.7), 255)
        case Colour.BLUE:  # square windows
            pen.rectangle(scaled(1.5, 1.5, 4, 4), 255)
        case Colour.YELLOW:  # vertical fins
            pen.rectangle(scaled(1.5, 0, 2.9, 8), 255)
        case Colour.PURPLE:  # triangles
            pen.polygon(scaled(1, 6.6, 4, 1.6, 7, 6.6), 255)
        case Colour.BLACK:  # slanted bars
            for shift in (-7, 0, 7):
                pen.line(scaled(shift - 1, 8, shift + 8, -1), 255, round(1.5 * unit))
        case Colour.RED:  # round windows
            pen.ellipse(scaled(1.5, 1.5, 5.5, 5.5), 255)
        case Colour.GREEN:  # arches
            pen.ellipse(scaled(1.5, 2, 6.5, 7), 255)
            pen.rectangle(scaled(1.5, 4.5, 6.5, 7), 255)
    return tile


@lru_cache(maxsize=16)
def _font(size: float) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size * _SCALE)
    assert isinstance(font, ImageFont.FreeTypeFont)  # Pillow's wheels are built with FreeType
    return font


def _drawable(text: str) -> str:
    """Return text in the letters that Pillow's font has: without accents, and without letters of
    other scripts. The full text is in the tags of the page."""
    return "".join(filter(_is_drawable, _decomposed(text)))


def _decomposed(text: str) -> str:
    """Return text with its accents as characters of their own, after their letters."""
    return unicodedata.normalize("NFD", text.translate(_LETTERS))


def _is_drawable(char: str) -> bool:
    return " " <= char <= "~" or char == "…"


def _marks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the accents of a text, each with the index of its letter in the drawable text."""
    drawn, is_drawn = -1, False
    for char in _decomposed(text):
        if not unicodedata.combining(char):
            is_drawn = _is_drawable(char)
            drawn += is_drawn
        elif is_drawn:
            yield drawn, char


def _mark_lines(mark: str, top: float) -> list[list[tuple[float, float]]]:
    """Return the lines of an accent from the middle of its letter's base. ``top`` is the letter's
    upper edge."""
    if mark == _STROKE:
        return [[(-0.17, top / 2 + 0.09), (0.17, top / 2 - 0.09)]]
    if mark in _MARKS_BELOW:
        return [list(_MARKS_BELOW[mark])]
    return [[(x, top + y) for x, y in line] for line in _MARKS.get(mark, ())]
