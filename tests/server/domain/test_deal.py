"""The start of a game: hashes first, then nonces, then the deal."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from manhattan.record import to_json
from manhattan.rules import draw_start_player
from manhattan.server.domain.commands import (
    AbortGame,
    ApplyTimeout,
    ClaimSeatTransfer,
    CloseTable,
    CreateSeatTransfer,
    DeclineOffer,
    FreeSeat,
    LeaveTable,
    RevealNonces,
    SeatBot,
    StartGame,
    TableCommand,
    TakeSeat,
)
from manhattan.server.domain.decide import decide
from manhattan.server.domain.errors import CommandRejected, CommandSuperseded, ErrorCode
from manhattan.server.domain.events import (
    GameStarted,
    NoncesRequested,
    NoncesRevealed,
    ReservedSeat,
    TableOpened,
    decode_event,
)
from manhattan.server.domain.evolve import evolve, initial_state, replay_events
from manhattan.server.domain.options import TableOptions
from manhattan.server.domain.state import REVEAL_TIMEOUT
from manhattan.server.protocol.messages import PresenceMessage
from manhattan.server.protocol.serialize import encode, table_info, view_message
from support.leak_checker import spellings
from support.table_builder import ADA, BOB, CAT, ME, OPEN, SEED, TableBuilder, actor, bot, here

PADDING = "80" + "00" * 23 + "0000000000000100"


def nonce(number: int) -> str:
    return bytes([number] * 32).hex()


def hash_of(nonce: str) -> str:
    return hashlib.sha256(bytes.fromhex(nonce)).hexdigest()


def hashed(seat: dict[str, Any], number: int) -> dict[str, Any]:
    return seat | {"nonce_hash": hash_of(nonce(number))}


def fair_table(*seats: dict[str, Any], **options: Any) -> TableBuilder:
    """Open a table whose server has drawn its part of the seed."""
    return TableBuilder(*seats, server_seed=SEED, **options)


def take(number: int) -> TakeSeat:
    return TakeSeat(nonce_hashes=(hash_of(nonce(number)),))


def reveal(*numbers: int) -> RevealNonces:
    return RevealNonces(tuple(map(nonce, numbers)))


def joint_seed(*numbers: int) -> bytes:
    parts = b"".join(bytes.fromhex(nonce(number)) for number in numbers)
    return hashlib.sha256(bytes.fromhex(SEED) + parts).digest()


def two_people() -> TableBuilder:
    table = fair_table(hashed(ME, 1), OPEN)
    table.execute(BOB, take(2))
    return table


def starting() -> TableBuilder:
    """Two people, who haven't revealed their nonces yet."""
    table = two_people()
    table.execute(ADA, StartGame(SEED))
    return table


def seed_of(table: TableBuilder) -> bytes:
    assert table.state.game is not None
    assert table.state.game.seed is not None
    again = table.reload()
    assert again.game is not None
    assert again.game.state == table.state.game.state
    assert replace(again, game=None) == replace(table.state, game=None)
    return table.state.game.seed


# The two steps.


def test_the_commitment_is_public_from_the_opening() -> None:
    table = fair_table(hashed(ME, 1), OPEN)
    for person in (ADA, BOB, None):
        assert table_info(table.state, person).commitment == hash_of(SEED)


def test_a_start_asks_for_nonces_and_the_last_one_deals() -> None:
    table = starting()
    assert isinstance(table.events[-1], NoncesRequested)
    assert table.state.stage == "lobby"
    assert table.state.game is None
    assert table.state.due == table.now + REVEAL_TIMEOUT
    table.execute(BOB, reveal(2))
    assert isinstance(table.events[-1], NoncesRevealed)
    assert table.state.game is None
    dealt = table.execute(ADA, reveal(1))
    assert isinstance(table.events[-1], GameStarted)
    assert dealt.stage == "playing"
    assert dealt.pending_deal is None
    assert seed_of(table) == joint_seed(1, 2)  # in turn order, whoever was first


def test_without_hashes_the_cards_are_dealt_at_once() -> None:
    table = fair_table(ME, OPEN, bot())
    table.execute(BOB, TakeSeat())
    table.execute(ADA, StartGame(SEED))
    assert table.state.stage == "playing"
    # Not the hash of the server's part, which is the commitment.
    assert seed_of(table) == bytes.fromhex(SEED)
    assert table.state.game is not None
    record = to_json(table.state.game)
    assert "nonces" not in record
    assert record["commitment"] == hash_of(SEED) == table_info(table.state, None).commitment


