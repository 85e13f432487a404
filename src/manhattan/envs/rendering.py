"""How environments show a game: as a text, a picture, or a window."""

from __future__ import annotations

from typing import Any, Final

from manhattan.envs.play import Play
from manhattan.rules import CITIES, SITES, Table

MODES: Final = ("human", "rgb_array", "ansi")
FRAMES_A_SECOND: Final = 30


class Rendering:
    """Shows a game in one of the modes."""

    def __init__(self, mode: str | None) -> None:
        if mode is not None and mode not in MODES:
            raise ValueError(f"There is no render mode {mode!r}: there are {', '.join(MODES)}.")
        self.mode = mode
        self._window: Any = None

    def show(self, play: Play) -> Any:
        """A text, or a picture; a window shows it and gives nothing."""
        table = play.position().state().table
        if self.mode == "ansi":
            return text(table)
        from manhattan.envs import picture

        drawn = picture.draw(table)
        if self.mode == "rgb_array":
            return drawn
        if self._window is None:
            self._window = picture.Window(FRAMES_A_SECOND)
        self._window.show(drawn)
        return None

    def close(self) -> None:
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {"mode": self.mode, "_window": None}  # a window can't go elsewhere


def text(table: Table) -> str:
    """The board as a text: of each tower the height and the owner's letter."""
    cells = {
        site: f"{tower.height:>2}{tower.owner.letter}" if tower.owner else "  ·"
        for site, tower in zip(SITES, table.board, strict=True)
    }
    lines = []
    for cities in (CITIES[:3], CITIES[3:]):
        lines.append("     ".join(f"{'City ' + city:^11}" for city in cities).rstrip())
        for first in (0, 3, 6):
            rows = (
                " ".join(cells[site] for site in SITES if site.city == city)[4 * first :][:11]
                for city in cities
            )
            lines.append("     ".join(rows))
        lines.append("")
    turn = "the end" if table.result else f"{table.player.name} is to {table.phase}"
    points = ", ".join(
        f"{player.name} {points}"
        for player, points in zip(table.setup.players, table.scores, strict=True)
    )
    return "\n".join([*lines, f"Round {table.round}: {turn}. Points: {points}."])
