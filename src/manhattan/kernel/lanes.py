"""Numbers side by side: one for each of several games, in one register of the vector unit.

Compiled, ``Lanes`` is a vector of LLVM's, so that what is written with it runs on the vector units
for certain, whatever an optimiser makes of loops. With the compiler off it is a NumPy array: the
same source runs on both.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from manhattan.kernel.jit import COMPILED, TARGET, has_feature

WIDTH = 8 if has_feature(TARGET, "x86_64", "avx512f") else 4
"""How many games a register holds."""

if TYPE_CHECKING:

    def load(rows: Any, at: Any) -> Any: ...
    def store(rows: Any, at: Any, value: Any) -> None: ...
    def alike(value: Any) -> Any: ...
    def either(marks: Any, this: Any, that: Any) -> Any: ...
    def counted(bits: Any) -> Any: ...
    def anywhere(marks: Any) -> Any: ...

elif COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.core.typing.templates import AbstractTemplate, infer_global, signature
    from numba.extending import intrinsic, lower_builtin, models, register_model

    class _Lanes(types.Type):
        def __init__(self) -> None:
            super().__init__(name=f"Lanes({WIDTH})")

    class _Marks(types.Type):
        def __init__(self) -> None:
            super().__init__(name=f"Marks({WIDTH})")

    LANES, MARKS = _Lanes(), _Marks()
    _WORDS = ir.VectorType(ir.IntType(64), WIDTH)
    _BITS = ir.VectorType(ir.IntType(1), WIDTH)

    @register_model(_Lanes)
    class _LanesModel(models.PrimitiveModel):
        def __init__(self, dmm: Any, fe_type: Any) -> None:
            super().__init__(dmm, fe_type, _WORDS)

    @register_model(_Marks)
    class _MarksModel(models.PrimitiveModel):
        def __init__(self, dmm: Any, fe_type: Any) -> None:
            super().__init__(dmm, fe_type, _BITS)

    def _spread_out(builder: Any, word: Any) -> Any:
        """One number in every lane."""
        undefined = ir.Constant(_WORDS, ir.Undefined)
        first = builder.insert_element(undefined, word, ir.IntType(32)(0))
        every = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), None)
        return builder.shuffle_vector(first, undefined, every)

    def _operation(op: Any, result: Any, kind: Any, generate: Any) -> None:
        """Teach the compiler an operator between lanes, or between lanes and one number."""
        accepted = ((kind, kind), (kind, types.uint64))

        class Template(AbstractTemplate):  # type: ignore[misc] # numba has no types
            def generic(self, args: Any, kws: Any) -> Any:
                return signature(result, *args) if args in accepted and not kws else None

        infer_global(op)(Template)

        @lower_builtin(op, kind, kind)
        def both(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            return generate(builder, args[0], args[1])

        if kind is LANES:

            @lower_builtin(op, kind, types.uint64)
            def with_number(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
                return generate(builder, args[0], _spread_out(builder, args[1]))

    for _op, _name in (
        (operator.add, "add"),
        (operator.iadd, "add"),
        (operator.sub, "sub"),
        (operator.mul, "mul"),
        (operator.and_, "and_"),
        (operator.or_, "or_"),
        (operator.ior, "or_"),
        (operator.xor, "xor"),
        (operator.lshift, "shl"),
        (operator.rshift, "lshr"),
    ):
        _operation(_op, LANES, LANES, lambda b, x, y, name=_name: getattr(b, name)(x, y))
    for _op, _sign in (
        (operator.eq, "=="),
        (operator.ne, "!="),
        (operator.ge, ">="),
        (operator.gt, ">"),
    ):
        _operation(_op, MARKS, LANES, lambda b, x, y, sign=_sign: b.icmp_unsigned(sign, x, y))

    @infer_global(operator.invert)
    class _Invert(AbstractTemplate):  # type: ignore[misc] # numba has no types
        def generic(self, args: Any, kws: Any) -> Any:
            return signature(LANES, LANES) if args == (LANES,) and not kws else None

    @lower_builtin(operator.invert, LANES)
    def _invert(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.not_(args[0])

    _operation(operator.or_, MARKS, MARKS, lambda b, x, y: b.or_(x, y))
    _operation(operator.and_, MARKS, MARKS, lambda b, x, y: b.and_(x, y))

    def _place(context: Any, builder: Any, kind: Any, rows: Any, at: Any) -> Any:
        """A pointer to the lanes that begin at an element of an array."""
        data = context.make_array(kind)(context, builder, rows).data
        return builder.bitcast(builder.gep(data, [at]), _WORDS.as_pointer())

    @intrinsic
    def load(_typing: Any, rows: Any, _at: Any) -> Any:
        """The lanes that begin at an element of the rows."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.load(_place(context, builder, sig.args[0], *args), align=8)

        return LANES(rows, types.int64), generate

    @intrinsic
    def store(_typing: Any, rows: Any, _at: Any, _value: Any) -> Any:
        """Write lanes to the rows, beginning at an element."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            place = _place(context, builder, sig.args[0], args[0], args[1])
            builder.store(args[2], place, align=8)
            return context.get_dummy_value()

        return types.none(rows, types.int64, LANES), generate

    @intrinsic
    def alike(_typing: Any, _value: Any) -> Any:
        """One number in every lane."""
        return LANES(types.uint64), lambda _c, b, _s, args: _spread_out(b, args[0])

    @intrinsic
    def either(_typing: Any, _marks: Any, _this: Any, _that: Any) -> Any:
        """This where marked, that elsewhere."""
        return LANES(MARKS, LANES, LANES), lambda _c, b, _s, args: b.select(*args)

    @intrinsic
    def counted(_typing: Any, _bits: Any) -> Any:
        """How many bits are set, lane by lane."""

        def generate(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            kind = ir.FunctionType(_WORDS, [_WORDS])
            count = builder.module.declare_intrinsic(f"llvm.ctpop.v{WIDTH}i64", (), kind)
            return builder.call(count, args)

        return LANES(LANES), generate

    @intrinsic
    def anywhere(_typing: Any, _marks: Any) -> Any:
        """Is any lane marked?"""

        def generate(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            together = builder.bitcast(args[0], ir.IntType(WIDTH))
            return cgutils.is_not_null(builder, together)

        return types.boolean(MARKS), generate

else:

    def load(rows: Any, at: Any) -> Any:
        """The lanes that begin at an element of the rows."""
        return rows.reshape(-1)[at : at + WIDTH].copy()

    def store(rows: Any, at: Any, value: Any) -> None:
        """Write lanes to the rows, beginning at an element."""
        rows.reshape(-1)[at : at + WIDTH] = value

    def alike(value: Any) -> Any:
        """One number in every lane."""
        return np.full(WIDTH, value, np.uint64)

    def either(marks: Any, this: Any, that: Any) -> Any:
        """This where marked, that elsewhere."""
        return np.where(marks, this, that)

    def counted(bits: Any) -> Any:
        """How many bits are set, lane by lane."""
        return np.bitwise_count(bits).astype(np.uint64)

    def anywhere(marks: Any) -> Any:
        """Is any lane marked?"""
        return bool(marks.any())
