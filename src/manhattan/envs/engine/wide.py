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

SITES = 54
U32 = np.uint32


def spread_by_bits(where: Any, b0: Any, b1: Any, b2: Any, b3: Any) -> None:
    """For each site four bytes: its bits of four sets."""
    for k, bits in enumerate((b0, b1, b2, b3)):
        for site in range(SITES):
            where[4 * site + k] = (bits >> U64(site)) & U64(1)


def turn_by_words(source: Any, where: Any, right: Any, left: Any, up: Any, down: Any) -> None:
    """For each site four bytes, moved on by some places: what falls out comes in again."""
    words = source[: 4 * SITES].view(U32)
    where[: 4 * SITES].view(U32)[:] = ((words >> right) & down) | ((words << left) & up)


if TYPE_CHECKING:

    def spread(where: Address, b0: Any, b1: Any, b2: Any, b3: Any) -> None: ...
    def turn(
        source: Address, where: Address, right: Any, left: Any, up: Any, down: Any
    ) -> None: ...

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
            b0, b1, b2, b3 = (
                builder.zext(builder.bitcast(bits, _of(_BIT, 64)), _of(_BYTE, 64))
                for bits in args[1:]
            )
            by_turns = [place for site in range(64) for place in (site, 64 + site)]
            low, high = _mixed(builder, b0, b1, by_turns), _mixed(builder, b2, b3, by_turns)
            pairs = [2 * s + k for s in range(SITES) for k in (0, 1, 128, 129)]
            out = _mixed(builder, low, high, pairs)
            builder.store(out, _at(builder, args[0], out.type), align=1)
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

else:
    spread, turn = spread_by_bits, turn_by_words
