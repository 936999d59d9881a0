"""Choosing and writing by masks; unique values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddlite.backend.dtypes import BOOL, INT64
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import axis_in, broadcast_shapes
from paddlite.ops.like import reduce_to, unbroadcast
from paddlite.ops.masked import front, put
from paddlite.ops.select import where


def _mask_shape(x: Meta, mask: Meta, name: str) -> tuple[int, ...]:
    if mask.dtype != BOOL:
        raise DTypeMismatch(f"{name}: mask must be a bool tensor, got {mask.dtype}; compare it first (x != 0)")
    return broadcast_shapes(x.shape, mask.shape, name)


def _spread(xp: Any, array: Any, shape: tuple[int, ...]) -> Any:
    return array if array.shape == shape else xp.broadcast_to(array, shape)


def _select_infer(x: Meta, mask: Meta) -> Meta:
    _mask_shape(x, mask, "masked_select")
    return Meta((-1,), x.dtype)


@defop(
    "masked_select",
    infer=_select_infer,
    check=True,
    native_half=True,
    vjp={"x": lambda g, mask, like_x: masked_select_grad(g, mask, like_x)},
)
def masked_select(xp: Any, x: Any, mask: Any) -> Any:
    """The elements of `x` where `mask` holds, 1-D; both are broadcast together."""
    shape = broadcast_shapes(x.shape, mask.shape)
    x, mask = _spread(xp, x, shape), _spread(xp, mask, shape)
    if xp is np:
        return x.reshape(-1)[np.flatnonzero(mask)]  # a quarter of the time of a mask as an index
    return x[mask]


def _select_grad_infer(x: Meta, mask: Meta, like: Meta) -> Meta:
    return Meta(like.shape, x.dtype)


@defop(
    "masked_select_grad",
    infer=_select_grad_infer,
    wide=True,
    shape_only=("like",),
    vjp={"x": lambda g, mask: masked_select(g, mask)},
)
def masked_select_grad(xp: Any, x: Any, mask: Any, like: Any) -> Any:
    shape = broadcast_shapes(like.shape, mask.shape)
    out = xp.zeros(shape, x.dtype)
    put(xp, out, _spread(xp, mask, shape), x)
    return reduce_to(xp, out, like.shape)


def _masked_scatter_infer(x: Meta, mask: Meta, value: Meta) -> Meta:
    shape = _mask_shape(x, mask, "masked_scatter")
    if value.dtype != x.dtype:
        raise DTypeMismatch(f"masked_scatter: value must have the dtype of x, {x.dtype}, got {value.dtype}")
    return Meta(shape, x.dtype)


@defop(
    "masked_scatter",
    infer=_masked_scatter_infer,
    check=True,
    native_half=True,
    amp_inputs=("x", "value"),
    vjp={
        "x": lambda g, mask, like_x: unbroadcast(where(mask, 0, g), like_x),
        "value": lambda g, mask, like_value: masked_scatter_grad(g, mask, like_value),
    },
)
def masked_scatter(xp: Any, x: Any, mask: Any, value: Any) -> Any:
    """`x` with the first elements of `value`, in order, where `mask` holds.  On the host, too few are refused."""
    shape = broadcast_shapes(x.shape, mask.shape)
    out, mask = _spread(xp, x, shape).copy(), _spread(xp, mask, shape)
    if xp is np and (count := int(mask.sum())) > value.size:
        raise InvalidArgument(f"masked_scatter: the mask names {count} places, but value has {value.size} elements")
    put(xp, out, mask, value.reshape(-1))
    return out


@defop(
    "masked_scatter_grad",
    infer=lambda x, mask, like: Meta(like.shape, x.dtype),
    shape_only=("like",),
    native_half=True,
    vjp={"x": lambda g, mask, like_x: masked_scatter_put(g, mask, like_x)},
)
def masked_scatter_grad(xp: Any, x: Any, mask: Any, like: Any) -> Any:
    """The elements of `x` where `mask` holds, at the front of zeros like `like`."""
    return front(xp, x, _spread(xp, mask, x.shape), math.prod(like.shape)).reshape(like.shape)


@defop(
    "masked_scatter_put",
    infer=lambda x, mask, like: Meta(like.shape, x.dtype),
    shape_only=("like",),
    native_half=True,
    vjp={"x": lambda g, mask, like_x: masked_scatter_grad(g, mask, like_x)},
)
def masked_scatter_put(xp: Any, x: Any, mask: Any, like: Any) -> Any:
    """Zeros like `like` with the first elements of `x` where `mask` holds."""
    out = xp.zeros(like.shape, x.dtype)
    put(xp, out, _spread(xp, mask, like.shape), x.reshape(-1))
    return out


def _unique_infer(x: Meta, *, axis: int | None = None) -> tuple[Meta, ...]:
    numbers = Meta((-1,), INT64)
    if axis is None:
        return Meta((-1,), x.dtype), numbers, Meta((x.size,), INT64), numbers
    axis = axis_in(axis, len(x.shape), "unique")
    return Meta((*x.shape[:axis], -1, *x.shape[axis + 1 :]), x.dtype), numbers, Meta((x.shape[axis],), INT64), numbers


@defop("unique", infer=_unique_infer, outputs=("out", "index", "inverse", "counts"), check=True, native_half=True)
def unique(xp: Any, x: Any, *, axis: int | None = None) -> Any:
    """The distinct elements (or slices along `axis`) in ascending order: values, first places, numbers, counts."""
    values, index, inverse, counts = xp.unique(x, True, True, True, axis=axis)
    return values, index.astype(INT64), inverse.reshape(-1).astype(INT64), counts.astype(INT64)


def _consecutive_infer(x: Meta, *, axis: int | None = None) -> tuple[Meta, ...]:
    out, numbers, inverse, _ = _unique_infer(x, axis=axis)
    return out, inverse, numbers


@defop(
    "unique_consecutive",
    infer=_consecutive_infer,
    outputs=("out", "inverse", "counts"),
    check=True,
    native_half=True,
)
def unique_consecutive(xp: Any, x: Any, *, axis: int | None = None) -> Any:
    """`x` without repetitions that follow each other: values, numbers of the runs, lengths of the runs."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    turned = xp.moveaxis(x, axis, 0)
    size = turned.shape[0]
    rows = turned.reshape(size, -1) if size else turned.reshape(0, 1)
    fresh = xp.ones(size, np.bool_)
    if size > 1:
        fresh[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    inverse = xp.cumsum(fresh).astype(INT64) - INT64.type(1)
    starts = xp.flatnonzero(fresh)
    counts = xp.diff(xp.concatenate([starts, xp.full(1, size, starts.dtype)])).astype(INT64)
    return x.take(starts, axis), inverse, counts
