"""Playing on a server from a program: say a name, take a chair, make moves.

    me = Client("http://127.0.0.1:8000", "My bot")
    table = me.open(chairs=[{"who": "me"}, {"who": "bot", "level": "easy"}], begin=True)
    with me.at(table) as seat:
        for turn in seat.turns():
            seat.play(turn.moves[0])

A connection that breaks is made again; what was missed is fetched, and a move that was sent
meanwhile is made once, or refused.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from itertools import count
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote, urlsplit

from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.http11 import Response
from websockets.sync.client import ClientConnection, connect

from manhattan.rules import ManhattanError
from manhattan.rules.legality import selections

Json = dict[str, Any]
_PATIENCE: Final = 30.0
"""Seconds to try again and again, when a server is away."""
_PAUSE: Final = 0.3
_GOODBYE: Final = 1.0
"""Seconds that the server's goodbye is waited for: behind news that nobody reads it never comes."""
_REFUSAL: Final = frozenset({"reason", "figures", "text"})
"""What every refusal of ours tells."""


class Refused(ManhattanError):
    """The server does not do what it was asked for. Nothing was changed by it, unless the reason is
    ``storage_away``: then look at the table again."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        super().__init__(str(told["text"]))
        self.reason: str = told["reason"]
        self.figures: Json = told["figures"]


class Away(ManhattanError):
    """The server does not answer."""


@dataclass(frozen=True, slots=True)
class Turn:
    """It is your turn: what you see and what you may do."""

    player: int
    """Whose turn it is, by his place at the table."""
    ply: int
    """How many moves were made so far."""
    hand: tuple[int, ...]
    moves: tuple[str, ...]
    """Every legal move."""
    prospects: Mapping[str, Json] = field(default_factory=dict)
    """For each placement: its card, whom it takes the tower from, and what it would gain."""
    position: Json = field(default_factory=dict, repr=False)
    """What lies open on the table."""
    table: Json = field(default_factory=dict, repr=False)
    """Who sits where, and by which rules."""


class Client:
    """Somebody on a server."""

    def __init__(
        self, address: str, name: str, *, cookie: str = "", patience: float = _PATIENCE
    ) -> None:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        self._secure = parts.scheme == "https"
        self._host = parts.netloc
        self._patience = patience
        self.cookie = cookie
        """By this the server knows who one is: with it one is the same person next time. What
        stands before a server may have put something of its own beside it."""
        self.name = str(self._asked("name", "PUT", "/api/me", {"name": name}))

    def open(self, *, begin: bool = False, **terms: Any) -> str:
        """Open a table, and tell its name. What can be said is described in docs/server.md."""
        path = f"/api/tables?begin={str(begin).lower()}"
        return str(self._asked("id", "POST", path, terms))

    def tables(self, stage: str = "gathering") -> list[Json]:
        """The public tables."""
        found: list[Json] = self._asked("tables", "GET", f"/api/tables?stage={stage}")
        return found

    def sit(self, table: str, chair: int | None = None) -> Json:
        """Take a chair: a certain one, or any that is open."""
        return self.call("POST", f"/api/tables/{table}/sit", {"chair": chair})

    def leave(self, table: str) -> Json:
        """Get up again, before the game."""
        return self.call("POST", f"/api/tables/{table}/leave")

    def begin(self, table: str) -> Json:
        """Deal, as who has opened the table."""
        return self.call("POST", f"/api/tables/{table}/begin")

    def record(self, table: str) -> Json:
        """The saved game."""
        return self.call("GET", f"/api/tables/{table}/record")

    def at(self, table: str) -> Seat:
        """Look at a table, and play if you have a chair there."""
        scheme = "wss" if self._secure else "ws"
        return Seat(f"{scheme}://{self._host}", table, self.cookie, self._patience)

    def call(self, method: str, path: str, body: object = None) -> Json:
        """Ask the server something that has no method here."""
        kind = HTTPSConnection if self._secure else HTTPConnection
        http = kind(self._host, timeout=self._patience)
        headers = {"Content-Type": "application/json"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        try:
            http.request(method, path, None if body is None else json.dumps(body), headers)
            answer = http.getresponse()
            said = answer.read()
        except (OSError, HTTPException, ValueError) as error:
            raise Away(f"The server at {self._host} does not answer: {error}.") from error
        finally:
            http.close()
        self.cookie = _kept(self.cookie, answer.headers.get_all("Set-Cookie", []))
        told = _object(said)
        if told is None or answer.status >= 300:
            raise self._refused(answer.status, answer.reason, told)
        return told

    def _asked(self, part: str, method: str, path: str, body: object = None) -> Any:
        """A part of an answer."""
        told = self.call(method, path, body)
        if part not in told:
            raise self._stranger(f"an answer without {part}")
        return told[part]

    def _refused(self, status: int, phrase: str, told: Json | None) -> ManhattanError:
        """Why nothing comes of a question: the server tells it, or what stands before it does."""
        if refused := _refusal(told):
            return refused
        if 300 <= status < 500:
            return _foreign(f"The server at {self._host} does not do that", status, phrase)
        return self._stranger(f"{status} {phrase}")

    def _stranger(self, what: str) -> Away:
        return Away(
            f"The server at {self._host} does not answer: what comes from there, {what}, is not "
            "Manhattan's."
        )


class Seat:
    """A table, seen through a websocket."""

    def __init__(self, server: str, table: str, cookie: str, patience: float) -> None:
        self._server = server
        self._name = table
        self._cookie = cookie
        self._patience = patience
        self._socket: ClientConnection | None = None
        self._opened = ExitStack()
        self._number: int | None = None
        self._ids = count(1)
        self._stamp = f"{time.time_ns():x}"
        self.table: Json = {}
        self.position: Json = {}
        self.own: Json = {}

    @property
    def over(self) -> bool:
        """Is the game over, or will there be none?"""
        return self.table.get("stage") in ("over", "closed")

    def news(self) -> Iterator[Json]:
        """Every message of the server, as it comes; what it changes is seen to."""
        while True:
            yield self._next()

    def turns(self) -> Iterator[Turn]:
        """Each time that it is your turn, until the game is over."""
        if self._number is None:
            self._next()
        while not self.over:
            seen = self._number
            if self.own.get("moves") and not self._played_for():
                yield self._turn()
            if seen == self._number and not self.over:  # whoever has moved may be to move again
                self._next()

    def play(self, move: str) -> Json:
        """Make a move; the news of it come back."""
        return self.ask("play", ply=self.position["ply"], move=move)

    def say(self, text: str) -> Json:
        """Say something to all."""
        return self.ask("say", text=text)

    def resign(self) -> Json:
        """Give up; a bot plays on."""
        return self.ask("resign")

    def again(self, *, begin: bool = False) -> None:
        """Play again with the same people, when the game is over: from then on this is the seat at
        the new table. Whoever asks first opens it, and may have the cards dealt at once."""
        self.ask("again", begin=begin)

    def ask(self, kind: str, **what: Any) -> Json:
        """Send a command, and wait for its answer. It is sent again if the connection breaks:
        by its name the server knows that it is the same."""
        command = {"type": kind, "id": f"{self._stamp}-{next(self._ids)}", **what}
        text = json.dumps(command)
        socket = self._send(text)
        while True:
            told = self._next()
            if told.get("answers") == command["id"]:
                if told["type"] == "refused":
                    raise Refused(told)
                return told
            if self._socket is not socket:  # it broke meanwhile
                socket = self._send(text)

    def close(self) -> None:
        """Look away. The chair stays yours."""
        self._drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _turn(self) -> Turn:
        told = self.own["moves"]
        prospects: dict[str, Json] = {}
        match told["kind"]:
            case "select":
                supplies = tuple(tuple(stock) for stock in told["supplies"].values())
                moves = tuple(map(str, selections(supplies, told["blocks"])))
            case "build":
                prospects = {
                    move: {"card": place["card"], "takes_from": place["takes_from"], "gains": gains}
                    for place in told["places"]
                    for move, gains in zip(place["moves"], place["gains"], strict=True)
                }
                moves = tuple(prospects)
            case _:
                moves = tuple(told["moves"])
        return Turn(
            self.own["player"],
            self.position["ply"],
            tuple(self.own["hand"]),
            moves,
            prospects,
            self.position,
            self.table,
        )

    def _played_for(self) -> bool:
        return bool(self.table["chairs"][self.own["player"]]["played_for"])

    def _send(self, text: str) -> ClientConnection:
        while True:
            socket = self._connected()
            with suppress(WebSocketException, OSError):
                socket.send(text)
                return socket
            self._next()  # what was said before it broke may be the reason

    def _next(self) -> Json:
        until: float | None = None
        while True:
            socket = self._connected()
            try:
                told: Json = json.loads(socket.recv())
            except (WebSocketException, OSError):
                self._drop()
                continue
            if _for_now(told):  # the server is there, but can't show the table
                until = until or time.monotonic() + self._patience
                if time.monotonic() < until:
                    self._drop()
                    time.sleep(_PAUSE)
                    continue
            self._take_in(told)
            return told

    def _take_in(self, told: Json) -> None:
        match told["type"]:
            case "view":
                self._number = told["number"]
                self.table = told["table"]
                self._name = self.table["id"]
                self.position = told["position"] or {}
                self.own = told["own"] or {}
            case "news":
                self._number = told["number"] + 1
                self.table = told.get("table", self.table)
                self.own = told.get("own", self.own) or {}
                changes = dict(told.get("changes", {}))
                towers = self.position.get("towers", {}) | changes.pop("towers", {})
                standing = {site: tower for site, tower in towers.items() if tower}
                self.position = self.position | changes | {"towers": standing}
            case "refused" if told["answers"] is None:
                raise Refused(told)

    def _drop(self) -> None:
        self._socket = None
        with suppress(WebSocketException, OSError):
            self._opened.close()

    def _connected(self) -> ClientConnection:
        """The connection; a new one if it broke."""
        until = time.monotonic() + self._patience
        while self._socket is None:
            address = f"{self._server}/api/tables/{quote(self._name, safe='')}/socket"
            since = "" if self._number is None else f"?since={self._number}"
            try:
                self._socket = self._opened.enter_context(
                    connect(
                        address + since,
                        additional_headers={"Cookie": self._cookie},
                        close_timeout=_GOODBYE,
                    )
                )
            except (WebSocketException, OSError) as error:
                if isinstance(error, InvalidStatus) and error.response.status_code < 500:
                    raise _refused(error.response) from error  # it would be again
                if time.monotonic() > until:
                    raise Away(f"The server does not answer: {error}.") from error
                time.sleep(_PAUSE)
        return self._socket


def _refused(response: Response) -> Refused:
    """Why there is no websocket, as far as the server, or what stands before it, tells."""
    status, phrase = response.status_code, response.reason_phrase
    what = "There is no websocket at this address"
    return _refusal(_object(response.body or b"")) or _foreign(what, status, phrase)


def _refusal(told: Json | None) -> Refused | None:
    """A refusal in our own words, if it is one."""
    return Refused(told) if told is not None and told.keys() >= _REFUSAL else None


def _foreign(what: str, status: int, phrase: str) -> Refused:
    """A refusal in the words of HTTP: all that can be said of what is not ours."""
    said = f"{what}: the server answers {status} {phrase}."
    return Refused({"reason": "http", "figures": {"status": status}, "text": said})


def _object(said: bytes | bytearray) -> Json | None:
    """What was said, if it is what the API says: a JSON object."""
    try:
        told = json.loads(said)
    except ValueError:
        return None
    return told if isinstance(told, dict) else None


def _kept(cookies: str, news: list[str]) -> str:
    """Cookies as they are shown, after an answer that sets some: each by its name, since what
    stands before a server has its own. One that is over is shown no more."""
    kept = dict(one.strip().split("=", 1) for one in cookies.split(";") if "=" in one)
    for cookie in news:
        (name, value), *more = (part.strip().partition("=")[::2] for part in cookie.split(";"))
        how = {name.lower(): value for name, value in more}
        kept.pop(name, None)
        if not _is_over(how):
            kept[name] = value
    return "; ".join(f"{name}={value}" for name, value in kept.items())


def _is_over(how: Mapping[str, str]) -> bool:
    with suppress(ValueError):
        if "max-age" in how:
            return int(how["max-age"]) <= 0
        if "expires" in how:
            return parsedate_to_datetime(how["expires"]).timestamp() <= time.time()
    return False


def _for_now(told: Json) -> bool:
    """Is somebody who comes to a table refused only at the moment?"""
    refused = told["type"] == "refused" and told["answers"] is None
    return refused and told["reason"] in ("storage_away", "busy")
