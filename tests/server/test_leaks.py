"""No hidden information leaks: every byte that the server sends in whole games is checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec
import pytest

from manhattan.game import Game
from manhattan.rules import Move, Phase, Reason, Remove, Shuffled, set_up
from manhattan.server.domain import state as states
from manhattan.server.domain.events import GameStarted, MovePlayed, SeatTaken, TableOpened
from manhattan.server.domain.evolve import evolve, initial_state
from manhattan.server.domain.options import TableOptions
from manhattan.server.domain.state import TableState
from manhattan.server.protocol.messages import PresenceMessage
from manhattan.server.protocol.serialize import encode, view_message
from support.fixed_deals import Dealer, dealing, twins
from support.leak_checker import Observer, digest_of, leaks_in, spellings
from support.record_fixtures import stuck
from support.recording_client import (
    Json,
    LogCapture,
    ReceivedMessage,
    RecordingClient,
    captured_logs,
    state_history,
)
from support.scripted_session import (
    ScriptedSession,
    reconnect_everyone,
    rejection_reasons,
    request_everything,
    send_chat,
    transfer_seat,
    try_illegal_commands,
    undo_last_move,
)
from support.server_fixtures import RunningServer, loads, running_server

pytestmark = pytest.mark.process

ME: Json = {"occupant": "me"}
OPEN: Json = {"occupant": "open"}
HERE: Json = {"occupant": "here", "name": "Bea"}
EASY: Json = {"occupant": "bot", "level": "easy"}

COLOURS = {Reason.COLOUR_NOT_NEEDED, Reason.COLOUR_NOT_YOURS, Reason.COLOUR_MISSING}
"""Reasons that depend on the number of a player's colours."""
LOGGED = {"time", "level", "logger", "message", "method", "route", "status", "ms"}
"""The fields of a log line."""


@pytest.fixture(scope="module")
def log() -> Iterator[LogCapture]:
    with captured_logs() as capture:
        yield capture


@pytest.fixture
def dealer() -> Iterator[Dealer]:
    with dealing() as dealer:
        yield dealer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, log: LogCapture) -> Iterator[RunningServer]:
    """A server whose substitute bot needs no compilation."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(states, "SUBSTITUTE_LEVEL", "easy")
        with running_server(str(tmp_path_factory.mktemp("served") / "tables.db")) as server:
            yield server


@pytest.mark.parametrize(
    ("people", "seats", "options"),
    [
        (2, [ME, OPEN], {}),
        (4, [ME, OPEN, OPEN, OPEN], {"edition": "hig-1994", "public": True}),
        (2, [ME, HERE, EASY, OPEN], {"clock": {"kind": "real_time", "bank": 900}}),
    ],
    ids=["two people", "four people", "a shared screen and a bot"],
)
def test_no_message_reveals_hidden_information(
    server: RunningServer,
    log: LogCapture,
    dealer: Dealer,
    people: int,
    seats: list[Json],
    options: Json,
) -> None:
    with ScriptedSession(server, people, seats, **options) as session:
        try_illegal_commands(session)
        hint = session.mover.call("POST", f"{session.path}/hint")
        assert hint["move"] in map(str, session.game.legal_moves())
        session.play(1)
        undo_last_move(session)
        session.play(2 * len(seats) + 2)
        try_illegal_commands(session)
        send_chat(session)
        session.play(20)
        transfer_seat(session, seat=len(seats) - 1)
        request_everything(session)
        reconnect_everyone(session)
        session.play(20)
        try_illegal_commands(session)
        assert session.players[0].execute("resign", player=0)["type"] == "update"
        session.play(2)
        reconnect_everyone(session)
        session.play(999)
        request_everything(session)
        reconnect_everyone(session)
        assert session.phone.execute("why", move="A1+1")["problem"]["reason"] == Reason.GAME_OVER
        check_messages(session, log)
        assert set(Reason) - rejection_reasons(session) <= {Reason.MUST_REMOVE, *COLOURS}


def test_a_shown_hand_reveals_nothing_about_the_next(
    server: RunningServer, log: LogCapture, dealer: Dealer
) -> None:
    """A player can't build: they show their hand, draw another, and remove a block."""
    later = [event.pile for event in stuck().events if isinstance(event, Shuffled) and event.pile]
    dealer.piles = [stuck().deck, *later]
    with ScriptedSession(server, 4, [ME, OPEN, OPEN, OPEN], first=1) as session:
        taken_out = next(n for n, move in enumerate(stuck().moves) if isinstance(move, Remove))
        for ply, move in enumerate(stuck().moves[: taken_out + 2]):
            if ply == taken_out:
                assert session.game.public.phase is Phase.REMOVE
                try_illegal_commands(session)
                reconnect_everyone(session)
            assert session.mover.execute("play", ply=ply, move=str(move))["type"] == "update"
        reconnect_everyone(session)
        check_messages(session, log)
        assert Reason.MUST_REMOVE in rejection_reasons(session)


