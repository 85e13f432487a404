"""Fair deals in the browser: it takes part by itself, and says at the end what holds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Response, Route, expect

from manhattan.client import Client
from support.browser_user import DESKTOP, PHONE, BrowserUser, expect_visible, open_browser
from support.server_fixtures import RunningServer, play_on, running_server
from support.stranger_verifier import Seen, verify_deal

Json = dict[str, Any]
SHORT = {"four_players": "6x4", "two_players": "6x4-one-colour"}
NO_SUBTLE_CRYPTO = "Object.defineProperty(crypto, 'subtle', { value: undefined })"
"""As on plain http in a local network."""


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[RunningServer]:
    """A server that waits for nonces for half a second."""
    with running_server(str(tmp_path / "tables.db"), reveal_ms=500) as server:
        yield server


@pytest.fixture
def patient(tmp_path: Path) -> Iterator[RunningServer]:
    """A server that waits for nonces for a minute."""
    with running_server(str(tmp_path / "tables.db"), reveal_ms=60_000) as server:
        yield server


class Network:
    """What a stranger reads on the wire: all that the verifier needs."""

    def __init__(self, user: BrowserUser) -> None:
        self.tables: list[Json] = []
        self.revealed: list[str] = []
        user.page.on("response", self._note)

    def _note(self, response: Response) -> None:
        if "/api/tables" not in response.url or not response.ok:
            return
        if response.url.endswith("/nonces"):
            self.revealed = json.loads(response.request.post_data or "")["nonces"]
        elif response.request.method == "POST":
            self.tables.append(response.json())

    @property
    def seen(self) -> Seen:
        table = self.tables[0]
        hashes = [seat["nonce_hash"] for seat in table["seats"]]
        own = [n for n, seat in enumerate(table["seats"]) if seat["you"]]
        revealed = dict(zip(own, self.revealed, strict=True))
        return Seen(table["commitment"], hashes, revealed, by_lot=table["first"] == "random")


def quick_play(user: BrowserUser) -> None:
    """Start a game with one click, against bots that need no time."""

    def against_easy_bots(route: Route) -> None:
        body = json.loads(route.request.post_data or "")
        seats = [
            seat | {"level": "easy"} if seat["occupant"] == "bot" else seat
            for seat in body["seats"]
        ]
        options = body | {"seats": seats, "bot_delay_ms": 0, "house_rules": SHORT}
        route.continue_(post_data=json.dumps(options))

    user.page.route("**/api/tables?start=true", against_easy_bots)
    user.go("/")
    user.page.get_by_role("button", name=re.compile("Play now")).click()


def client_of(user: BrowserUser, server: RunningServer) -> Client:
    """Return an API client with the identity of the browser."""
    cookies = user.page.context.cookies()
    cookie = "; ".join(f"{one['name']}={one['value']}" for one in cookies)
    return Client(server.address, "Guest", cookie=cookie, takes_part=False)


def table_of(user: BrowserUser) -> str:
    user.page.wait_for_url("**/table/*")
    return user.page.url.rpartition("/")[2]


def play_for(*players: tuple[BrowserUser, RunningServer]) -> None:
    """Play the moves of people to the end, in their names, and show them the result."""

    def play(client: Client, table: str) -> None:
        with client.connect(table) as seat:
            play_on(seat)

    threads = [
        Thread(target=play, args=(client_of(user, server), table_of(user)))
        for user, server in players
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for user, _ in players:
        user.play_to_end()  # the score sheets


def verdict(user: BrowserUser, key: str) -> None:
    """Expect a sentence on the result."""
    fair = user.dialog.locator(".fair")
    expect(fair).to_have_text(user.message(f"end.fair.{key}"))
    user.screenshot(f"fair-{key}-{user.page.viewport_size['width']}")  # type: ignore[index]


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_browser_takes_part_and_says_that_the_deal_was_fair(
    browser: Browser, server: RunningServer, size: tuple[int, int]
) -> None:
    with open_browser(browser, server.address, size) as ada:
        ada.page.add_init_script(NO_SUBTLE_CRYPTO)
        network = Network(ada)
        quick_play(ada)
        expect_visible(ada.page.locator("[data-ply]"))
        play_for((ada, server))
        verdict(ada, "joint")
        record = client_of(ada, server).record(table_of(ada))
        verify_deal(record, network.seen)
        assert record["nonces"] == [network.revealed[0], None, None, None]
        ada.go(f"/replay/{table_of(ada)}")
        expect_visible(ada.page.get_by_text(ada.message("replay.fair_joint")))
        ada.screenshot(f"fair-replay-{size[0]}")


def test_people_who_join_and_play_again_take_part(browser: Browser, server: RunningServer) -> None:
    with (
        open_browser(browser, server.address) as ada,
        open_browser(browser, server.address, PHONE) as bob,
    ):
        ada.go("/new/friends")
        ada.page.route("**/api/tables?start=false", short_game)
        ada.page.get_by_role("button", name="Open table").click()
        table = table_of(ada)
        bob.go(f"/table/{table}")
        bob.page.get_by_role("button", name="Take seat").first.click()
        ada.page.get_by_role("button", name="Deal cards").click()
        for user in (ada, bob):
            expect_visible(user.page.locator("[data-ply]"))
        play_for((ada, server), (bob, server))
        verdict(ada, "joint")
        verdict(bob, "joint")
        record = client_of(ada, server).record(table)
        assert None not in record["nonces"]
        # The rematch: one opens it, the other accepts, and both take part again.
        ada.dialog.get_by_role("button", name="Play again").click()
        bob.dialog.get_by_role("button", name="Play again").click()
        for user in (ada, bob):
            expect_visible(user.page.locator("[data-ply='0']"))
        assert table_of(ada) == table_of(bob) != table
        play_for((ada, server), (bob, server))
        verdict(ada, "joint")
        verdict(bob, "joint")


def short_game(route: Route) -> None:
    body = json.loads(route.request.post_data or "") | {"house_rules": SHORT, "bot_delay_ms": 0}
    body["seats"] = [seat for seat in body["seats"] if seat["occupant"] != "bot"][:2]
    route.continue_(post_data=json.dumps(body))


def test_a_reload_before_the_deal_still_reveals(browser: Browser, patient: RunningServer) -> None:
    with open_browser(browser, patient.address) as ada:
        ada.expect_lost_connection()
        ada.page.route("**/nonces", lambda route: route.abort())
        quick_play(ada)
        ada.page.wait_for_url("**/table/*")
        expect(ada.page.locator("[data-ply]")).to_have_count(0)
        ada.screenshot("fair-waiting")
        ada.page.unroute("**/nonces")
        ada.page.reload()
        expect_visible(ada.page.locator("[data-ply]"))
        play_for((ada, patient))
        verdict(ada, "joint")


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_the_lobby_says_that_the_cards_are_being_dealt(
    browser: Browser, tmp_path: Path, size: tuple[int, int], scheme: str
) -> None:
    """Another player's client has sent a hash, and is away when the game starts."""
    with (
        running_server(str(tmp_path / "tables.db"), reveal_ms=3000) as server,
        open_browser(browser, server.address, size, color_scheme=scheme) as ada,
    ):
        ada.go("/new/friends")
        ada.page.route("**/api/tables?start=false", short_game)
        ada.page.get_by_role("button", name="Open table").click()
        bob = server.client("Bob")
        body = {"nonce_hashes": ["0" * 64]}
        bob.request("POST", f"/api/tables/{table_of(ada)}/seats", body)
        ada.page.get_by_role("button", name="Deal cards").click()
        expect_visible(ada.page.get_by_role("status").get_by_text("Dealing the cards…"))
        for action in ("Leave table", "Remove player", "Deal cards"):
            expect(ada.page.get_by_role("button", name=action)).to_have_count(0)
        ada.screenshot(f"fair-dealing-{size[0]}")
        expect_visible(ada.page.locator("[data-ply]"))


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_page_says_that_its_part_is_missing(
    browser: Browser, impatient: RunningServer, size: tuple[int, int]
) -> None:
    with open_browser(browser, impatient.address, size) as ada:
        ada.expect_lost_connection()
        ada.page.route("**/nonces", lambda route: route.abort())
        quick_play(ada)
        expect_visible(ada.page.locator("[data-ply]"))
        play_for((ada, impatient))
        verdict(ada, "missing")


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_page_says_loudly_that_something_does_not_fit(
    browser: Browser,
    server: RunningServer,
    monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int],
) -> None:
    """The server shows the record of another game: correct in itself, but not what was seen."""
    with (
        open_browser(browser, server.address) as other,
        open_browser(browser, server.address, size) as ada,
    ):
        quick_play(other)
        expect_visible(other.page.locator("[data-ply]"))
        play_for((other, server))
        verdict(other, "joint")
        forged = client_of(other, server).record(table_of(other))
        monkeypatch.setattr(
            "manhattan.server.transport.http.games.to_json", lambda game, redacted: forged
        )
        quick_play(ada)
        expect_visible(ada.page.locator("[data-ply]"))
        play_for((ada, server))
        verdict(ada, "no")
        expect_visible(ada.dialog.get_by_role("alert"))
