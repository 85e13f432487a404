"""Previews of shared links: the tags of the page, and the picture of the table."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import httpx
import pytest
from PIL import Image

from manhattan.palette import LOT, SHADES
from manhattan.rules import Colour, Shuffled, set_up
from manhattan.server.service.preview_image import HEIGHT, WIDTH, draw_preview
from manhattan.server.service.previews import preview_of
from manhattan.server.service.table_registry import TableRegistry
from manhattan.server.transport.http import previews
from manhattan.server.transport.ratelimit import NO_LIMITS, Rate
from support.fixed_deals import Dealer, dealing, twins
from support.recording_client import Json, RecordingClient, game_of, state_of
from support.scripted_session import ScriptedSession
from support.server_fixtures import RunningServer, running_server

ME: Json = {"occupant": "me"}
OPEN: Json = {"occupant": "open"}
HERE: Json = {"occupant": "here", "name": "Bea"}
HOSTILE = '"><script>alert(1)</script>&amp;'


def generic(origin: str) -> dict[str, str]:
    """The tags of pages that have no preview of their own. Crawlers need the whole address."""
    image = f"{origin}/icon-512.png"
    return {"og:title": "Manhattan", "og:image": image, "twitter:card": "summary"}


class _Tags(HTMLParser):
    """Collects the tags of a preview."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        name = values.get("property") or values.get("name") or ""
        self.scripts += tag == "script"
        if tag == "meta" and name.startswith(("og:", "twitter:")):
            assert name not in self.found, "a tag is there twice"
            self.found[name] = values["content"] or ""


def parsed(page: httpx.Response) -> _Tags:
    assert page.status_code == 200, page.text
    parser = _Tags()
    parser.feed(page.text)
    return parser


def tags(client: RecordingClient, path: str, **headers: str) -> dict[str, str]:
    return parsed(client.request("GET", path, headers=headers)).found


def picture(response: httpx.Response) -> Image.Image:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "image/png"
    image = Image.open(BytesIO(response.content))
    assert (image.format, image.size) == ("PNG", (WIDTH, HEIGHT))
    return image.convert("RGB")


def colours_of(image: Image.Image) -> set[str]:
    colours = image.getcolors(WIDTH * HEIGHT) or []
    return {"#{:02X}{:02X}{:02X}".format(*colour) for _, colour in colours}  # type: ignore[misc]


@pytest.fixture(scope="module")
def ada(shared_server: RunningServer) -> Iterator[RecordingClient]:
    with RecordingClient(shared_server, "Ada") as ada:
        yield ada


def open_table(ada: RecordingClient, *seats: Json, start: bool = False, **options: object) -> str:
    path = f"/api/tables?start={str(start).lower()}"
    return str(ada.call("POST", path, {"seats": seats, "first": 0} | options)["id"])


def play(ada: RecordingClient, table: str, moves: int) -> None:
    ada.watch(table)
    for _ in range(moves):
        game = game_of(ada.server, table)
        if game.is_over:
            break
        ada.execute("play", ply=game.ply, move=str(game.legal_moves()[0]))
    ada.leave()


# The tags.


def test_the_tags_of_a_lobby_count_the_open_seats(ada: RecordingClient) -> None:
    table = open_table(ada, ME, OPEN, OPEN)
    found = tags(ada, f"/table/{table}")
    assert found["og:title"] == "Manhattan: Ada"
    assert found["og:description"] == "2 open seats. Hans im Glück 2017."
    assert found["og:url"] == f"{ada.server.address}/table/{table}"
    assert found["og:image"] == f"{ada.server.address}/api/tables/{table}/preview.png"
    assert (found["og:image:width"], found["og:image:height"]) == (str(WIDTH), str(HEIGHT))
    assert found["og:image:alt"].endswith(found["og:description"])
    assert found["og:type"] == "website"
    assert found["twitter:card"] == "summary_large_image"


