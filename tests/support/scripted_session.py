"""A scripted session at a table: players and spectators send every command, legal and illegal."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from random import Random
from types import TracebackType
from typing import Any, Self

from manhattan.game import Game
from manhattan.rules import SITES, Build, Colour, Move, Reason, parse_move
from support.recording_client import Json, RecordingClient, game_of, state_of, wait_for_people
from support.server_fixtures import RunningServer


class ScriptedSession:
    """A table with its players and spectators."""

    def __init__(
        self, server: RunningServer, people: int, seats: Sequence[Json], **options: Any
    ) -> None:
        """Open a table whose host starts, and connect everyone."""
        self._stack = ExitStack()
        self.server = server
        self.rng = Random(len(seats))
        self.players = [self._join(name) for name in ("Ada", "Bob", "Cyd", "Dan")[:people]]
        self.spectator = self._join("Olga")
        self.stranger = self._join(None)
        self.phone = self._join("Ada's phone")
        self.secrets: list[str] = []
        host, *guests = self.players
        own = [number for number, seat in enumerate(seats) if seat["occupant"] in ("me", "here")]
        seats = [
            seat | ({"nonce_hash": hash_of(nonce(number))} if number in own else {})
            for number, seat in enumerate(seats)
        ]
        self.table = host.call(
            "POST", "/api/tables", {"seats": seats, "bot_delay_ms": 0, "first": 0} | options
        )["id"]
        for number, guest in enumerate(guests, len(seats)):
            guest.call("POST", f"{self.path}/seats", {"nonce_hashes": [hash_of(nonce(number))]})
        for one in self.clients:
            one.watch(self.table)
        host.call("POST", f"{self.path}/start")
        host.call("POST", f"{self.path}/nonces", {"nonces": list(map(nonce, own))})
        for number, guest in enumerate(guests, len(seats)):
            guest.call("POST", f"{self.path}/nonces", {"nonces": [nonce(number)]})

    def _join(self, name: str | None) -> RecordingClient:
        return self._stack.enter_context(RecordingClient(self.server, name))

    @property
    def path(self) -> str:
        return f"/api/tables/{self.table}"

    @property
    def clients(self) -> list[RecordingClient]:
        return [*self.players, self.spectator, self.stranger, self.phone]

    @property
    def game(self) -> Game:
        return game_of(self.server, self.table)

    @property
    def mover(self) -> RecordingClient:
        """The client of the person to move."""
        return self.holder_of(wait_for_people(self.server, self.table).public.mover)

    def holder_of(self, seat: int) -> RecordingClient:
        """Return the client whose person holds a seat."""
        person = state_of(self.server, self.table).seats[seat].person
        assert person is not None
        return next(one for one in self.clients if one.person == person)

    def others(self) -> list[RecordingClient]:
        return [one for one in self.clients if one is not self.mover]

    def play(self, plies: int) -> None:
        """Play a number of people's random moves, or until the game is over."""
        for _ in range(plies):
            game = wait_for_people(self.server, self.table)
            if game.is_over:
                return
            move = self.rng.choice(game.legal_moves())
            message = self.mover.execute("play", ply=game.ply, move=str(move))
            assert message["type"] == "update", message

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()


# Parts of a session.


def nonce(number: int) -> str:
    """Return a client's part of the seed: the same in every session."""
    return hashlib.sha256(b"nonce %d" % number).hexdigest()


def hash_of(nonce: str) -> str:
    return hashlib.sha256(bytes.fromhex(nonce)).hexdigest()


def request_everything(session: ScriptedSession) -> None:
    """Let each client send every request."""
    for one in session.clients:
        for what in ("me", "catalog", "tables", "tables?stage=playing", "tables?stage=over"):
            assert one.request("GET", f"/api/{what}").status_code == 200
        for what in (
            "games",
            "games?state=running",
            "statistics",
            "devices",
            "passkeys",
            "recovery-codes",
            "export",
        ):
            path = f"/api/me/{what}"
            assert one.request("GET", path).status_code == (200 if one.name else 401)
        one.request("GET", f"/api/me/games/{session.table}")
        assert one.request("GET", session.path).status_code == 200
        assert one.request("GET", f"{session.path}/record").status_code == 200
        for path in (f"{session.path}/preview.png", f"/table/{session.table}"):
            assert one.request("GET", path).status_code == 200
        for path in ("/metrics", "/healthz", "/api/nothing", f"{session.path}/hint"):
            one.request("GET", path)
    if not session.game.is_over:
        for one in session.others():
            assert one.request("POST", f"{session.path}/hint").status_code in (401, 403, 409)
            assert one.request("POST", f"{session.path}/evaluation").status_code in (401, 403, 409)


