"""Load generator: pairs of players who play game after game, and what they measure."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import msgspec
from websockets.asyncio.client import ClientConnection, connect

from manhattan.client import Client
from manhattan.rules.blocks import sizes_in

HOT_SEAT: Final = ({"occupant": "me"}, {"occupant": "here", "name": "Bea"})
"""The seats of a table that starts with one person."""


@dataclass(slots=True)
class Counters:
    """What the players measured."""

    moves: int = 0
    latencies: list[float] = field(default_factory=list)
    """Seconds from sending a move until the opponent receives it."""
    games: int = 0

    def clear(self) -> None:
        """Begin to count."""
        self.moves = self.games = 0
        self.latencies.clear()


class Pair:
    """Two people who play rematch after rematch."""

    def __init__(
        self,
        ports: tuple[int, int],
        number: int,
        counters: Counters,
        think_time_s: tuple[float, float],
    ) -> None:
        """``ports`` are those of the servers to which the two are connected."""
        self._rng = Random(number)  # noqa: S311 - moves, not cards
        self._counters = counters
        self._think_time_s = think_time_s
        self._sent_at = 0.0
        self._ports = ports
        # The websockets below would not reveal the clients' nonces.
        host, guest = (
            Client(f"http://127.0.0.1:{port}", f"Player {number}{letter}", takes_part=False)
            for port, letter in zip(ports, "ab", strict=True)
        )
        self._clients = (host, guest)
        self.table = host.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
        guest.take_seat(self.table)
        host.start_game(self.table)

    async def play(self) -> None:
        """Play until the task is cancelled."""
        async with AsyncExitStack() as stack:
            sockets = [await stack.enter_async_context(opening) for opening in self._connect()]
            await asyncio.gather(*(self._play_side(socket) for socket in sockets))

    def _connect(self) -> list[connect]:
        return [
            connect(
                f"ws://127.0.0.1:{port}/api/tables/{self.table}/socket",
                compression=None,
                additional_headers={"Cookie": client.cookie},
                ping_interval=None,
                close_timeout=1,
                max_size=None,
            )
            for port, client in zip(self._ports, self._clients, strict=True)
        ]

    async def _play_side(self, socket: ClientConnection) -> None:
        ply = 0
        async for text in socket:
            message = msgspec.json.decode(text)
            if message["type"] == "error":
                raise RuntimeError(message["text"])
            position = message.get("position") or message.get("patch")
            if position is None:
                continue
            if message["type"] == "update" and "reply_to" not in message and self._sent_at:
                self._counters.moves += 1
                self._counters.latencies.append(time.perf_counter() - self._sent_at)
            ply = position.get("ply", ply)
            private = message.get("private")
            if private and private["moves"]:
                await self._move(socket, ply, private["moves"])
            if position.get("result"):
                await self._request_rematch(socket)

    async def _request_rematch(self, socket: ClientConnection) -> None:
        """The first request opens the new table; both players get there."""
        if self._sent_at:  # the first one counts the game
            self._sent_at = 0.0
            self._counters.games += 1
        await socket.send('{"type": "rematch", "id": "rematch", "start": true}')

    async def _move(self, socket: ClientConnection, ply: int, legal: dict[str, Any]) -> None:
        low, high = self._think_time_s
        if high:
            await asyncio.sleep(self._rng.uniform(low, high))
        move = self._choose(legal)
        self._sent_at = time.perf_counter()
        command = {"type": "play", "id": str(ply), "ply": ply, "move": move}
        await socket.send(msgspec.json.encode(command).decode())

    def _choose(self, legal: dict[str, Any]) -> str:
        rng = self._rng
        match legal["kind"]:
            case "select":
                chosen = (
                    "".join(map(str, sorted(rng.sample(sizes_in(supply), legal["blocks"]))))
                    for supply in legal["supplies"].values()
                )
                return f"[{'|'.join(chosen)}]"
            case "build":
                groups = legal["placements"]
                [group] = rng.choices(groups, [len(group["sites"]) for group in groups])
                return f"{rng.choice(group['sites'])}+{rng.choice(group['blocks'])}"
        return str(rng.choice(legal["moves"]))
