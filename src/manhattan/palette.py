"""The page's light colours, for the images that Python draws."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from manhattan.rules import Colour

PAPER: Final = "#F3EEE4"
SURFACE: Final = "#FCFAF5"
PLATE: Final = "#FBF8F1"
PLATE_EDGE: Final = "#CFC4B1"
LOT: Final = "#EFE8DB"
LOT_LINE: Final = "#DACFBD"
LINE: Final = "#DDD4C4"
INK: Final = "#24211D"
INK_2: Final = "#5A544B"
FIGURE: Final = "#1B1712"
"""The figure on a roof."""


class Shades(NamedTuple):
    """The tones of a colour of blocks."""

    roof: str
    front: str
    side: str


SHADES: Final[Mapping[Colour, Shades]] = MappingProxyType(
    {
        Colour.ORANGE: Shades("#F5B48C", "#DC7035", "#B5551F"),
        Colour.BLUE: Shades("#9CCBEA", "#4596CB", "#2A6E9F"),
        Colour.YELLOW: Shades("#FBE6A6", "#F0C64F", "#C49A26"),
        Colour.PURPLE: Shades("#AE97D4", "#6A4A9E", "#493073"),
        Colour.BLACK: Shades("#B9BAC0", "#55575E", "#3A3C42"),
        Colour.RED: Shades("#F3AAA3", "#CB4A44", "#9C302B"),
        Colour.GREEN: Shades("#AED7A6", "#5FA35C", "#41793F"),
    }
)
