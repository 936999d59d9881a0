"""Picking rows and elements by number, and the gradients of that: rows and elements added up."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import IndexOutOfRange, InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.accumulate import add_rows, wrapped
from paddlite.ops.infer import axis_in, fits_into, like_second, require_integer


def out_of_range(name: str, ids: Any, size: int, axis: int) -> IndexOutOfRange:
    """The error for index tensor `ids` (on the host) that points outside of an axis of `size`."""
    bad = int(ids.max()) if int(ids.max()) >= size else int(ids.min())
    return IndexOutOfRange(
        f"{name}: index {bad} is out of range for axis {axis} of size {size}; want [{-size}, {size})"
    )


def check_ids(xp: Any, name: str, ids: Any, size: int, axis: int) -> None:
    """Raise IndexOutOfRange where `ids` point outside of an axis of `size`; on a GPU nothing is read back."""
    if xp is np and ids.size and (int(ids.max()) >= size or int(ids.min()) < -size):
        raise out_of_range(name, ids, size, axis)


def _gather_infer(x: Meta, index: Meta, *, axis: int = 0) -> Meta:
    require_integer("gather", index=index)
    if not x.shape:
        raise InvalidArgument("gather: a 0-D tensor has no axis to pick from")
    axis = axis_in(axis, len(x.shape), "gather")
    return Meta((*x.shape[:axis], *index.shape, *x.shape[axis + 1 :]), x.dtype)


@defop(
    "gather",
    infer=_gather_infer,
    native_half=True,
    vjp={"x": lambda g, like_x, index, axis: gather_grad(g, like_x, index, axis=axis)},
)
def gather(xp: Any, x: Any, index: Any, *, axis: int = 0) -> Any:
    """The slices of `x` along `axis` that `index` (of any shape) names."""
    if index.dtype.kind == "b" or not x.ndim:
        _gather_infer(x, index, axis=axis)
    try:
        return x.take(index, axis)
    except IndexError:
        raise out_of_range("gather", index, x.shape[axis], axis) from None


def put_along(xp: Any, out: Any, index: Any, rows: Any, axis: int) -> None:
    """Add the slices `rows` up into `out` along `axis`, in place, where `index` (of any shape) says."""
    axis = axis % out.ndim
    size, width = out.shape[axis], _count(out.shape[axis + 1 :])
    ids = wrapped(index.reshape(-1), size)
    outer = _count(out.shape[:axis])
    if outer == 1:
        add_rows(xp, out.reshape(size, width), ids, rows.reshape(ids.size, width))
        return
    turned = xp.zeros((size, outer, width), out.dtype)
    rows = rows.reshape(outer, ids.size, width).swapaxes(0, 1).reshape(ids.size, outer * width)
    add_rows(xp, turned.reshape(size, outer * width), ids, rows)
    out += turned.swapaxes(0, 1).reshape(out.shape)


def _count(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=np.int64))


@defop(
    "gather_grad",
    infer=like_second,
    shape_only=("like",),
    vjp={"x": lambda g, index, axis: gather(g, index, axis=axis)},
)
def gather_grad(xp: Any, x: Any, like: Any, index: Any, *, axis: int = 0) -> Any:
    """Zeros like `like` with the slices of `x` added up where `index` took them from."""
    out = xp.zeros(like.shape, x.dtype)
    put_along(xp, out, index, x, axis)
    return out


def _index_add_infer(x: Meta, index: Meta, value: Meta, *, axis: int = 0) -> Meta:
    require_integer("index_add", index=index)
    axis = axis_in(axis, len(x.shape), "index_add")
    want = (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])
    if len(index.shape) != 1 or not fits_into(value.shape, want):
        raise ShapeMismatch(
            f"index_add: with x {list(x.shape)}, index {list(index.shape)} and axis {axis}, value must broadcast to "
            f"{list(want)}, got {list(value.shape)}"
        )
    return Meta(x.shape, x.dtype)


@defop(
    "index_add",
    infer=_index_add_infer,
    check=True,
    inplace=True,
    amp_inputs=("x", "value"),
    vjp={"x": lambda g: g, "value": lambda g, index, axis: gather(g, index, axis=axis)},
)
def index_add(xp: Any, x: Any, index: Any, value: Any, *, axis: int = 0, out: Any = None) -> Any:
    """`x` with the slices of `value` added along `axis` where the 1-D `index` says; repeated places sum."""
    axis = axis % x.ndim
    check_ids(xp, "index_add", index, x.shape[axis], axis)
    if out is None:
        out = x.copy()
    target = out if out.flags.c_contiguous else out.copy()
    put_along(xp, target, index, value, axis)
    if target is not out:
        out[...] = target
    return out


def _gather_nd_infer(x: Meta, index: Meta) -> Meta:
    require_integer("gather_nd", index=index)
    if not index.shape or index.shape[-1] > len(x.shape):
        raise ShapeMismatch(
            f"gather_nd: the last size of index says how many axes of x it names, at most {len(x.shape)}; "
            f"got index {list(index.shape)} and x {list(x.shape)}"
        )
    return Meta((*index.shape[:-1], *x.shape[index.shape[-1] :]), x.dtype)


@defop(
    "gather_nd",
    infer=_gather_nd_infer,
    check=True,
    native_half=True,
    vjp={"x": lambda g, like_x, index: gather_nd_grad(g, like_x, index)},
)
def gather_nd(xp: Any, x: Any, index: Any) -> Any:
    """out[i] = x[index[i, 0], index[i, 1], ...]: the last axis of `index` names the first axes of `x`."""
    depth = index.shape[-1]
    if depth == 0:
        return xp.broadcast_to(x, (*index.shape[:-1], *x.shape)).copy()
    for axis in range(depth):
        check_ids(xp, "gather_nd", index[..., axis], x.shape[axis], axis)
    return x[tuple([index[..., axis] for axis in range(depth)])]


def add_nd(xp: Any, out: Any, index: Any, updates: Any) -> None:
    """Add `updates` up into contiguous `out`, in place, at the places that `gather_nd` would take."""
    depth = index.shape[-1]
    ids = xp.zeros(index.shape[:-1], np.int64)
    for axis in range(depth):
        ids = ids * np.int64(out.shape[axis]) + wrapped(index[..., axis], out.shape[axis])
    width = _count(out.shape[depth:])
    add_rows(xp, out.reshape(_count(out.shape[:depth]), width), ids.reshape(-1), updates.reshape(ids.size, width))


@defop("gather_nd_grad", infer=like_second, shape_only=("like",), vjp={"x": lambda g, index: gather_nd(g, index)})
def gather_nd_grad(xp: Any, x: Any, like: Any, index: Any) -> Any:
    out = xp.zeros(like.shape, x.dtype)
    add_nd(xp, out, index, x)
    return out


def along_shape(x: Meta, index: Meta, axis: int, name: str) -> tuple[int, ...]:
    """The shape of `index` broadcast to that of `x`, but for `axis`."""
    require_integer(name, index=index)
    rank = len(x.shape)
    if len(index.shape) != rank or not rank:
        raise ShapeMismatch(
            f"{name}: index must have as many axes as the tensor, got {list(index.shape)} and {list(x.shape)}"
        )
    axis = axis_in(axis, rank, name)
    shape = list(index.shape)
    for d, (size, limit) in enumerate(zip(index.shape, x.shape)):
        if d == axis:
            continue
        if size == 1:
            shape[d] = limit
        elif size > limit >= 0:
            raise ShapeMismatch(
                f"{name}: size {size} of index {list(index.shape)} on axis {d} is beyond that of the tensor, "
                f"{list(x.shape)}; only axis {axis} may be longer"
            )
    return tuple(shape)


def linear(xp: Any, shape: tuple[int, ...], index: Any, axis: int, name: str) -> Any:
    """The place of each element that `index` names along `axis`, counted through a contiguous array of `shape`."""
    axis = axis % len(shape)
    check_ids(xp, name, index, shape[axis], axis)
    place: Any = None
    stride = 1
    for d in range(len(shape) - 1, -1, -1):
        if d == axis:
            step = wrapped(index, shape[d]) * np.int64(stride)
        else:
            across = [1] * len(shape)
            across[d] = index.shape[d]
            step = (xp.arange(index.shape[d], dtype=np.int64) * np.int64(stride)).reshape(across)
        place = step if place is None else place + step
        stride *= shape[d]
    return place


def spread_index(xp: Any, x: Any, index: Any, axis: int, broadcast: bool, name: str) -> Any:
    """`index` as `take_along_axis` reads it: broadcast against `x` but for `axis`, where `broadcast` says so."""
    if not broadcast:
        return index
    shape = along_shape(x, index, axis, name)
    return index if shape == index.shape else xp.broadcast_to(index, shape)


def _take_infer(x: Meta, index: Meta, *, axis: int, broadcast: bool = True) -> Meta:
    shape = along_shape(x, index, axis, "take_along_axis")
    return Meta(shape if broadcast else index.shape, x.dtype)


@defop(
    "take_along_axis",
    infer=_take_infer,
    check=True,
    native_half=True,
    vjp={
        "x": lambda g, like_x, index, axis, broadcast: take_along_axis_grad(
            g, like_x, index, axis=axis, broadcast=broadcast
        )
    },
)
def take_along_axis(xp: Any, x: Any, index: Any, *, axis: int, broadcast: bool = True) -> Any:
    """out[i][j] = x[i][index[i][j]] for axis 1, and so on."""
    index = spread_index(xp, x, index, axis, broadcast, "take_along_axis")
    return x.reshape(-1)[linear(xp, x.shape, index, axis, "take_along_axis")]


@defop(
    "take_along_axis_grad",
    infer=like_second,
    shape_only=("like",),
    vjp={"x": lambda g, index, axis, broadcast: take_along_axis(g, index, axis=axis, broadcast=broadcast)},
)
def take_along_axis_grad(xp: Any, x: Any, like: Any, index: Any, *, axis: int, broadcast: bool = True) -> Any:
    out = xp.zeros(like.shape, x.dtype)
    index = spread_index(xp, like, index, axis, broadcast, "take_along_axis")
    places = linear(xp, like.shape, index, axis, "take_along_axis")
    add_rows(xp, out.reshape(-1, 1), places.reshape(-1), x.reshape(-1, 1))
    return out
