"""Tensors made of nothing but numbers; sizes and bounds may be tensors (`At`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddlite.backend.dtypes import F64, INT32, INT64, INTEGRAL
from paddlite.core.errors import InvalidArgument
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.dynamic import At, known_sizes, resolved


def checked_sizes(shape: tuple, name: str) -> tuple[int, ...]:
    """`shape` with -1 for what only a run knows.

    Raises:
        InvalidArgument: a given size is negative.
    """
    if any(type(s) is not At and s < 0 for s in shape):
        raise InvalidArgument(f"{name}: sizes must be >= 0, got {list(shape)}")
    return known_sizes(shape)


def _fill_infer(*sizes: Meta, shape: tuple, value: Any, dtype: np.dtype) -> Meta:
    return Meta(checked_sizes(shape, "full"), dtype)


@defop("fill_constant", infer=_fill_infer, native_half=True, check=True, amp="never")
def fill_constant(xp: Any, *sizes: Any, shape: tuple, value: Any, dtype: np.dtype) -> Any:
    shape = resolved(shape, sizes)
    if value == 0 and not (type(value) is float and math.copysign(1.0, value) < 0):
        return xp.zeros(shape, dtype)
    return xp.full(shape, value, dtype)


def _eye_infer(*sizes: Meta, shape: tuple, dtype: np.dtype) -> Meta:
    return Meta(checked_sizes(shape, "eye"), dtype)


@defop("eye", infer=_eye_infer, native_half=True, check=True, amp="never")
def eye(xp: Any, *sizes: Any, shape: tuple, dtype: np.dtype) -> Any:
    rows, columns = resolved(shape, sizes)
    return xp.eye(rows, columns, dtype=dtype)


def _range_size(start: Any, end: Any, step: Any) -> int:
    if step == 0:
        raise InvalidArgument("arange: step must not be 0")
    if all(isinstance(v, int) for v in (start, end, step)):
        return max(0, -((start - end) // step))
    return max(0, math.ceil((end - start) / step))


def _range_infer(*bounds: Meta, start: Any, end: Any, step: Any, dtype: np.dtype) -> Meta:
    return Meta((-1 if bounds else _range_size(start, end, step),), dtype)


@defop("range", infer=_range_infer, native_half=True, check=True, amp="never")
def arange(xp: Any, *bounds: Any, start: Any, end: Any, step: Any, dtype: np.dtype) -> Any:
    start, end, step = resolved((start, end, step), bounds)
    if dtype in INTEGRAL and all(isinstance(v, int) for v in (start, end, step)):
        return xp.arange(start, end, step, dtype=dtype)
    numbers = xp.arange(_range_size(start, end, step), dtype=F64)
    return (numbers * F64.type(step) + F64.type(start)).astype(dtype)


def _space_infer(*bounds: Meta, start: Any, stop: Any, num: Any, dtype: np.dtype, **_: Any) -> Meta:
    if type(num) is At:
        return Meta((-1,), dtype)
    if num < 0:
        raise InvalidArgument(f"linspace: num must be >= 0, got {num}")
    return Meta((num,), dtype)


def _spaced(xp: Any, start: Any, stop: Any, num: int) -> Any:
    """`num` numbers from `start` to `stop`, float64; each half is counted from its own end, so that both are exact."""
    if num < 2:
        return xp.full(num, start, F64)
    numbers = xp.arange(num, dtype=F64)
    step = F64.type((stop - start) / (num - 1))
    from_front = F64.type(start) + numbers * step
    from_back = F64.type(stop) - (F64.type(num - 1) - numbers) * step
    return xp.where(numbers < F64.type(num // 2), from_front, from_back)


@defop("linspace", infer=_space_infer, native_half=True, check=True, amp="never")
def linspace(xp: Any, *bounds: Any, start: Any, stop: Any, num: Any, dtype: np.dtype) -> Any:
    return _spaced(xp, *resolved((start, stop, num), bounds)).astype(dtype)


@defop("logspace", infer=_space_infer, native_half=True, check=True, amp="never")
def logspace(xp: Any, *bounds: Any, start: Any, stop: Any, num: Any, base: Any, dtype: np.dtype) -> Any:
    start, stop, num, base = resolved((start, stop, num, base), bounds)
    return xp.power(F64.type(base), _spaced(xp, start, stop, num)).astype(dtype)


def _triangle_places(rows: int, columns: int, offset: int, lower: bool) -> np.ndarray:
    found = np.tril_indices(rows, offset, columns) if lower else np.triu_indices(rows, offset, columns)
    return np.stack(found)


def _triangle_count(rows: int, columns: int, offset: int, lower: bool) -> int:
    below = sum(min(columns, max(0, i + offset + (1 if lower else 0))) for i in range(rows))
    return below if lower else rows * columns - below


def _triangle_infer(*, rows: int, columns: int, offset: int, lower: bool, dtype: np.dtype) -> Meta:
    name = "tril_indices" if lower else "triu_indices"
    checked_sizes((rows, columns), name)
    return Meta((2, _triangle_count(rows, columns, offset, lower)), dtype)


@defop("triangle_indices", infer=_triangle_infer, native_half=True, check=True, amp="never")
def triangle_indices(xp: Any, *, rows: int, columns: int, offset: int, lower: bool, dtype: np.dtype) -> Any:
    """Row and column numbers of the lower or upper triangle, [2, count], row by row."""
    return xp.asarray(_triangle_places(rows, columns, offset, lower).astype(dtype))


def _shape_infer(x: Meta) -> Meta:
    return Meta((len(x.shape),), INT64)


@defop("shape", infer=_shape_infer, shape_only=("x",), amp="never")
def shape_of(xp: Any, x: Any) -> Any:
    """The sizes of `x` as a tensor."""
    return xp.asarray(np.array(x.shape, INT64))


def _size_infer(x: Meta) -> Meta:
    return Meta((), INT64)


@defop("size", infer=_size_infer, shape_only=("x",), amp="never")
def size_of(xp: Any, x: Any) -> Any:
    """The number of elements of `x`, 0-D."""
    return xp.asarray(np.prod(x.shape, dtype=INT64))


def _rank_infer(x: Meta) -> Meta:
    return Meta((), INT32)


@defop("rank", infer=_rank_infer, shape_only=("x",), amp="never")
def rank_of(xp: Any, x: Any) -> Any:
    """The number of axes of `x`, 0-D."""
    return xp.asarray(np.array(len(x.shape), INT32))
