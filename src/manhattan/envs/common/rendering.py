"""Rendering: a game as text, as an image, or in a window."""

from __future__ import annotations

from typing import Any, Final

from manhattan.rules import CITIES, SITES, PublicState

RENDER_MODES: Final = ("human", "rgb_array", "ansi")
RENDER_FPS: Final = 30


class Renderer:
    """Renders games in one of the modes."""

    def __init__(self, mode: str | None) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(
                f"There is no render mode {mode!r}. The modes: {', '.join(RENDER_MODES)}."
            )
        self.mode = mode
        self._window: Any = None

    def render(self, public: PublicState) -> Any:
        """Return text or an image; in the mode ``human``, show it in a window instead."""
        if self.mode == "ansi":
            return render_text(public)
        from manhattan.envs.common import image  # needs Pillow

        drawn = image.draw(public)
        if self.mode == "rgb_array":
            return drawn
        if self._window is None:
            self._window = image.Window(RENDER_FPS)
        self._window.show(drawn)
        return None

    def close(self) -> None:
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {"mode": self.mode, "_window": None}  # a window can't be copied


def render_text(public: PublicState) -> str:
    """Return the board as text: the height and the owner's letter of each tower."""
    cells = {
        site: f"{tower.height:>2}{tower.owner.letter}" if tower.owner else "  ·"
        for site, tower in zip(SITES, public.board, strict=True)
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
    turn = "the end" if public.result else f"{public.player.name} is to {public.phase}"
    points = ", ".join(
        f"{player.name} {points}"
        for player, points in zip(public.setup.players, public.scores, strict=True)
    )
    return "\n".join([*lines, f"Round {public.round}: {turn}. Points: {points}."])
