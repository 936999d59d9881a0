"""Elements in another order, on a diagonal, or in a triangle."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import axes_in, axis_in, like_second, same


def _flip_infer(x: Meta, *, axis: tuple[int, ...]) -> Meta:
    if axis:
        axes_in(axis, len(x.shape), "flip")
    return Meta(x.shape, x.dtype)


@defop("flip", infer=_flip_infer, native_half=True, check=True, vjp={"x": lambda g, axis: flip(g, axis=axis)})
def flip(xp: Any, x: Any, *, axis: tuple[int, ...]) -> Any:
    backwards = {a % x.ndim for a in axis} if x.ndim else ()
    return x[tuple([slice(None, None, -1) if a in backwards else slice(None) for a in range(x.ndim)])].copy()


def _roll_infer(x: Meta, *, shifts: tuple[int, ...], axis: tuple[int, ...] | None = None) -> Meta:
    if axis is not None:
        if len(axis) != len(shifts):
            raise InvalidArgument(f"roll: want one shift an axis, got shifts {list(shifts)} and axis {list(axis)}")
        for a in axis:
            axis_in(a, len(x.shape), "roll")
    return Meta(x.shape, x.dtype)


@defop(
    "roll",
    infer=_roll_infer,
    native_half=True,
    check=True,
    vjp={"x": lambda g, shifts, axis: roll(g, shifts=tuple([-s for s in shifts]), axis=axis)},
)
def roll(xp: Any, x: Any, *, shifts: tuple[int, ...], axis: tuple[int, ...] | None = None) -> Any:
    """`x` moved along `axis`, what falls off coming back at the other end; without `axis`, through all elements."""
    if axis is None:
        return _rolled(xp, x.reshape(-1), sum(shifts), 0).reshape(x.shape)
    out = x
    for shift, a in zip(shifts, axis):
        out = _rolled(xp, out, shift, a)
    return out if out is not x else x.copy()


def _rolled(xp: Any, x: Any, shift: int, axis: int) -> Any:
    """`x` moved along one axis: its two parts the other way round."""
    if not x.ndim or not x.size:
        return x.copy()
    axis = axis % x.ndim
    size = x.shape[axis]
    cut = (size - shift) % size
    before = (slice(None),) * axis
    return xp.concatenate([x[(*before, slice(cut, None))], x[(*before, slice(0, cut))]], axis)


def _triangle_infer(x: Meta, *, diagonal: int = 0, lower: bool = True) -> Meta:
    if len(x.shape) < 2:
        raise ShapeMismatch(f"{'tril' if lower else 'triu'}: want at least 2 axes, got shape {list(x.shape)}")
    return Meta(x.shape, x.dtype)


@defop(
    "tril_triu",
    infer=_triangle_infer,
    native_half=True,
    check=True,
    vjp={"x": lambda g, diagonal, lower: tril_triu(g, diagonal=diagonal, lower=lower)},
)
def tril_triu(xp: Any, x: Any, *, diagonal: int = 0, lower: bool = True) -> Any:
    return (xp.tril if lower else xp.triu)(x, diagonal)


def diagonal_size(rows: int, columns: int, offset: int) -> int:
    """How many elements a diagonal has; -1 where a size is unknown."""
    if rows < 0 or columns < 0:
        return -1
    return max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))


def _diagonal_infer(x: Meta, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Meta:
    rank = len(x.shape)
    if rank < 2:
        raise ShapeMismatch(f"diagonal: want at least 2 axes, got shape {list(x.shape)}")
    a, b = axis_in(axis1, rank, "diagonal", "axis1"), axis_in(axis2, rank, "diagonal", "axis2")
    if a == b:
        raise InvalidArgument(f"diagonal: axis1 and axis2 must differ, got {axis1} and {axis2}")
    kept = tuple([s for d, s in enumerate(x.shape) if d not in (a, b)])
    return Meta((*kept, diagonal_size(x.shape[a], x.shape[b], offset)), x.dtype)


def _diagonal_view(xp: Any, x: Any, offset: int, axis1: int, axis2: int) -> Any:
    out = x.diagonal(offset, axis1, axis2)
    if xp is np and x.flags.writeable:
        out.flags.writeable = True  # NumPy's is read-only for historical reasons
    return out


@defop(
    "diagonal",
    infer=_diagonal_infer,
    view=True,
    native_half=True,
    check=True,
    vjp={
        "x": lambda g, like_x, offset, axis1, axis2: diagonal_grad(g, like_x, offset=offset, axis1=axis1, axis2=axis2)
    },
)
def diagonal(xp: Any, x: Any, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return _diagonal_view(xp, x, offset, axis1, axis2)


@defop(
    "diagonal_grad",
    infer=like_second,
    shape_only=("like",),
    native_half=True,
    vjp={"x": lambda g, offset, axis1, axis2: diagonal(g, offset=offset, axis1=axis1, axis2=axis2)},
)
def diagonal_grad(xp: Any, x: Any, like: Any, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Zeros like `like` with `x` on a diagonal."""
    out = xp.zeros(like.shape, x.dtype)
    _diagonal_view(xp, out, offset, axis1, axis2)[...] = x
    return out


