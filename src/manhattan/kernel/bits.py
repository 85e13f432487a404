"""Sets of sites as 54 bits of a 64-bit number, and what the processor can do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from manhattan.kernel.jit import COMPILED, inlined

U64 = np.uint64

HAS_PDEP = bool(llvmlite.binding.get_host_cpu_features().get("bmi2", False))
"""Can the processor find the k-th bit in one step? If not, a short loop does."""

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


if COMPILED and HAS_PDEP:

    @inlined
    def nth_bit(bits: Any, n: Any) -> Any:
        """The n-th set bit, counted from 0, alone."""
        return _deposit(U64(1) << n, bits)

else:

    @inlined
    def nth_bit(bits: Any, n: Any) -> Any:
        """The n-th set bit, counted from 0, alone."""
        while n > U64(0):
            bits &= bits - U64(1)
            n -= U64(1)
        return bits & (~bits + U64(1))


# splitmix64: the state is a counter, so the stream of game n is found without playing game n - 1.
_STEP = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_BY_SEED = 0xD1342543DE82EF95
_BY_GAME = 0xAF251AF3B0F025B5

if COMPILED:

    @inlined
    def mixed(z: Any) -> Any:
        """A number that looks random, from one that counts."""
        z = (z ^ (z >> U64(30))) * U64(_MIX_1)
        z = (z ^ (z >> U64(27))) * U64(_MIX_2)
        return z ^ (z >> U64(31))

    @inlined
    def stepped(counter: Any) -> Any:
        return counter + U64(_STEP)

    @inlined
    def stream(seed: Any, number: Any) -> Any:
        """Where the random numbers of one of many games begin."""
        return mixed(((seed * U64(_BY_SEED)) ^ (number * U64(_BY_GAME))) + U64(_STEP))

else:  # plain numbers: NumPy would warn of every overflow, which here is the point
    _WORD = 2**64 - 1

    def mixed(z: Any) -> Any:
        """A number that looks random, from one that counts."""
        value = int(z)
        value = ((value ^ (value >> 30)) * _MIX_1) & _WORD
        value = ((value ^ (value >> 27)) * _MIX_2) & _WORD
        return U64(value ^ (value >> 31))

    def stepped(counter: Any) -> Any:
        return U64((int(counter) + _STEP) & _WORD)

    def stream(seed: Any, number: Any) -> Any:
        """Where the random numbers of one of many games begin."""
        value = ((int(seed) * _BY_SEED) ^ (int(number) * _BY_GAME)) + _STEP
        return mixed(U64(value & _WORD))


@inlined
def below(random: Any, n: Any) -> Any:
    """An even choice from 0 to n - 1, from the low 32 bits of a random number.

    Even to one part in 2**32 / n, which no statistics of ours will ever see.
    """
    return ((random & U64(0xFFFFFFFF)) * n) >> U64(32)
