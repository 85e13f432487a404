"""The board as an image: six cities seen from the south, towers block by block, the points.

Blocks look as on the page: light from the front left, three shades of a colour, the height on the
roof.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from manhattan.palette import INK, LOT, PAPER, PLATE, PLATE_EDGE, SHADES
from manhattan.rules import CITIES, SITES, PublicState
from manhattan.rules.towers import Tower

WIDTH, HEIGHT = 960, 720
ImageArray = npt.NDArray[np.uint8]
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

_UNIT, _TOWER, _FLOOR = 84, 30, 7
_SIDE, _DEPTH = 9, 14  # how far a roof goes back: to the right, and up
_LEFT, _TOP = 36, 96
_CITY_WIDTH, _CITY_HEIGHT = 3 * _UNIT + 44, 3 * 66 + 88


def draw(public: PublicState) -> ImageArray:
    """Draw the board as rows of RGB pixels."""
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    pen = ImageDraw.Draw(image)
    small, large = ImageFont.load_default(14), ImageFont.load_default(20)
    _draw_scores(pen, public, large)
    for number, city in enumerate(CITIES):
        left = _LEFT + number % 3 * _CITY_WIDTH
        top = _TOP + number // 3 * _CITY_HEIGHT
        plate = (left - 10, top - 6, left + 3 * _UNIT + 6, top + 3 * 66 + 30)
        pen.rounded_rectangle(plate, 12, PLATE, PLATE_EDGE, 2)
        pen.text((left, top + 3 * 66 + 8), f"City {city}", INK, small)
    # From back to front, so that near towers cover those behind them.
    for row in range(2):
        for line in range(3):
            for site in SITES:
                site_line = (site.position - 1) // 3
                if CITIES.index(site.city) // 3 == row and site_line == line:
                    column = (site.position - 1) % 3
                    left = _LEFT + CITIES.index(site.city) % 3 * _CITY_WIDTH + column * _UNIT
                    base = _TOP + row * _CITY_HEIGHT + line * 66 + 60
                    _draw_tower(pen, public.board[site], left + 12, base, small)
    return np.asarray(image)


def _draw_scores(pen: ImageDraw.ImageDraw, public: PublicState, font: Font) -> None:
    """Draw the points, and mark the mover."""
    status = "the end" if public.result else f"round {public.round}, {public.phase}"
    pen.text((_LEFT - 10, 18), f"Manhattan: {status}", INK, font)
    at = _LEFT + 300.0
    for number, player in enumerate(public.setup.players):
        for colour in player.colours:
            pen.rectangle((at, 20, at + 18, 40), SHADES[colour].front)
            at += 22
        turn = "*" if number == public.mover and not public.result else ""
        text = f"{player.name}{turn} {public.scores[number]}"
        pen.text((at, 18), text, INK, font)
        at += pen.textlength(text, font) + 18


def _draw_tower(pen: ImageDraw.ImageDraw, tower: Tower, left: int, base: int, font: Font) -> None:
    """Draw a site and the blocks on it, from the ground up."""
    right = left + _TOWER
    lot = _slanted(left - 8, right + 8, base + 4)
    pen.polygon(lot, LOT, PLATE_EDGE)
    for block in tower.blocks:
        roof, front, side = SHADES[block.colour]
        top = base - _FLOOR * block.size
        pen.rectangle((left, top, right, base), front)
        shaded = [(right, base), (right, top), (right + _SIDE, top - _DEPTH)]
        pen.polygon([*shaded, (right + _SIDE, base - _DEPTH)], side)
        for floor in range(1, block.size):
            line = base - floor * _FLOOR
            pen.line([(left, line), (right, line), (right + _SIDE, line - _DEPTH)], side)
        pen.polygon(_slanted(left, right, top), roof, side)
        base = top
    if tower.blocks:
        text = str(tower.height)
        middle = (left + right + _SIDE - pen.textlength(text, font)) / 2
        pen.text((middle, base - _DEPTH - 2), text, INK, font)


def _slanted(left: int, right: int, base: int) -> list[tuple[int, int]]:
    """Return the outline of a roof or a site: it recedes to the right."""
    back = base - _DEPTH
    return [(left, base), (right, base), (right + _SIDE, back), (left + _SIDE, back)]


class Window:
    """A window that shows images. It needs pygame, like the classic environments."""

    def __init__(self, fps: int) -> None:
        import pygame

        self._pygame = pygame
        pygame.display.init()
        pygame.display.set_caption("Manhattan")
        self._screen = pygame.display.set_mode((WIDTH, HEIGHT))
        self._clock = pygame.time.Clock()
        self._fps = fps

    def show(self, image: ImageArray) -> None:
        self._pygame.surfarray.blit_array(self._screen, image.swapaxes(0, 1))
        self._pygame.event.pump()
        self._pygame.display.flip()
        self._clock.tick(self._fps)

    def close(self) -> None:
        self._pygame.display.quit()
