"""Vector operations on 32 floats at a time, for the layers of the value network.

Compiled, a vector is a value of LLVM's vector type that stays in the processor's registers;
with the compiler off it is a NumPy array. Plain loops over arrays, left to the optimiser, take
four times as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manhattan.kernel.jit import COMPILED

LANES = 32

if TYPE_CHECKING:

    def load(array: Any, at: Any) -> Any: ...
    def fma(vector: Any, weight: Any, array: Any, at: Any) -> Any: ...
    def relu(vector: Any) -> Any: ...
    def add(left: Any, right: Any) -> Any: ...
    def store(array: Any, at: Any, vector: Any) -> None: ...

elif COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, models, register_model

    class _Vector(types.Type):
        def __init__(self) -> None:
            super().__init__(name=f"Vector({LANES})")

    _VECTOR = _Vector()
    _FLOATS = ir.VectorType(ir.FloatType(), LANES)

    @register_model(_Vector)
    class _VectorModel(models.PrimitiveModel):
        def __init__(self, dmm: Any, fe_type: Any) -> None:
            super().__init__(dmm, fe_type, _FLOATS)

    def _pointer(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
        """Return a pointer to the vector that begins at an element of an array."""
        data = context.make_array(array_type)(context, builder, array).data
        return builder.bitcast(builder.gep(data, [at]), _FLOATS.as_pointer())

    def _load(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
        return builder.load(_pointer(context, builder, array_type, array, at), align=4)

    @intrinsic
    def load(_typing: Any, array: Any, _at: Any) -> Any:
        """Load the vector that begins at an element of an array."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _load(context, builder, sig.args[0], *args)

        return _VECTOR(array, types.int64), generate

    @intrinsic
    def fma(_typing: Any, _vector: Any, _weight: Any, array: Any, _at: Any) -> Any:
        """Fused multiply-add: the vector plus ``weight`` times the vector at ``array[at]``."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            vector, weight, rows, at = args
            undefined = ir.Constant(_FLOATS, ir.Undefined)
            first = builder.insert_element(undefined, weight, ir.IntType(32)(0))
            every_lane = ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
            weights = builder.shuffle_vector(first, undefined, every_lane)
            signature = ir.FunctionType(_FLOATS, [_FLOATS, _FLOATS, _FLOATS])
            name = f"llvm.fmuladd.v{LANES}f32"
            fmuladd = builder.module.declare_intrinsic(name, (), signature)
            factors = _load(context, builder, sig.args[2], rows, at)
            return builder.call(fmuladd, [weights, factors, vector])

        return _VECTOR(_VECTOR, types.float32, array, types.int64), generate

    @intrinsic
    def relu(_typing: Any, _vector: Any) -> Any:
        """Replace negative lanes by 0."""

        def generate(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            zero = ir.Constant(_FLOATS, None)
            is_positive = builder.fcmp_ordered(">", args[0], zero)
            return builder.select(is_positive, args[0], zero)

        return _VECTOR(_VECTOR), generate

    @intrinsic
    def add(_typing: Any, _left: Any, _right: Any) -> Any:
        """Add two vectors lane by lane."""
        return _VECTOR(_VECTOR, _VECTOR), lambda _c, builder, _s, args: builder.fadd(*args)

    @intrinsic
    def store(_typing: Any, array: Any, _at: Any, _vector: Any) -> Any:
        """Store a vector into an array, beginning at an element."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            pointer = _pointer(context, builder, sig.args[0], args[0], args[1])
            builder.store(args[2], pointer, align=4)
            return context.get_dummy_value()

        return types.none(array, types.int64, _VECTOR), generate

else:

    def load(array: Any, at: Any) -> Any:
        """Load the vector that begins at an element of an array."""
        return array.reshape(-1)[at : at + LANES].copy()

    def fma(vector: Any, weight: Any, array: Any, at: Any) -> Any:
        """Fused multiply-add: the vector plus ``weight`` times the vector at ``array[at]``."""
        return vector + weight * array.reshape(-1)[at : at + LANES]

    def relu(vector: Any) -> Any:
        """Replace negative lanes by 0."""
        return np.maximum(vector, np.float32(0))

    def add(left: Any, right: Any) -> Any:
        """Add two vectors lane by lane."""
        return left + right

    def store(array: Any, at: Any, vector: Any) -> None:
        """Store a vector into an array, beginning at an element."""
        array.reshape(-1)[at : at + LANES] = vector
