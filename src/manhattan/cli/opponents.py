"""The bots by their names: as people type them, and what the help tells of them."""

from __future__ import annotations

from typing import Final

from manhattan.bots import BOTS, LEVELS

_OTHERS: Final = ", ".join(name for name in BOTS if name not in LEVELS)

# An empty line between them keeps them apart: where there is none, the help makes them one.
WHO_PLAYS: Final = "\n\n".join(
    [
        "The bots, from the weakest to the strongest:",
        *(f"{name}: {level.description}" for name, level in LEVELS.items()),
        f"Besides these there are what they are made of, for experiments: {_OTHERS}.",
    ]
)


def bot_names(text: str) -> list[str]:
    """The names in a list with commas; Easy is easy, but a module is called as it is. Whether they
    are bots' is asked later."""
    names = [name.strip() for name in text.split(",")]
    return [name if ":" in name else name.lower() for name in names]
