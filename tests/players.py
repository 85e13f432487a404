"""People who play on whatever happens to the server, and remember what they were told was done."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any, Final, NamedTuple

from databases import PATIENCE, opened
from manhattan import record
from manhattan.client import Away, Client, Refused, Seat, Turn
from manhattan.replay import replay
from manhattan.server.entries import Begun, Entry, Played, from_text
from serving import loads

LONG: Final = 60.0
"""Seconds in which a game must have come to its end, once nothing more happens to the server."""


class Made(NamedTuple):
    """A move that its player was told was made."""

    number: int
    ply: int
    move: str


class Player:
    """Plays any moves at one table, to its end."""

    def __init__(self, client: Client, table: str, dice: Random, pause: float = 0) -> None:
        self.client = client
        self.table = table
        self.made: list[Made] = []
        self.refused: list[str] = []
        """Why he had to try again."""
        self.seat: Seat = client.at(table)
        self._dice = dice
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
        move = self._dice.choice(turn.moves)
        while True:
            try:
                told = self.seat.play(move)
            except Refused as refused:
                self.refused.append(refused.reason)
                if refused.reason == "too_late" and "storage_away" in self.refused:
                    return  # what was perhaps not written down was, after all
                if refused.reason != "storage_away":
                    raise
                time.sleep(0.1)
            else:
                self.made.append(Made(told["number"], turn.ply, move))
                return


class Group:
    """Everybody at one table, each in a thread of his own; bots as the chairs say."""

    def __init__(
        self,
        clients: Sequence[Client],
        bots: int = 0,
        seed: int = 0,
        pause: float = 0,
        **terms: Any,
    ) -> None:
        host = clients[0]
        chairs = [{"who": "me"}, *({"who": "open"} for _ in clients[1:])]
        chairs += [{"who": "bot", "level": "easy"}] * bots
        self.table = persistently(partial(host.open, chairs=chairs, pace=0, **terms))
        for client in clients[1:]:
            persistently(partial(client.sit, self.table), unless="already_seated")
        persistently(partial(host.begin, self.table), unless="already_begun")
        self.players = [
            Player(client, self.table, Random(f"{seed} {number}"), pause)
            for number, client in enumerate(clients)
        ]
        self._threads = [Thread(target=self._play, args=(p,), daemon=True) for p in self.players]
        self._trouble: list[BaseException] = []

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def join(self, patience: float = LONG) -> None:
        """Wait for the end of the game."""
        until = time.monotonic() + patience
        for thread in self._threads:
            thread.join(max(0, until - time.monotonic()))
        if self._trouble:
            raise self._trouble[0]
        stuck = [one.client.name for one in self.players if not one.seat.over]
        assert not stuck, f"{stuck} did not come to the end of table {self.table}"

    def _play(self, player: Player) -> None:
        try:
            player.play()
        except BaseException as trouble:
            self._trouble.append(trouble)
        finally:
            player.close()


class Evening:
    """The same people play one game after the other, until they are told that it is late."""

    def __init__(self, clients: Sequence[Client], bots: int = 0, **terms: Any) -> None:
        self.groups: list[Group] = []
        self.trouble: BaseException | None = None
        self._clients = clients
        self._bots = bots
        self._terms = terms
        self._late = Event()
        self._thread = Thread(target=self._go_on, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """After the game that is going on."""
        self._late.set()
        self._thread.join(LONG)
        if self.trouble is not None:
            raise self.trouble
        assert not self._thread.is_alive(), f"{self._clients[0].name}'s game does not end"

    def _go_on(self) -> None:
        try:
            while not self._late.is_set():
                seed = len(self.groups)
                group = Group(self._clients, self._bots, seed, **self._terms)
                self.groups.append(group)
                group.start()
                group.join(patience=10 * LONG)
        except BaseException as trouble:
            self.trouble = trouble


def persistently(work: Callable[[], Any], unless: str | None = None) -> Any:
    """Ask until there is an answer. A reason to refuse may mean that it was done before."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return work()
        except Away:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        except Refused as refused:
            if refused.reason == unless:
                return None
            if refused.reason != "storage_away" or time.monotonic() > until:
                raise
            time.sleep(0.1)


def kept(database: str, table: str) -> list[Entry]:
    """What the database says of a table."""

    async def read() -> list[str]:
        async with opened(database) as store:
            return await store.entries(table)

    return [from_text(text) for text in asyncio.run(read())]


def check_made(entries: Sequence[Entry], made: Sequence[Made]) -> None:
    """Everything that somebody was told was done is there, in its place."""
    for number, _, move in made:
        assert number < len(entries), f"{move} was lost"
        entry = entries[number]
        assert isinstance(entry, Played)
        assert entry.move == move


def check_whole(database: str, group: Group, *, all_told: bool = True) -> None:
    """A game that has come to its end: nothing lost, nothing twice, all by the rules."""
    entries = kept(database, group.table)
    played = [entry for entry in entries if isinstance(entry, Played)]
    for player in group.players:
        check_made(entries, player.made)
    by_people = [entry for entry in played if entry.by is not None]
    commands = [(entry.by, entry.command) for entry in by_people]
    assert len(set(commands)) == len(commands)
    if all_told:
        assert len(by_people) == sum(len(player.made) for player in group.players)
    assert sum(isinstance(entry, Begun) for entry in entries) == 1
    saved = persistently(partial(group.players[0].client.record, group.table))
    again = replay(record.parse(record.to_line(saved)))
    assert again.over
    assert [str(move) for move in again.moves] == [entry.move for entry in played]
    for player in group.players:
        assert player.seat.position["result"]["scores"] == saved["result"]["scores"]
        assert all(str(again.moves[one.ply]) == one.move for one in player.made)


def mistakes(log: Path) -> list[str]:
    """What a server has logged that nobody expects."""
    lines = [loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    expected = ("storage is away", "redis is away")
    return [
        str(line) for line in lines if line["level"] == "error" and line["what"] not in expected
    ]
