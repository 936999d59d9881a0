"""Sums, means, extremes and other reductions over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import BOOL, F32, INT64, INTEGRAL
from paddlite.core.errors import InvalidArgument
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import cast, elementwise_div, elementwise_mul
from paddlite.ops.compare import equal
from paddlite.ops.infer import axes_in, like_second, reduced_shape


def _reduce_infer(name: str, dtype_of: Any = lambda dtype: dtype) -> Any:
    def infer(x: Meta, *, axis: Any = None, keepdim: bool = False) -> Meta:
        axes = axes_in(axis, len(x.shape), name)
        return Meta(reduced_shape(x.shape, axes, keepdim), dtype_of(x.dtype))

    return infer


def as_axis(axis: Any) -> Any:
    """`axis` as array modules take it: None, an int or a tuple."""
    if axis is None or isinstance(axis, (int, np.integer)):
        return axis
    return tuple(axis) or None


def _spread(xp: Any, g: Any, like: Any, axis: Any, keepdim: bool) -> Any:
    """`g` of the reduced shape, broadcast (without a copy) to the shape before the reduction."""
    if not keepdim:
        g = g.reshape(reduced_shape(like.shape, axes_in(axis, len(like.shape), "reduce"), True))
    return xp.broadcast_to(g, like.shape)


def _count(like: Any, axis: Any) -> int:
    return int(np.prod([like.shape[a] for a in axes_in(axis, len(like.shape), "reduce")], dtype=np.int64))


@defop(
    "reduce_expand",
    infer=like_second,
    shape_only=("like",),
    native_half=True,
    vjp={"x": lambda g, axis, keepdim: reduce_sum(g, axis=axis, keepdim=keepdim)},
)
def reduce_expand(xp: Any, x: Any, like: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
    """The gradient of a sum: `x` repeated along the reduced axes of `like`."""
    return _spread(xp, x, like, axis, keepdim)


@defop(
    "reduce_sum",
    infer=_reduce_infer("sum", lambda dtype: INT64 if dtype in INTEGRAL else dtype),
    amp="keep32_o1",
    check=True,
    vjp={"x": lambda g, like_x, axis, keepdim: reduce_expand(g, like_x, axis=axis, keepdim=keepdim)},
)
def reduce_sum(xp: Any, x: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
    dtype = INT64 if x.dtype in INTEGRAL else x.dtype
    return (
        xp.add.reduce(x, axis=as_axis(axis), dtype=dtype, keepdims=keepdim)
        if xp is np
        else x.sum(axis=as_axis(axis), dtype=dtype, keepdims=keepdim)
    )


@defop(
    "mean_grad",
    infer=like_second,
    shape_only=("like",),
    vjp={"x": lambda g, axis, keepdim: reduce_mean(g, axis=axis, keepdim=keepdim)},
)
def mean_grad(xp: Any, x: Any, like: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
    count = _count(like, axis)
    return _spread(xp, x * x.dtype.type(1.0 / count if count else 0.0), like, axis, keepdim)


@defop(
    "reduce_mean",
    infer=_reduce_infer("mean", lambda dtype: F32 if dtype in INTEGRAL else dtype),
    floats=True,
    amp="keep32_o1",
    check=True,
    vjp={"x": lambda g, like_x, axis, keepdim: mean_grad(g, like_x, axis=axis, keepdim=keepdim)},
)
def reduce_mean(xp: Any, x: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
    return x.mean(axis=as_axis(axis), dtype=x.dtype, keepdims=keepdim)


def _extreme_rule(g: Any, x: Any, out: Any, like_x: Any, axis: Any, keepdim: bool) -> Any:
    # tied elements share the gradient in equal parts
    chosen = cast(equal(x, reduce_expand(out, like_x, axis=axis, keepdim=keepdim)), dtype=x._dtype)
    ties = reduce_sum(chosen, axis=axis, keepdim=True)
    return elementwise_mul(elementwise_div(chosen, ties), reduce_expand(g, like_x, axis=axis, keepdim=keepdim))


def _whole_rule(g: Any, x: Any, out: Any, like_x: Any, axis: Any, keepdim: bool) -> Any:
    # every tied element takes the whole gradient, as the reference's max and min do
    chosen = cast(equal(x, reduce_expand(out, like_x, axis=axis, keepdim=keepdim)), dtype=x._dtype)
    return elementwise_mul(chosen, reduce_expand(g, like_x, axis=axis, keepdim=keepdim))


def _extreme(name: str, method: str, rule: Any) -> Any:
    def infer(x: Meta, *, axis: Any = None, keepdim: bool = False) -> Meta:
        axes = axes_in(axis, len(x.shape), name)
        if any(x.shape[a] == 0 for a in axes):
            raise InvalidArgument(f"{method}: a tensor of shape {list(x.shape)} has no element to choose along {axis}")
        return Meta(reduced_shape(x.shape, axes, keepdim), x.dtype)

    @defop(name, infer=infer, check=True, vjp={"x": rule})
    def reduce(xp: Any, x: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
        return getattr(x, method)(axis=as_axis(axis), keepdims=keepdim)

    return reduce


reduce_max = _extreme("reduce_max", "max", _whole_rule)
reduce_min = _extreme("reduce_min", "min", _whole_rule)
reduce_amax = _extreme("reduce_amax", "max", _extreme_rule)
reduce_amin = _extreme("reduce_amin", "min", _extreme_rule)


def _truth(name: str, method: str) -> Any:
    @defop(name, infer=_reduce_infer(method, lambda _: BOOL), check=True)
    def reduce(xp: Any, x: Any, *, axis: Any = None, keepdim: bool = False) -> Any:
        return getattr(x, method)(axis=as_axis(axis), keepdims=keepdim)

    return reduce


reduce_all = _truth("reduce_all", "all")
reduce_any = _truth("reduce_any", "any")
