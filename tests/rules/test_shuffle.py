"""RECORD, "Shuffles from a seed": anybody can repeat them, and no card is favoured."""

from __future__ import annotations

from hashlib import sha256
from itertools import permutations, product

import pytest

from manhattan.rules import (
    DECK,
    ChanceError,
    SeedShuffler,
    SetupError,
    apply,
    chance,
    commitment,
    deal,
    lot,
    parse_move,
    set_up,
    shuffle,
)
from manhattan.rules.chance import _below, _numbers
from positions import position

ZERO = bytes(32)
OTHER = bytes(range(32))


def test_the_published_commitment() -> None:
    """RECORD: SHA-256 of the 32 seed bytes."""
    published = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
    assert commitment(ZERO) == published


def test_the_published_deal() -> None:
    """RECORD: all 45 cards of shuffle 0, for 32 zero bytes."""
    published = (
        "6 9 8 3 7 5 1 9 5 4 3 1 6 2 7 4 8 8 7 2 5 3 1 4 6 8 3 1 2 4 7 3 7 6 5 5 9 2 9 4 8 6 9 2 1"
    )
    assert " ".join(map(str, shuffle(ZERO, 0, DECK))) == published


def test_the_published_shuffle_of_number_one() -> None:
    """RECORD: all 45 cards, k = 1."""
    assert shuffle(ZERO, 1, DECK)[:10] == (1, 4, 1, 5, 9, 5, 2, 4, 7, 9)


def test_the_published_lot() -> None:
    """RECORD: the start player among four."""
    assert lot(ZERO, 4) == 2


def test_the_stream_is_sha_256_in_counter_mode() -> None:
    """RECORD: SHA-256(seed, k, 0), then SHA-256(seed, k, 1), read in fours of bytes."""
    numbers = _numbers(OTHER, 258)
    first = sha256(OTHER + b"\x00\x00\x01\x02" + b"\x00\x00\x00\x00").digest()
    second = sha256(OTHER + b"\x00\x00\x01\x02" + b"\x00\x00\x00\x01").digest()
    read = b"".join(next(numbers).to_bytes(4, "big") for _ in range(16))
    assert read == first + second


def test_the_lot_reads_the_stream_of_the_highest_number() -> None:
    """RECORD: k = 4294967295."""
    x = int.from_bytes(sha256(OTHER + b"\xff" * 4 + bytes(4)).digest()[:4], "big")
    assert [lot(OTHER, players) for players in (2, 3, 4)] == [x % 2, x % 3, x % 4]


def test_the_cards_are_sorted_first() -> None:
    """RECORD: in whatever order they were played, the new pile is the same."""
    assert shuffle(OTHER, 3, (9, 1, 5, 5, 2)) == shuffle(OTHER, 3, (5, 2, 9, 5, 1))


@pytest.mark.parametrize("cards", [(), (7,), (3, 3, 3), DECK])
def test_a_shuffle_keeps_the_cards(cards: tuple[int, ...]) -> None:
    assert tuple(sorted(shuffle(OTHER, 1, cards))) == cards


def test_other_numbers_and_other_seeds_shuffle_otherwise() -> None:
    piles = {shuffle(seed, number, DECK) for seed in (ZERO, OTHER) for number in range(5)}
    assert len(piles) == 10


def test_a_number_past_the_last_whole_multiple_is_passed_over() -> None:
    """RECORD: 2^32 is 45 x 95443717 + 31, so the last 31 numbers give no choice among 45."""
    stream = iter([4294967295, 4294967265, 4294967264, 7])
    assert _below(45, stream) == 44
    assert next(stream) == 7


@pytest.mark.parametrize("n", [1, 2, 4, 8, 16, 32])
def test_nothing_is_passed_over_where_n_divides_the_range(n: int) -> None:
    assert _below(n, iter([4294967295])) == n - 1


@pytest.mark.parametrize("n", range(1, 46))
def test_every_answer_has_equally_many_numbers(n: int) -> None:
    """RECORD: the numbers that count are whole runs of n: the last that counts answers n - 1,
    the next one is passed over."""
    runs = 2**32 // n
    assert _below(n, iter([n * runs - 1])) == n - 1
    assert _below(n, iter([*range(n * runs, min(n * runs + 3, 2**32)), 0])) == 0


def test_every_order_comes_from_exactly_one_row_of_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    """RECORD: swapping from the last index down: of four cards 4 x 3 x 2 choices, 24 orders."""
    orders = []
    for choices in product(range(4), range(3), range(2)):
        stream = iter(choices)
        monkeypatch.setattr(chance, "_numbers", lambda seed, number, stream=stream: stream)
        orders.append(shuffle(ZERO, 0, (1, 2, 3, 4)))
    assert sorted(orders) == list(permutations((1, 2, 3, 4)))


def test_cards_are_swapped_from_the_last_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """RECORD: choices 0, 1, 1 of 1 2 3 4: 4 2 3 1, then 4 3 2 1, then nothing."""
    monkeypatch.setattr(chance, "_numbers", lambda seed, number: iter([0, 1, 1]))
    assert shuffle(ZERO, 0, (1, 2, 3, 4)) == (4, 3, 2, 1)


@pytest.mark.parametrize("length", [0, 16, 31, 33, 64])
def test_a_seed_has_32_bytes(length: int) -> None:
    """RECORD: no other length, wherever a seed is given."""
    seed = bytes(length)
    for use in (
        lambda: SeedShuffler(seed),
        lambda: commitment(seed),
        lambda: lot(seed, 4),
        lambda: shuffle(seed, 0, DECK),
    ):
        with pytest.raises(SetupError) as error:
            use()
        assert str(error.value) == f"A seed has 32 bytes; this one has {length}."


def test_a_shuffler_keeps_its_seed_to_itself() -> None:
    """RECORD: only the commitment may be seen while a game lasts."""
    shown = repr(SeedShuffler(OTHER))
    assert OTHER.hex() not in shown
    assert shown == f"<SeedShuffler, commitment {sha256(OTHER).hexdigest()[:8]}…>"


def test_a_shuffler_gives_the_shuffles_of_its_seed() -> None:
    assert SeedShuffler(OTHER)(2, DECK) == shuffle(OTHER, 2, DECK)


@pytest.mark.parametrize(
    ("dealt", "count"),
    [(DECK[1:], 44), ((*DECK, 9), 46), ((2, *DECK[1:]), 45), ((), 0), ((0, *DECK[1:]), 45)],
)
def test_a_deal_that_loses_or_changes_cards(dealt: tuple[int, ...], count: int) -> None:
    """RULES 11: 45 cards, five of each kind, always."""
    with pytest.raises(ChanceError) as error:
        deal(set_up(), lambda number, cards: dealt)
    assert str(error.value) == (
        "Shuffle 0 must give back the 45 cards that it was given; "
        f"it gave {count} cards, or other ones."
    )


def test_a_reshuffle_that_loses_a_card() -> None:
    """RULES 11: in the middle of a game too; the game before it stands."""
    state = position(hands={0: [5, 1, 1, 1]}, pile=[], tableaus={"orange": [1], "blue": [1]})
    with pytest.raises(ChanceError) as error:
        apply(state, parse_move("A5+1"), lambda number, cards: cards[:-1])
    assert str(error.value) == (
        "Shuffle 1 must give back the 30 cards that it was given; it gave 29 cards, or other ones."
    )
    assert len(state.table.played) == 29
