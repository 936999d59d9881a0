"""Quantiles, of which the median is one: picking by rank, and interpolating between two ranks."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from paddlite.backend.dtypes import COMPLEX, F32, F64, INT64, INTEGRAL
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import axes_in, like_second, reduced_shape
from paddlite.ops.sorting import order

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


class Quantiles(NamedTuple):
    """Which quantiles of which axes, and how they are computed.

    Args:
        q: probabilities in [0, 1].
        axis: None, an int or a tuple of ints.
        keepdim: keep the axes with size 1.
        interpolation: what to take between two ranks.
        skip_nan: leave NaN out; otherwise a row with NaN has none but NaN.
        several: the result gets an axis for `q` in front.
    """

    q: tuple[float, ...]
    axis: Any = None
    keepdim: bool = False
    interpolation: str = "linear"
    skip_nan: bool = False
    several: bool = False

    def shape(self, x: Any) -> tuple[int, ...]:
        """The shape of the result for `x`; raises where the request makes no sense."""
        if x.dtype in COMPLEX:
            raise DTypeMismatch("quantile: complex numbers have no order")
        if not self.q or any(not 0 <= p <= 1 for p in self.q):
            raise InvalidArgument(f"quantile: q must be numbers in [0, 1], got {list(self.q)}")
        if self.interpolation not in INTERPOLATIONS:
            raise InvalidArgument(
                f"quantile: interpolation must be one of {INTERPOLATIONS}, got {self.interpolation!r}"
            )
        shape = reduced_shape(x.shape, axes_in(self.axis, len(x.shape), "quantile"), self.keepdim)
        return (len(self.q), *shape) if self.several else shape


def rows_of(x: Any, axis: Any) -> Any:
    """`x` with the axes of `axis` laid end to end as the last one."""
    axes = axes_in(axis, x.ndim, "quantile")
    kept = [i for i in range(x.ndim) if i not in axes]
    if not x.ndim:
        return x.reshape(1)
    return x.transpose(*kept, *axes).reshape(*[x.shape[i] for i in kept], math.prod([x.shape[i] for i in axes]))


def _put_back(rows: Any, like: Any, axis: Any) -> Any:
    """The reverse of `rows_of`."""
    axes = axes_in(axis, len(like.shape), "quantile")
    kept = [i for i in range(len(like.shape)) if i not in axes]
    moved = (*kept, *axes)
    back = [moved.index(i) for i in range(len(moved))]
    return rows.reshape([like.shape[i] for i in moved]).transpose(back)


def _ranks(xp: Any, q: float, count: Any, interpolation: str) -> tuple[Any, Any, Any]:
    """Lower rank, upper rank and the weight of the upper one, for rows of `count` (an int or an array) elements."""
    position = q * (count - 1)
    floor, ceil, rint = (math.floor, math.ceil, round) if isinstance(count, int) else (xp.floor, xp.ceil, xp.rint)
    if interpolation == "nearest":
        return (rint(position),) * 2 + (0.0,)
    low, high = floor(position), ceil(position)
    if interpolation == "lower":
        return low, low, 0.0
    if interpolation == "higher":
        return high, high, 0.0
    return low, high, (high - low) * 0.5 if interpolation == "midpoint" else position - low


def _sorted_and_counts(xp: Any, x: Any, axis: Any, skip_nan: bool) -> tuple[Any, Any, Any]:
    """The rows of `x`, how many elements of each count, and which rows have no quantile."""
    rows = rows_of(x, axis)
    nan = xp.isnan(rows)
    if not skip_nan:
        return rows, rows.shape[-1], nan.any(axis=-1)
    counts = (~nan).sum(axis=-1, keepdims=True)
    return rows, xp.maximum(counts, 1).astype(F64), counts[..., 0] == 0


def _at(xp: Any, rows: Any, rank: Any) -> Any:
    if isinstance(rank, int):
        return rows[..., rank]
    return xp.take_along_axis(rows, rank.astype(INT64), -1)[..., 0]


def _weight(weight: Any, dtype: np.dtype) -> Any:
    return dtype.type(weight) if isinstance(weight, (int, float)) else weight[..., 0].astype(dtype)


def _take_infer(y: Meta, x: Meta, *, how: Quantiles) -> Meta:
    return Meta(how.shape(x), F32 if y.dtype in INTEGRAL else y.dtype)


@defop(
    "quantile_take",
    infer=_take_infer,
    floats=True,
    vjp={"y": lambda g, x, how: quantile_put(g, x, how=how)},
)
def quantile_take(xp: Any, y: Any, x: Any, *, how: Quantiles) -> Any:
    """The quantiles of `y` in the order of `x`: those of `x` where both are one tensor."""
    shape = how.shape(x)
    rows, count, missing = _sorted_and_counts(xp, x, how.axis, how.skip_nan)
    out = xp.empty((len(how.q), *missing.shape), y.dtype)
    if not rows.shape[-1]:
        out.fill(np.nan)
        return out.reshape(shape)
    ordered = xp.sort(rows, -1) if y is x else xp.take_along_axis(rows_of(y, how.axis), order(xp, rows, -1), -1)
    nan = y.dtype.type(np.nan)
    for i, p in enumerate(how.q):
        low, high, weight = _ranks(xp, p, count, how.interpolation)
        lower, upper = _at(xp, ordered, low), _at(xp, ordered, high)
        between = lower + _weight(weight, y.dtype) * (upper - lower)
        out[i] = xp.where(missing, nan, xp.where(lower == upper, lower, between))
    return out.reshape(shape)


@defop(
    "quantile_put",
    infer=like_second,
    vjp={"y": lambda g, x, how: quantile_take(g, x, how=how)},
)
def quantile_put(xp: Any, y: Any, x: Any, *, how: Quantiles) -> Any:
    """`y`, of the shape of the quantiles of `x`, put where they were picked, in the parts that each had."""
    rows, count, _ = _sorted_and_counts(xp, x, how.axis, how.skip_nan)
    out = xp.zeros(rows.shape, y.dtype)
    if not rows.shape[-1]:
        return _put_back(out, x, how.axis)
    index = order(xp, rows, -1)
    parts = y.reshape(len(how.q), *rows.shape[:-1])
    for i, p in enumerate(how.q):
        low, high, weight = _ranks(xp, p, count, how.interpolation)
        upper = parts[i] * _weight(weight, y.dtype)
        for rank, part in ((low, parts[i] - upper), (high, upper)):
            place = _at(xp, index, rank)[..., None]
            xp.put_along_axis(out, place, xp.take_along_axis(out, place, -1) + part[..., None], -1)
    return _put_back(out, x, how.axis)


def _index_infer(x: Meta, *, axis: int, keepdim: bool = False, skip_nan: bool = False) -> Meta:
    return Meta(Quantiles((0.5,), axis, keepdim).shape(x), INT64)


@defop("median_index", infer=_index_infer)
def median_index(xp: Any, x: Any, *, axis: int, keepdim: bool = False, skip_nan: bool = False) -> Any:
    """Where the lower median along `axis` is; at the first NaN, where one counts."""
    rows, count, missing = _sorted_and_counts(xp, x, axis, skip_nan)
    shape = Quantiles((0.5,), axis, keepdim).shape(x)
    if not rows.shape[-1]:
        return xp.zeros(shape, INT64)
    index = _at(xp, order(xp, rows, -1), _ranks(xp, 0.5, count, "lower")[0])
    return xp.where(missing, xp.isnan(rows).argmax(axis=-1), index).reshape(shape)