def _embed_infer(x: Meta, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Meta:
    rank = len(x.shape) + 1
    if rank < 2:
        raise ShapeMismatch("diag_embed: want at least 1 axis, got a 0-D tensor")
    a, b = axis_in(dim1, rank, "diag_embed", "dim1"), axis_in(dim2, rank, "diag_embed", "dim2")
    if a == b:
        raise InvalidArgument(f"diag_embed: dim1 and dim2 must differ, got {dim1} and {dim2}")
    size = -1 if x.shape[-1] < 0 else x.shape[-1] + abs(offset)
    shape = list(x.shape[:-1])
    for d in sorted((a, b)):
        shape.insert(d, size)
    return Meta(tuple(shape), x.dtype)


@defop(
    "diag_embed",
    infer=_embed_infer,
    native_half=True,
    check=True,
    vjp={"x": lambda g, offset, dim1, dim2: diagonal(g, offset=offset, axis1=dim1, axis2=dim2)},
)
def diag_embed(xp: Any, x: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices over the axes `dim1` and `dim2` with the last axis of `x` on a diagonal."""
    out = xp.zeros(_embed_infer(x, offset=offset, dim1=dim1, dim2=dim2).shape, x.dtype)
    _diagonal_view(xp, out, offset, dim1, dim2)[...] = x
    return out


def _diag_infer(x: Meta, *, offset: int = 0, padding_value: float = 0) -> Meta:
    if len(x.shape) == 1:
        size = -1 if x.shape[0] < 0 else x.shape[0] + abs(offset)
        return Meta((size, size), x.dtype)
    if len(x.shape) == 2:
        return Meta((diagonal_size(*x.shape, offset),), x.dtype)
    raise ShapeMismatch(f"diag: want 1 or 2 axes, got shape {list(x.shape)}")


def _diag_rule(g: Any, like_x: Any, offset: int) -> Any:
    return diagonal(g, offset=offset) if len(like_x._shape) == 1 else diagonal_grad(g, like_x, offset=offset)


@defop("diag_v2", infer=_diag_infer, native_half=True, check=True, vjp={"x": _diag_rule})
def diag(xp: Any, x: Any, *, offset: int = 0, padding_value: float = 0) -> Any:
    """A matrix with the vector `x` on a diagonal, or the diagonal of the matrix `x`."""
    if x.ndim == 2:
        return x.diagonal(offset).copy()
    size = x.size + abs(offset)
    out = xp.full((size, size), padding_value, x.dtype) if padding_value else xp.zeros((size, size), x.dtype)
    _diagonal_view(xp, out, offset, 0, 1)[...] = x
    return out


def _shard_infer(x: Meta, *, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Meta:
    return same(x)


@defop("shard_index", infer=_shard_infer)
def shard_index(xp: Any, x: Any, *, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Any:
    """Numbers of this shard counted from its start; all others become `ignore_value`."""
    kind = x.dtype.type
    size = kind((index_num + nshards - 1) // nshards)
    return xp.where(x // size == kind(shard_id), x % size, kind(ignore_value))
