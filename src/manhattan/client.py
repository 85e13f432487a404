"""Client of a Manhattan server: register a name, take a seat, play moves.

    client = Client("http://127.0.0.1:8000", "My bot")
    seats = [{"occupant": "me"}, {"occupant": "bot", "level": "easy"}]
    with client.connect(client.open_table(seats=seats, start=True)) as table:
        for turn in table.turns():
            table.play(turn.moves[0])

The client takes part in drawing the shuffles' seed: it sends the hash of a nonce with its seat, and
reveals the nonce when the game starts. ``Client.check_deal`` checks a finished game against what
the client saw of it.

A lost connection is made again, and the missed updates are fetched. A command that was sent
meanwhile is sent again with the same id, its idempotency key, so the server executes it once.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
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

from manhattan.fair_deal import DealWitness, Verdict
from manhattan.rules import ManhattanError, Side, Site
from manhattan.rules.board import card_for
from manhattan.rules.legality import selections

Json = dict[str, Any]
TIMEOUT_S: Final = 30.0
"""How long the client tries to reach a server."""
_RETRY_DELAY_S: Final = 0.3
_CLOSE_TIMEOUT_S: Final = 1.0
"""How long the client waits for the server's close frame, which may be behind unread updates."""
_MOST_SEATS: Final = 4
"""People at one client, for whom a rematch may offer seats."""
_PROBLEM_FIELDS: Final = frozenset({"reason", "params", "text"})
_TEMPORARY: Final = frozenset({"storage_unavailable", "busy"})
"""Reasons for which a connection is worth another try."""


class RequestRejected(ManhattanError):
    """The server rejected a request or a command, which changed nothing. Only after the reason
    ``storage_unavailable`` it may have been executed: check the table again."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        super().__init__(str(problem["text"]))
        self.reason: str = problem["reason"]
        self.params: Json = problem["params"]


class ServerUnavailable(ManhattanError):
    """The server doesn't answer."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Your turn: what you see, and what you may do."""

    player: int
    """Your place in the turn order."""
    ply: int
    """The number of moves so far."""
    hand: tuple[int, ...]
    moves: tuple[str, ...]
    """Every legal move."""
    placements: Mapping[str, Json] = field(default_factory=dict)
    """By move: the card that a placement needs, the colour that loses the tower, and the gains of
    all players."""
    position: Json = field(default_factory=dict, repr=False)
    """The public state of the game."""
    table: Json = field(default_factory=dict, repr=False)
    """The seats and the options of the table."""


