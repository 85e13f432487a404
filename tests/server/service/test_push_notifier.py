"""Web Push: the right people are told the right things, and nothing hidden."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from manhattan.client import Client, RequestRejected
from manhattan.server.service.accounts import Accounts
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.service.web_push import PUSH_SERVICES, WebPush
from manhattan.server.storage.push_subscriptions import MAX_PER_PERSON
from support.push_service import PushService, SubscribedBrowser, push_service
from support.recording_client import run_on_server
from support.server_fixtures import RunningServer, play_on, running_server

OPEN_SEAT = [{"occupant": "me"}, {"occupant": "open"}]
SHORT = {"two_players": "6x4-one-colour"}
ALL_KINDS = ["turn", "start", "end"]


@pytest.fixture
def service() -> Iterator[PushService]:
    with push_service() as service:
        yield service


@pytest.fixture
def server(
    tmp_path: Path, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunningServer]:
    monkeypatch.setattr("manhattan.server.service.push_notifier.DELAY_S", 0.05)
    monkeypatch.setattr("manhattan.server.service.web_push._RETRY_S", 0.05)
    allowed = (*PUSH_SERVICES, service.address)
    with running_server(str(tmp_path / "tables.db"), push_services=allowed) as server:
        yield server


def subscribe(
    client: Client,
    service: PushService,
    browser: SubscribedBrowser,
    path: str = "/bob",
    **changes: Any,
) -> Any:
    body = {
        "endpoint": service.address + path,
        "keys": browser.keys,
        "language": "pl",
        "kinds": ALL_KINDS,
        **changes,
    }
    return client.request("PUT", "/api/me/push-subscription", body)


def two_people(server: RunningServer, first: int) -> tuple[Client, Client, str]:
    ada, bob = server.client("Ada"), server.client("Bob")
    table = ada.open_table(seats=OPEN_SEAT, first=first, house_rules=SHORT)
    bob.take_seat(table)
    return ada, bob, table


def play_once(client: Client, table: str) -> None:
    with client.connect(table) as seat:
        play_on(seat, 1)


def test_start_turn_end_and_offer_are_pushed(server: RunningServer, service: PushService) -> None:
    ada, bob, table = two_people(server, first=0)
    browser = SubscribedBrowser()
    assert subscribe(bob, service, browser) == {"kinds": sorted(ALL_KINDS)}
    about = {"table": table, "names": ["Ada"], "language": "pl"}
    ada.start_game(table)
    assert service.next_message(browser) == {"kind": "start", **about}
    play_once(ada, table)
    assert service.next_message(browser) == {"kind": "turn", **about}
    play_once(bob, table)
    assert service.is_silent()  # it is Ada's turn
    for client in (bob, ada):
        with client.connect(table) as seat:
            next(seat.messages())
            seat.resign()
    with ada.connect(table) as seat:
        play_on(seat)
    assert service.next_message(browser) == {"kind": "end", **about}
    rematch = ada.request("POST", f"/api/tables/{table}/rematch")["table"]
    assert service.next_message(browser) == {**about, "kind": "offer", "table": rematch}


def test_a_person_at_the_table_gets_no_push(server: RunningServer, service: PushService) -> None:
    ada, bob, table = two_people(server, first=0)
    subscribe(bob, service, SubscribedBrowser())
    with bob.connect(table) as seat:
        next(seat.messages())
        ada.start_game(table)
        play_once(ada, table)
        assert service.is_silent()


def test_a_notice_that_is_no_longer_true_is_not_sent(
    server: RunningServer, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.service.push_notifier.DELAY_S", 0.5)
    ada, bob, table = two_people(server, first=1)
    subscribe(bob, service, SubscribedBrowser())
    ada.start_game(table)
    play_once(bob, table)
    assert service.is_silent(1)


def test_a_copy_of_a_database_can_be_tried_without_notifications(
    tmp_path: Path, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.service.push_notifier.DELAY_S", 0.05)
    database, allowed = str(tmp_path / "tables.db"), (*PUSH_SERVICES, service.address)
    with running_server(database, push_services=allowed) as server:
        ada, bob, table = two_people(server, first=1)
        subscribe(bob, service, SubscribedBrowser())
    with running_server(database, push_services=allowed, push=False) as tried:
        Client(tried.address, "Ada", cookie=ada.cookie).start_game(table)
        assert service.is_silent(1)


@pytest.mark.parametrize("kinds", [["turn"], ["end"], []])
def test_every_kind_can_be_switched_off(
    server: RunningServer, service: PushService, kinds: list[str]
) -> None:
    ada, bob, table = two_people(server, first=1)
    browser = SubscribedBrowser()
    subscribe(bob, service, browser)
    subscribe(bob, service, browser, kinds=kinds)
    ada.start_game(table)  # Bob's turn, at once
    if "turn" in kinds:
        assert service.next_message(browser)["kind"] == "turn"
    assert service.is_silent()


def test_an_expired_subscription_is_forgotten(server: RunningServer, service: PushService) -> None:
    ada, bob, table = two_people(server, first=1)
    subscribe(bob, service, SubscribedBrowser())
    service.statuses = [410]
    ada.start_game(table)
    assert not service.is_silent(5)
    play_once(bob, table)
    play_once(ada, table)
    assert service.is_silent()
    subscriptions = server.services.push_subscriptions
    assert run_on_server(server, subscriptions.of(_person(server, bob))) == []


def test_a_busy_push_service_is_asked_again(server: RunningServer, service: PushService) -> None:
    ada, bob, table = two_people(server, first=1)
    browser = SubscribedBrowser()
    subscribe(bob, service, browser)
    service.statuses = [503, 429]
    ada.start_game(table)
    for _ in range(3):
        assert service.next_message(browser)["kind"] == "turn"


def test_a_redirect_is_not_followed(server: RunningServer, service: PushService) -> None:
    ada, bob, table = two_people(server, first=1)
    subscribe(bob, service, SubscribedBrowser())
    service.statuses = [307]
    ada.start_game(table)
    assert not service.is_silent(5)
    assert service.is_silent()


def test_a_browser_belongs_to_the_person_who_uses_it_now(
    server: RunningServer, service: PushService
) -> None:
    ada, bob, table = two_people(server, first=1)
    browser = SubscribedBrowser()
    subscribe(bob, service, browser)
    subscribe(server.client("Cat"), service, browser)
    ada.start_game(table)
    assert service.is_silent()


def test_unsubscribing_and_deleting_the_account_end_it(
    server: RunningServer, service: PushService
) -> None:
    ada, bob, table = two_people(server, first=1)
    browser = SubscribedBrowser()
    subscribe(bob, service, browser)
    endpoint = {"endpoint": f"{service.address}/bob"}
    ada.request("DELETE", "/api/me/push-subscription", endpoint)  # it isn't Ada's
    subscriptions, person = server.services.push_subscriptions, _person(server, bob)
    assert len(run_on_server(server, subscriptions.of(person))) == 1
    bob.request("DELETE", "/api/me/push-subscription", endpoint)
    assert run_on_server(server, subscriptions.of(person)) == []
    subscribe(bob, service, browser)
    bob.request("DELETE", "/api/me")
    assert run_on_server(server, subscriptions.of(person)) == []
    server.client("Cat").take_seat(table)  # Bob's seat is open again
    ada.start_game(table)
    assert service.is_silent()


def test_a_person_has_a_limited_number_of_browsers(
    server: RunningServer, service: PushService
) -> None:
    bob = server.client("Bob")
    for number in range(MAX_PER_PERSON + 2):
        subscribe(bob, service, SubscribedBrowser(), f"/{number}")
    kept = run_on_server(server, server.services.push_subscriptions.of(_person(server, bob)))
    assert len(kept) == MAX_PER_PERSON
    assert kept[-1].endpoint.endswith(f"/{MAX_PER_PERSON + 1}")


@pytest.mark.parametrize(
    "changes",
    [
        {"endpoint": "https://example.org/push"},
        {"endpoint": "http://fcm.googleapis.com/push"},
        {"endpoint": "https://fcm.googleapis.com.example.org/push"},
        {"endpoint": "https://fcm.googleapis.com@example.org/push"},
        {"endpoint": "https://user@fcm.googleapis.com/push"},
        {"endpoint": "https://[fcm.googleapis.com/push"},
        {"endpoint": "http://127.0.0.1/push"},
        {"endpoint": "file:///etc/passwd"},
        {"keys": {"p256dh": "B" + "A" * 86, "auth": "A" * 22}},
        {"keys": {"p256dh": "*" * 87, "auth": "A" * 22}},
        {"keys": {}},
        {"kinds": ["everything"]},
        {"language": "../.."},
    ],
)
def test_a_subscription_elsewhere_or_with_wrong_keys_is_rejected(
    server: RunningServer, service: PushService, changes: dict[str, Any]
) -> None:
    bob = server.client("Bob")
    with pytest.raises(RequestRejected) as rejected:
        subscribe(bob, service, SubscribedBrowser(), **changes)
    assert rejected.value.reason == "bad_request"
    assert run_on_server(server, server.services.push_subscriptions.of(_person(server, bob))) == []


def test_the_key_of_the_server_survives_a_restart(tmp_path: Path) -> None:
    keys = []
    for _ in range(2):
        with running_server(str(tmp_path / "tables.db")) as server:
            keys.append(server.client("Ada").request("GET", "/api/push")["key"])
    assert keys[0] == keys[1]
    assert len(keys[0]) == 87


def test_the_push_services_of_browsers_are_known(server: RunningServer) -> None:
    push: WebPush = server.services.push
    for address in (
        "https://fcm.googleapis.com/fcm/send/abc",
        "https://updates.push.services.mozilla.com/wpush/v2/abc",
        "https://wns2-by3p.notify.windows.com/w/?token=abc",
        "https://web.push.apple.com/abc",
    ):
        assert push.accepts(address)


def _person(server: RunningServer, client: Client) -> str:
    cookie = client.cookie.partition("=")[2]
    accounts: Accounts = server.services.accounts
    identity = run_on_server(server, accounts.authenticate(cookie, "", now_ms()))
    assert identity is not None
    return identity.person.id
