"""Bit sets of 54 sites in a 64-bit integer, and a counter-based random number generator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from manhattan.kernel.jit import COMPILED, TARGET, has_feature, inlined

U64 = np.uint64

HAS_PDEP = has_feature(TARGET, "x86_64", "bmi2")
"""Whether the processor finds the n-th set bit in one instruction; without, it takes a dozen."""

if TYPE_CHECKING:  # an intrinsic is called without its first parameter, the typing context

    def popcount(bits: Any) -> Any: ...
    def trailing_zeros(bits: Any) -> Any: ...
    def _pdep(source: Any, mask: Any) -> Any: ...

elif COMPILED:
    _UNARY = types.uint64(types.uint64)

    @intrinsic
    def popcount(_context: Any, _bits: Any) -> Any:
        """Return the number of set bits."""
        return _UNARY, lambda _c, builder, _s, args: builder.ctpop(args[0])

    @intrinsic
    def trailing_zeros(_context: Any, _bits: Any) -> Any:
        """Return the index of the lowest set bit; 64 if there is none."""
        zero_is_defined = ir.Constant(ir.IntType(1), 0)
        return _UNARY, lambda _c, builder, _s, args: builder.cttz(args[0], zero_is_defined)

    @intrinsic
    def _pdep(_context: Any, _source: Any, _mask: Any) -> Any:
        """Deposit the low bits of the source at the mask's set bits (the instruction PDEP)."""
        signature = types.uint64(types.uint64, types.uint64)

        def generate(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
            word = ir.IntType(64)
            kind = ir.FunctionType(word, [word, word])
            pdep = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind)
            return builder.call(pdep, args)

        return signature, generate

else:

    def popcount(bits: Any) -> Any:
        """Return the number of set bits."""
        return U64(int(bits).bit_count())

    def trailing_zeros(bits: Any) -> Any:
        """Return the index of the lowest set bit; 64 if there is none."""
        value = int(bits)
        return U64((value & -value).bit_length() - 1 if value else 64)


_EVERY_BYTE = 0x0101010101010101
_ONES, _TOPS = U64(_EVERY_BYTE), U64(0x80 * _EVERY_BYTE)
_PAIRS, _FOURS, _EIGHTS = U64(0x55 * _EVERY_BYTE), U64(0x33 * _EVERY_BYTE), U64(0x0F * _EVERY_BYTE)

_NTH_OF_BYTE = np.array(
    [([1 << i for i in range(8) if byte >> i & 1] + 8 * [0])[:8] for byte in range(256)], np.uint8
).ravel()
"""``[8 * byte + n]``: the n-th set bit of a byte, alone."""


@inlined
def nth_bit_portable(bits: Any, n: Any) -> Any:
    """Return the n-th set bit, on any processor.

    The byte follows from the number of bits set up to each of the eight bytes, computed side by
    side; the bit in it comes from a table.
    """
    up_to = bits - ((bits >> U64(1)) & _PAIRS)
    up_to = (up_to & _FOURS) + ((up_to >> U64(2)) & _FOURS)
    up_to = ((up_to + (up_to >> U64(4))) & _EIGHTS) * _ONES
    passed = (((n * _ONES) | _TOPS) - up_to) & _TOPS  # the bytes up to which n or fewer are set
    shift = (((passed >> U64(7)) * _ONES) >> U64(53)) & U64(56)  # eight for each of them
    n -= ((up_to << U64(8)) >> shift) & U64(255)
    return U64(_NTH_OF_BYTE[U64(8) * ((bits >> shift) & U64(255)) + n]) << shift


if COMPILED and HAS_PDEP:

    @inlined
    def nth_bit(bits: Any, n: Any) -> Any:
        """Return the n-th set bit, counted from 0, alone; 0 if no bit is set."""
        return _pdep(U64(1) << n, bits)

else:
    nth_bit = nth_bit_portable


@inlined
def unpack_site_sets(out: Any, at: int, s0: Any, s1: Any, s2: Any, s3: Any) -> None:
    """Write four bytes per site, from index ``at`` on: whether it is in each of four sets.

    The compiler vectorizes this loop.
    """
    for site in range(54):
        shift = U64(site)
        out[at + 4 * site] = (s0 >> shift) & U64(1)
        out[at + 4 * site + 1] = (s1 >> shift) & U64(1)
        out[at + 4 * site + 2] = (s2 >> shift) & U64(1)
        out[at + 4 * site + 3] = (s3 >> shift) & U64(1)


# splitmix64: the state is a counter, so the stream of game n starts without playing game n - 1.
_STEP = U64(0x9E3779B97F4A7C15)
_MIX_1 = U64(0xBF58476D1CE4E5B9)
_MIX_2 = U64(0x94D049BB133111EB)
_BY_SEED = U64(0xD1342543DE82EF95)
_BY_GAME = U64(0xAF251AF3B0F025B5)


@inlined
def mix64(z: Any) -> Any:
    """Return the random number of a counter."""
    z = (z ^ (z >> U64(30))) * _MIX_1
    z = (z ^ (z >> U64(27))) * _MIX_2
    return z ^ (z >> U64(31))


@inlined
def advance_counter(counter: Any) -> Any:
    return counter + _STEP


@inlined
def stream_start(seed: Any, number: Any) -> Any:
    """Return the first counter of the stream of one of many games."""
    return mix64(((seed * _BY_SEED) ^ (number * _BY_GAME)) + _STEP)


@inlined
def below(random: Any, n: Any) -> Any:
    """Map the low 32 bits of a random number to 0 to n - 1.

    The bias is n / 2**32, far below what any statistics here could show.
    """
    return ((random & U64(0xFFFFFFFF)) * n) >> U64(32)
