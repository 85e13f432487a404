"""Many bytes at a time, as the processor's vector units do it.

Written for the compiler as operations on whole vectors, which it turns into what any processor
has. The same stands here as plain loops, for runs without the compiler: the tests go both ways.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from manhattan.envs.engine.memory import Address
from manhattan.kernel.bits import U64
from manhattan.kernel.jit import COMPILED
from manhattan.kernel.layout import CHOICES, GAME

SITES = 54
_GAME_FIELDS: Any = GAME.fields
(CARDS,) = _GAME_FIELDS["cards"][0].shape
"""Places for cards in a record."""
FOURS = CHOICES[4]
U32 = np.uint32


def spread_by_bits(where: Any, b0: Any, b1: Any, b2: Any, b3: Any) -> None:
    """For each site four bytes: its bits of four sets."""
    for k, bits in enumerate((b0, b1, b2, b3)):
        for site in range(SITES):
            where[4 * site + k] = (bits >> U64(site)) & U64(1)


def stamp_by_bits(where: Any, bits: Any, told: Any) -> None:
    """A byte for each of the lowest bits, as many as there are choices of four blocks; all 0
    unless they are to be told."""
    for k in range(FOURS):
        where[k] = (bits >> U64(k)) & told


def tally_by_cards(cards: Any, count: Any, kinds: Any) -> Any:
    """How often each of nine kinds is among the last so many of 48 cards, 4 bits each."""
    found = U64(0)
    for k in range(9):
        for i in range(CARDS - count, CARDS):
            found += U64(cards[i] == kinds[k]) << U64(4 * k)
    return found


def turn_by_words(source: Any, where: Any, right: Any, left: Any, up: Any, down: Any) -> None:
    """For each site four bytes, moved on by some places: what falls out comes in again."""
    words = source[: 4 * SITES].view(U32)
    where[: 4 * SITES].view(U32)[:] = ((words >> right) & down) | ((words << left) & up)


if TYPE_CHECKING:

    def spread(where: Address, b0: Any, b1: Any, b2: Any, b3: Any) -> None: ...
    def turn(
        source: Address, where: Address, right: Any, left: Any, up: Any, down: Any
    ) -> None: ...
    def stamp(where: Address, bits: Any, told: Any) -> None: ...
    def tally(cards: Address, count: Any, kinds: Address) -> Any: ...

elif COMPILED:
    _BIT, _BYTE, _WORD = ir.IntType(1), ir.IntType(8), ir.IntType(32)

    def _mixed(builder: Any, one: Any, other: Any, order: list[int]) -> Any:
        """Parts of two vectors, in this order."""
        return builder.shuffle_vector(one, other, ir.Constant(_of(_WORD, len(order)), order))

    def _of(kind: Any, count: int) -> Any:
        return ir.VectorType(kind, count)

    def _at(builder: Any, address: Any, kind: Any) -> Any:
        return builder.inttoptr(address, kind.as_pointer())

    def _everywhere(builder: Any, value: Any, count: int) -> Any:
        """One number in every place of a vector."""
        blank = ir.Constant(_of(value.type, 1), ir.Undefined)
        single = builder.insert_element(blank, value, _WORD(0))
        return _mixed(builder, single, blank, [0] * count)

    @intrinsic
    def spread(_context: Any, _where: Any, _b0: Any, _b1: Any, _b2: Any, _b3: Any) -> Any:
        """For each site four bytes: its bits of four sets."""

        def generate(context: Any, builder: Any, _s: Any, args: Any) -> Any:
            b0, b1, b2, b3 = (builder.bitcast(bits, _of(_BYTE, 8)) for bits in args[1:])
            by_turns = [place for byte in range(8) for place in (byte, 8 + byte)]
            low, high = _mixed(builder, b0, b1, by_turns), _mixed(builder, b2, b3, by_turns)
            pairs = [2 * byte + k for byte in range(8) for k in (0, 1, 16, 17)]
            # A word has eight sites of each set: it stands eight times, and each is moved on.
            words = builder.bitcast(_mixed(builder, low, high, pairs), _of(_WORD, 8))
            for first in range(0, SITES, 8):
                count = min(8, SITES - first)
                eight = _mixed(builder, words, words, [first // 8] * count)
                moved = builder.lshr(eight, ir.Constant(eight.type, list(range(count))))
                out = builder.and_(moved, ir.Constant(eight.type, [0x01010101] * count))
                to = builder.add(args[0], args[0].type(4 * first))
                builder.store(out, _at(builder, to, out.type), align=1)
            return context.get_dummy_value()

        return types.void(types.int64, *[types.uint64] * 4), generate

    @intrinsic
    def turn(
        _context: Any, _source: Any, _where: Any, _right: Any, _left: Any, _up: Any, _down: Any
    ) -> Any:
        """For each site four bytes, moved on by some places: what falls out comes in again."""

        def generate(context: Any, builder: Any, _s: Any, args: Any) -> Any:
            kind = _of(_WORD, SITES)
            words = builder.load(_at(builder, args[0], kind), align=4)
            right, left, up, down = (_everywhere(builder, value, SITES) for value in args[2:])
            back = builder.and_(builder.lshr(words, right), down)
            on = builder.and_(builder.shl(words, left), up)
            builder.store(builder.or_(back, on), _at(builder, args[1], kind), align=1)
            return context.get_dummy_value()

        address, word = types.int64, types.uint32
        return types.void(address, address, word, word, word, word), generate

    @intrinsic
    def stamp(_context: Any, _where: Any, _bits: Any, _told: Any) -> Any:
        """A byte for each of the lowest bits, as many as there are choices of four blocks; all 0
        unless they are to be told."""

        def generate(context: Any, builder: Any, _s: Any, args: Any) -> Any:
            where, bits, told = args
            every = builder.zext(builder.bitcast(bits, _of(_BIT, 64)), _of(_BYTE, 64))
            all_or_none = _everywhere(builder, builder.trunc(told, _BYTE), 32)
            # The last four are written by themselves, and one of them twice.
            for first, count in ((0, 32), (FOURS - 4, 4)):
                part = _mixed(builder, every, every, list(range(first, first + count)))
                ours = _mixed(builder, all_or_none, all_or_none, list(range(count)))
                to = builder.add(where, where.type(first))
                builder.store(builder.and_(part, ours), _at(builder, to, part.type), align=1)
            return context.get_dummy_value()

        return types.void(types.int64, types.uint64, types.uint64), generate

    @intrinsic
    def tally(_context: Any, _cards: Any, _count: Any, _kinds: Any) -> Any:
        """How often each of nine kinds is among the last so many of 48 cards, 4 bits each."""

        def generate(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
            cards, count, kinds = args
            number = ir.IntType(64)
            parts = [
                (at, builder.load(_at(builder, builder.add(cards, number(at)), kind), align=1))
                for at, kind in ((0, _of(_BYTE, 32)), (32, _of(_BYTE, 16)))
            ]
            among = builder.shl(number(-1), builder.sub(number(CARDS), count))
            found = number(0)
            for k in range(9):
                kind = builder.load(_at(builder, builder.add(kinds, number(k)), _BYTE))
                places = number(0)
                for at, part in parts:
                    alike = builder.icmp_unsigned(
                        "==", part, _everywhere(builder, kind, part.type.count)
                    )
                    bits = builder.bitcast(alike, ir.IntType(part.type.count))
                    bits = builder.shl(builder.zext(bits, number), number(at))
                    places = builder.or_(places, bits)
                copies = builder.ctpop(builder.and_(places, among))
                found = builder.or_(found, builder.shl(copies, number(4 * k)))
            return found

        return types.uint64(types.int64, types.int64, types.int64), generate

else:
    spread, turn = spread_by_bits, turn_by_words
    stamp, tally = stamp_by_bits, tally_by_cards
