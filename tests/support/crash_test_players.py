"""Players who play on whatever happens to the server, and note the acknowledged moves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any, Final, NamedTuple

from manhattan import record
from manhattan.client import Client, RequestRejected, ServerUnavailable, TableConnection, Turn
from manhattan.replay import replay
from manhattan.server.domain.events import GameStarted, MovePlayed, TableEvent, decode_event
from support.databases import TIMEOUT_S, store_at
from support.server_fixtures import loads

GAME_TIMEOUT_S: Final = 60.0
"""The time in which a game ends, once nothing more happens to the server."""


class AcknowledgedMove(NamedTuple):
    """A move that the server has acknowledged."""

    number: int
    ply: int
    move: str


class Player:
    """Plays random moves at one table, to the end of the game."""

    def __init__(self, client: Client, table: str, rng: Random, pause: float = 0) -> None:
        self.client = client
        self.table = table
        self.acknowledged: list[AcknowledgedMove] = []
        self.rejections: list[str] = []
        """The reasons of the rejections, after which the player tried again."""
        self.seat: TableConnection = client.connect(table)
        self._rng = rng
        self._pause = pause

    def play(self, until: Callable[[Turn], bool] = lambda _: False) -> None:
        for turn in self.seat.turns():
            if until(turn):
                return
            self._move(turn)
            time.sleep(self._pause)

    def close(self) -> None:
        self.seat.close()

    def _move(self, turn: Turn) -> None:
        move = self._rng.choice(turn.moves)
        while True:
            try:
                message = self.seat.play(move)
            except RequestRejected as error:
                self.rejections.append(error.reason)
                if error.reason == "too_late" and "storage_unavailable" in self.rejections:
                    return  # the move with an unknown outcome was stored
                if error.reason != "storage_unavailable":
                    raise
                time.sleep(0.1)
            else:
                self.acknowledged.append(AcknowledgedMove(message["number"], turn.ply, move))
                return


class Group:
    """The players of one table, each in a thread, and bots."""

    def __init__(
        self,
        clients: Sequence[Client],
        bots: int = 0,
        seed: int = 0,
        pause: float = 0,
        **options: Any,
    ) -> None:
        host = clients[0]
        seats = [{"occupant": "me"}, *({"occupant": "open"} for _ in clients[1:])]
        seats += [{"occupant": "bot", "level": "easy"}] * bots
        self.table = retry(partial(host.open_table, seats=seats, bot_delay_ms=0, **options))
        for client in clients[1:]:
            retry(partial(client.take_seat, self.table), unless="already_seated")
        retry(partial(host.start_game, self.table), unless="already_started")
        self.players = [
            Player(client, self.table, Random(f"{seed} {number}"), pause)
            for number, client in enumerate(clients)
        ]
        self._threads = [Thread(target=self._play, args=(p,), daemon=True) for p in self.players]
        self._errors: list[BaseException] = []

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def join(self, timeout: float = GAME_TIMEOUT_S) -> None:
        """Wait for the end of the game."""
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0, deadline - time.monotonic()))
        if self._errors:
            raise self._errors[0]
        stuck = [player.client.name for player in self.players if not player.seat.is_over]
        assert not stuck, f"{stuck} did not finish table {self.table}"

    def _play(self, player: Player) -> None:
        try:
            player.play()
        except BaseException as error:
            self._errors.append(error)
        finally:
            player.close()


class EndlessMatch:
    """The same people play one game after the other, until they are stopped."""

    def __init__(self, clients: Sequence[Client], bots: int = 0, **options: Any) -> None:
        self.groups: list[Group] = []
        self.error: BaseException | None = None
        self._clients = clients
        self._bots = bots
        self._options = options
        self._stopping = Event()
        self._thread = Thread(target=self._play_games, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current game."""
        self._stopping.set()
        self._thread.join(GAME_TIMEOUT_S)
        if self.error is not None:
            raise self.error
        assert not self._thread.is_alive(), f"{self._clients[0].name}'s game does not end"

    def _play_games(self) -> None:
        try:
            while not self._stopping.is_set():
                seed = len(self.groups)
                group = Group(self._clients, self._bots, seed, **self._options)
                self.groups.append(group)
                group.start()
                group.join(timeout=10 * GAME_TIMEOUT_S)
        except BaseException as error:
            self.error = error


def retry(call: Callable[[], Any], unless: str | None = None) -> Any:
    """Repeat a call until the server answers. The rejection ``unless`` means that it was executed
    before."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            return call()
        except ServerUnavailable:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        except RequestRejected as error:
            if error.reason == unless:
                return None
            if error.reason != "storage_unavailable" or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def stored_events(database: str, table: str) -> list[TableEvent]:
    """Return the events of a table in the database."""

    async def read() -> list[str]:
        async with store_at(database) as store:
            return await store.events(table)

    return [decode_event(text) for text in asyncio.run(read())]


def check_acknowledged(events: Sequence[TableEvent], moves: Sequence[AcknowledgedMove]) -> None:
    """Check that each acknowledged move is stored under its number."""
    for number, _, move in moves:
        assert number < len(events), f"{move} was lost"
        event = events[number]
        assert isinstance(event, MovePlayed)
        assert event.move == move


def check_finished_game(database: str, group: Group, *, all_acknowledged: bool = True) -> None:
    """Check a finished game: no move is lost or stored twice, and all are legal."""
    events = stored_events(database, group.table)
    played = [event for event in events if isinstance(event, MovePlayed)]
    for player in group.players:
        check_acknowledged(events, player.acknowledged)
    by_people = [event for event in played if event.by is not None]
    commands = [(event.by, event.command) for event in by_people]
    assert len(set(commands)) == len(commands)
    if all_acknowledged:
        assert len(by_people) == sum(len(player.acknowledged) for player in group.players)
    assert sum(isinstance(event, GameStarted) for event in events) == 1
    saved = retry(partial(group.players[0].client.record, group.table))
    replayed = replay(record.parse(record.to_line(saved)))
    assert replayed.is_over
    assert [str(move) for move in replayed.moves] == [event.move for event in played]
    for player in group.players:
        assert player.seat.position["result"]["scores"] == saved["result"]["scores"]
        assert all(str(replayed.moves[m.ply]) == m.move for m in player.acknowledged)


def unexpected_errors(log: Path) -> list[str]:
    """Return the errors in a server's log, except those of the databases."""
    lines = [loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    expected = ("the database is unavailable", "redis is unavailable")
    return [
        str(line) for line in lines if line["level"] == "error" and line["message"] not in expected
    ]
