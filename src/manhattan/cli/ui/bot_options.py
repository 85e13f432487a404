"""Bots on the command line: their names as people type them, and what the help says about them."""

from __future__ import annotations

from typing import Final

from manhattan.bots import BOTS, LEVELS

_OTHER_BOTS: Final = ", ".join(name for name in BOTS if name not in LEVELS)

# Blank lines between the entries: without them the help joins them into one paragraph.
BOTS_HELP: Final = "\n\n".join(
    [
        "The bots, from the weakest to the strongest:",
        *(f"{name}: {level.description}" for name, level in LEVELS.items()),
        f"For experiments, there are also the algorithms behind them: {_OTHER_BOTS}.",
    ]
)


def parse_bot_names(text: str) -> list[str]:
    """The names in a comma-separated list, unchecked. Case matters only in ``module:function``."""
    names = [name.strip() for name in text.split(",")]
    return [name if ":" in name else name.lower() for name in names]