# The checker finds leaks.


def state_in_mid_game() -> TableState:
    """Return a game of two people, with Bob to move."""
    options = msgspec.convert({"seats": [ME, OPEN]}, TableOptions)
    table = TableOpened(at=1, by="ada", name="Ada", options=options)
    state = initial_state("t" * 14, table)
    state = evolve(state, SeatTaken(at=2, by="bob", seat=1, name="Bob"))
    state = evolve(state, GameStarted(at=3, by="ada", seed=bytes(32).hex()))
    while state.game is None or state.game.ply < 45 or state.mover != 1:
        assert state.game is not None
        move = str(state.game.legal_moves()[-1])
        state = evolve(state, MovePlayed(at=4, player=state.game.public.mover, move=move))
    return state


LEAKS: dict[str, Callable[[Json, Game], object]] = {
    "a hand": lambda message, game: message["private"].update(hand=list(game.state.hands[1])),
    "a hand elsewhere": lambda message, game: message["position"].update(hands=game.state.hands),
    "a viewpoint": lambda message, game: message["private"].update(player=1),
    "moves": lambda message, game: message["private"].update(
        moves={"kind": "remove", "moves": ["-1"]}
    ),
    "a draw": lambda message, game: message["game_events"][-2].update(drew=game.events[-2].drew),  # type: ignore[union-attr]
    "a shuffle": lambda message, game: [
        e.update(pile=[1]) for e in message["game_events"] if len(e) == 1
    ],
    "an event to come": lambda message, game: message["game_events"].insert(0, {"type": "shuffle"}),
    "the pile": lambda message, game: message["position"].update(pile=list(game.state.pile)),
    "more of the played": lambda message, game: message["position"]["played"].append(3),
    "the seed": lambda message, game: message["table"].update(seed="00" * 32),
    "the server's part": lambda message, game: message["table"].update(server_seed="00" * 32),
    "the deck": lambda message, game: message.update(deck=list(game.deck)),
    "a person": lambda message, game: message["table"]["seats"][1].update(person="bob"),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_the_checker_finds_each_leak(leak: str) -> None:
    state = state_in_mid_game()
    game = state.game
    assert game is not None
    presence = PresenceMessage(present=[True, True], away_since=[None] * 4, spectators=0)
    message = loads(encode(view_message(state, "ada", presence, 5)))
    ada = Observer("ada", state, state)
    assert leaks_in(message, ada) == []
    assert leaks_in(message, Observer("olga", state, state))  # a spectator has no hand
    LEAKS[leak](message, game)
    assert leaks_in(message, ada)


@pytest.mark.parametrize("spelling", range(len(spellings(bytes(32)))))
def test_the_checker_finds_each_spelling_of_a_seed(spelling: int) -> None:
    seed = bytes(range(100, 132))
    with pytest.raises(pytest.fail.Exception, match="was sent"):
        assert_absent(b'{"x":"' + spellings(seed)[spelling] + b'"}', spellings(seed))


# Games that differ only in hidden cards.


@pytest.mark.parametrize(
    ("people", "seats", "own", "plies"),
    [
        (2, [ME, OPEN], {0}, 46),
        (4, [ME, OPEN, OPEN, OPEN], {3}, 46),
        (3, [ME, HERE, OPEN, OPEN], {0, 1}, 14),
    ],
    ids=["two people, a new pile", "four people, a new pile", "a shared screen"],
)
def test_games_that_look_the_same_send_the_same_bytes(
    server: RunningServer, dealer: Dealer, people: int, seats: list[Json], own: set[int], plies: int
) -> None:
    """For clients that can't see them, other cards in hands and pile don't change a byte."""
    one, other, moves = twins(set_up(len(seats)), own, plies)
    sent: list[dict[str, list[str]]] = []
    for piles in (one, other):
        dealer.piles = piles
        with ScriptedSession(server, people, seats) as session:
            sent.append(messages_of_curious_clients(session, own, moves))
            hands = session.game.state.hands
            sent[-1]["others"] = [str(hand) for n, hand in enumerate(hands) if n not in own]
    assert sent[0].pop("others") != sent[1].pop("others")
    for name, first in sent[0].items():
        for before, after in zip(first, sent[1][name], strict=True):
            assert before == after, name


def messages_of_curious_clients(
    session: ScriptedSession, seats: set[int], moves: Sequence[Move]
) -> dict[str, list[str]]:
    """Play moves, while one player and the spectators request and try what they can. Return what
    they received, without names and times."""
    curious = [session.holder_of(min(seats)), session.spectator, session.stranger]
    for one in curious:
        one.catch_up()
        one.received.clear()  # up to here both sessions are the same
    for ply, move in enumerate(moves):
        mover = session.mover
        for one in curious:
            probe(session, one, ply, move, thoroughly=ply in (0, 9, len(moves) - 1))
        assert mover.execute("play", ply=ply, move=str(move))["type"] == "update"
    for one in curious:
        one.catch_up()
    return {
        str(one.name): [
            anonymized(each, session.table)
            for each in one.received
            if each.message.get("type") != "presence"  # those who arrived are announced later
        ]
        for one in curious
    }


def probe(
    session: ScriptedSession, one: RecordingClient, ply: int, move: Move, *, thoroughly: bool
) -> None:
    """Try the move that another player is about to make, and ask about it."""
    if one is not session.mover:
        assert one.execute("play", ply=ply, move=str(move))["type"] == "error"
    one.execute("why", move=str(move))
    one.execute("why", move="A1+1")
    if thoroughly:
        own = ("/api/me/games", "/api/me/export")
        for path in (session.path, f"{session.path}/record", *own):
            one.request("GET", path)
        one.watch(session.table, max(0, ply - 3))
    if session.game.public.phase is Phase.SELECT:  # later, hints get better with time
        one.request("POST", f"{session.path}/hint")


def anonymized(received: ReceivedMessage, table: str) -> str:
    """Return a message without what differs between tables and moments."""
    text = f"{received.source}: {received.headers!r}: {received.raw.decode()}".replace(
        table, "TABLE"
    )
    text = re.sub(r"date: [^\\\\]+|sec-websocket-accept: [^\\\\]+", "", text, flags=re.IGNORECASE)
    return re.sub(r"\b1[0-9]{12}\b", "TIME", text)


# What is checked.


def check_messages(session: ScriptedSession, log: LogCapture) -> None:
    """Compare all messages with what their receivers may know, and check the log."""
    history = state_history(session.server, session.table)
    for one in session.clients:
        one.catch_up()
        before_the_end = b""
        for received in one.received:
            message = received.message
            then, now = states_around(received.event_count, message, history)
            before_the_end += b"" if now.stage == "over" else received.raw + received.headers
            leaks = leaks_in(message, Observer(one.person, then, now))
            if leaks:  # not asserted: pytest would take half a minute to show all of it
                pytest.fail(f"{one.name} got from {received.source}: {leaks[0]}")
        assert_absent(before_the_end, secrets_of_the_deal(session))
        assert_absent(
            b"".join(received.raw + received.headers for received in one.received),
            hidden_from(session, one),
        )
        assert_absent(b"".join(received.raw for received in one.received), person_ids(session))
        others = [
            received.raw
            for received in one.received
            if not received.source.endswith("/seat-transfers")
        ]
        assert_absent(b"".join(others), [secret.encode() for secret in session.secrets])
    check_log(session, log)


def states_around(
    known: int, message: Json, history: list[TableState]
) -> tuple[TableState, TableState]:
    """Return the state after a message's event, and the state when it was sent."""
    now = then = max(known, 1)
    if message.get("type") == "update":
        then = message["number"] + 1
    elif message.get("type") == "view":
        now = then = message["number"]
    return history[then - 1], history[max(now, then) - 1]


def assert_absent(sent: bytes, hidden: list[bytes]) -> None:
    assert sent
    for secret in hidden:
        if secret in sent:
            pytest.fail(
                f"{secret!r} was sent: …{sent[max(0, sent.index(secret) - 200) :][:400]!r}…"
            )


def secrets_of_the_deal(session: ScriptedSession) -> list[bytes]:
    """Return what would tell the cards: the seed, and the server's part of it."""
    seed, joint = session.game.seed, session.game.joint
    assert seed is not None
    assert joint is not None
    return [*spellings(seed), *spellings(joint.server_seed)]


def hidden_from(session: ScriptedSession, one: RecordingClient | None) -> list[bytes]:
    """Return what a client never gets: the server's secret, digests of transfers, other ids."""
    [key] = session.server.services.accounts._signer.secret_keys
    hidden = spellings(key)
    for secret in session.secrets:
        hidden += spellings(digest_of(secret))
    for other in session.clients:
        if other is not one and other.person is not None:
            hidden += [*spellings(other.person.encode()), other.cookie.encode()]
    return hidden


def person_ids(session: ScriptedSession) -> list[bytes]:
    """Return the ids of all people, which not even they get, except in the cookie."""
    return [one.person.encode() for one in session.clients if one.person is not None]


def check_log(session: ScriptedSession, log: LogCapture) -> None:
    lines = log.lines
    assert {"request"} <= {line["message"] for line in lines}
    assert not log.errors
    for line in lines:
        assert set(line) <= LOGGED
    hidden = [*secrets_of_the_deal(session), *hidden_from(session, None)]
    hidden += [secret.encode() for secret in session.secrets]
    # Knowing a table's id is enough to watch it.
    assert_absent(log.text.encode(), [*hidden, session.table.encode()])
