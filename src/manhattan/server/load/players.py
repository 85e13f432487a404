"""Many pairs of players who play without end, and what they see of the server."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from http.client import HTTPConnection
from random import Random
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect

from manhattan.rules.blocks import sizes_in

_TERMS = {"chairs": [{"who": "me"}, {"who": "open"}]}


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
        self._cookies = [self._person(f"Player {number}-{side}") for side in "ab"]
        self._table = self._call("POST", "/api/tables", 0, _TERMS)["id"]
        self._begin()

    def _person(self, name: str) -> str:
        http = HTTPConnection("127.0.0.1", self._port)
        http.request("PUT", "/api/me", orjson.dumps({"name": name}), _JSON)
        answer = http.getresponse()
        answer.read()
        return str(answer.headers["set-cookie"]).partition(";")[0]

    def _call(self, method: str, path: str, who: int, body: object = None) -> Any:
        http = HTTPConnection("127.0.0.1", self._port)
        headers = _JSON | {"Cookie": self._cookies[who]}
        http.request(method, path, orjson.dumps(body), headers)
        answer = http.getresponse()
        told = orjson.loads(answer.read())
        if answer.status >= 400:
            raise RuntimeError(told["text"])
        return told

    def _begin(self) -> None:
        self._call("POST", f"/api/tables/{self._table}/sit", 1, {})
        self._call("POST", f"/api/tables/{self._table}/begin", 0)

    def _again(self) -> None:
        self._table = self._call("POST", f"/api/tables/{self._table}/rematch", 0)["table"]
        self._call("POST", f"/api/tables/{self._table}/begin", 0)

    async def play(self) -> None:
        """Game after game."""
        while True:
            address = f"ws://127.0.0.1:{self._port}/api/tables/{self._table}/socket"
            sockets = [
                await connect(
                    address,
                    compression=None,
                    additional_headers={"Cookie": cookie},
                    ping_interval=None,
                    max_size=None,
                )
                for cookie in self._cookies
            ]
            await asyncio.gather(*(self._side(socket) for socket in sockets))
            for socket in sockets:
                await socket.close()
            self._seen.games += 1
            await asyncio.to_thread(self._again)

    async def _side(self, socket: ClientConnection) -> None:
        """One player, until the game is over."""
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
                self._sent = 0.0
                return

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


_JSON = {"Content-Type": "application/json"}
