"""Running sums, products, extremes and log-sums along an axis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddlite.backend.dtypes import BOOL, COMPLEX, F32, HALF, INT64, INTEGRAL
from paddlite.core.errors import DTypeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import conj, elementwise_div, elementwise_mul, elementwise_sub, negative
from paddlite.ops.compare import equal, isfinite, logical_and
from paddlite.ops.gather import take_along_axis_grad
from paddlite.ops.infer import axis_in, floating_same, same
from paddlite.ops.power import exp
from paddlite.ops.scan import running, spans
from paddlite.ops.select import where

_WIDE = 32  # from this many neighbours on, adding whole slices beats NumPy's way along an axis that is not the last


def _by_slices(x: np.ndarray, axis: int, dtype: np.dtype) -> np.ndarray:
    """np.cumsum, slice by slice where slices are wide."""
    if x.shape[axis] == 0 or math.prod(x.shape[axis % x.ndim + 1 :]) < _WIDE:
        return np.cumsum(x, axis=axis, dtype=dtype)
    out = np.empty(x.shape, dtype)
    source, target = np.moveaxis(x, axis, 0), np.moveaxis(out, axis, 0)
    target[0] = source[0]
    for i in range(1, x.shape[axis]):
        np.add(target[i - 1], source[i], out=target[i])
    return out


def _sum_infer(x: Meta, *, axis: int, reverse: bool = False) -> Meta:
    axis_in(axis, len(x.shape), "cumsum")
    return Meta(x.shape, INT64 if x.dtype in INTEGRAL else x.dtype)


@defop(
    "cumsum",
    infer=_sum_infer,
    amp="keep32_o1",
    vjp={"x": lambda g, axis, reverse: cumsum(g, axis=axis, reverse=not reverse)},
)
def cumsum(xp: Any, x: Any, *, axis: int, reverse: bool = False) -> Any:
    """Sums of the elements up to each one along `axis`, or from each one on where `reverse`."""
    if x.ndim == 0:
        return x.astype(INT64 if x.dtype in INTEGRAL else x.dtype)
    if reverse:
        x = xp.flip(x, axis)
    dtype = INT64 if x.dtype in INTEGRAL else F32 if x.dtype in HALF else x.dtype
    out = _by_slices(x, axis, dtype) if xp is np else xp.cumsum(x, axis=axis, dtype=dtype)
    if x.dtype in HALF:
        out = out.astype(x.dtype)
    return xp.flip(out, axis) if reverse else out


def _product_infer(x: Meta, *, axis: int) -> Meta:
    axis_in(axis, len(x.shape), "cumprod")
    return Meta(x.shape, INT64 if x.dtype == BOOL else x.dtype)


def _product_rule(g: Any, x: Any, out: Any, axis: int) -> Any:
    # d out[j] / d x[i] = out[j] / x[i] for j >= i; at the first 0 the product of the others; behind it 0
    zero = equal(x, 0)
    seen = cumsum(zero, axis=axis)
    first = logical_and(zero, equal(seen, 1))
    onward = cumsum(elementwise_mul(g, conj(out)), axis=axis, reverse=True)
    skipped = cumprod(where(first, 1, x), axis=axis)
    onward_skipped = cumsum(elementwise_mul(g, conj(skipped)), axis=axis, reverse=True)
    slope = elementwise_div(onward, conj(where(zero, 1, x)))
    return where(equal(seen, 0), slope, where(first, onward_skipped, 0))


@defop("cumprod", infer=_product_infer, amp="keep32_o1", vjp={"x": _product_rule})
def cumprod(xp: Any, x: Any, *, axis: int) -> Any:
    """Products of the elements up to each one along `axis`."""
    dtype = INT64 if x.dtype == BOOL else x.dtype
    if x.ndim == 0:
        return x.astype(dtype)
    return xp.cumprod(x, axis=axis, dtype=F32 if dtype in HALF else dtype).astype(dtype, copy=False)


def _extreme_rule(g_out: Any, indices: Any, like_x: Any, axis: int) -> Any:
    if not like_x._shape:
        return g_out
    return take_along_axis_grad(g_out, like_x, indices, axis=axis, broadcast=False)


def _extreme(name: str, function: str) -> Any:
    def infer(x: Meta, *, axis: int, dtype: np.dtype = INT64) -> tuple[Meta, Meta]:
        axis_in(axis, len(x.shape), name)
        if x.dtype in COMPLEX:
            raise DTypeMismatch(f"{name}: complex numbers have no order")
        return same(x), Meta(x.shape, dtype)

    @defop(
        name,
        infer=infer,
        outputs=("out", "indices"),
        check=True,
        vjp={"x": _extreme_rule},
    )
    def extreme(xp: Any, x: Any, *, axis: int, dtype: np.dtype = INT64) -> tuple:
        """The extreme of the elements up to each one along `axis`, and the index of its last occurrence so far."""
        if x.ndim == 0:
            return x.copy(), xp.zeros((), dtype)
        out = running(xp, function, x, axis)
        place = xp.arange(x.shape[axis]).reshape((-1,) + (1,) * (x.ndim - 1 - axis % x.ndim))
        reached = (x == out) | (x != x)  # NaN is the extreme from where it comes
        return out, running(xp, "maximum", xp.where(reached, place, 0), axis).astype(dtype)

    return extreme


cummax = _extreme("cummax", "maximum")
cummin = _extreme("cummin", "minimum")


def _level_rule(g: Any, x: Any, level: Any, out: Any, axis: int, reverse: bool) -> Any:
    other = decayed_sum(g, level, axis=axis, reverse=not reverse)
    change = elementwise_sub(elementwise_mul(x, other), elementwise_mul(g, out))
    return negative(change) if reverse else change


def _decay_infer(x: Meta, level: Meta, *, axis: int, reverse: bool = False) -> Meta:
    return same(x)


@defop(
    "decayed_sum",
    infer=_decay_infer,
    vjp={
        "x": lambda g, level, axis, reverse: decayed_sum(g, level, axis=axis, reverse=not reverse),
        "level": _level_rule,
    },
)
def decayed_sum(xp: Any, x: Any, level: Any, *, axis: int, reverse: bool = False) -> Any:
    """Running sums in which each term fades as the level rises.

    sum over j <= i of x[j] exp(level[j] - level[i]); with `reverse`, sum over i >= j of x[i] exp(level[j] - level[i]).
    No exponential overflows where `level` does not fall.
    """
    if x.ndim == 0:
        return x.copy()
    if reverse:
        x, level = xp.flip(x, axis), -xp.flip(level, axis)
    lead = (slice(None),) * (axis % x.ndim)
    fade = xp.zeros(x.shape, x.dtype)
    rise = xp.exp(level[(*lead, slice(None, -1))] - level[(*lead, slice(1, None))])
    fade[(*lead, slice(1, None))] = xp.where(xp.isnan(rise), x.dtype.type(0), rise)
    out = x.copy()
    for later, earlier in spans(x.ndim, x.shape[axis], axis):
        out[later] = out[later] + fade[later] * out[earlier]
        fade[later] = fade[later] * fade[earlier]
    return xp.flip(out, axis) if reverse else out


def _logcumsumexp_rule(g: Any, x: Any, out: Any, axis: int) -> Any:
    shares = exp(elementwise_sub(x, where(isfinite(out), out, 0.0)))
    return elementwise_mul(shares, decayed_sum(g, out, axis=axis, reverse=True))


def _logcumsumexp_infer(x: Meta, *, axis: int) -> Meta:
    axis_in(axis, len(x.shape), "logcumsumexp")
    return floating_same(x)


@defop("logcumsumexp", infer=_logcumsumexp_infer, floats=True, wide=True, vjp={"x": _logcumsumexp_rule})
def logcumsumexp(xp: Any, x: Any, *, axis: int) -> Any:
    """log of the sum of exp of the elements up to each one along `axis`."""
    return x.copy() if x.ndim == 0 else running(xp, "logaddexp", x, axis)