def test_the_deal_waits_for_no_bot_and_no_seat_without_a_hash() -> None:
    table = fair_table(hashed(ME, 1), OPEN, bot(), bot())
    table.execute(BOB, TakeSeat())
    table.execute(ADA, StartGame(SEED))
    table.execute(ADA, reveal(1))
    assert seed_of(table) == joint_seed(1)
    assert table.state.game is not None
    assert to_json(table.state.game)["nonces"] == [nonce(1), None, None, None]


def test_a_shared_screen_reveals_for_each_of_its_seats_at_once() -> None:
    table = fair_table(hashed(ME, 1), hashed(here("Bea"), 2), bot())
    table.execute(ADA, StartGame(SEED))
    table.execute(ADA, reveal(2, 1))
    assert seed_of(table) == joint_seed(1, 2)


def test_missing_nonces_are_left_out_after_the_limit() -> None:
    table = starting()
    table.execute(BOB, reveal(2))
    table.expire()
    assert seed_of(table) == joint_seed(2)
    table.reject(ErrorCode.ALREADY_STARTED, ADA, reveal(1))


def test_if_nobody_reveals_the_server_deals_alone() -> None:
    """The hash of the server's part alone would be the commitment, which everyone knows."""
    table = starting()
    table.expire()
    assert seed_of(table) == bytes.fromhex(SEED)
    assert table.state.game is not None
    assert "server_seed" not in to_json(table.state.game)


def test_the_limit_is_no_earlier_than_configured() -> None:
    table = two_people()
    table.execute(ADA, StartGame(SEED, 20_000))
    with pytest.raises(CommandSuperseded):
        decide(table.state, ApplyTimeout(), None, table.now + 19_999)
    assert isinstance(decide(table.state, ApplyTimeout(), None, table.now + 20_000), GameStarted)


def test_a_start_player_by_lot_follows_from_the_seed() -> None:
    firsts = set()
    for number in range(1, 20):
        table = fair_table(hashed(ME, number), bot(), bot(), first="random")
        table.execute(ADA, StartGame(SEED))
        table.execute(ADA, reveal(number))
        assert table.state.game is not None
        assert table.state.game.setup.first == draw_start_player(joint_seed(number), 3)
        firsts.add(table.state.game.setup.first)
    assert firsts == {0, 1, 2}


# What is refused, and changes nothing.


def test_wrong_early_late_and_repeated_nonces_are_refused() -> None:
    table = two_people()
    table.reject(ErrorCode.NOT_STARTED, ADA, reveal(1))
    table.execute(ADA, StartGame(SEED))
    table.reject(ErrorCode.NONCE_MISMATCH, ADA, reveal(3))
    table.reject(ErrorCode.NONCE_MISMATCH, ADA, reveal(1, 3))  # not even the right one counts
    table.reject(ErrorCode.ALREADY_STARTED, ADA, StartGame(SEED))
    table.execute(ADA, reveal(1))
    table.reject(ErrorCode.ALREADY_REVEALED, ADA, reveal(1))
    table.execute(BOB, reveal(2))
    table.reject(ErrorCode.ALREADY_STARTED, BOB, reveal(2))


def test_a_closed_table_wants_no_nonces() -> None:
    table = two_people()
    table.execute(ADA, CloseTable())
    table.reject(ErrorCode.CLOSED, ADA, reveal(1))


def test_the_padding_of_the_hash_function_is_no_nonce() -> None:
    """Its owner could compute the seed from the commitment: ``test_joint_seed`` does."""
    table = fair_table(ME | {"nonce_hash": hash_of(PADDING)}, bot())
    table.execute(ADA, StartGame(SEED))
    table.reject(ErrorCode.BAD_REQUEST, ADA, RevealNonces((PADDING,)))
    table.expire()
    assert seed_of(table) == bytes.fromhex(SEED)


