"""Views by strides, windows and bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.accumulate import add_rows
from paddlite.ops.infer import axis_in, like_second


def _strided_infer(x: Meta, *, shape: tuple[int, ...], stride: tuple[int, ...], offset: int = 0) -> Meta:
    if len(shape) != len(stride):
        raise InvalidArgument(f"as_strided: want one stride a size, got shape {list(shape)} and stride {list(stride)}")
    if any(s < 0 for s in (*shape, *stride)) or offset < 0:
        raise InvalidArgument(
            f"as_strided: sizes, strides and offset must be >= 0, got {list(shape)}, {list(stride)}, {offset}"
        )
    last = offset + sum((size - 1) * step for size, step in zip(shape, stride))
    if 0 not in shape and 0 <= x.size <= last:
        raise InvalidArgument(
            f"as_strided: shape {list(shape)} with stride {list(stride)} and offset {offset} reaches element {last} of "
            f"a tensor with {x.size} elements"
        )
    return Meta(shape, x.dtype)


def _strided(xp: Any, x: Any, shape: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Any:
    flat = x.reshape(-1)[offset:] if 0 not in shape else x.reshape(-1)
    return xp.lib.stride_tricks.as_strided(flat, shape, [s * x.dtype.itemsize for s in stride])


@defop(
    "as_strided",
    infer=_strided_infer,
    view=True,
    native_half=True,
    check=True,
    vjp={
        "x": lambda g, like_x, shape, stride, offset: as_strided_grad(
            g, like_x, shape=shape, stride=stride, offset=offset
        )
    },
)
def as_strided(xp: Any, x: Any, *, shape: tuple[int, ...], stride: tuple[int, ...], offset: int = 0) -> Any:
    """The elements of `x`, counted in row-major order, at `offset` plus the sum of index times stride."""
    return _strided(xp, x, shape, stride, offset)


@defop(
    "as_strided_grad",
    infer=like_second,
    wide=True,
    shape_only=("like",),
    vjp={"x": lambda g, shape, stride, offset: as_strided(g, shape=shape, stride=stride, offset=offset)},
)
def as_strided_grad(
    xp: Any, x: Any, like: Any, *, shape: tuple[int, ...], stride: tuple[int, ...], offset: int = 0
) -> Any:
    """Zeros like `like` with `x` added up at the elements that the view shows; where it shows one twice, both count."""
    out = xp.zeros(like.shape, x.dtype)
    if _apart(shape, stride):
        _strided(xp, out, shape, stride, offset)[...] = x
    else:
        numbers = xp.arange(out.size, dtype=np.int64)
        places = _strided(xp, numbers, shape, stride, offset).reshape(-1)
        add_rows(xp, out.reshape(-1, 1), places, x.reshape(-1, 1))
    return out


def _apart(shape: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    """True where no element is shown twice: every axis steps over all that the narrower ones reach."""
    reach = 0
    for step, size in sorted(zip(stride, shape)):
        if size > 1:
            if step <= reach:
                return False
            reach += step * (size - 1)
    return True


def window_count(size: int, width: int, step: int) -> int:
    return -1 if size < 0 else (size - width) // step + 1


def _unfold_infer(x: Meta, *, axis: int, size: int, step: int) -> Meta:
    axis = axis_in(axis, len(x.shape), "unfold")
    if not x.shape:
        raise ShapeMismatch("unfold: a 0-D tensor has no axis to slide along")
    if size < 1 or step < 1 or 0 <= x.shape[axis] < size:
        raise InvalidArgument(
            f"unfold: want 1 <= size <= {x.shape[axis]} (the size of axis {axis}) and step >= 1, got {size} and {step}"
        )
    count = window_count(x.shape[axis], size, step)
    return Meta((*x.shape[:axis], count, *x.shape[axis + 1 :], size), x.dtype)


@defop(
    "tensor_unfold",
    infer=_unfold_infer,
    view=True,
    native_half=True,
    check=True,
    vjp={"x": lambda g, like_x, axis, size, step: unfold_grad(g, like_x, axis=axis, size=size, step=step)},
)
def unfold(xp: Any, x: Any, *, axis: int, size: int, step: int) -> Any:
    """Windows of `size` that slide along `axis` by `step`; the place inside the window is a new last axis."""
    axis = axis % x.ndim
    shape, strides = list(x.shape), list(x.strides)
    shape[axis] = window_count(x.shape[axis], size, step)
    strides[axis] *= step
    return xp.lib.stride_tricks.as_strided(x, (*shape, size), (*strides, x.strides[axis]))


@defop(
    "tensor_unfold_grad",
    infer=like_second,
    wide=True,
    shape_only=("like",),
    vjp={"x": lambda g, axis, size, step: unfold(g, axis=axis, size=size, step=step)},
)
def unfold_grad(xp: Any, x: Any, like: Any, *, axis: int, size: int, step: int) -> Any:
    out = xp.zeros(like.shape, x.dtype)
    axis = axis % out.ndim
    before = (slice(None),) * axis
    reach = (x.shape[axis] - 1) * step + 1
    for k in range(size):
        out[(*before, slice(k, k + reach, step))] += x[..., k]
    return out


def _bits_infer(x: Meta, *, dtype: np.dtype) -> Meta:
    old, new = x.dtype.itemsize, dtype.itemsize
    if old == new:
        return Meta(x.shape, dtype)
    if not x.shape:
        raise InvalidArgument(f"view: a 0-D tensor of {x.dtype} cannot be seen as {dtype}, which has another width")
    last = x.shape[-1]
    if last >= 0 and last * old % new:
        raise InvalidArgument(
            f"view: the last axis has {last} elements of {old} bytes, which are no whole number of {dtype}"
        )
    return Meta((*x.shape[:-1], last * old // new if last >= 0 else -1), dtype)


@defop("view_dtype", infer=_bits_infer, view=True, native_half=True, check=True)
def view_dtype(xp: Any, x: Any, *, dtype: np.dtype) -> Any:
    """The same bits read as another dtype."""
    if x.dtype.itemsize != dtype.itemsize and x.strides[-1] != x.dtype.itemsize:
        x = xp.ascontiguousarray(x)
    return x.view(dtype)
