"""Sums, means, extremes and other reductions over axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddlite.backend.dtypes import BOOL, F32, F64, HALF, INT64, INTEGRAL
from paddlite.core.errors import InvalidArgument
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import conj, elementwise_div, elementwise_mul, elementwise_sub
from paddlite.ops.compare import equal, isfinite
from paddlite.ops.infer import axes_in, like_second, reduced_shape
from paddlite.ops.power import exp
from paddlite.ops.select import where


def _reduce_infer(name: str, dtype_of: Any = lambda dtype: dtype) -> Any:
    def infer(x: Meta, *, axis: Any = None, keepdim: bool = False) -> Meta:
        axes = axes_in(axis, len(x.shape), name)
        return Meta(reduced_shape(x.shape, axes, keepdim), dtype_of(x.dtype))

    return infer


def as_axis(axis: Any, rank: int) -> Any:
    """`axis` as array modules take it: None, an int or a tuple.  CuPy takes no int for a 0-D array."""
    if axis is None or isinstance(axis, (int, np.integer)):
        return None if rank == 0 and axis in (0, -1) else axis
    return tuple(axis) or None


def spread_back(xp: Any, g: Any, like: Any, axis: Any, keepdim: bool) -> Any:
    """`g` of the reduced shape, broadcast (without a copy) to the shape before the reduction."""
    if not keepdim:
        g = g.reshape(reduced_shape(like.shape, axes_in(axis, len(like.shape), "reduce"), True))
    return xp.broadcast_to(g, like.shape)


# NumPy takes 15 to 60 ns for each row that it reduces, which short rows do not repay.
_MANY, _ROW_OF_SUM, _ROW = 4096, 128, 32
_PLAIN = (F32, F64)


def _over_rows(x: np.ndarray, axis: Any, longest: int) -> bool:
    """True where the reduction is over the last axis alone, which is no longer than `longest`."""
    return x.ndim > 1 and axis in (-1, x.ndim - 1) and 0 < x.shape[-1] <= longest


def _reduced(xp: Any, method: str, x: Any, axis: Any, keepdim: bool) -> Any:
    """x.max, x.any and the like; of short rows by way of their transpose."""
    if xp is np and x.size >= _MANY and _over_rows(x, axis, _ROW):
        columns = np.ascontiguousarray(x.reshape(-1, x.shape[-1]).T)
        return getattr(columns, method)(axis=0).reshape(*x.shape[:-1], *((1,) if keepdim else ()))
    return getattr(x, method)(axis=as_axis(axis, x.ndim), keepdims=keepdim)


def count_along(like: Any, axis: Any) -> int:
    """How many elements of `like` each element of a reduction over `axis` stands for."""
    if axis is None:
        return like.size
    if isinstance(axis, int) and -like.ndim <= axis < like.ndim:
        return like.shape[axis]
    return math.prod([like.shape[a] for a in axes_in(axis, len(like.shape), "reduce")])


@defop(
    "reduce_expand",
    infer=like_second,
    shape_only=("like",),
    native_half=True,
    vjp={"x": lambda g, axis, keepdim: reduce_sum(g, axis=axis, keepdim=keepdim)},
)
def reduce_expand(xp: Any, x: Any, like: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
    """The gradient of a sum: `x` repeated along the reduced axes of `like`."""
    return spread_back(xp, x, like, axis, keepdim)


@defop(
    "reduce_sum",
    infer=_reduce_infer("sum", lambda dtype: INT64 if dtype in INTEGRAL else dtype),
    amp="keep32_o1",
    wide=False,
    vjp={"x": lambda g, like_x, axis, keepdim: reduce_expand(g, like_x, axis=axis, keepdim=keepdim)},
)
def reduce_sum(xp: Any, x: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
    if xp is np:
        if x.size >= _MANY and x.dtype in _PLAIN and _over_rows(x, axis, _ROW_OF_SUM):
            out = np.einsum("...j->...", x)
            return out[..., None] if keepdim else out
        dtype = INT64 if x.dtype in INTEGRAL else x.dtype
        return xp.add.reduce(x, axis=as_axis(axis, x.ndim), dtype=dtype, keepdims=keepdim)
    return _accumulated(x.sum, x.dtype, as_axis(axis, x.ndim), keepdim)


def _accumulated(reduce: Any, dtype: np.dtype, axis: Any, keepdim: bool) -> Any:
    """A reduction on the GPU: half types are accumulated in float32."""
    if dtype in HALF:
        return reduce(axis=axis, dtype=F32, keepdims=keepdim).astype(dtype)
    return reduce(axis=axis, dtype=INT64 if dtype in INTEGRAL else dtype, keepdims=keepdim)


@defop(
    "mean_grad",
    infer=like_second,
    shape_only=("like",),
    vjp={"x": lambda g, axis, keepdim: reduce_mean(g, axis=axis, keepdim=keepdim)},
)
def mean_grad(xp: Any, x: Any, like: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
    count = count_along(like, axis)
    return spread_back(xp, x * x.dtype.type(1.0 / count if count else 0.0), like, axis, keepdim)


@defop(
    "reduce_mean",
    infer=_reduce_infer("mean", lambda dtype: F32 if dtype in INTEGRAL else dtype),
    floats=True,
    amp="keep32_o1",
    vjp={"x": lambda g, like_x, axis, keepdim: mean_grad(g, like_x, axis=axis, keepdim=keepdim)},
)
def reduce_mean(xp: Any, x: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
    total = reduce_sum.op.kernel(xp, x, axis=axis, keepdim=keepdim)
    return total / x.dtype.type(count_along(x, axis))  # NaN where there is nothing


def _shares_infer(x: Meta, y: Meta, *, axis: Any = None, keepdim: bool = False) -> Meta:
    return Meta(x.shape, x.dtype)


@defop("tie_shares", infer=_shares_infer)
def tie_shares(xp: Any, x: Any, y: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
    """1/n at each of the n elements of `x` that equal `y`, their extreme along `axis`; 0 elsewhere."""
    chosen = x == spread_back(xp, y, x, axis, keepdim)
    ties = chosen.sum(axis=as_axis(axis, x.ndim), keepdims=True)
    return chosen / xp.maximum(ties, 1).astype(x.dtype)  # no element equals NaN


def _extreme_rule(g: Any, x: Any, out: Any, like_x: Any, axis: Any, keepdim: bool) -> Any:
    # tied elements share the gradient in equal parts
    shares = tie_shares(x, out, axis=axis, keepdim=keepdim)
    return elementwise_mul(shares, reduce_expand(g, like_x, axis=axis, keepdim=keepdim))


def _extreme(name: str, method: str) -> Any:
    def infer(x: Meta, *, axis: Any = None, keepdim: bool = False) -> Meta:
        axes = axes_in(axis, len(x.shape), method)
        if any(x.shape[a] == 0 for a in axes):
            raise InvalidArgument(f"{method}: a tensor of shape {list(x.shape)} has no element to choose along {axis}")
        return Meta(reduced_shape(x.shape, axes, keepdim), x.dtype)

    @defop(name, infer=infer, wide=False, vjp={"x": _extreme_rule})
    def reduce(xp: Any, x: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
        return _reduced(xp, method, x, axis, keepdim)

    return reduce


reduce_max = _extreme("reduce_max", "max")
reduce_min = _extreme("reduce_min", "min")
reduce_amax = _extreme("reduce_amax", "max")
reduce_amin = _extreme("reduce_amin", "min")


def _truth(name: str, method: str) -> Any:
    @defop(name, infer=_reduce_infer(method, lambda _: BOOL))
    def reduce(xp: Any, x: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
        return _reduced(xp, method, x, axis, keepdim)

    return reduce


reduce_all = _truth("reduce_all", "all")
reduce_any = _truth("reduce_any", "any")


def _product_rule(g: Any, x: Any, axis: Any, keepdim: bool, like_x: Any) -> Any:
    # the product of the other elements, which division by x does not give where x is 0
    zero = equal(x, 0)
    safe = where(zero, 1, x)
    zeros = reduce_sum(zero, axis=axis, keepdim=True)
    whole = reduce_prod(safe, axis=axis, keepdim=True)
    others = elementwise_div(where(equal(zeros, 0), whole, 0), safe)
    slope = where(zero, where(equal(zeros, 1), whole, 0), others)
    return elementwise_mul(reduce_expand(g, like_x, axis=axis, keepdim=keepdim), conj(slope))


@defop(
    "reduce_prod",
    infer=_reduce_infer("prod", lambda dtype: INT64 if dtype == BOOL else dtype),
    amp="keep32_o1",
    wide=False,
    vjp={"x": _product_rule},
)
def reduce_prod(xp: Any, x: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
    if x.dtype in HALF:
        return _accumulated(x.prod, x.dtype, as_axis(axis, x.ndim), keepdim)
    return x.prod(axis=as_axis(axis, x.ndim), dtype=INT64 if x.dtype == BOOL else x.dtype, keepdims=keepdim)


def _logsumexp_rule(g: Any, x: Any, out: Any, like_x: Any, axis: Any, keepdim: bool) -> Any:
    level = where(isfinite(out), out, 0.0)  # exp(x) is 0 where all of x is -inf
    shares = exp(elementwise_sub(x, reduce_expand(level, like_x, axis=axis, keepdim=keepdim)))
    return elementwise_mul(reduce_expand(g, like_x, axis=axis, keepdim=keepdim), shares)


@defop(
    "logsumexp",
    infer=_reduce_infer("logsumexp", lambda dtype: F32 if dtype in INTEGRAL else dtype),
    floats=True,
    vjp={"x": _logsumexp_rule},
)
def logsumexp(xp: Any, x: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
    if not x.size:
        return xp.log(x.sum(axis=as_axis(axis, x.ndim), keepdims=keepdim))
    top = _reduced(xp, "max", x, axis, True)
    top = xp.where(xp.isfinite(top), top, x.dtype.type(0))
    out = xp.log(reduce_sum.op.kernel(xp, xp.exp(x - top), axis=axis, keepdim=True)) + top
    return out if keepdim else out.reshape(reduced_shape(x.shape, axes_in(axis, x.ndim, "logsumexp"), False))
