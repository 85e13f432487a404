"""Record a turn on the real page as an animated picture, for the documentation.

    python tests/support/record_turn.py

Writes ``turn-light.webp``, ``turn-dark.webp``, the same for phones, and a still of each into
docs/pictures, and the pictures of the table that other pages show. Animations run slowly while they
are recorded, and at their own speed in the picture.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from manhattan.client import Client, Turn
from manhattan.rules import SITES, Site
from support.browser_user import BrowserUser, open_browser
from support.server_fixtures import RunningServer, running_server

PICTURES: Final = Path(__file__).parents[2] / "docs/pictures"
SLOWDOWN: Final = 4
BOT_DELAY_MS: Final = 2400
PLIES: Final = 38
"""About half a game: the skyline has grown, and there is room for more."""
QUALITY: Final = 72
BOT: Final = {"occupant": "bot", "level": "hard"}
POINTER: Final = """(isFinger) => {
  const pointer = document.createElement('div')
  pointer.innerHTML = '<svg width="26" height="32" viewBox="0 0 26 32"><path d="M2 2v24l6-6 4 10 '
    + '5-2-4-10h9z" fill="#fff" stroke="#1b1712" stroke-width="2" stroke-linejoin="round"/></svg>'
  if (isFinger) pointer.innerHTML = '<svg width="44" height="44"><circle cx="22" cy="22" r="19" '
    + 'fill="#8888" stroke="#fffc" stroke-width="3"/></svg>'
  const offset = isFinger ? 22 : 2
  const style = { position: 'fixed', left: '-99px', zIndex: 99, pointerEvents: 'none' }
  Object.assign(pointer.style, style)
  for (const kind of ['pointermove', 'pointerdown'])
    document.addEventListener(kind, (event) => {
      pointer.style.left = `${event.clientX - offset}px`
      pointer.style.top = `${event.clientY - offset}px`
    }, true)
  document.body.append(pointer)
}"""
"""Shows where the mouse or the finger is: screenshots don't."""

Theme = Literal["light", "dark"]


class Device(NamedTuple):
    """What the player plays on."""

    size: tuple[int, int]
    scale: float
    touch: bool
    film: str
    still: str
    """The names of its pictures; those of the dark theme have something added."""


DEVICES: Final = (
    Device((1280, 800), 1, touch=False, film="turn", still="table"),
    Device((390, 780), 1.5, touch=True, film="turn-phone", still="phone"),
)


@dataclass
class Film:
    """The frames so far."""

    page: Page
    frames: list[Image.Image] = field(default_factory=list)
    durations_ms: list[int] = field(default_factory=list)

    def record(self, milliseconds: int) -> None:
        """Record what happens during this time of the picture."""
        end = time.monotonic() + milliseconds * SLOWDOWN / 1000
        while (start := time.monotonic()) < end:
            frame = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
            self._add(frame, max(20, round((time.monotonic() - start) * 1000 / SLOWDOWN)))

    def hold(self, milliseconds: int) -> None:
        """Show the last frame for this long."""
        self.durations_ms[-1] += milliseconds

    def _add(self, frame: Image.Image, duration_ms: int) -> None:
        if self.frames and frame.tobytes() == self.frames[-1].tobytes():
            self.durations_ms[-1] += duration_ms
        else:
            self.frames.append(frame)
            self.durations_ms.append(duration_ms)

    def save(self, path: Path) -> None:
        self.frames[0].save(
            path,
            save_all=True,
            append_images=self.frames[1:],
            duration=self.durations_ms,
            loop=0,
            quality=QUALITY,
            method=6,
            minimize_size=True,
        )


def main() -> None:
    name = os.environ.get("TEST_BROWSER", "chromium-headless-shell")
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(str(Path(folder) / "tables.db")) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=shutil.which(name), args=["--no-sandbox"]
        )
        for device in DEVICES:
            for theme in ("light", "dark"):
                film = _film_a_turn(browser, server, device, theme)
                name = f"{device.film}-{theme}"
                film.save(PICTURES / f"{name}.webp")
                film.frames[-1].save(PICTURES / f"{name}-still.webp", quality=QUALITY, method=6)
        browser.close()


