"""Cells of a network, 32 side by side in the registers of the vector unit.

As with the kernel's lanes: compiled, they are a vector of LLVM's; with the compiler off a NumPy
array. An optimiser left alone with the loops takes four times as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manhattan.kernel.jit import COMPILED

CELLS = 32

if TYPE_CHECKING:

    def cells_at(numbers: Any, at: Any) -> Any: ...
    def weighed(cells: Any, weight: Any, numbers: Any, at: Any) -> Any: ...
    def positive(cells: Any) -> Any: ...
    def together(some: Any, others: Any) -> Any: ...
    def keep(numbers: Any, at: Any, cells: Any) -> None: ...

elif COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, models, register_model

    class _Cells(types.Type):
        def __init__(self) -> None:
            super().__init__(name=f"Cells({CELLS})")

    _KIND = _Cells()
    _FLOATS = ir.VectorType(ir.FloatType(), CELLS)

    @register_model(_Cells)
    class _CellsModel(models.PrimitiveModel):
        def __init__(self, dmm: Any, fe_type: Any) -> None:
            super().__init__(dmm, fe_type, _FLOATS)

    def _place(context: Any, builder: Any, kind: Any, numbers: Any, at: Any) -> Any:
        """A pointer to the cells that begin at an element of an array."""
        data = context.make_array(kind)(context, builder, numbers).data
        return builder.bitcast(builder.gep(data, [at]), _FLOATS.as_pointer())

    def _load(context: Any, builder: Any, kind: Any, numbers: Any, at: Any) -> Any:
        return builder.load(_place(context, builder, kind, numbers, at), align=4)

    @intrinsic
    def cells_at(_typing: Any, numbers: Any, _at: Any) -> Any:
        """The cells that begin at an element of the numbers."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _load(context, builder, sig.args[0], *args)

        return _KIND(numbers, types.int64), generate

    @intrinsic
    def weighed(_typing: Any, _cells: Any, _weight: Any, numbers: Any, _at: Any) -> Any:
        """Cells, and to each a number added that is weighed first."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            cells, weight, rows, at = args
            undefined = ir.Constant(_FLOATS, ir.Undefined)
            first = builder.insert_element(undefined, weight, ir.IntType(32)(0))
            every = ir.Constant(ir.VectorType(ir.IntType(32), CELLS), None)
            weights = builder.shuffle_vector(first, undefined, every)
            kind = ir.FunctionType(_FLOATS, [_FLOATS, _FLOATS, _FLOATS])
            name = f"llvm.fmuladd.v{CELLS}f32"
            multiply_and_add = builder.module.declare_intrinsic(name, (), kind)
            added = _load(context, builder, sig.args[2], rows, at)
            return builder.call(multiply_and_add, [weights, added, cells])

        return _KIND(_KIND, types.float32, numbers, types.int64), generate

    @intrinsic
    def positive(_typing: Any, _cells: Any) -> Any:
        """What is above 0; else 0."""

        def generate(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            nothing = ir.Constant(_FLOATS, None)
            above = builder.fcmp_ordered(">", args[0], nothing)
            return builder.select(above, args[0], nothing)

        return _KIND(_KIND), generate

    @intrinsic
    def together(_typing: Any, _some: Any, _others: Any) -> Any:
        """Cell by cell, the sum."""
        return _KIND(_KIND, _KIND), lambda _c, builder, _s, args: builder.fadd(*args)

    @intrinsic
    def keep(_typing: Any, numbers: Any, _at: Any, _cells: Any) -> Any:
        """Write cells to the numbers, beginning at an element."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            place = _place(context, builder, sig.args[0], args[0], args[1])
            builder.store(args[2], place, align=4)
            return context.get_dummy_value()

        return types.none(numbers, types.int64, _KIND), generate

else:

    def cells_at(numbers: Any, at: Any) -> Any:
        """The cells that begin at an element of the numbers."""
        return numbers.reshape(-1)[at : at + CELLS].copy()

    def weighed(cells: Any, weight: Any, numbers: Any, at: Any) -> Any:
        """Cells, and to each a number added that is weighed first."""
        return cells + weight * numbers.reshape(-1)[at : at + CELLS]

    def positive(cells: Any) -> Any:
        """What is above 0; else 0."""
        return np.maximum(cells, np.float32(0))

    def together(some: Any, others: Any) -> Any:
        """Cell by cell, the sum."""
        return some + others

    def keep(numbers: Any, at: Any, cells: Any) -> None:
        """Write cells to the numbers, beginning at an element."""
        numbers.reshape(-1)[at : at + CELLS] = cells
