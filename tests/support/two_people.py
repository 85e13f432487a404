"""Two people at a table, through the Python client."""

from __future__ import annotations

from threading import Thread
from typing import Any

from manhattan.client import Client
from support.server_fixtures import RunningServer, play_on

TWO_SEATS = [{"occupant": "me"}, {"occupant": "open"}]
SHORT = {"two_players": "6x4-one-colour"}


def two_people(server: RunningServer) -> tuple[Client, Client]:
    return server.client("Ada"), server.client("Bob")


def start(ada: Client, bob: Client, **options: Any) -> str:
    """Start a game in which Ada begins."""
    table = ada.open_table(seats=TWO_SEATS, first=0, house_rules=SHORT, **options)
    bob.take_seat(table)
    ada.start_game(table)
    return table


def play_to_end(ada: Client, bob: Client, table: str) -> None:
    with ada.connect(table) as one, bob.connect(table) as other:
        playing = Thread(target=play_on, args=[other])
        playing.start()
        play_on(one)
        playing.join()
