"""The standings as a picture: each bot's share of wins, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manhattan.arena.match import ArenaError, Match
from manhattan.arena.standings import Standing

_WON, _FAIR = "#2f6f9f", "#8a8f98"


def library() -> Any:
    """What draws. It takes a second to load, and may not be installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ArenaError(
            "Pictures need matplotlib: pip install '.[plot]' in the folder of this project."
        ) from error
    return Figure


def draw(match: Match, games: int, standings: Sequence[Standing], path: Path) -> None:
    """Draw the shares with their intervals, the best on top, beside what would be fair."""
    figure = library()(figsize=(7, 1.2 + 0.55 * len(standings)), layout="constrained")
    axes = figure.subplots()
    rows = range(len(standings), 0, -1)
    for row, s in zip(rows, standings, strict=True):
        share = 100 * s.win_share
        reach = [[share - 100 * s.low], [100 * s.high - share]]
        axes.barh(row, share, height=0.55, color=_WON)
        axes.errorbar(share, row, xerr=reach, color="black", capsize=4, linewidth=1.2)
        axes.annotate(
            f"{share:.1f} %", (100 * s.high, row), (6, 0), textcoords="offset points", va="center"
        )
    axes.axvline(100 / match.players, color=_FAIR, linestyle="--", linewidth=1, zorder=0)
    axes.set_yticks(list(rows), [s.name for s in standings])
    axes.set_xlim(0, 112)
    axes.set_xlabel("share of wins in %, with 95 % intervals; dashed: a fair share")
    axes.set_title(f"{match.players} players, {match.edition}, {games} games", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, format="png", dpi=150)