def test_the_tags_follow_a_game(ada: RecordingClient) -> None:
    table = open_table(ada, ME, HERE, start=True, house_rules={"tallest_tie": "one_owner"})
    first = ada.request("GET", f"/table/{table}")
    assert parsed(first).found["og:description"] == (
        "Round 1 of 6: Ada 0, Bea 0. Hans im Glück 2017 with house rules."
    )
    assert parsed(first).found["og:image"].endswith("/preview.png?at=0")
    assert first.headers["cache-control"] == "no-cache"
    known = {"If-None-Match": first.headers["etag"]}
    assert ada.request("GET", f"/table/{table}", headers=known).status_code == 304
    play(ada, table, 3)
    second = ada.request("GET", f"/table/{table}", headers=known)
    assert parsed(second).found["og:image"].endswith("/preview.png?at=3")
    assert second.headers["etag"] != first.headers["etag"]


def test_the_tags_of_a_finished_game_and_of_its_replay(ada: RecordingClient) -> None:
    table = open_table(ada, ME, HERE, start=True)
    play(ada, table, 10**6)
    game = game_of(ada.server, table)
    result = game.result
    assert result is not None
    ranking = sorted(zip(("Ada", "Bea"), result.scores, strict=True), key=lambda one: -one[1])
    points = ", ".join(f"{name} {score}" for name, score in ranking)
    found = tags(ada, f"/table/{table}")
    assert found["og:description"] == f"Final scores: {points}. Hans im Glück 2017."
    start = tags(ada, f"/replay/{table}?at=0")
    assert start["og:description"].startswith("Round 1 of 6, before the first move: Ada 0")
    replay = tags(ada, f"/replay/{table}?at=9")
    assert replay["og:title"] == "Replay of Manhattan: Ada, Bea"
    assert replay["og:description"].startswith("Round 1 of 6, after 9 moves: Ada 0, Bea 0. ")
    assert replay["og:url"] == f"{ada.server.address}/replay/{table}?at=9"
    assert replay["og:image"].endswith("/preview.png?at=9")
    for at in ("", "?at=", "?at=x", "?at=-1", "?at=9999", "?at=%F0%9F%98%80", f"?at={'9' * 500}"):
        last = tags(ada, f"/replay/{table}{at}")
        assert last["og:image"].endswith(f"/preview.png?at={game.ply}"), at
        assert last["og:description"] == found["og:description"]


def test_an_aborted_game_and_a_closed_table_have_a_preview(ada: RecordingClient) -> None:
    closed, aborted = open_table(ada, ME, OPEN), open_table(ada, ME, HERE, start=True)
    ada.call("POST", f"/api/tables/{closed}/close")
    ada.call("POST", f"/api/tables/{aborted}/abort")
    assert tags(ada, f"/table/{closed}")["og:description"].startswith("This table was closed. ")
    description = tags(ada, f"/table/{aborted}")["og:description"]
    assert description.startswith("Ended without a result: Ada 0, Bea 0. ")


def test_hostile_names_are_text(shared_server: RunningServer) -> None:
    with RecordingClient(shared_server, HOSTILE) as eve:
        table = open_table(eve, ME, OPEN)
        page = eve.request("GET", f"/table/{table}")
        found = parsed(page)
        assert found.scripts == parsed(eve.request("GET", "/table/unknown")).scripts
        assert "<script>alert" not in page.text
        assert found.found["og:title"] == f"Manhattan: {HOSTILE[:23]}…"  # escaped once
        picture(eve.request("GET", f"/api/tables/{table}/preview.png"))


@pytest.mark.parametrize("name", ["日本", "Zoë Łódź", "\u05d0\u05d1", "😀", "W" * 60])
def test_every_name_can_be_drawn(shared_server: RunningServer, name: str) -> None:
    with RecordingClient(shared_server, name) as client:
        table = open_table(client, ME, {"occupant": "here", "name": name}, start=True)
        picture(client.request("GET", f"/api/tables/{table}/preview.png"))


def test_accents_are_drawn(ada: RecordingClient) -> None:
    """Pillow's font has none."""
    names = ["Zoe", "Zoë", "Zoé", "Zoè", "Zøe", "Zo日e"]
    tables = [open_table(ada, ME | {"name": name}, OPEN) for name in names]
    paths = [f"/api/tables/{table}/preview.png" for table in tables]
    *accented, unknown = [ada.request("GET", path).content for path in paths]
    assert len(set(accented)) == len(accented)
    assert unknown == accented[0]


