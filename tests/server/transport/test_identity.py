"""One identity on several devices: passkeys, recovery codes, devices, export and deletion."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from manhattan.client import Client
from manhattan.server.service import passkeys as passkey_service
from manhattan.server.service.accounts import _device_of_old_cookie
from manhattan.server.service.device_label import device_label
from manhattan.server.storage import Passkey
from manhattan.server.storage.backup import SQL_TABLES
from manhattan.server.transport.ratelimit import Limits, Rate
from support.databases import wait_until
from support.push_service import SubscribedBrowser
from support.recording_client import Json, RecordingClient, close_code, run_on_server, state_of
from support.server_fixtures import RunningServer, play_on, running_server
from support.software_authenticator import SoftwareAuthenticator
from support.two_people import SHORT

REVOKED = 4401
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
TWO = [{"occupant": "me"}, {"occupant": "open"}]
SUBSCRIPTION: Json = {
    "endpoint": "https://fcm.googleapis.com/fcm/send/of-this-browser",
    "keys": SubscribedBrowser().keys,
    "language": "en",
    "kinds": ["turn", "end"],
}
AGAINST_BOT = [{"occupant": "me"}, {"occupant": "bot", "level": "easy"}]

Join = Callable[..., "Browser"]


class Browser(RecordingClient):
    """A browser at localhost, where passkeys are allowed."""

    @property
    def host(self) -> str:
        return f"localhost:{self.server.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Json:
        """Send a request to localhost, and return the answer, also that of a rejection."""
        sent = {"Host": self.host, **headers}
        answer: Json = self.request(method, path, body, headers=sent).json()
        return answer

    def authenticator(self) -> SoftwareAuthenticator:
        return SoftwareAuthenticator(self.origin)

    def add_passkey(self, authenticator: SoftwareAuthenticator) -> Json:
        options = self.ask("POST", "/api/me/passkey-options")["options"]
        credential = authenticator.create(options)
        return self.ask("POST", "/api/me/passkeys", {"credential": credential})

    def sign_in(self, authenticator: SoftwareAuthenticator, **body: Any) -> Json:
        options = self.ask("POST", "/api/sign-in/passkey-options")["options"]
        credential = authenticator.sign(options)
        return self.ask("POST", "/api/sign-in/passkey", {"credential": credential} | body)

    def redeem(self, code: str, **body: Any) -> Json:
        return self.ask("POST", "/api/sign-in/recovery-code", {"code": code} | body)

    def codes(self) -> list[str]:
        codes: list[str] = self.call("POST", "/api/me/recovery-codes")["codes"]
        return codes

    def devices(self) -> list[Json]:
        devices: list[Json] = self.call("GET", "/api/me/devices")["devices"]
        return devices


@pytest.fixture(params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningServer]:
    is_sqlite = request.param == "sqlite"
    database = str(tmp_path / "tables.db") if is_sqlite else request.getfixturevalue("postgres")
    with running_server(database) as server:
        yield server


@pytest.fixture
def join(server: RunningServer) -> Iterator[Join]:
    with ExitStack() as stack:
        yield lambda *args, **named: stack.enter_context(Browser(server, *args, **named))


@pytest.fixture
def ada(join: Join) -> Browser:
    return join("Ada")


def reason(answer: Json) -> str:
    return str(answer["reason"])


# Passkeys.


def test_a_passkey_signs_in_elsewhere(ada: Browser, join: Join) -> None:
    table = ada.call("POST", "/api/tables", {"seats": TWO})["id"]
    key = ada.authenticator()
    [added] = ada.add_passkey(key)["passkeys"]
    assert added["used_at"] is None
    phone = join()
    assert phone.sign_in(key) == {"name": "Ada"}
    assert [game["id"] for game in phone.call("GET", "/api/me/games")["games"]] == [table]
    assert phone.watch(table)["table"]["seats"][0]["you"]
    [used] = phone.call("GET", "/api/me/passkeys")["passkeys"]
    assert used["used_at"] >= added["created_at"]
    assert len(ada.devices()) == 2
    assert phone.cookie != ada.cookie


def test_signing_in_again_keeps_the_device(ada: Browser) -> None:
    key = ada.authenticator()
    ada.add_passkey(key)
    before = ada.devices()
    assert ada.sign_in(key) == {"name": "Ada"}
    assert [device["id"] for device in ada.devices()] == [device["id"] for device in before]


def test_a_challenge_is_used_once_and_by_the_same_browser(ada: Browser, join: Join) -> None:
    key = ada.authenticator()
    options = ada.ask("POST", "/api/me/passkey-options")["options"]
    body = {"credential": key.create(options)}
    cookie = ada._http.cookies["manhattan-challenge"]
    assert reason(join("Eve").ask("POST", "/api/me/passkeys", body)) == "challenge_expired"
    assert ada.ask("POST", "/api/me/passkeys", body)["passkeys"]
    assert ada._http.cookies.get("manhattan-challenge") is None
    both = f"manhattan={ada.cookie}; manhattan-challenge={cookie}"
    assert reason(ada.ask("POST", "/api/me/passkeys", body, Cookie=both)) == "challenge_expired"

    phone = join()
    options = phone.ask("POST", "/api/sign-in/passkey-options")["options"]
    answer = {"credential": key.sign(options)}
    stolen = f"manhattan-challenge={phone._http.cookies['manhattan-challenge']}"
    assert reason(join().ask("POST", "/api/sign-in/passkey", answer)) == "challenge_expired"
    assert phone.ask("POST", "/api/sign-in/passkey", answer) == {"name": "Ada"}
    eve = join()
    again = eve.ask("POST", "/api/sign-in/passkey", answer, Cookie=stolen)
    assert reason(again) == "challenge_expired"
    assert eve.call("GET", "/api/me") == {"name": None}


def test_the_challenge_of_one_person_or_purpose_serves_no_other(ada: Browser, join: Join) -> None:
    key = ada.authenticator()
    options = ada.ask("POST", "/api/me/passkey-options")["options"]
    challenge = ada._http.cookies["manhattan-challenge"]
    eve = join("Eve")
    stolen = f"manhattan={eve.cookie}; manhattan-challenge={challenge}"
    body = {"credential": key.create(options)}
    assert reason(eve.ask("POST", "/api/me/passkeys", body, Cookie=stolen)) == "challenge_expired"
    # The failed attempt has used it up.
    assert reason(ada.ask("POST", "/api/me/passkeys", body)) == "challenge_expired"
    ada.add_passkey(key)
    options = ada.ask("POST", "/api/me/passkey-options")["options"]
    wrong = {"credential": key.sign(options)}
    assert reason(ada.ask("POST", "/api/sign-in/passkey", wrong)) == "challenge_expired"


def test_a_challenge_expires(ada: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passkey_service, "CHALLENGE_LIFETIME", -1)
    assert reason(ada.add_passkey(ada.authenticator())) == "challenge_expired"
    assert ada.call("GET", "/api/me/passkeys") == {"passkeys": []}


def test_a_passkey_of_another_origin_is_rejected(ada: Browser, join: Join) -> None:
    elsewhere = SoftwareAuthenticator("https://evil.example", rp_id="localhost")
    assert reason(ada.add_passkey(elsewhere)) == "passkey_rejected"
    other_host = SoftwareAuthenticator(ada.origin, rp_id="evil.example")
    assert reason(ada.add_passkey(other_host)) == "passkey_rejected"
    key = ada.authenticator()
    assert ada.add_passkey(key)["passkeys"]
    key.origin = "https://evil.example"
    assert reason(join().sign_in(key)) == "passkey_rejected"
    # A passkey belongs to the host for which it was created.
    key.origin = f"http://other.localhost:{ada.server.port}"
    key.rp_id = "other.localhost"
    headers = {"Host": f"other.localhost:{ada.server.port}"}
    phone = join()
    options = phone.ask("POST", "/api/sign-in/passkey-options", **headers)["options"]
    body = {"credential": key.sign(options)}
    assert reason(phone.ask("POST", "/api/sign-in/passkey", body, **headers)) == "passkey_rejected"


def test_unknown_cloned_and_malformed_passkeys_are_rejected(ada: Browser, join: Join) -> None:
    key = ada.authenticator()
    ada.add_passkey(key)
    phone = join()
    assert reason(phone.sign_in(ada.authenticator())) == "passkey_rejected"
    key.sign_count = 5
    assert phone.sign_in(key) == {"name": "Ada"}
    key.sign_count = 1  # a copy that doesn't know of the other's signatures
    assert reason(join().sign_in(key)) == "passkey_rejected"
    key.sign_count = 9
    key.user_handle = bytes(32)
    assert reason(join().sign_in(key)) == "passkey_rejected"
    credentials: list[Json] = [{}, {"id": 7}, {"id": "x" * 3000}, {"id": "ä", "response": None}]
    for credential in credentials:
        options = phone.ask("POST", "/api/sign-in/passkey-options")
        assert options["options"]["challenge"]
        answer = phone.ask("POST", "/api/sign-in/passkey", {"credential": credential})
        assert reason(answer) == "passkey_rejected"
        ada.ask("POST", "/api/me/passkey-options")
        answer = ada.ask("POST", "/api/me/passkeys", {"credential": credential})
        assert reason(answer) == "passkey_rejected"
    for body in ({}, {"credential": 1}, {"credential": [], "more": 1}):
        assert reason(phone.ask("POST", "/api/sign-in/passkey", body)) == "bad_request"


def test_a_passkey_is_added_once_and_can_be_removed(ada: Browser, join: Join) -> None:
    key = ada.authenticator()
    [added] = ada.add_passkey(key)["passkeys"]
    eve = join("Eve")
    assert reason(eve.add_passkey(key)) == "passkey_rejected"
    path = f"/api/me/passkeys/{added['id']}"
    assert reason(eve.ask("DELETE", path)) == "no_such_passkey"
    assert ada.ask("DELETE", path) == {"passkeys": []}
    assert reason(ada.ask("DELETE", path)) == "no_such_passkey"
    assert reason(join().sign_in(key)) == "passkey_rejected"


def test_the_number_of_passkeys_is_limited(ada: Browser) -> None:
    identities = ada.server.services.tables.store.identities
    for number in range(passkey_service.MAX_PASSKEYS):
        passkey = Passkey(f"k{number}", ada.person or "", "AA", 0, "localhost", "", 1)
        assert run_on_server(ada.server, identities.add_passkey(passkey))
    assert reason(ada.ask("POST", "/api/me/passkey-options")) == "too_many"


@pytest.mark.parametrize("host", ["127.0.0.1:80", "games.example", "[::1]:80", "", "[", "local"])
def test_passkeys_need_https_or_localhost(ada: Browser, host: str) -> None:
    for path in ("/api/me/passkey-options", "/api/sign-in/passkey-options"):
        answer = ada.ask("POST", path, Host=host)
        assert reason(answer) in ("passkeys_unavailable", "http")


def test_a_proxy_that_terminates_tls_makes_passkeys_possible(tmp_path: Path) -> None:
    database = str(tmp_path / "tables.db")
    headers = {"Host": "games.example", "X-Forwarded-Proto": "https"}
    with running_server(database, trusted_proxy="127.0.0.1") as server, Browser(server) as ada:
        ada.ask("PUT", "/api/me", {"name": "Ada"}, Host="games.example")
        [cookie] = [m.headers for m in ada.received if b"set-cookie" in m.headers.lower()]
        value = cookie.decode().partition("manhattan=")[2].partition(";")[0]
        named = headers | {"Cookie": f"manhattan={value}"}
        begun = ada.request("POST", "/api/me/passkey-options", headers=named)
        options = begun.json()["options"]
        assert options["rp"]["id"] == "games.example"
        assert "Secure" in begun.headers["Set-Cookie"]
        assert "SameSite=Strict" in begun.headers["Set-Cookie"]
        challenge = begun.headers["Set-Cookie"].partition(";")[0]
        key = SoftwareAuthenticator("https://games.example", "games.example")
        answer = ada.ask(
            "POST",
            "/api/me/passkeys",
            {"credential": key.create(options)},
            **(headers | {"Cookie": f"manhattan={value}; {challenge}"}),
        )
        assert len(answer["passkeys"]) == 1


# Recovery codes.


def test_a_recovery_code_signs_in_once(ada: Browser, join: Join) -> None:
    assert ada.call("GET", "/api/me/recovery-codes") == {"left": 0, "created_at": None}
    code, other, *rest = ada.codes()
    assert len({code, other, *rest}) == 4
    assert all(len(part) == 4 for part in code.split("-"))
    phone = join()
    assert phone.redeem(f" {code.lower().replace('-', ' ')} ".replace("0", "o")) == {"name": "Ada"}
    assert phone.call("GET", "/api/me/recovery-codes")["left"] == 3
    tablet = join()
    assert reason(tablet.redeem(code)) == "wrong_recovery_code"
    assert tablet.redeem(other) == {"name": "Ada"}


def test_new_recovery_codes_replace_the_earlier_ones(ada: Browser, join: Join) -> None:
    [old, *_] = ada.codes()
    [new, *_] = ada.codes()
    assert reason(join().redeem(old)) == "wrong_recovery_code"
    assert join().redeem(new) == {"name": "Ada"}


def test_wrong_recovery_codes_are_rejected(ada: Browser, join: Join) -> None:
    [code, *_] = ada.codes()
    eve = join()
    last = "A" if code[-1] != "A" else "B"
    for wrong in ("", "x", code[:-1], code[:-1] + last, code + "0", "0000-" * 4 + "0000", "ß" * 20):
        assert reason(eve.redeem(wrong)) == "wrong_recovery_code"
    assert reason(eve.redeem("A" * 101)) == "bad_request"
    assert eve.call("GET", "/api/me") == {"name": None}
    assert ada.call("GET", "/api/me/recovery-codes")["left"] == 4


def test_only_hashes_of_recovery_codes_are_stored(ada: Browser) -> None:
    codes = ada.codes()
    store = ada.server.services.tables.store
    rows = run_on_server(ada.server, store.read("SELECT * FROM recovery_codes"))
    stored = json.dumps(rows)
    for code in codes:
        assert code not in stored
        assert code.replace("-", "") not in stored


def test_attempts_to_sign_in_are_limited(tmp_path: Path) -> None:
    limits = Limits(sign_ins=Rate(5, 0.001), exports=Rate(1, 0.001))
    with (
        running_server(str(tmp_path / "tables.db"), limits=limits) as server,
        Browser(server, "Ada") as ada,
        Browser(server) as eve,
    ):
        codes = ada.codes()
        reasons = [reason(eve.redeem("0000-" * 4 + "0000")) for _ in range(6)]
        assert reasons == ["wrong_recovery_code"] * 4 + ["too_often"] * 2
        assert reason(eve.redeem(codes[0])) == "too_often"
        for path in ("/api/sign-in/passkey-options", "/api/me/passkey-options"):
            assert reason(ada.ask("POST", path)) == "too_often"
        assert ada.call("GET", "/api/me/export")["account"]["name"] == "Ada"
        assert reason(ada.ask("GET", "/api/me/export")) == "too_often"
        assert reason(ada.ask("DELETE", "/api/me")) == "too_often"


# A browser that has an identity already.


def test_a_browser_with_games_is_not_taken_from_them_silently(ada: Browser, join: Join) -> None:
    [code, *_] = ada.codes()
    key = ada.authenticator()
    ada.add_passkey(key)
    bob = join("Bob")
    bob.call("POST", "/api/tables", {"seats": TWO})
    answer = bob.redeem(code)
    assert reason(answer) == "identity_in_use"
    assert answer["params"] == {"name": "Bob", "tables": 1}
    assert reason(bob.sign_in(key)) == "identity_in_use"
    assert bob.call("GET", "/api/me") == {"name": "Bob"}
    assert len(ada.devices()) == 1
    old = bob.cookie
    assert bob.redeem(code, confirmed=True) == {"name": "Ada"}  # the refusal didn't use it up
    assert join(cookie=old).call("GET", "/api/me") == {"name": None}


@pytest.mark.parametrize("how", ["code", "passkey"])
def test_games_come_along_to_another_account(ada: Browser, join: Join, how: str) -> None:
    """Somebody played on a phone before they signed in there."""
    key = ada.authenticator()
    ada.add_passkey(key)
    phone, eve = join("Ada on the phone"), join("Eve")
    waiting = phone.call("POST", "/api/tables", {"seats": TWO})["id"]
    playing = phone.call("POST", "/api/tables?start=true", {"seats": AGAINST_BOT})["id"]
    shared = [{"occupant": "me"}, {"occupant": "here", "name": "Bea"}]
    at_one_screen = phone.call("POST", "/api/tables?start=true", {"seats": shared})["id"]
    client = Client(phone.server.address, "Ada on the phone", cookie=f"manhattan={phone.cookie}")
    options = {"house_rules": SHORT, "bot_delay_ms": 0}
    over = client.open_table(seats=AGAINST_BOT, start=True, **options)
    with client.connect(over) as seat:
        play_on(seat)
    before = {game["id"]: game for game in phone.call("GET", "/api/me/games")["games"]}
    both = phone.call("POST", "/api/tables", {"seats": TWO})["id"]
    ada.call("POST", f"/api/tables/{both}/seats/1")
    foreign = eve.call("POST", "/api/tables", {"seats": TWO})["id"]
    if how == "code":
        assert phone.redeem(ada.codes()[0], bring_games=True) == {"name": "Ada"}
    else:
        assert phone.sign_in(key, bring_games=True) == {"name": "Ada"}
    after = {game["id"]: game for game in phone.call("GET", "/api/me/games")["games"]}
    assert set(after) == {waiting, playing, at_one_screen, over, both}
    for table, game in before.items():
        assert [player["you"] for player in after[table]["players"]] == [
            player["you"] for player in game["players"]
        ]
    assert after[over]["since"] == before[over]["since"]
    assert phone.call("GET", "/api/me/statistics")["games"] == 1
    # Where the person played against themselves, they don't get to see both hands.
    assert [player["you"] for player in after[both]["players"]] == [False, True]
    assert foreign not in after


def test_a_browser_without_games_signs_in_at_once(ada: Browser, join: Join) -> None:
    [code, *_] = ada.codes()
    guest = join("Guest")
    assert guest.redeem(code) == {"name": "Ada"}


# Devices.


def test_a_revoked_device_is_signed_out_at_once(ada: Browser, join: Join) -> None:
    table = ada.call("POST", "/api/tables", {"seats": TWO})["id"]
    [code, *_] = ada.codes()
    phone = join()
    phone.redeem(code)
    for one in (ada, phone):
        one.watch(table)
    [mine] = [device for device in phone.devices() if device["current"]]
    [other] = [device for device in phone.devices() if not device["current"]]
    answer = phone.ask("DELETE", f"/api/me/devices/{other['id']}")
    assert [device["id"] for device in answer["devices"]] == [mine["id"]]
    assert close_code(ada.receive) == REVOKED
    ada.drop_connection()
    assert ada.call("GET", "/api/me") == {"name": None}
    assert reason(ada.ask("GET", "/api/me/devices")) == "no_identity"
    assert reason(phone.ask("DELETE", f"/api/me/devices/{other['id']}")) == "no_such_device"
    phone.catch_up()


def test_all_other_devices_can_be_revoked(ada: Browser, join: Join) -> None:
    codes = ada.codes()
    others = [join() for _ in range(3)]
    for one, code in zip(others, codes, strict=False):
        one.redeem(code)
    assert len(ada.devices()) == 4
    [left] = ada.call("DELETE", "/api/me/devices")["devices"]
    assert left["current"]
    assert [one.call("GET", "/api/me")["name"] for one in others] == [None] * 3
    assert ada.call("GET", "/api/me") == {"name": "Ada"}


def test_signing_out_here_deletes_nothing(ada: Browser, join: Join) -> None:
    [code, *_] = ada.codes()
    [device] = ada.devices()
    assert ada.ask("DELETE", f"/api/me/devices/{device['id']}") == {"devices": []}
    assert ada.cookie == ""
    assert join().redeem(code) == {"name": "Ada"}


@pytest.mark.parametrize("how", ["this", "others", "another person signs in"])
def test_a_device_that_is_signed_out_gets_no_notifications(
    ada: Browser, join: Join, how: str
) -> None:
    [code, *_] = ada.codes()
    phone = join()
    phone.redeem(code)
    endpoint = SUBSCRIPTION["endpoint"]
    ada.call("PUT", "/api/me/push-subscription", SUBSCRIPTION)
    phone.call("PUT", "/api/me/push-subscription", {**SUBSCRIPTION, "endpoint": f"{endpoint}/2"})
    match how:
        case "this":
            [device] = [one["id"] for one in phone.devices() if one["current"]]
            phone.ask("DELETE", f"/api/me/devices/{device}")
        case "others":
            ada.ask("DELETE", "/api/me/devices")
        case _:
            assert phone.redeem(join("Bob").codes()[0], confirmed=True) == {"name": "Bob"}
    kept = ada.call("GET", "/api/me/export")["account"]["push_subscriptions"]
    assert [subscription["endpoint"] for subscription in kept] == [endpoint]


def test_nobody_revokes_another_person_s_device(ada: Browser, join: Join) -> None:
    [device] = ada.devices()
    eve = join("Eve")
    assert reason(eve.ask("DELETE", f"/api/me/devices/{device['id']}")) == "no_such_device"
    assert reason(join().ask("DELETE", f"/api/me/devices/{device['id']}")) == "no_identity"
    assert ada.call("GET", "/api/me") == {"name": "Ada"}


def test_a_cookie_from_before_there_were_devices_becomes_one(ada: Browser, join: Join) -> None:
    signer = ada.server.services.accounts._signer
    cookie = signer.dumps([ada.person, 1])
    old = join(cookie=cookie)
    assert old.call("GET", "/api/me") == {"name": "Ada"}
    assert old.call("GET", "/api/me") == {"name": "Ada"}
    devices = {device["id"]: device["current"] for device in old.devices()}
    assert len(devices) == 2
    assert devices[_device_of_old_cookie(cookie)]
    old.call("PUT", "/api/me", {"name": "Ada"})
    assert old.cookie != cookie
    assert len(old.devices()) == 2
    ada.call("DELETE", "/api/me/devices")
    for one in (old, join(cookie=cookie)):
        assert one.call("GET", "/api/me") == {"name": None}
    assert join(cookie=signer.dumps([ada.person, 2])).call("GET", "/api/me") == {"name": None}
    assert join(cookie=signer.dumps([ada.person, 1, "x"])).call("GET", "/api/me")["name"] is None


def test_a_device_is_labelled_by_its_browser(join: Join) -> None:
    browser = join()
    browser.request("PUT", "/api/me", {"name": "Ada"}, headers={"User-Agent": FIREFOX})
    assert [device["label"] for device in browser.devices()] == ["Firefox · Linux"]


@pytest.mark.parametrize(
    ("user_agent", "label"),
    [
        ("", ""),
        ("python-httpx/0.28", ""),
        (FIREFOX, "Firefox · Linux"),
        (
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 "
                "(KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
            ),
            "Safari · iPhone",
        ),
        (
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0"
            ),
            "Edge · Windows",
        ),
        (
            (
                "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/140.0.0.0 Mobile Safari/537.36"
            ),
            "Chrome · Android",
        ),
    ],
)
def test_labels(user_agent: str, label: str) -> None:
    assert device_label(user_agent) == label


# Export and deletion.


def test_the_export_has_everything_of_the_person(ada: Browser, join: Join) -> None:
    ada.add_passkey(ada.authenticator())
    ada.codes()
    ada.call("PUT", "/api/me/push-subscription", SUBSCRIPTION)
    bob = join("Bob")
    seats = {"seats": TWO, "bot_delay_ms": 0, "first": 0}
    table = ada.call("POST", "/api/tables", seats)["id"]
    bob.call("POST", f"/api/tables/{table}/seats")
    ada.call("POST", f"/api/tables/{table}/start")
    elsewhere = bob.call("POST", "/api/tables", seats)["id"]
    ada.watch(elsewhere)
    ada.execute("chat", text="Just looking")
    ada.watch(table)
    ada.execute("chat", text="Good luck")
    response = ada.request("GET", "/api/me/export")
    assert response.headers["Content-Disposition"] == 'attachment; filename="manhattan.json"'
    export = response.json()
    account = export["account"]
    assert (account["name"], account["recovery_codes_left"]) == ("Ada", 4)
    assert [passkey["host"] for passkey in account["passkeys"]] == ["localhost"]
    assert len(account["devices"]) == 1
    assert account["push_subscriptions"] == [
        {"endpoint": SUBSCRIPTION["endpoint"], "language": "en", "kinds": ["end", "turn"]}
    ]
    assert not any(key in response.text for key in SUBSCRIPTION["keys"].values())
    tables = {entry["table"]["id"]: entry for entry in export["tables"]}
    assert set(tables) == {table, elsewhere}
    events = tables[table]["table_events"]
    kinds = [(event["event"]["type"], event["you"]) for event in events]
    assert kinds == [
        ("table_opened", True),
        ("seat_taken", False),
        ("game_started", True),
        ("chat_sent", True),
    ]
    assert events[-1]["event"] == {
        "type": "chat_sent",
        "name": "Ada",
        "seat": 0,
        "text": "Good luck",
    }
    seed = next(event for event in events if event["event"]["type"] == "game_started")
    assert set(seed["event"]) == {"type"}
    for person in (ada.person, bob.person):
        assert person is not None
        assert person not in response.text
    assert reason(join().ask("GET", "/api/me/export")) == "no_identity"


def test_a_deleted_account_leaves_no_name_and_no_text(ada: Browser, join: Join) -> None:
    """The other player sees it at once, and the game goes on."""
    ada.add_passkey(ada.authenticator())
    [code, *_] = ada.codes()
    ada.call("PUT", "/api/me/push-subscription", SUBSCRIPTION)
    bob = join("Bob")
    options = {"bot_delay_ms": 0, "first": 1, "public": True}
    table = ada.call("POST", "/api/tables", {"seats": TWO} | options)["id"]
    bob.call("POST", f"/api/tables/{table}/seats")
    ada.call("POST", f"/api/tables/{table}/start")
    lobby = bob.call("POST", "/api/tables", {"seats": TWO})["id"]
    ada.call("POST", f"/api/tables/{lobby}/seats")
    ada.watch(table)
    ada.execute("chat", text="My secret plan")
    bob.watch(table)
    bob.execute("chat", text="Hello")
    assert ada.ask("DELETE", "/api/me") == {"name": None}
    assert close_code(ada.receive) == REVOKED
    ada.drop_connection()
    view = bob.receive()
    while view["type"] != "view":
        view = bob.receive()
    assert [seat["name"] for seat in view["table"]["seats"]] == ["Deleted player", "Bob"]
    assert view["table"]["seats"][0]["bot_controlled"]
    assert [(line["name"], line["text"]) for line in view["chat"]] == [
        ("Deleted player", "…"),
        ("Bob", "Hello"),
    ]
    move = view["private"]["moves"]
    assert move is not None  # it is Bob's turn
    seats = bob.call("GET", f"/api/tables/{lobby}")["table"]["seats"]
    assert [seat["occupant"] for seat in seats] == ["person", "open"]
    store = ada.server.services.tables.store
    for sql_table in SQL_TABLES.keys() - {"settings"}:
        rows = json.dumps(run_on_server(ada.server, store.read(f"SELECT * FROM {sql_table}")))
        assert "Ada" not in rows, sql_table
        assert "secret plan" not in rows
        assert sql_table in ("events", "tables") or (ada.person or "") not in rows
    assert reason(join().redeem(code)) == "wrong_recovery_code"
    listed = bob.call("GET", "/api/tables?stage=playing")["tables"]
    assert [player["name"] for player in listed[0]["players"]] == ["Deleted player", "Bob"]
    games = bob.call("GET", "/api/me/games")["games"]
    assert {player["name"] for game in games for player in game["players"]} == {
        *("Deleted player", "Bob", "")
    }


def test_after_a_deletion_the_game_is_played_to_its_end(ada: Browser, join: Join) -> None:
    bob = join("Bob")
    options = {"bot_delay_ms": 0, "first": 1, "house_rules": {"two_players": "6x4-one-colour"}}
    seats = [*TWO[:1], {"occupant": "open"}]
    table = ada.call("POST", "/api/tables", {"seats": seats} | options)["id"]
    bob.call("POST", f"/api/tables/{table}/seats")
    ada.call("POST", f"/api/tables/{table}/start")
    bob.watch(table)
    ada.ask("DELETE", "/api/me")
    server = ada.server
    game = state_of(server, table).game
    assert game is not None
    move = str(game.legal_moves()[0])
    assert bob.execute("play", ply=0, move=move)["type"] == "update"
    wait_until(lambda: state_of(server, table).game.ply >= 2, "the bot's move")  # type: ignore[union-attr]


def test_the_rows_of_a_person_at_one_s_own_screen_are_deleted(ada: Browser, join: Join) -> None:
    """Names of people at the same screen were entered by the person who deletes the account."""
    seats = [{"occupant": "me"}, {"occupant": "here", "name": "Zoë"}]
    table = ada.call("POST", "/api/tables", {"seats": seats})["id"]
    ada.ask("DELETE", "/api/me")
    view = join().call("GET", f"/api/tables/{table}")
    assert "Zoë" not in json.dumps(view, ensure_ascii=False)
    assert view["table"]["stage"] == "closed"
