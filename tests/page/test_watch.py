"""The public tables: pages of the list, and what excluded people see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, expect

from support.browser_user import PHONE, open_browser
from support.databases import wait_until
from support.recording_client import run_on_server
from support.server_fixtures import RunningServer, running_server
from support.stranger import Stranger

PAGE, HOSTS = 50, 36
EXCLUDED = "The operator of this server has excluded you."
WAITING = {"seats": [{"occupant": "me"}, {"occupant": "open"}], "public": True}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with more public tables than a page of the list has."""
    with running_server(str(tmp_path_factory.mktemp("watch") / "tables.db")) as server:
        with ExitStack() as stack:
            for number in range(HOSTS):
                address = f"127.0.0.{number + 2}"
                host = stack.enter_context(Stranger(server, address, f"Host {number}"))
                for _ in range(2):
                    assert host.call("POST", "/api/tables", WAITING)[0] == 201
        yield server


def test_the_list_of_public_tables_has_pages(browser: Browser, server: RunningServer) -> None:
    for size in ((1280, 800), PHONE):
        with open_browser(browser, server.address, size) as ada:
            ada.go("/")
            expect(ada.page.get_by_text("72 open tables")).to_be_visible()
            ada.go("/watch")
            entries = ada.page.locator("main li a")
            expect(entries).to_have_count(PAGE)
            more = ada.page.get_by_role("button", name="Show more")
            more.click()
            expect(entries).to_have_count(2 * HOSTS)
            expect(more).to_have_count(0)
            links = {entry.get_attribute("href") for entry in entries.all()}
            assert len(links) == 2 * HOSTS
            # A table that comes while the list is shown moves the last entry to the next page.
            eve = server.client("Eve")
            table = eve.open_table(seats=WAITING["seats"], public=True)
            expect(entries).to_have_count(2 * HOSTS + 1, timeout=15_000)
            eve.request("POST", f"/api/tables/{table}/close")


def exclude(server: RunningServer, *subjects: str) -> None:
    """Do what ``manhattan admin ban`` does, which needs an event loop of its own."""
    for subject in subjects:
        run_on_server(server, server.services.tables.store.operators.ban(subject, 0))


def test_an_excluded_person_reads_why(browser: Browser, server: RunningServer) -> None:
    eve = server.client("Eve")
    table = eve.open_table(seats=[{"occupant": "me"}, {"occupant": "bot", "level": "easy"}])
    with open_browser(browser, server.address) as user:
        user.sign_in(eve)
        user.go(f"/table/{table}")
        expect(user.page.get_by_role("button", name="Deal cards")).to_be_visible()
        people = server.services.tables.store.operators.people_named("Eve", 10)
        exclude(server, *(person.id for person in run_on_server(server, people)))
        expect(user.page.get_by_text(EXCLUDED)).to_be_visible()
        user.page.reload()  # the page opens for everyone; the table does not
        expect(user.page.get_by_text(EXCLUDED)).to_be_visible()
        user.screenshot("excluded")
        user.go("/games")
        expect(user.page.get_by_text(EXCLUDED)).to_be_visible()


def test_an_excluded_address_reads_why(browser: Browser, server: RunningServer) -> None:
    exclude(server, "127.0.0.1")
    wait_until(lambda: server.services.bans.has_address("127.0.0.1"), "the ban is known")
    with open_browser(browser, server.address) as user:
        user.expect_status(403)
        user.go("/")
        expect(user.page.get_by_text(EXCLUDED)).to_be_visible()
        assert user.page.inner_text("body").strip() == EXCLUDED
    run_on_server(server, server.services.tables.store.operators.lift_ban("127.0.0.1"))
    wait_until(lambda: not server.services.bans.has_address("127.0.0.1"), "the ban is lifted")
