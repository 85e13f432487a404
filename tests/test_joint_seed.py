"""Seeds that a server and the players' clients draw together: what is proved, and what is refused.

``support.stranger_verifier`` is written from RECORD alone; ``manhattan.fair_deal`` is ours. Both
accept fair games, and reject every kind of cheating.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from manhattan.fair_deal import DealWitness, UnfairDeal
from manhattan.game import Game
from manhattan.record import RecordError, parse, to_json, to_line, write
from manhattan.replay import replay, trace_record
from manhattan.rules import JointSeed, SetupError, draw_start_player, set_up
from support.cli_runner import run_cli
from support.independent_replayer import replay_independently
from support.stranger_verifier import Seen, Unfair, verify_deal

Json = dict[str, Any]

SERVER_SEED = bytes(range(32))
PADDING = b"\x80" + bytes(23) + struct.pack(">Q", 256)


def sha256(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(bytes.fromhex(text)).hexdigest()


class Deal:
    """A finished game of four, the last a bot, with what the first player's client saw of it."""

    def __init__(self, *, is_third_late: bool = False) -> None:
        self.witness = DealWitness()
        own = self.witness.draw_nonces(1)[0]
        hashes = [own, sha256(nonce(2)), sha256(nonce(3)), None]
        table: Json = {
            "id": "t",
            "stage": "lobby",
            "commitment": hashlib.sha256(SERVER_SEED).hexdigest(),
            "first": "random",
            "reveal_until": None,
            "seats": [{"you": n == 0, "nonce_hash": hashes[n]} for n in range(4)],
        }
        assert self.witness.see(table) == []
        (mine,) = self.witness.see(table | {"reveal_until": 1})
        self.witness.note_revelation("t")
        self.seen = Seen(table["commitment"], hashes, {0: mine}, by_lot=True)
        self.nonces = [mine, nonce(2), None if is_third_late else nonce(3), None]
        self.record = play(SERVER_SEED, self.nonces)

    def verdicts(self, record: Json) -> tuple[str, str]:
        """What both verifiers say."""
        return self._stranger(record), self._witness(record)

    def _stranger(self, record: Json) -> str:
        try:
            verify_deal(record, self.seen)
        except Unfair as error:
            return str(error)
        return "fair"

    def _witness(self, record: Json) -> str:
        try:
            return self.witness.check("t", record)
        except UnfairDeal as error:
            return str(error)


def nonce(number: int) -> str:
    return bytes([number] * 32).hex()


def play(server_seed: bytes, nonces: list[str | None], first: int | None = None) -> Json:
    """Deal from these parts, play at random, and return the record."""
    parts = tuple(None if text is None else bytes.fromhex(text) for text in nonces)
    joint = JointSeed(server_seed, parts)
    if first is None:
        first = draw_start_player(joint.seed, len(nonces))
    game = Game.from_seed(set_up(len(nonces), first=first), joint)
    rng = Random(1)
    while not game.is_over:
        game.play(rng.choice(game.legal_moves()))
    record: Json = json.loads(to_line(to_json(game)))
    return record


def test_a_fair_game_is_accepted() -> None:
    deal = Deal()
    assert deal.verdicts(deal.record) == ("fair", "joint")
    replay_independently(deal.record)
    late = Deal(is_third_late=True)
    assert late.verdicts(late.record) == ("fair", "joint")


def replayed(deal: Deal, **changes: Any) -> Json:
    """A whole game that fits other parts: the operator had all the time until its end."""
    parts: Json = {"server_seed": SERVER_SEED, "nonces": deal.nonces} | changes
    return play(parts["server_seed"], parts["nonces"], parts.get("first"))


def with_old_commitment(deal: Deal, record: Json) -> Json:
    return record | {"commitment": deal.seen.commitment}


def other_seed(deal: Deal) -> Json:
    """Choose the server's part when the nonces are known."""
    return replayed(deal, server_seed=bytes(32))


def hidden_other_seed(deal: Deal) -> Json:
    return with_old_commitment(deal, other_seed(deal))


def replaced(deal: Deal, player: int, by: str | None) -> Json:
    nonces = [by if n == player else old for n, old in enumerate(deal.nonces)]
    return replayed(deal, nonces=nonces)


def one_party_alone(deal: Deal) -> Json:
    """Pretend that nobody revealed a nonce."""
    game = Game.new(4, seed=SERVER_SEED, first="random")
    rng = Random(1)
    while not game.is_over:
        game.play(rng.choice(game.legal_moves()))
    return to_json(game)


