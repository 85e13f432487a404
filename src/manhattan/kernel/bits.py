"""Sets of sites as 54 bits of a 64-bit number, and what the processor can do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from manhattan.kernel.jit import COMPILED, TARGET, has_feature, inlined

U64 = np.uint64

HAS_PDEP = has_feature(TARGET, "x86_64", "bmi2")
"""Can the processor find the k-th bit in one step? If not, a dozen do."""

if TYPE_CHECKING:  # an intrinsic is called with fewer arguments than it is written with

    def popcount(bits: Any) -> Any: ...
    def lowest(bits: Any) -> Any: ...
    def _deposit(source: Any, mask: Any) -> Any: ...

elif COMPILED:
    _UNARY = types.uint64(types.uint64)

    @intrinsic
    def popcount(_context: Any, _bits: Any) -> Any:
        """How many bits are set."""
        return _UNARY, lambda _c, builder, _s, args: builder.ctpop(args[0])

    @intrinsic
    def lowest(_context: Any, _bits: Any) -> Any:
        """The number of the lowest bit that is set; 64 if none is."""
        never_poison = ir.Constant(ir.IntType(1), 0)
        return _UNARY, lambda _c, builder, _s, args: builder.cttz(args[0], never_poison)

    @intrinsic
    def _deposit(_context: Any, _source: Any, _mask: Any) -> Any:
        """The processor's PDEP: the bits of the source, one by one, at the mask's set bits."""
        signature = types.uint64(types.uint64, types.uint64)

        def generate(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
            word = ir.IntType(64)
            kind = ir.FunctionType(word, [word, word])
            pdep = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind)
            return builder.call(pdep, args)

        return signature, generate

else:

    def popcount(bits: Any) -> Any:
        """How many bits are set."""
        return U64(int(bits).bit_count())

    def lowest(bits: Any) -> Any:
        """The number of the lowest bit that is set; 64 if none is."""
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
def nth_bit_by_bytes(bits: Any, n: Any) -> Any:
    """The n-th set bit on any processor: first its byte, from how many bits are set up to each
    of the eight, reckoned side by side; then the bit in it, from a table."""
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
        """The n-th set bit, counted from 0, alone; nothing if there is none at all."""
        return _deposit(U64(1) << n, bits)

else:
    nth_bit = nth_bit_by_bytes


# splitmix64: the state is a counter, so the stream of game n is found without playing game n - 1.
_STEP = U64(0x9E3779B97F4A7C15)
_MIX_1 = U64(0xBF58476D1CE4E5B9)
_MIX_2 = U64(0x94D049BB133111EB)
_BY_SEED = U64(0xD1342543DE82EF95)
_BY_GAME = U64(0xAF251AF3B0F025B5)


@inlined
def mixed(z: Any) -> Any:
    """A number that looks random, from one that counts."""
    z = (z ^ (z >> U64(30))) * _MIX_1
    z = (z ^ (z >> U64(27))) * _MIX_2
    return z ^ (z >> U64(31))


@inlined
def stepped(counter: Any) -> Any:
    return counter + _STEP


@inlined
def stream(seed: Any, number: Any) -> Any:
    """Where the random numbers of one of many games begin."""
    return mixed(((seed * _BY_SEED) ^ (number * _BY_GAME)) + _STEP)


@inlined
def below(random: Any, n: Any) -> Any:
    """An even choice from 0 to n - 1, from the low 32 bits of a random number.

    Even to one part in 2**32 / n, which no statistics of ours will ever see.
    """
    return ((random & U64(0xFFFFFFFF)) * n) >> U64(32)