def illegal_moves_by_reason(game: Game) -> dict[Reason, Move]:
    """Return an illegal move for each reason that exists in the position."""
    blocks = ["1", "111111", "444444", "4444|4444", "1|1"]
    colours = (None, *Colour)
    tried: list[Move] = [parse_move(f"[{each}]") for each in blocks]
    tried += [parse_move(f"-{size}{c.letter if c else ''}") for size in (1, 4) for c in colours]
    tried += [Build(site, size, c) for site in SITES for size in (1, 2, 3, 4) for c in colours]
    return {refused.reason: move for move in tried if (refused := game.why_not(move))}


def try_illegal_commands(session: ScriptedSession) -> None:
    """Let the mover try illegal moves, and everyone else the mover's legal ones."""
    mover = session.mover
    game = session.game
    legal = str(session.rng.choice(game.legal_moves()))
    for reason, move in illegal_moves_by_reason(game).items():
        assert mover.execute("play", ply=game.ply, move=str(move))["reason"] == reason
        assert mover.execute("why", move=str(move))["problem"]["reason"] == reason
    assert mover.execute("why", move=legal)["problem"] is None
    for ply in (max(0, game.ply - 1) or 7, game.ply + 1):
        assert mover.execute("play", ply=ply, move=legal)["type"] == "error"
    for one in session.others():
        for move_text in (legal, "A1+4", "hello"):
            assert one.execute("play", ply=game.ply, move=move_text)["type"] == "error"
            one.execute("why", move=move_text)
    for one in session.clients:
        for kind, what in (
            ("answer_undo", {"accept": True}),
            ("resume", {}),
            ("undo", {"ply": 999}),
        ):
            assert one.execute(kind, **what)["type"] == "error"
        assert one.execute("resign", player=9)["type"] == "error"
    assert game is session.game


def send_chat(session: ScriptedSession) -> None:
    for one in session.clients:
        message = one.execute("chat", text="What do you hold?")
        assert message["type"] == ("update" if one.name else "error")


def undo_last_move(session: ScriptedSession) -> None:
    """Request an undo of the last move twice: it is refused first, and then accepted."""
    game = session.game
    asker = session.holder_of(game.mover_at(game.ply - 1))
    for accept in (False, True):
        assert asker.execute("undo", ply=game.ply)["type"] == "update"
        for one in session.clients:
            if state_of(session.server, session.table).undo is not None:
                one.execute("answer_undo", accept=accept)
    assert session.game.ply == game.ply - 1


def reconnect_everyone(session: ScriptedSession) -> None:
    """Let each client reconnect with different numbers of received updates."""
    number = state_of(session.server, session.table).number
    for one in session.clients:
        one.catch_up()
        for since in (0, number - 9, 99999999):
            one.watch(session.table, since)


def transfer_seat(session: ScriptedSession, seat: int) -> None:
    """Transfer a seat to the phone; the old client stays connected."""
    old = session.holder_of(seat)
    secret = old.call("POST", f"{session.path}/seat-transfers", {"seat": seat})["secret"]
    session.secrets.append(secret)
    session.phone.call("POST", f"{session.path}/seat-transfers/claim", {"secret": secret})
    assert session.holder_of(seat) is session.phone
    again = old.request("POST", f"{session.path}/seat-transfers/claim", {"secret": secret})
    assert again.json()["reason"] == "transfer_expired"


def rejection_reasons(session: ScriptedSession) -> set[str]:
    """Return the reasons of all rejections of the session."""
    messages = [received.message for one in session.clients for received in one.received]
    problems = [message.get("problem") or message for message in messages]
    return {problem["reason"] for problem in problems if "reason" in problem}
