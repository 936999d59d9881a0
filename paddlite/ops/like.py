"""Ops that read only the shape (and dtype) of one input, so that gradient rules never compute with a size."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32, HALF
from paddlite.core.meta import Like, Meta, same_sizes
from paddlite.core.op import defop
from paddlite.ops.infer import like_second, same


def unbroadcast(g: Any, like: Any) -> Any:
    """`g` summed to the shape of `like`: what a broadcast input gets back."""
    if type(like) is Like:  # eager: sizes are known
        return g if g._data.shape == like.shape else sum_like(g, like)
    return g if same_sizes(g._shape, like._shape) else sum_like(g, like)


def device_sum(array: Any, axes: Any) -> Any:
    """The sum over `axes` on a GPU, with sizes of 1 there; halves are added up in float32, as they are on the host."""
    if array.dtype in HALF:
        return array.sum(axis=axes, dtype=F32, keepdims=True).astype(array.dtype)
    return array.sum(axis=axes, keepdims=True)


def reduce_to(xp: Any, array: Any, shape: tuple[int, ...]) -> Any:
    """`array` summed over the axes that broadcasting added to `shape`."""
    if array.shape == shape:
        return array
    lead = array.ndim - len(shape)
    if lead < 0:  # `shape` has leading ones that assignment ignored
        return reduce_to(xp, array.reshape((1,) * -lead + array.shape), shape)
    axes = tuple(range(lead)) + tuple(i + lead for i, s in enumerate(shape) if s == 1 and array.shape[i + lead] != 1)
    if axes:
        array = xp.add.reduce(array, axis=axes, keepdims=True) if xp is np else device_sum(array, axes)
    return array.reshape(shape)


@defop(
    "expand_like",
    infer=like_second,
    shape_only=("like",),
    native_half=True,
    vjp={"x": lambda g, like_x: sum_like(g, like_x)},
)
def expand_like(xp: Any, x: Any, like: Any) -> Any:
    return xp.broadcast_to(x, like.shape)


@defop(
    "sum_like",
    infer=like_second,
    shape_only=("like",),
    wide=False,
    vjp={"x": lambda g, like_x: expand_like(g, like_x)},
)
def sum_like(xp: Any, x: Any, like: Any) -> Any:
    return reduce_to(xp, x, like.shape)


@defop(
    "reshape_like",
    infer=like_second,
    shape_only=("like",),
    native_half=True,
    vjp={"x": lambda g, like_x: reshape_like(g, like_x)},
)
def reshape_like(xp: Any, x: Any, like: Any) -> Any:
    return x.reshape(like.shape)


@defop("zeros_like", infer=same, shape_only=("x",), native_half=True)
def zeros_like(xp: Any, x: Any) -> Any:
    return xp.zeros(x.shape, x.dtype)


def _full_like_infer(x: Meta, *, value: Any, dtype: np.dtype | None = None) -> Meta:
    return Meta(x.shape, dtype or x.dtype)


@defop("fill_any_like", infer=_full_like_infer, shape_only=("x",), native_half=True)
def full_like(xp: Any, x: Any, *, value: Any, dtype: np.dtype | None = None) -> Any:
    return xp.full(x.shape, value, dtype or x.dtype)
