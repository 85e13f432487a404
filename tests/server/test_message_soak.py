"""Random messages over websockets, as many as ``--messages`` says: memory stays flat.

``pytest tests/server/test_message_soak.py --messages 1000000`` is the long run.
"""

from __future__ import annotations

import json
import string
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from manhattan.bench.server.load import memory_mb
from manhattan.client import Client
from support.server_fixtures import Process
from support.websocket_frames import BINARY, PING, PONG, TEXT, WebSocketClient, frame

pytestmark = pytest.mark.process

BATCH = 250
DIFFERENT = 20_000
SHARED_SCREEN = [{"occupant": "me"}, {"occupant": "here", "name": "Bea"}]
FIELDS = {
    "play": ["ply", "move"],
    "undo": ["ply"],
    "answer_undo": ["accept"],
    "resign": ["player"],
    "resume": ["player"],
    "chat": ["text"],
    "why": ["move"],
    "ping": [],
    "nothing": [],
}
MOVES = ["[1111|1111]", "C3+3", "A1+1", "E5+4", "", "x" * 50]


def random_value(rng: Random, depth: int = 0) -> Any:
    kind = rng.randrange(8 if depth < 3 else 6)
    match kind:
        case 0:
            return None
        case 1:
            return rng.random() < 0.5
        case 2:
            return rng.choice([0, 1, -1, 10**9, 2**63, 10**40, rng.randrange(200)])
        case 3:
            return rng.uniform(-1e9, 1e9)
        case 4:
            return "".join(rng.choices(string.printable + "äß🎲\u202e\u0000", k=rng.randrange(60)))
        case 5:
            return rng.choice(MOVES)
        case 6:
            return [random_value(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {rng.choice(["type", "id", "ply", "move", "x"]): random_value(rng, depth + 1)}


def random_command(rng: Random) -> str:
    """Return a command; two of three are well-formed."""
    kind = rng.choice(list(FIELDS))
    values = {
        "ply": rng.randrange(90),
        "move": rng.choice(MOVES),
        "text": "Hello",
        "accept": rng.random() < 0.5,
        "player": rng.randrange(3),
    }
    fields: dict[str, Any] = {"type": kind, "id": f"{rng.randrange(10**6)}"}
    fields |= {name: values[name] for name in FIELDS[kind]}
    if rng.random() < 0.3:
        fields[rng.choice([*fields, "x"])] = random_value(rng)
    return json.dumps(fields)


def random_frame(rng: Random) -> bytes:
    kind = rng.randrange(10)
    if kind < 6:
        return frame(TEXT, random_command(rng).encode())
    if kind == 6:
        return frame(TEXT, json.dumps(random_value(rng)).encode())
    if kind == 7:
        return frame(TEXT, "".join(rng.choices(string.printable, k=rng.randrange(300))).encode())
    if kind == 8:
        return frame(BINARY, rng.randbytes(rng.randrange(200)))
    return frame(rng.choice([PING, PONG]), rng.randbytes(rng.randrange(100)))


def test_memory_stays_flat(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    messages: int = request.config.getoption("--messages")
    rng = Random(7)
    frames = [random_frame(rng) for _ in range(DIFFERENT)]
    server = Process(str(tmp_path / "tables.db"))
    try:
        with ExitStack() as stack:
            clients = []
            for name in ("Ada", "Bob", "Cid", "Dot"):
                person = Client(server.address, name)
                table = person.open_table(seats=SHARED_SCREEN, start=True)
                client = WebSocketClient(server.port, person.cookie, table)
                clients.append(stack.enter_context(client))
            memory, sent, started = [], 0, time.monotonic()
            while sent < messages:
                for client in clients:
                    client.send_batch(rng.choices(frames, k=BATCH), f"end {sent}")
                    sent += BATCH + 1
                memory.append(memory_mb(server.pid))
            seconds = time.monotonic() - started
    finally:
        server.stop()
    early = max(memory[: max(1, len(memory) // 5)])
    print(
        f"{sent:,} messages in {seconds:.0f} s; memory {memory[0]:.0f} MB at first, "
        f"{early:.0f} MB after a fifth, {memory[-1]:.0f} MB at the end"
    )
    assert max(memory) < 1.1 * early + 5