def other_start_player(deal: Deal) -> Json:
    return replayed(deal, first=(deal.record["first"] + 1) % 4)


def swapped(deal: Deal) -> Json:
    one, two, three, bot = deal.nonces
    return replayed(deal, nonces=[two, one, three, bot])


def shown_in_another_order(deal: Deal) -> Json:
    one, two, three, bot = deal.nonces
    return deal.record | {"nonces": [one, three, two, bot]}


def too_few(deal: Deal) -> Json:
    return deal.record | {"nonces": deal.nonces[:3]}


def other_deck(deal: Deal) -> Json:
    return deal.record | {"deck": deal.record["deck"][::-1]}


CHEATS: dict[str, Callable[[Deal], Json]] = {
    "the server's part was chosen after the nonces": other_seed,
    "and its commitment is shown all the same": hidden_other_seed,
    "my nonce was dropped": lambda deal: replaced(deal, 0, None),
    "my nonce was replaced": lambda deal: replaced(deal, 0, nonce(9)),
    "another player's nonce was replaced": lambda deal: replaced(deal, 1, nonce(9)),
    "a bot has a nonce": lambda deal: replaced(deal, 3, nonce(9)),
    "all nonces were dropped": one_party_alone,
    "nonces were swapped": swapped,
    "nonces are shown in another order": shown_in_another_order,
    "a nonce is missing in the record": too_few,
    "the start player is not drawn by lot": other_start_player,
    "the cards are others": other_deck,
    "the server's part is another": lambda deal: deal.record | {"server_seed": "00" * 32},
    "the seed is another": lambda deal: deal.record | {"seed": "00" * 32},
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_every_kind_of_cheating_is_rejected(cheat: str) -> None:
    deal = Deal()
    stranger, witness = deal.verdicts(CHEATS[cheat](deal))
    assert stranger != "fair"
    assert witness not in ("joint", "missing", "watched")


def test_a_server_that_changes_its_commitment_gets_no_nonce() -> None:
    witness = DealWitness()
    table: Json = {
        "id": "t",
        "stage": "lobby",
        "commitment": "0" * 64,
        "first": 0,
        "reveal_until": None,
        "seats": [{"you": True, "nonce_hash": witness.draw_nonces(1)[0]}],
    }
    assert witness.see(table) == []
    assert witness.see(table | {"reveal_until": 1, "commitment": "1" * 64}) == []
    assert len(witness.see(table | {"reveal_until": 1})) == 1


def test_a_client_knows_that_its_part_is_missing() -> None:
    deal = Deal()
    deal.witness._deals["t"].has_revealed = False  # the server has never accepted it
    assert deal.verdicts(one_party_alone(deal))[1] == "missing"
    assert deal.verdicts(replaced(deal, 0, None))[1] == "missing"
    assert DealWitness().check("t", deal.record) == "watched"


# What can't be a seed.


def test_a_seed_without_a_nonce_would_be_the_public_commitment() -> None:
    assert hashlib.sha256(SERVER_SEED).hexdigest() == Deal().seen.commitment
    with pytest.raises(SetupError, match="needs a nonce"):
        JointSeed(SERVER_SEED, (None, None))


def test_the_padding_as_a_nonce_would_tell_the_seed() -> None:
    """Its owner goes on hashing where the commitment ended, without knowing the server's part."""
    commitment = hashlib.sha256(SERVER_SEED).digest()
    other = bytes([7] * 32)
    stolen = continue_sha256(commitment, 64, other)
    assert stolen == hashlib.sha256(SERVER_SEED + PADDING + other).digest()
    for nonces in ((PADDING, other), (other, PADDING), (PADDING, None)):
        with pytest.raises(SetupError, match="padding"):
            JointSeed(SERVER_SEED, nonces)


def continue_sha256(state: bytes, length: int, more: bytes) -> bytes:
    """Hash on from the state after whole blocks, as FIPS 180-4 says."""
    words = list(struct.unpack(">8I", state))
    padded = more + b"\x80" + bytes(-(len(more) + 9) % 64)
    padded += struct.pack(">Q", 8 * (length + len(more)))
    for at in range(0, len(padded), 64):
        words = compress(words, padded[at : at + 64])
    return struct.pack(">8I", *words)


def compress(state: list[int], block: bytes) -> list[int]:
    def turn(x: int, n: int) -> int:
        return (x >> n | x << (32 - n)) & 0xFFFFFFFF

    w = list(struct.unpack(">16I", block))
    for i in range(16, 64):
        s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3
        s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10
        w.append((w[i - 16] + s0 + w[i - 7] + s1) & 0xFFFFFFFF)
    a, b, c, d, e, f, g, h = state
    for constant, word in zip(cube_roots(), w, strict=True):
        s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
        one = h + s1 + (e & f ^ ~e & g) + constant + word
        two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = (one + two) % 2**32, a, b, c, (d + one) % 2**32, e, f, g
    return [(x + y) % 2**32 for x, y in zip(state, (a, b, c, d, e, f, g, h), strict=True)]


def cube_roots() -> list[int]:
    """The first 32 bits of the fractional parts of the cube roots of the first 64 primes."""
    primes = [n for n in range(2, 312) if all(n % d for d in range(2, int(n**0.5) + 1))]
    roots = []
    for prime in primes:
        low, high = 0, 2**40
        while low < high:  # the greatest root with root³ ≤ prime · 2⁹⁶
            middle = (low + high + 1) // 2
            low, high = (middle, high) if middle**3 <= prime << 96 else (low, middle - 1)
        roots.append(low % 2**32)
    return roots


# Records.


def test_a_joint_record_survives_the_round_trip() -> None:
    record = Deal().record
    game = replay(parse(json.dumps(record)))
    assert to_json(game) == record
    assert list(record) == [*list(record)[:8], "server_seed", "nonces", "deck", "events", "result"]


def test_the_redacted_record_of_an_unfinished_game_hides_the_servers_part() -> None:
    game = replay(parse(json.dumps(Deal().record))).at(30)
    redacted = to_json(game, redacted=True)
    assert (redacted["seed"], redacted["server_seed"]) == (None, None)
    assert redacted["nonces"] == to_json(game)["nonces"]
    assert len(trace_record(parse(to_line(redacted))).steps) == 30
    assert to_json(replay(parse(to_line(to_json(game))))) == to_json(game)


CORRUPTIONS: list[tuple[Json, str]] = [
    ({"commitment": "0" * 64}, "commitment: The commitment is not the SHA-256 of the server_seed."),
    ({"server_seed": "0" * 64}, "The commitment is not the SHA-256 of the server_seed."),
    ({"seed": "0" * 64}, "seed: The seed does not follow from the server_seed and the nonces."),
    ({"nonces": [None, None, None, None]}, "nonces: A joint seed needs a nonce."),
    ({"nonces": [PADDING.hex(), None, None, None]}, "is not SHA-256's padding"),
    ({"nonces": ["0" * 64, "1" * 64]}, "nonces: There are 2 nonces for 4 players."),
    ({"server_seed": None}, "server_seed: There are nonces, but no server_seed."),
    ({"seed": None, "commitment": None}, "seed: There is a server_seed, but no seed."),
    ({"seed": None, "deck": None}, "deck: There is a server_seed, but no deck."),
    ({"nonces": ["x"]}, "nonces"),
    ({"nonces": "x"}, "nonces"),
    ({"server_seed": 1}, "server_seed"),
]


@pytest.mark.parametrize(("change", "message"), CORRUPTIONS)
def test_a_wrong_joint_record_is_rejected(change: Json, message: str) -> None:
    with pytest.raises(RecordError) as rejected:
        trace_record(parse(json.dumps(Deal().record | change)))
    assert message in str(rejected.value)


@pytest.mark.parametrize("key", ["server_seed", "nonces"])
def test_one_key_needs_the_other(key: str) -> None:
    record = Deal().record
    del record[key]
    with pytest.raises(RecordError, match=key):
        parse(json.dumps(record))


# The command line.


def test_verify_says_what_was_proved(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    deal = Deal()
    write(path, [deal.record])
    joint = (
        "1 game dealt jointly: the server's part of the seed matches its commitment, and the seed "
        "follows from it and 3 nonces of the players' clients. No party alone could choose the "
        "cards.\n"
    )
    first = f"{path}: 1 game verified: rules, shuffles and scores.\n"
    assert run_cli("replay", "--verify", path).out == first + joint
    write(path, [deal.record, one_party_alone(deal)])
    assert run_cli("replay", "--verify", path).out.endswith(
        "1 game dealt by one party alone: the seed matches its commitment, and was not changed "
        "after the deal. That party could choose it before.\n"
    )
    write(path, [deal.record | {"server_seed": "00" * 32}])
    outcome = run_cli("replay", "--verify", path)
    assert outcome.code == 1
    assert "The commitment is not the SHA-256 of the server_seed." in outcome.err