@pytest.mark.parametrize(
    ("person", "command", "reason"),
    [
        (BOB, LeaveTable(), ErrorCode.ALREADY_STARTED),
        (ADA, CloseTable(), ErrorCode.ALREADY_STARTED),
        (ADA, AbortGame(), ErrorCode.NOT_STARTED),
        (ADA, FreeSeat(1), ErrorCode.ALREADY_STARTED),
        (ADA, SeatBot(1, "easy"), ErrorCode.ALREADY_STARTED),
        (CAT, TakeSeat(), ErrorCode.ALREADY_STARTED),
        (CAT, DeclineOffer(), ErrorCode.ALREADY_STARTED),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, msgspec.Struct) else "",
)
def test_nobody_can_undo_the_start_when_nonces_are_known(
    person: str, command: TableCommand, reason: ErrorCode
) -> None:
    """Otherwise a server that knows the nonces could let a friend leave, and try again."""
    table = starting()
    table.execute(BOB, reveal(2))
    table.reject(reason, person, command)


# Hashes belong to seats.


def test_a_seat_that_changes_hands_loses_its_hash() -> None:
    table = fair_table(hashed(ME, 1), OPEN)
    table.execute(BOB, take(2))
    table.execute(BOB, LeaveTable())
    assert table.state.seats[1].nonce_hash is None
    table.execute(BOB, take(3))
    table.execute(ADA, FreeSeat(1))
    assert table.state.seats[1].nonce_hash is None
    table.execute(CAT, take(4))
    table.execute(ADA, CreateSeatTransfer(0, "s" * 20))
    table.execute(BOB, ClaimSeatTransfer("s" * 20, hash_of(nonce(5))))
    assert [seat.nonce_hash for seat in table.state.seats] == [hash_of(nonce(n)) for n in (5, 4)]


def test_a_seat_that_moves_to_another_device_meanwhile_keeps_its_hash() -> None:
    table = two_people()
    table.execute(ADA, CreateSeatTransfer(0, "s" * 20))
    table.execute(ADA, StartGame(SEED))
    table.execute(CAT, ClaimSeatTransfer("s" * 20, hash_of(nonce(5))))
    table.reject(ErrorCode.NONCE_MISMATCH, CAT, reveal(5))
    table.execute(BOB, reveal(2))
    table.execute(ADA, reveal(1))  # the old device
    assert seed_of(table) == joint_seed(1, 2)


def test_offered_seats_are_accepted_with_their_hashes() -> None:
    offered = tuple(ReservedSeat(seat=n, person=BOB, name=f"Bob {n}") for n in (1, 3))
    table = fair_table(hashed(ME, 1), OPEN, bot(), OPEN, rematch_of="r" * 14, offered=offered)
    table.execute(BOB, TakeSeat(nonce_hashes=tuple(hash_of(nonce(n)) for n in (2, 3, 4))))
    table.execute(BOB, StartGame(SEED))
    table.execute(BOB, reveal(2, 3))
    table.execute(ADA, reveal(1))
    assert seed_of(table) == joint_seed(1, 2, 3)


@pytest.mark.parametrize("seat", [OPEN, bot()])
def test_only_people_at_the_screen_have_hashes_in_the_options(seat: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError, match="Only people on this screen send the hash"):
        fair_table(ME, hashed(seat, 1))


# Events of older versions.


def test_a_table_of_an_older_version_is_dealt_from_the_seed_of_its_event() -> None:
    opened = (
        '{"type":"table_opened","at":1,"by":"person-a","options":{"seats":[{"occupant":"me"},'
        '{"occupant":"bot","level":"easy"}],"first":0},"name":"Ada"}'
    )
    started = f'{{"type":"game_started","at":2,"by":"person-a","seed":"{SEED}"}}'
    state = replay_events("t" * 14, map(decode_event, (opened, started)))
    assert state is not None
    assert state.game is not None
    assert state.game.seed == bytes.fromhex(SEED)
    assert table_info(state, ADA).commitment == hash_of(SEED)
    lobby = replay_events("t" * 14, [decode_event(opened)])
    assert lobby is not None
    assert table_info(lobby, ADA).commitment is None
    event = decide(lobby, StartGame(SEED), actor(ADA), 3)
    assert event == GameStarted(at=3, by=ADA, seed=SEED)


def test_a_player_of_an_old_lobby_may_send_a_hash_for_nothing() -> None:
    """An older version opened the table: its server is bound to nothing."""
    table = TableBuilder(ME, OPEN)
    table.execute(BOB, take(2))
    table.execute(ADA, StartGame(SEED))
    assert seed_of(table) == bytes.fromhex(SEED)


