"""RECORD, "Shuffles from a seed": they are reproducible and unbiased."""

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
    draw_start_player,
    parse_move,
    set_up,
    shuffle,
)
from manhattan.rules.chance import _below, _numbers
from support.positions import position

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


def test_the_published_start_player() -> None:
    """RECORD: the start player among four."""
    assert draw_start_player(ZERO, 4) == 2


def test_the_stream_is_sha_256_in_counter_mode() -> None:
    """RECORD: SHA-256(seed, k, 0), then SHA-256(seed, k, 1), read four bytes at a time."""
    numbers = _numbers(OTHER, 258)
    first = sha256(OTHER + b"\x00\x00\x01\x02" + b"\x00\x00\x00\x00").digest()
    second = sha256(OTHER + b"\x00\x00\x01\x02" + b"\x00\x00\x00\x01").digest()
    read = b"".join(next(numbers).to_bytes(4, "big") for _ in range(16))
    assert read == first + second


def test_the_start_player_is_read_from_the_stream_of_the_highest_number() -> None:
    """RECORD: k = 4294967295."""
    x = int.from_bytes(sha256(OTHER + b"\xff" * 4 + bytes(4)).digest()[:4], "big")
    assert [draw_start_player(OTHER, players) for players in (2, 3, 4)] == [x % 2, x % 3, x % 4]


def test_the_cards_are_sorted_first() -> None:
    """RECORD: the new pile does not depend on the order in which they were played."""
    assert shuffle(OTHER, 3, (9, 1, 5, 5, 2)) == shuffle(OTHER, 3, (5, 2, 9, 5, 1))


@pytest.mark.parametrize("cards", [(), (7,), (3, 3, 3), DECK])
def test_a_shuffle_keeps_the_cards(cards: tuple[int, ...]) -> None:
    assert tuple(sorted(shuffle(OTHER, 1, cards))) == cards


def test_shuffles_differ_by_number_and_by_seed() -> None:
    piles = {shuffle(seed, number, DECK) for seed in (ZERO, OTHER) for number in range(5)}
    assert len(piles) == 10


def test_a_number_past_the_last_whole_multiple_is_skipped() -> None:
    """RECORD: 2^32 is 45 x 95443717 + 31, so the last 31 numbers are skipped for n = 45."""
    stream = iter([4294967295, 4294967265, 4294967264, 7])
    assert _below(45, stream) == 44
    assert next(stream) == 7


@pytest.mark.parametrize("n", [1, 2, 4, 8, 16, 32])
def test_no_number_is_skipped_if_n_divides_the_range(n: int) -> None:
    assert _below(n, iter([4294967295])) == n - 1


@pytest.mark.parametrize("n", range(1, 46))
def test_every_result_has_the_same_number_of_inputs(n: int) -> None:
    """RECORD: the accepted numbers are whole runs of n: the last one gives n - 1, and the next one
    is skipped."""
    runs = 2**32 // n
    assert _below(n, iter([n * runs - 1])) == n - 1
    assert _below(n, iter([*range(n * runs, min(n * runs + 3, 2**32)), 0])) == 0


def test_every_order_follows_from_exactly_one_series_of_choices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """RECORD: four cards have 4 x 3 x 2 choices and 24 orders."""
    orders = []
    for choices in product(range(4), range(3), range(2)):
        stream = iter(choices)
        monkeypatch.setattr(chance, "_numbers", lambda seed, number, stream=stream: stream)
        orders.append(shuffle(ZERO, 0, (1, 2, 3, 4)))
    assert sorted(orders) == list(permutations((1, 2, 3, 4)))


def test_cards_are_swapped_from_the_last_index_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """RECORD: the choices 0, 1, 1 turn 1 2 3 4 into 4 2 3 1, then 4 3 2 1, then the same."""
    monkeypatch.setattr(chance, "_numbers", lambda seed, number: iter([0, 1, 1]))
    assert shuffle(ZERO, 0, (1, 2, 3, 4)) == (4, 3, 2, 1)


@pytest.mark.parametrize("length", [0, 16, 31, 33, 64])
def test_a_seed_has_32_bytes(length: int) -> None:
    """RECORD: every function rejects other lengths."""
    seed = bytes(length)
    for use in (
        lambda: SeedShuffler(seed),
        lambda: commitment(seed),
        lambda: draw_start_player(seed, 4),
        lambda: shuffle(seed, 0, DECK),
    ):
        with pytest.raises(SetupError) as error:
            use()
        assert str(error.value) == f"A seed has 32 bytes; this one has {length}."


def test_the_repr_of_a_shuffler_hides_its_seed() -> None:
    """RECORD: only the commitment is public during a game."""
    shown = repr(SeedShuffler(OTHER))
    assert OTHER.hex() not in shown
    assert shown == f"<SeedShuffler, commitment {sha256(OTHER).hexdigest()[:8]}…>"


def test_a_shuffler_gives_the_shuffles_of_its_seed() -> None:
    assert SeedShuffler(OTHER)(2, DECK) == shuffle(OTHER, 2, DECK)


@pytest.mark.parametrize(
    ("dealt", "count"),
    [(DECK[1:], 44), ((*DECK, 9), 46), ((2, *DECK[1:]), 45), ((), 0), ((0, *DECK[1:]), 45)],
)
def test_a_deal_that_loses_or_changes_cards_is_rejected(dealt: tuple[int, ...], count: int) -> None:
    """RULES 11: 45 cards, five of each kind, always."""
    with pytest.raises(ChanceError) as error:
        deal(set_up(), lambda number, cards: dealt)
    assert str(error.value) == (
        "Shuffle 0 must return the 45 cards that it was given; "
        f"it returned {count} cards, or different ones."
    )


def test_a_reshuffle_that_loses_a_card_is_rejected() -> None:
    """RULES 11: the state before it does not change."""
    state = position(hands={0: [5, 1, 1, 1]}, pile=[], tableaus={"orange": [1], "blue": [1]})
    with pytest.raises(ChanceError) as error:
        apply(state, parse_move("A5+1"), lambda number, cards: cards[:-1])
    assert str(error.value) == (
        "Shuffle 1 must return the 30 cards that it was given; "
        "it returned 29 cards, or different ones."
    )
    assert len(state.public.played) == 29
