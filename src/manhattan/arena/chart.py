"""The standings as a chart: each bot's share of wins with its confidence interval."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manhattan.arena.match import ArenaError, Match
from manhattan.arena.standings import Standing

_BAR_COLOUR, _FAIR_SHARE_COLOUR = "#2f6f9f", "#8a8f98"


def load_figure_class() -> Any:
    """Load Matplotlib's figure class, which takes a second and may not be installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ArenaError(
            "Charts need Matplotlib. Run pip install '.[plot]' in the folder of this project."
        ) from error
    return Figure


def draw_chart(match: Match, games: int, standings: Sequence[Standing], path: Path) -> None:
    """Draw the shares with their intervals, the best on top, and a line at the fair share."""
    figure = load_figure_class()(figsize=(7, 1.2 + 0.55 * len(standings)), layout="constrained")
    axes = figure.subplots()
    rows = range(len(standings), 0, -1)
    for row, s in zip(rows, standings, strict=True):
        share = 100 * s.win_share
        margins = [[share - 100 * s.low], [100 * s.high - share]]
        axes.barh(row, share, height=0.55, color=_BAR_COLOUR)
        axes.errorbar(share, row, xerr=margins, color="black", capsize=4, linewidth=1.2)
        axes.annotate(
            f"{share:.1f} %", (100 * s.high, row), (6, 0), textcoords="offset points", va="center"
        )
    axes.axvline(
        100 / match.players, color=_FAIR_SHARE_COLOUR, linestyle="--", linewidth=1, zorder=0
    )
    axes.set_yticks(list(rows), [s.name for s in standings])
    axes.set_xlim(0, 112)
    axes.set_xlabel("share of wins in %, with 95 % intervals; dashed: a fair share")
    axes.set_title(f"{match.players} players, {match.edition}, {games} games", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, format="png", dpi=150)