class Client:
    """A person on a server."""

    def __init__(
        self,
        address: str,
        name: str,
        *,
        cookie: str = "",
        timeout: float = TIMEOUT_S,
        takes_part: bool = True,
    ) -> None:
        """With ``takes_part``, the client takes part in drawing the seeds of its games. A deal
        waits some seconds for the nonces of clients that are not connected to the table."""
        parts = urlsplit(address if "://" in address else f"http://{address}")
        self._is_https = parts.scheme == "https"
        self._host = parts.netloc
        self._timeout = timeout
        self.cookie = cookie
        """Identifies the person, also in a later session. A proxy may have added its own."""
        self._witness = DealWitness()
        self._takes_part = takes_part
        self.name = str(self._request_with("name", "PUT", "/api/me", {"name": name})["name"])

    def open_table(self, *, start: bool = False, **options: Any) -> str:
        """Open a table and return its id. docs/reference/protocol.md describes the options."""
        path = f"/api/tables?start={str(start).lower()}"
        if "seats" in options:
            options["seats"] = [self._with_nonce(seat) for seat in options["seats"]]
        return str(self._take_part(self._request_with("id", "POST", path, options))["id"])

    def list_tables(self, stage: str = "lobby") -> list[Json]:
        """List the public tables of a stage."""
        path = f"/api/tables?stage={stage}"
        tables: list[Json] = self._request_with("tables", "GET", path)["tables"]
        return tables

    def take_seat(self, table: str, seat: int | None = None) -> Json:
        """Take a certain seat, those that a rematch offers you, or the first open one."""
        path = f"/api/tables/{table}/seats"
        body = {"nonce_hashes": self._draw_nonces(_MOST_SEATS if seat is None else 1)}
        return self._take_part(
            self.request("POST", path if seat is None else f"{path}/{seat}", body)
        )

    def leave_table(self, table: str) -> Json:
        """Give up your seat before the game."""
        return self.request("POST", f"/api/tables/{table}/leave")

    def start_game(self, table: str) -> Json:
        """Start the game, as the host. The cards are dealt when all clients have revealed their
        nonces: those of other people do so while they are connected."""
        return self._take_part(self.request("POST", f"/api/tables/{table}/start"))

    def record(self, table: str) -> Json:
        """Download the record of a game."""
        return self.request("GET", f"/api/tables/{table}/record")

    def check_deal(self, table: str) -> Verdict:
        """Check a finished game: the record, and whether it fits what this client saw.

        ``joint``: the client's nonce is part of the seed. ``missing``: the cards were dealt without
        it. ``watched``: the client had none. Raises ``UnfairDeal`` if something doesn't fit.
        """
        return self._witness.check(table, self.record(table))

    def connect(self, table: str) -> TableConnection:
        """Watch a table, and play if you have a seat there."""
        scheme = "wss" if self._is_https else "ws"
        return TableConnection(
            f"{scheme}://{self._host}",
            table,
            self.cookie,
            self._timeout,
            self._take_part,
            self._draw_nonces,
        )

    def request(self, method: str, path: str, body: object = None) -> Json:
        """Send a request to the HTTP API and return the body of the response."""
        connection_class = HTTPSConnection if self._is_https else HTTPConnection
        http = connection_class(self._host, timeout=self._timeout)
        headers = {"Content-Type": "application/json"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        try:
            http.request(method, path, None if body is None else json.dumps(body), headers)
            response = http.getresponse()
            content = response.read()
        except (OSError, HTTPException, ValueError) as error:
            raise ServerUnavailable(
                f"The server at {self._host} doesn't answer: {error}.{_advice(error)}"
            ) from error
        finally:
            http.close()
        self.cookie = _update_cookies(self.cookie, response.headers.get_all("Set-Cookie", []))
        payload = _parse_object(content)
        if payload is None or response.status >= 300:
            raise self._error_of(response.status, response.reason, payload)
        return payload

    def _request_with(self, name: str, method: str, path: str, body: object = None) -> Json:
        """Send a request and return the response, which has a certain field."""
        payload = self.request(method, path, body)
        if name not in payload:
            raise self._not_manhattan(f"a response without {name}")
        return payload

    def _with_nonce(self, seat: Any) -> Any:
        """Add the hash of a nonce to a seat for a person at this client."""
        if not isinstance(seat, Mapping) or seat.get("occupant") not in ("me", "here"):
            return seat
        hashes = self._draw_nonces(1)
        return {"nonce_hash": hashes[0], **seat} if hashes else seat

    def _draw_nonces(self, count: int) -> list[str]:
        return self._witness.draw_nonces(count) if self._takes_part else []

    def _take_part(self, table: Json) -> Json:
        """Note what a table shows of its deal, and reveal the client's nonces when they are due;
        return the table then. If that fails, the cards are dealt without them."""
        nonces = self._witness.see(table)
        if not nonces:
            return table
        path = f"/api/tables/{table['id']}/nonces"
        try:
            table = self.request("POST", path, {"nonces": nonces})
        except RequestRejected as error:
            if error.reason != "already_revealed":
                return table
        except ServerUnavailable:
            return table
        self._witness.note_revelation(table["id"])
        return table

    def _error_of(self, status: int, phrase: str, payload: Json | None) -> ManhattanError:
        """Explain a failed request by the server's words, or those of a proxy before it."""
        if rejection := _rejection_of(payload):
            return rejection
        if 300 <= status < 500:
            return _http_rejection(f"The server at {self._host} doesn't do that", status, phrase)
        return self._not_manhattan(f"{status} {phrase}")

    def _not_manhattan(self, what: str) -> ServerUnavailable:
        return ServerUnavailable(
            f"The server at {self._host} doesn't answer: what comes from there, {what}, is not "
            "Manhattan's."
        )


class TableConnection:
    """A table, seen through a websocket."""

    def __init__(
        self,
        server: str,
        table: str,
        cookie: str,
        timeout: float,
        take_part: Callable[[Json], Json] = lambda table: table,
        draw_nonces: Callable[[int], list[str]] = lambda _: [],
    ) -> None:
        """``take_part`` gets the table whenever it has changed, and reveals nonces when they are
        due; ``draw_nonces`` returns the hashes of new ones."""
        self._take_part = take_part
        self._draw_nonces = draw_nonces
        self._server = server
        self._table_id = table
        self._cookie = cookie
        self._timeout = timeout
        self._socket: ClientConnection | None = None
        self._resources = ExitStack()
        self._next_number: int | None = None
        self._command_numbers = count(1)
        self._session = f"{time.time_ns():x}"
        self.table: Json = {}
        self.position: Json = {}
        self.private: Json = {}

    @property
    def is_over(self) -> bool:
        """Whether the game is over, or the table closed."""
        return self.table.get("stage") in ("over", "closed")

    def messages(self) -> Iterator[Json]:
        """Yield the server's messages as they come, after applying them."""
        while True:
            yield self._receive()

    def turns(self) -> Iterator[Turn]:
        """Yield each of your turns, until the game is over."""
        if self._next_number is None:
            self._receive()
        while not self.is_over:
            number = self._next_number
            if self.private.get("moves") and not self._is_bot_controlled():
                yield self._turn()
            if number == self._next_number and not self.is_over:  # a move may lead to another turn
                self._receive()

    def play(self, move: str) -> Json:
        """Play a move, and return the update that it caused."""
        return self.send("play", ply=self.position["ply"], move=move)

    def chat(self, text: str) -> Json:
        """Send a chat message to everyone at the table."""
        return self.send("chat", text=text)

    def resign(self) -> Json:
        """Resign; a bot plays on."""
        return self.send("resign")

    def rematch(self, *, start: bool = False) -> None:
        """Play again with the same people, after the game: from then on this is the connection to
        the new table. The first person who asks opens it, and the others accept their seats by
        asking, too. With ``start``, the game starts when all have accepted."""
        own = sum(seat["you"] for seat in self.table.get("seats", ()))
        self.send("rematch", start=start, nonce_hashes=self._draw_nonces(own))

    def send(self, command: str, **fields: Any) -> Json:
        """Send a command and return its answer. If the connection breaks, the command is sent again
        with the same id."""
        id = f"{self._session}-{next(self._command_numbers)}"
        text = json.dumps({"type": command, "id": id, **fields})
        socket = self._transmit(text)
        while True:
            message = self._receive()
            if message.get("reply_to") == id:
                if message["type"] == "error":
                    raise RequestRejected(message)
                return message
            if self._socket is not socket:  # the connection broke
                socket = self._transmit(text)

    def close(self) -> None:
        """Close the connection. The seat remains yours."""
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
        legal = self.private["moves"]
        placements: dict[str, Json] = {}
        match legal["kind"]:
            case "select":
                supplies = tuple(tuple(stock) for stock in legal["supplies"].values())
                moves = tuple(map(str, selections(supplies, legal["blocks"])))
            case "build":
                side = Side(self.table["seats"][self.private["player"]]["side"])
                placements = {
                    f"{site}+{block}": {
                        "card": card_for(side, Site.parse(site)),
                        "takes_from": group["takes_from"],
                        "gains": gains,
                    }
                    for group in legal["placements"]
                    for site in group["sites"]
                    for block, gains in zip(group["blocks"], group["gains"], strict=True)
                }
                moves = tuple(placements)
            case _:
                moves = tuple(legal["moves"])
        return Turn(
            self.private["player"],
            self.position["ply"],
            tuple(self.private["hand"]),
            moves,
            placements,
            self.position,
            self.table,
        )

    def _is_bot_controlled(self) -> bool:
        return bool(self.table["seats"][self.private["player"]]["bot_controlled"])

    def _transmit(self, text: str) -> ClientConnection:
        while True:
            socket = self._connected()
            with suppress(WebSocketException, OSError):
                socket.send(text)
                return socket
            self._receive()  # the server may have explained why it closed the connection

    def _receive(self) -> Json:
        deadline: float | None = None
        while True:
            socket = self._connected()
            try:
                message: Json = json.loads(socket.recv())
            except (WebSocketException, OSError):
                self._drop()
                continue
            if _is_temporary_error(message):  # the server is there, but can't show the table
                deadline = deadline or time.monotonic() + self._timeout
                if time.monotonic() < deadline:
                    self._drop()
                    time.sleep(_RETRY_DELAY_S)
                    continue
            self._apply(message)
            return message

    def _apply(self, message: Json) -> None:
        match message["type"]:
            case "view":
                self._next_number = message["number"]
                self.table = message["table"]
                self._table_id = self.table["id"]
                self.position = message["position"] or {}
                self.private = message["private"] or {}
                self._take_part(self.table)
            case "update":
                self._next_number = message["number"] + 1
                self.table = message.get("table", self.table)
                self.private = message.get("private", self.private)
                patch = dict(message.get("patch", {}))
                towers = self.position.get("towers", {}) | patch.pop("towers", {})
                remaining = {site: tower for site, tower in towers.items() if tower}
                self.position = self.position | patch | {"towers": remaining}
                if "table" in message:
                    self._take_part(self.table)
            case "error" if message["reply_to"] is None:
                raise RequestRejected(message)

    def _drop(self) -> None:
        self._socket = None
        with suppress(WebSocketException, OSError):
            self._resources.close()

    def _connected(self) -> ClientConnection:
        """Return the connection, after making a new one if it is lost."""
        deadline = time.monotonic() + self._timeout
        while self._socket is None:
            address = f"{self._server}/api/tables/{quote(self._table_id, safe='')}/socket"
            since = "" if self._next_number is None else f"?since={self._next_number}"
            try:
                self._socket = self._resources.enter_context(
                    connect(
                        address + since,
                        additional_headers={"Cookie": self._cookie},
                        compression=None,
                        close_timeout=_CLOSE_TIMEOUT_S,
                    )
                )
            except (WebSocketException, OSError) as error:
                if isinstance(error, InvalidStatus) and error.response.status_code < 500:
                    raise _handshake_rejection(error.response) from error
                if time.monotonic() > deadline:
                    raise ServerUnavailable(
                        f"The server doesn't answer: {error}.{_advice(error)}"
                    ) from error
                time.sleep(_RETRY_DELAY_S)
        return self._socket


def _advice(error: Exception) -> str:
    """Say how to trust a certificate that no known authority has signed."""
    if not isinstance(error, ssl.SSLCertVerificationError):
        return ""
    return " If the certificate is your own, name its file in the variable SSL_CERT_FILE."


def _handshake_rejection(response: Response) -> RequestRejected:
    """Explain why a websocket didn't open, by the words of the server or of a proxy before it."""
    status, phrase = response.status_code, response.reason_phrase
    explanation = "There is no websocket at this address"
    return _rejection_of(_parse_object(response.body or b"")) or _http_rejection(
        explanation, status, phrase
    )


def _rejection_of(payload: Json | None) -> RequestRejected | None:
    """Return the server's rejection, if a payload is one."""
    is_problem = payload is not None and payload.keys() >= _PROBLEM_FIELDS
    return RequestRejected(payload) if payload is not None and is_problem else None


def _http_rejection(explanation: str, status: int, phrase: str) -> RequestRejected:
    """Return a rejection of which only the HTTP status is known."""
    text = f"{explanation}: the server answers {status} {phrase}."
    return RequestRejected({"reason": "http", "params": {"status": status}, "text": text})


def _parse_object(content: bytes | bytearray) -> Json | None:
    """Parse a body, which is a JSON object in all of the API."""
    try:
        payload = json.loads(content)
    except ValueError:
        return None
    return payload if isinstance(payload, dict) else None


def _update_cookies(cookies: str, set_cookies: list[str]) -> str:
    """Apply the ``Set-Cookie`` headers of a response to a ``Cookie`` header. All cookies are kept
    by name, since a proxy may set its own beside the server's."""
    jar = dict(pair.strip().split("=", 1) for pair in cookies.split(";") if "=" in pair)
    for header in set_cookies:
        (name, value), *rest = (part.strip().partition("=")[::2] for part in header.split(";"))
        attributes = {attribute.lower(): setting for attribute, setting in rest}
        jar.pop(name, None)
        if not _is_expired(attributes):
            jar[name] = value
    return "; ".join(f"{name}={value}" for name, value in jar.items())


def _is_expired(attributes: Mapping[str, str]) -> bool:
    with suppress(ValueError):
        if "max-age" in attributes:
            return int(attributes["max-age"]) <= 0
        if "expires" in attributes:
            return parsedate_to_datetime(attributes["expires"]).timestamp() <= time.time()
    return False


def _is_temporary_error(message: Json) -> bool:
    """Whether the server rejected a connection that may succeed soon."""
    is_rejected = message["type"] == "error" and message["reply_to"] is None
    return is_rejected and message["reason"] in _TEMPORARY
