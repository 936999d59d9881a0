"""NumPy in place of Thrust, which CuPy brings as compiled code for a GPU."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

_SORTABLE = "?bBhHiIlLqQefdFD"  # what CuPy's Thrust module takes: bfloat16 is not among them


def _array(address: int, dtype: Any, shape: Any) -> np.ndarray:
    """The array at `address`, where it lies."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer((ctypes.c_byte * size).from_address(address), dtype).reshape(shape)


def _check(dtype: Any, error: type[Exception]) -> None:
    if np.dtype(dtype).char not in _SORTABLE:
        raise error(f"Sorting arrays with dtype '{dtype}' is not supported")


def sort(dtype: Any, data: int, keys: int, shape: Any) -> None:
    """Sort along the last axis, in place."""
    _check(dtype, NotImplementedError)
    _array(data, dtype, tuple(shape)).sort(axis=-1)


def argsort(dtype: Any, index: int, data: int, keys: int, shape: Any) -> None:
    """The stable order along the last axis; the data are left sorted."""
    _check(dtype, NotImplementedError)
    values, order = _array(data, dtype, tuple(shape)), _array(index, np.intp, tuple(shape))
    order[...] = np.argsort(values, axis=-1, kind="stable")
    values[...] = np.take_along_axis(values, order, -1)


def lexsort(dtype: Any, index: int, keys: int, count: int, size: int) -> None:
    """The order of `size` columns by `count` keys, the last of which counts most."""
    _check(dtype, TypeError)
    _array(index, np.intp, (size,))[...] = np.lexsort(_array(keys, dtype, (count, size)))


def install() -> None:
    """Let CuPy sort with this."""
    from cupy.cuda import thrust

    thrust.sort, thrust.argsort, thrust.lexsort = sort, argsort, lexsort
