"""Repeating: broadcasting to a shape, tiling, repeating each element.  The results have memory of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop, joint
from paddlite.ops.arithmetic import cast_like
from paddlite.ops.dynamic import known_sizes, resolved
from paddlite.ops.infer import axis_in, fits_into, like_second
from paddlite.ops.like import reshape_like, unbroadcast
from paddlite.ops.reduce import reduce_sum


def expanded_shape(given: tuple[int, ...], shape: tuple) -> tuple[int, ...]:
    """The shape that `expand` gives a tensor of shape `given`; -1 in `shape` keeps a size."""
    lead = len(shape) - len(given)
    if lead < 0:
        raise ShapeMismatch(f"expand: shape {list(shape)} has fewer axes than the tensor, {list(given)}")
    result = list(shape[:lead])
    for size in result:
        if type(size) is int and size < 0:
            raise InvalidArgument(f"expand: -1 in {list(shape)} keeps a size, but that axis is new; give its size")
    for axis, size in enumerate(given):
        want = shape[lead + axis]
        if type(want) is not int:
            result.append(want)
        elif want == -1 or want == size:
            result.append(size)
        elif size == 1 or size == -1:
            result.append(want)
        else:
            raise ShapeMismatch(
                f"expand: axis {axis} of {list(given)} has size {size} and cannot become {want} (of {list(shape)}); "
                "only a size of 1 can"
            )
    return tuple(result)


def _expand_infer(x: Meta, *sizes: Meta, shape: tuple) -> Meta:
    return Meta(known_sizes(expanded_shape(x.shape, shape)), x.dtype)


@defop(
    "expand_v2",
    infer=_expand_infer,
    native_half=True,
    amp_inputs=("x",),
    vjp={"x": lambda g, like_x: unbroadcast(g, like_x)},
)
def expand(xp: Any, x: Any, *sizes: Any, shape: tuple) -> Any:
    return _filled(xp, x, expanded_shape(x.shape, resolved(shape, sizes)))


def _filled(xp: Any, x: Any, shape: tuple[int, ...]) -> Any:
    """`x` repeated to fill `shape`; takes half the time of `broadcast_to` and a copy."""
    out = xp.empty(shape, x.dtype)
    out[...] = x
    return out


def _expand_as_infer(x: Meta, like: Meta) -> Meta:
    if not fits_into(x.shape, like.shape):
        raise ShapeMismatch(f"expand_as: a tensor of shape {list(x.shape)} cannot fill shape {list(like.shape)}")
    own = (1,) * (len(like.shape) - len(x.shape)) + x.shape
    return Meta(tuple([size if want < 0 and size > 1 else want for size, want in zip(own, like.shape)]), x.dtype)


@defop(
    "expand_as_v2",
    infer=_expand_as_infer,
    shape_only=("like",),
    native_half=True,
    vjp={"x": lambda g, like_x: unbroadcast(g, like_x)},
)
def expand_as(xp: Any, x: Any, like: Any) -> Any:
    return _filled(xp, x, like.shape)


def _tile_shapes(shape: tuple[int, ...], repeats: tuple) -> tuple[tuple, tuple]:
    """Sizes and repeats, both filled up with ones to the same length."""
    rank = max(len(shape), len(repeats))
    return (1,) * (rank - len(shape)) + shape, (1,) * (rank - len(repeats)) + repeats


def _tile_infer(x: Meta, *counts: Meta, repeat_times: tuple) -> Meta:
    sizes, repeats = _tile_shapes(x.shape, known_sizes(repeat_times))
    if any(type(r) is int and r < 0 for r in repeat_times):
        raise InvalidArgument(f"tile: repeat_times must be >= 0, got {list(repeat_times)}")
    return Meta(tuple([-1 if -1 in (s, r) else s * r for s, r in zip(sizes, repeats)]), x.dtype)


@defop(
    "tile",
    infer=_tile_infer,
    native_half=True,
    check=True,
    amp_inputs=("x",),
    vjp={"x": lambda g, like_x, counts, repeat_times: tile_grad(g, like_x, *counts, repeat_times=repeat_times)},
)
def tile(xp: Any, x: Any, *counts: Any, repeat_times: tuple) -> Any:
    sizes, repeats = _tile_shapes(x.shape, resolved(repeat_times, counts))
    apart = x.reshape([n for size in sizes for n in (1, size)])
    spread = _filled(xp, apart, tuple([n for pair in zip(repeats, sizes) for n in pair]))
    return spread.reshape([r * s for r, s in zip(repeats, sizes)])


def _tile_grad_infer(x: Meta, like: Meta, *counts: Meta, repeat_times: tuple) -> Meta:
    return Meta(like.shape, x.dtype)


@defop(
    "tile_grad",
    infer=_tile_grad_infer,
    wide=True,
    shape_only=("like",),
    vjp={"x": lambda g, counts, repeat_times: tile(g, *counts, repeat_times=repeat_times)},
)
def tile_grad(xp: Any, x: Any, like: Any, *counts: Any, repeat_times: tuple) -> Any:
    sizes, repeats = _tile_shapes(like.shape, resolved(repeat_times, counts))
    apart = x.reshape([n for pair in zip(repeats, sizes) for n in pair])
    return apart.sum(axis=tuple(range(0, 2 * len(sizes), 2)), dtype=x.dtype).reshape(like.shape)


def _repeat_infer(x: Meta, *, repeats: int, axis: int) -> Meta:
    axis = axis_in(axis, len(x.shape), "repeat_interleave")
    size = x.shape[axis]
    return Meta((*x.shape[:axis], -1 if size < 0 else size * repeats, *x.shape[axis + 1 :]), x.dtype)


@defop(
    "repeat_interleave",
    infer=_repeat_infer,
    native_half=True,
    vjp={"x": lambda g, like_x, repeats, axis: repeat_grad(g, like_x, repeats=repeats, axis=axis)},
)
def repeat_interleave(xp: Any, x: Any, *, repeats: int, axis: int) -> Any:
    """Each slice along `axis` repeated."""
    return xp.repeat(x if x.ndim else x.reshape(1), repeats, axis)


@defop(
    "repeat_interleave_grad",
    infer=like_second,
    wide=True,
    shape_only=("like",),
    vjp={"x": lambda g, repeats, axis: repeat_interleave(g, repeats=repeats, axis=axis)},
)
def repeat_grad(xp: Any, x: Any, like: Any, *, repeats: int, axis: int) -> Any:
    axis = axis % len(like.shape)
    apart = x.reshape((*like.shape[: axis + 1], repeats, *like.shape[axis + 1 :]))
    return apart.sum(axis=axis + 1, dtype=x.dtype)


def _numbers_infer(repeats: Meta) -> Meta:
    return Meta((-1,), np.dtype(np.int64))


@defop("repeat_numbers", infer=_numbers_infer)
def repeat_numbers(xp: Any, repeats: Any) -> Any:
    """0 written repeats[0] times, 1 written repeats[1] times, ...: what to gather for a repetition of rows."""
    if xp is np:
        return np.repeat(np.arange(repeats.size), repeats)
    return xp.repeat(xp.arange(repeats.size), repeats.tolist())


def _meshgrid_infer(*xs: Meta) -> tuple[Meta, ...]:
    shape = tuple([x.shape[0] if x.shape else 1 for x in xs])
    for k, x in enumerate(xs):
        if len(x.shape) > 1:
            raise ShapeMismatch(f"meshgrid: tensor {k} must have at most one axis, got shape {list(x.shape)}")
    return tuple([Meta(shape, x.dtype) for x in xs])


def _meshgrid_rule(g_outs: Any, like_xs: Any) -> list:
    axes = range(len(like_xs))
    sums = [
        reduce_sum(g, axis=tuple([a for a in axes if a != k])) if len(like_xs) > 1 else g for k, g in enumerate(g_outs)
    ]
    return [cast_like(reshape_like(s, like), like) for s, like in zip(sums, like_xs)]


@defop(
    "meshgrid",
    infer=_meshgrid_infer,
    outputs=("*outs",),
    native_half=True,
    check=True,
    vjp=joint(_meshgrid_rule),
)
def meshgrid(xp: Any, *xs: Any) -> Any:
    """The coordinates of a grid, one array an axis ("ij" order)."""
    shape = tuple([x.size for x in xs])
    grids = []
    for k, x in enumerate(xs):
        column = x.reshape([-1 if d == k else 1 for d in range(len(xs))])
        grids.append(_filled(xp, column, shape))
    return tuple(grids)