# Whatever happens in whichever order.

PEOPLE = (ADA, BOB, CAT)
STEPS = st.one_of(
    st.tuples(st.just("reveal"), st.integers(0, 4), st.integers(0, 2)),
    st.tuples(st.just("leave"), st.just(0), st.integers(0, 2)),
    st.tuples(st.just("abort"), st.just(0), st.integers(0, 2)),
    st.tuples(st.just("start"), st.just(0), st.integers(0, 2)),
    st.tuples(st.just("wait"), st.integers(0, 3000), st.just(0)),
)


COMMANDS: dict[str, Callable[[int], TableCommand]] = {
    "reveal": reveal,
    "leave": lambda _: LeaveTable(),
    "abort": lambda _: AbortGame(),
    "start": lambda _: StartGame(SEED),
}


def is_accepted(table: TableBuilder, person: str, command: TableCommand) -> bool:
    """Execute a command; if it is rejected, it changes nothing."""
    before = table.state
    try:
        table.execute(person, command)
    except CommandRejected:
        assert table.state is before
        assert table.reload() == before
        return False
    return True


@given(
    with_hash=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    steps=st.lists(STEPS, max_size=12),
)
@settings(max_examples=300, deadline=None)
def test_the_deal_has_exactly_the_nonces_that_came_in_time(
    with_hash: tuple[bool, ...], steps: Sequence[tuple[str, int, int]]
) -> None:
    """Lost, wrong, repeated and late nonces, and people who leave, in any order."""
    seats = [hashed(ME, 0) if with_hash[0] else ME, OPEN, OPEN]
    table = fair_table(*seats)
    for number in (1, 2):
        table.execute(PEOPLE[number], take(number) if with_hash[number] else TakeSeat())
    table.execute(ADA, StartGame(SEED))
    until = table.now + REVEAL_TIMEOUT
    accepted: set[int] = set()
    for kind, value, person in steps:
        if table.state.stage != "lobby":
            break
        if kind == "wait":
            table.now += value
        table.now = min(table.now, until - 2000)  # the next command comes a second later
        if kind != "wait" and is_accepted(table, PEOPLE[person], COMMANDS[kind](value)):
            assert kind == "reveal"
            assert with_hash[value]
            accepted.add(value)
    if table.state.stage == "lobby":
        assert any(with_hash)
        assert table.state.due == until
        table.expire()
    expected = joint_seed(*sorted(accepted)) if accepted else bytes.fromhex(SEED)
    assert seed_of(table) == expected
    assert table.state.seats.by_person.keys() == set(PEOPLE)


# Nothing of the seed is visible.


def test_no_view_before_the_end_contains_a_part_of_the_seed() -> None:
    """The seed, the server's part, and, before the deal, the nonces."""
    table = starting()
    server_seed = spellings(bytes.fromhex(SEED))
    presence = PresenceMessage(present=[True, True], away_since=[None, None], spectators=0)
    for step in range(4):
        for person in (ADA, BOB, CAT, None):
            view = encode(view_message(table.state, person, presence, table.now))
            seeds = [*server_seed, *spellings(joint_seed(1, 2)), *spellings(joint_seed(2))]
            assert not [secret for secret in seeds if secret in view]
            assert (nonce(2).encode() in view) == (table.state.game is not None)
        match step:
            case 0:
                table.execute(BOB, reveal(2))
            case 1:
                table.execute(ADA, reveal(1))
            case 2:
                table.play(ADA)
    assert SEED not in repr(table.state)
    assert SEED not in repr(table.events)


def test_the_first_event_is_bound_by_its_commitment() -> None:
    """The part of the server is stored before anybody can send a hash."""
    options = msgspec.convert({"seats": [ME, OPEN]}, TableOptions)
    opened = TableOpened(at=1, by=ADA, name="Ada", options=options, server_seed=SEED)
    state = evolve(initial_state("t" * 14, opened), decide_take(opened))
    assert table_info(state, BOB).commitment == hash_of(SEED)


def decide_take(opened: TableOpened) -> Any:
    return decide(initial_state("t" * 14, opened), take(2), actor(BOB), 2)