def _film_a_turn(browser: Browser, server: RunningServer, device: Device, theme: Theme) -> Film:
    client = server.client("Ada")
    table, turn = _table_with_a_takeover(client)
    move = max(turn.moves, key=lambda move: _appeal(turn, move))
    with open_browser(
        browser,
        server.address,
        device.size,
        touch=device.touch,
        color_scheme=theme,
        device_scale_factor=device.scale,
    ) as ada:
        ada.sign_in(client)
        ada.go(f"/table/{table}")
        ada.wait_for_task()
        ada.settle()
        ada.page.evaluate(POINTER, device.touch)
        if not device.touch:
            ada.page.mouse.move(device.size[0] * 0.5, device.size[1] * 0.72)
        session = ada.page.context.new_cdp_session(ada.page)
        session.send("Animation.enable")
        session.send("Animation.setPlaybackRate", {"playbackRate": 1 / SLOWDOWN})
        film = Film(ada.page)
        still = PICTURES / f"{device.still}{'' if theme == 'light' else '-dark'}.png"
        _play(ada, film, turn, move, still)
        return film


def _play(ada: BrowserUser, film: Film, turn: Turn, move: str, still: Path) -> None:
    """Pick a card and a block, point at the site, build, and see the others answer."""
    site, block = move.split("+")
    page = ada.page
    film.record(100)
    film.hold(500)
    for selector in (
        f"button[data-card='{turn.placements[move]['card']}']:not([disabled])",
        f"button[data-block$='{block}']:not([disabled])",
    ):
        place = _point_at(ada, page.locator(selector).first)
        film.record(60)
        _click(ada, place)
        film.record(350)
        film.hold(350)
    lot = page.locator(f"[data-site='{SITES.index(Site.parse(site))}']")
    # The skyline has rings around the possible sites, the plan has cells.
    place = _point_at(ada, lot.locator(".ring").or_(lot.and_(page.locator(".cell"))).first)
    if ada.touch:
        _click(ada, place)
    film.record(300)
    film.frames[-1].quantize(256).save(still, optimize=True)
    film.hold(900)
    if not ada.touch:
        _click(ada, place)
        film.record(60)
    ada.press(page.get_by_role("button", name=ada.message("dock.build"), exact=True))
    film.record(3200)
    film.hold(1400)


def _point_at(ada: BrowserUser, target: Locator) -> tuple[float, float]:
    """Move the mouse, if there is one, to the middle of an element; return that place."""
    box = target.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    if not ada.touch:
        ada.page.mouse.move(x, y, steps=3)
    return x, y


def _click(ada: BrowserUser, place: tuple[float, float]) -> None:
    """Click without looking for the element again, which may change under the mouse."""
    if ada.touch:
        ada.page.touchscreen.tap(*place)
    else:
        ada.page.mouse.click(*place)


def _table_with_a_takeover(client: Client) -> tuple[str, Turn]:
    """Return a table in the middle of a game where the mover can take over a tower."""
    while True:
        table = client.open_table(
            seats=[{"occupant": "me"}, BOT, BOT, BOT],
            start=True,
            first=0,
            bot_delay_ms=BOT_DELAY_MS,
        )
        with client.connect(table) as seat:
            for turn in seat.turns():
                if turn.ply >= PLIES and any(_appeal(turn, move) > 0 for move in turn.moves):
                    return table, turn
                if turn.ply > PLIES + 12:
                    break
                seat.play(_good_move(turn))


def _good_move(turn: Turn) -> str:
    if not turn.placements:
        return turn.moves[-1]  # the largest blocks
    return max(turn.moves, key=lambda move: _lead(turn, move))


def _lead(turn: Turn, move: str) -> int:
    """By how much a placement improves the mover's points against those of the others."""
    gains = turn.placements[move]["gains"]
    return int(2 * gains[turn.player] - sum(gains))


def _appeal(turn: Turn, move: str) -> int:
    """How much a move shows: a takeover that gains points."""
    placement = turn.placements.get(move)
    if placement is None or placement["takes_from"] is None:
        return 0
    return _lead(turn, move)


if __name__ == "__main__":
    main()
