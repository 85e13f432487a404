"""Records by their address.

Calling compiled code with a structured array takes microseconds, with a number a third of one:
so a record lies in a plain row of bytes, and compiled code is told where.
"""

from __future__ import annotations

from ctypes import addressof, c_char
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from manhattan.envs.engine.layout import BATCH, DRAWING, SEEN
from manhattan.kernel.jit import COMPILED, inlined
from manhattan.kernel.layout import GAME

Bytes = npt.NDArray[np.uint8]
Address = Any
"""A number; with the compiler off, the bytes themselves."""
GAME_SIZE = GAME.itemsize

if TYPE_CHECKING:

    def game_at(where: Address) -> Any: ...
    def drawing_at(where: Address) -> Any: ...
    def seen_at(where: Address) -> Any: ...
    def batch_at(where: Address) -> Any: ...
    def beyond(where: Address, offset: int) -> Address: ...
    def bytes_at(where: Address, count: int) -> Any: ...
    def numbers_at(where: Address, count: int) -> Any: ...
    def amounts_at(where: Address, count: int) -> Any: ...

elif COMPILED:
    from numba import carray, from_dtype

    @intrinsic
    def _pointer(_context: Any, _address: Any) -> Any:
        return types.voidptr(types.int64), lambda _c, builder, _s, args: builder.inttoptr(
            args[0], cgutils.voidptr_t
        )

    def _record_at(dtype: Any) -> Any:
        """A record is to compiled code where it lies: nothing has to be done."""
        record = from_dtype(dtype)

        @intrinsic
        def at(_context: Any, _where: Any) -> Any:
            return record(types.int64), lambda context, builder, _s, args: builder.inttoptr(
                args[0], context.get_value_type(record)
            )

        return at

    game_at, seen_at, _drawing_at = _record_at(GAME), _record_at(SEEN), _record_at(DRAWING)
    batch_at = _record_at(BATCH)

    @inlined
    def drawing_at(where: Address) -> Any:
        """What comes after a game's own record."""
        return _drawing_at(where + GAME_SIZE)

    @inlined
    def beyond(where: Address, offset: int) -> Address:
        return where + offset

    @inlined
    def bytes_at(where: Address, count: int) -> Any:
        return carray(_pointer(where), count, np.uint8)

    @inlined
    def numbers_at(where: Address, count: int) -> Any:
        return carray(_pointer(where), count, np.int64)

    @inlined
    def amounts_at(where: Address, count: int) -> Any:
        return carray(_pointer(where), count, np.float32)

else:

    def game_at(where: Address) -> Any:
        return where[: GAME.itemsize].view(GAME)[0]

    def drawing_at(where: Address) -> Any:
        return where[GAME_SIZE : GAME_SIZE + DRAWING.itemsize].view(DRAWING)[0]

    def seen_at(where: Address) -> Any:
        return where[: SEEN.itemsize].view(SEEN)[0]

    def batch_at(where: Address) -> Any:
        return where[: BATCH.itemsize].view(BATCH)[0]

    def beyond(where: Address, offset: int) -> Address:
        return where[offset:]

    def bytes_at(where: Address, count: int) -> Any:
        return where[:count]

    def numbers_at(where: Address, count: int) -> Any:
        return where[: 8 * count].view(np.int64)

    def amounts_at(where: Address, count: int) -> Any:
        return where[: 4 * count].view(np.float32)


def room(size: int) -> Bytes:
    """So many bytes, all 0, where words may lie."""
    return np.zeros((size + 7) // 8, np.uint64).view(np.uint8)


def address_of(data: npt.NDArray[Any], offset: int = 0) -> Address:
    """Where they are: good for as long as somebody holds on to them."""
    if not COMPILED:
        return data.view(np.uint8).reshape(-1)[offset:]
    buffer: Any = data
    return addressof(c_char.from_buffer(buffer)) + offset
