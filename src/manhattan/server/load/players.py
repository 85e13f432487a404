"""Many pairs of players who play without end, and what they see of the server."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from random import Random
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect

from manhattan.client import Client
from manhattan.rules.blocks import sizes_in


@dataclass(slots=True)
class Seen:
    """What was measured."""

    moves: int = 0
    delays: list[float] = field(default_factory=list)
    """Seconds from sending a move until the opponent had it."""
    games: int = 0


class Pair:
    """Two people at one table after the other."""

    def __init__(self, port: int, number: int, seen: Seen, think: tuple[float, float]) -> None:
        self._port = port
        self._dice = Random(number)  # noqa: S311 - dice, not cards
        self._seen = seen
        self._think = think
        self._sent = 0.0
        self._people = [Client(f"http://127.0.0.1:{port}", f"Player {number}{n}") for n in "ab"]
        self._table = self._people[0].open(chairs=[{"who": "me"}, {"who": "open"}])
        self._people[1].sit(self._table)
        self._people[0].begin(self._table)

    async def play(self) -> None:
        """Game after game."""
        async with AsyncExitStack() as opened:
            sockets = [await opened.enter_async_context(one) for one in self._sockets()]
            await asyncio.gather(*(self._side(socket) for socket in sockets))

    def _sockets(self) -> list[connect]:
        return [
            connect(
                f"ws://127.0.0.1:{self._port}/api/tables/{self._table}/socket",
                compression=None,
                additional_headers={"Cookie": person.cookie},
                ping_interval=None,
                close_timeout=1,
                max_size=None,
            )
            for person in self._people
        ]

    async def _side(self, socket: ClientConnection) -> None:
        """One player, who plays again when a game is over."""
        ply = 0
        async for text in socket:
            told = orjson.loads(text)
            if told["type"] == "refused":
                raise RuntimeError(told["text"])
            position = told.get("position") or told.get("changes")
            if position is None:
                continue
            if told["type"] == "news" and "answers" not in told and self._sent:
                self._seen.moves += 1
                self._seen.delays.append(time.perf_counter() - self._sent)
            ply = position.get("ply", ply)
            own = told.get("own")
            if own and own["moves"]:
                await self._move(socket, ply, own["moves"])
            if position.get("result"):
                await self._again(socket)

    async def _again(self, socket: ClientConnection) -> None:
        """Whoever asks first opens the new table; both come to it."""
        if self._sent:  # and counts the game
            self._sent = 0.0
            self._seen.games += 1
        await socket.send('{"type": "again", "id": "again", "begin": true}')

    async def _move(self, socket: ClientConnection, ply: int, moves: dict[str, Any]) -> None:
        low, high = self._think
        if high:
            await asyncio.sleep(self._dice.uniform(low, high))
        move = self._chosen(moves)
        self._sent = time.perf_counter()
        command = {"type": "play", "id": str(ply), "ply": ply, "move": move}
        await socket.send(orjson.dumps(command).decode())

    def _chosen(self, moves: dict[str, Any]) -> str:
        dice = self._dice
        match moves["kind"]:
            case "select":
                chosen = (
                    "".join(map(str, sorted(dice.sample(sizes_in(supply), moves["blocks"]))))
                    for supply in moves["supplies"].values()
                )
                return f"[{'|'.join(chosen)}]"
            case "build":
                return str(dice.choice(dice.choice(moves["places"])["moves"]))
        return str(dice.choice(moves["moves"]))
