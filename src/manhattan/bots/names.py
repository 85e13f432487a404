"""Names of bots: each level has its own, so that players recognize a bot's strength."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

BOT_NAMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "easy": ("Lotte", "Milo", "Nina", "Toby"),
        "casual": ("Emma", "Felix", "Ida", "Leo"),
        "medium": ("Clara", "Greta", "Hugo", "Oscar"),
        "advanced": ("Harmon", "Hood", "Root", "Shreve"),
        "hard": ("Burnham", "Gilbert", "Lamb", "Yamasaki"),
        "expert": ("Gropius", "Mies", "Sullivan", "Wright"),
        "champion": ("Hadid", "Jahn", "Khan", "Pei"),
    }
)
"""By level: given names, then architects of early skyscrapers, then those whom all the others
studied, then those who built the highest. A level has a name for each seat of a table, and names
are short enough for a phone."""


def free_bot_name(level: str, taken: Iterable[str]) -> str:
    """Return the first name of a level that nobody else at the table has."""
    names = {name.casefold() for name in taken}
    return next(name for name in BOT_NAMES[level] if name.casefold() not in names)


def level_of_bot_name(name: str) -> str | None:
    """Return the level that has this name, if any."""
    return next((level for level, names in BOT_NAMES.items() if name in names), None)