@pytest.mark.parametrize(
    "path",
    ["/", "/watch", "/table/unknown", "/table/aaaaaaaaaaaaaa", "/replay/aaaaaaaaaaaaaa?at=1"],
)
def test_pages_without_a_table_have_generic_tags(ada: RecordingClient, path: str) -> None:
    page = ada.request("GET", path, headers={"Accept-Encoding": "gzip"})
    assert page.headers["content-encoding"] == "gzip"
    assert tags(ada, path).items() >= generic(ada.server.address).items()


def test_an_unreadable_table_has_generic_tags(
    ada: RecordingClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does a page wait for a database that doesn't answer."""
    table = open_table(ada, ME, OPEN)
    monkeypatch.setattr(previews, "_LOADING_TIMEOUT_S", -1.0)
    registry = ada.server.services.tables.registry
    session = registry.find(table)
    assert session is not None
    monkeypatch.setattr(TableRegistry, "get", _never)
    assert tags(ada, f"/table/{table}").items() >= generic(ada.server.address).items()
    monkeypatch.undo()
    monkeypatch.setitem(registry.unreadable, table, 10**15)
    monkeypatch.delitem(registry._sessions, table)
    assert tags(ada, f"/table/{table}").items() >= generic(ada.server.address).items()
    assert ada.request("GET", f"/api/tables/{table}/preview.png").status_code == 503


async def _never(registry: TableRegistry, table: str) -> None:
    await asyncio.Event().wait()


def test_addresses_are_those_of_the_request(tmp_path: Path) -> None:
    """As a trusted proxy forwards it. A host that is none is not repeated."""
    path = str(tmp_path / "tables.db")
    with (
        running_server(path, trusted_proxy="127.0.0.1") as server,
        RecordingClient(server, "Ada") as ada,
    ):
        table = open_table(ada, ME, OPEN)
        page = f"/table/{table}"
        found = tags(ada, page, Host="play.example", **{"X-Forwarded-Proto": "https"})
        assert found["og:url"] == f"https://play.example{page}"
        assert found["og:image"].startswith("https://play.example/api/")
        assert tags(ada, page, Host="[::1]:80")["og:url"] == f"http://[::1]:80{page}"
        found = tags(ada, "/watch", Host="play.example", **{"X-Forwarded-Proto": "https"})
        assert found.items() >= generic("https://play.example").items()
        for host in ('"><script>', "a b", "évil", "x" * 300, "a@b"):
            raw = host.encode().decode("latin-1")
            response = ada.request("GET", page, headers={"Host": raw.encode("latin-1")})
            assert (
                response.status_code == 400 or parsed(response).found.items() >= generic("").items()
            )


# The picture.


def test_the_picture_shows_the_board(ada: RecordingClient) -> None:
    table = open_table(ada, ME, HERE, {"occupant": "here", "name": "Cleo"}, start=True)
    path = f"/api/tables/{table}/preview.png"
    empty = picture(ada.request("GET", path))
    play(ada, table, 6)
    game = game_of(ada.server, table)
    built = picture(ada.request("GET", path))
    for site, tower in enumerate(game.public.board):
        city, cell = divmod(site, 9)
        left = 400 + city % 3 * 260 + 8 + cell % 3 * 74
        top = 62 + city // 3 * 284 + 8 + cell // 3 * 74
        at = (left + 10, top + 12)  # the corner of the roof
        assert hex_of(empty, at) == LOT
        assert hex_of(built, at) == (SHADES[tower.owner].roof if tower.owner else LOT)
    assert any(tower.owner for tower in game.public.board)
    again = picture(ada.request("GET", f"{path}?at=0"))
    board = (390, 0, WIDTH, HEIGHT)
    assert again.crop(board).tobytes() == empty.crop(board).tobytes()


def hex_of(image: Image.Image, at: tuple[int, int]) -> str:
    pixel = image.getpixel(at)
    assert isinstance(pixel, tuple)
    return "#{:02X}{:02X}{:02X}".format(*pixel)


def test_the_picture_is_the_same_for_everyone(server: RunningServer) -> None:
    with ScriptedSession(server, 2, [ME, OPEN]) as session:
        session.play(12)
        path = f"{session.path}/preview.png"
        seen = {one.request("GET", path).content for one in session.clients}
        assert len(seen) == 1


def test_pictures_can_be_cached_forever_when_the_game_is_over(ada: RecordingClient) -> None:
    """Before, an undo can change what a moment looks like."""
    table = open_table(ada, ME, HERE, start=True)
    path = f"/api/tables/{table}/preview.png"
    for at in ("", "?at=0"):
        running = ada.request("GET", path + at)
        assert running.headers["cache-control"] == "public, max-age=60"
    assert running.headers["cross-origin-resource-policy"] == "cross-origin"
    play(ada, table, 10**6)
    assert "immutable" in ada.request("GET", f"{path}?at=0").headers["cache-control"]
    last = ada.request("GET", path)
    assert "immutable" in last.headers["cache-control"]
    assert ada.request("GET", f"{path}?at=9999").content == last.content


def test_bad_requests_for_a_picture(ada: RecordingClient) -> None:
    table = open_table(ada, ME, OPEN)
    for at in ("x", "-1", "1.5", "10000", "9" * 400):
        response = ada.request("GET", f"/api/tables/{table}/preview.png?at={at}")
        assert (response.status_code, response.json()["reason"]) == (422, "bad_request"), at
    for unknown in ("a" * 14, "..", "A"):
        response = ada.request("GET", f"/api/tables/{unknown}/preview.png")
        assert response.status_code == 404
    assert "no-store" in response.headers["cache-control"]


def test_pictures_are_limited(tmp_path: Path) -> None:
    limits = replace(NO_LIMITS, previews=Rate(burst=2, per_second=0.01))
    with (
        running_server(str(tmp_path / "tables.db"), limits=limits) as server,
        RecordingClient(server, "Ada") as ada,
    ):
        path = f"/api/tables/{open_table(ada, ME, OPEN)}/preview.png"
        statuses = [ada.request("GET", path).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]


def test_a_flood_of_page_requests_gets_generic_tags(tmp_path: Path) -> None:
    limits = replace(NO_LIMITS, requests=Rate(burst=4, per_second=0.001))
    with (
        running_server(str(tmp_path / "tables.db"), limits=limits) as server,
        RecordingClient(server, "Ada") as ada,
    ):
        path = f"/table/{open_table(ada, ME, OPEN)}"
        titles = [tags(ada, path)["og:title"] for _ in range(3)]
        assert titles == ["Manhattan: Ada", "Manhattan: Ada", "Manhattan"]


def test_every_colour_has_its_own_face(ada: RecordingClient) -> None:
    for edition in ("hig-2017", "hig-1994"):
        table = open_table(ada, ME, HERE, start=True, edition=edition)
        colours = colours_of(picture(ada.request("GET", f"/api/tables/{table}/preview.png")))
        used = {c for seat in state_of(ada.server, table).seats for c in seat.colours}
        assert len(used) == 4
        assert {SHADES[colour].front for colour in used} <= colours
        assert not {SHADES[c].side for c in set(Colour) - used} & colours


# Hidden information.


@pytest.fixture
def dealer() -> Iterator[Dealer]:
    with dealing() as dealer:
        yield dealer


def test_games_that_differ_in_hidden_cards_have_the_same_preview(
    server: RunningServer, dealer: Dealer
) -> None:
    one, other, moves = twins(set_up(2), (), 46)
    sent: list[list[bytes]] = []
    hidden: list[object] = []
    for piles in (one, other):
        dealer.piles = piles
        with ScriptedSession(server, 2, [ME, OPEN]) as session:
            for ply, move in enumerate(moves):
                assert session.mover.execute("play", ply=ply, move=str(move))["type"] == "update"
            stranger, table = session.stranger, session.table
            paths = [f"/table/{table}", f"/replay/{table}?at=30", f"{session.path}/preview.png"]
            responses = [stranger.request("GET", path).content for path in paths]
            sent.append([each.replace(table.encode(), b"TABLE") for each in responses])
            assert any(isinstance(event, Shuffled) for event in session.game.events)
            hidden.append((session.game.state.hands, session.game.state.pile))
            # The cache may not be the reason for equal pictures.
            preview = preview_of(state_of(server, table))
            assert draw_preview.__wrapped__(preview) == responses[-1]
    assert hidden[0] != hidden[1]
    assert sent[0] == sent[1]
