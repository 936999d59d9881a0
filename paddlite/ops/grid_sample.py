"""Sampling of images at the points of a grid, and the points of an affine map.

A grid [N, *places, axes] holds coordinates of [-1, 1], that of the last spatial axis first.  An image is linear
between its elements: the value at a point is the sum over the corners of its cell of the corner's value times, along
every axis, the share f or 1 - f that the point's offset f in the cell gives.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from paddlite.core.errors import ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import elementwise_add, elementwise_mul, elementwise_sub, negative
from paddlite.ops.infer import merge_size, require_floating
from paddlite.ops.join import stack
from paddlite.ops.like import zeros_like
from paddlite.ops.matmul import product
from paddlite.ops.reduce import reduce_sum


def _reflected(xp: Any, at: Any, low: float, high: float) -> tuple[Any, Any]:
    """`at` mirrored into [low, high], and the sign of the slope."""
    if high <= low:
        return xp.zeros_like(at), xp.zeros_like(at)
    span = at.dtype.type(high - low)
    way = at - at.dtype.type(low)
    turns = xp.floor(xp.abs(way) / span)
    rest = xp.abs(way) - turns * span
    odd = turns % 2 == 1
    sign = xp.sign(way) * xp.where(odd, -1, 1).astype(at.dtype)
    return xp.where(odd, span - rest, rest) + at.dtype.type(low), sign


def _located(xp: Any, grid: Any, axis: int, size: int, padding_mode: str, align_corners: bool) -> tuple[Any, Any]:
    """Where along `axis` of `size` elements the points lie, and how fast that moves with the grid's coordinate."""
    rank = grid.shape[-1]
    given = grid[..., rank - 1 - axis]
    one = grid.dtype.type
    if align_corners:
        at, slope = (given + one(1)) * one(0.5 * (size - 1)), one(0.5 * (size - 1))
        low, high = 0.0, size - 1.0
    else:
        at, slope = (given + one(1)) * one(0.5 * size) - one(0.5), one(0.5 * size)
        low, high = -0.5, size - 0.5
    if padding_mode == "reflection":
        at, sign = _reflected(xp, at, low, high)
        slope = slope * sign
    if padding_mode != "zeros":
        inside = (at > 0) & (at < size - 1)
        at, slope = xp.clip(at, one(0), one(size - 1)), slope * inside.astype(grid.dtype)
    return at, xp.broadcast_to(xp.asarray(slope, grid.dtype), at.shape)


def _cells(xp: Any, grid: Any, sizes: tuple, mode: str, padding_mode: str, align_corners: bool) -> list[tuple]:
    """For each spatial axis: index of the lower corner, offset in the cell."""
    found = []
    for axis, size in enumerate(sizes):
        at, _ = _located(xp, grid, axis, size, padding_mode, align_corners)
        first = xp.rint(at) if mode == "nearest" else xp.floor(at)
        found.append((first.astype("int64"), at - first))
    return found


def _corner(xp: Any, cells: list[tuple], sizes: tuple, corner: tuple) -> tuple[Any, Any]:
    """Flat index of a corner of each cell, moved inside, and whether it was inside."""
    index, inside = 0, True
    for (first, _), size, step in zip(cells, sizes, corner):
        at = first + step
        inside = inside & (at >= 0) & (at < size)
        index = index * size + xp.clip(at, 0, size - 1)
    return index, inside


def _share(cells: list[tuple], corner: tuple) -> Any:
    total = 1
    for (_, offset), step in zip(cells, corner):
        total = total * (offset if step else 1 - offset)
    return total


def _corners(rank: int, mode: str) -> list[tuple]:
    return [(0,) * rank] if mode == "nearest" else list(itertools.product((0, 1), repeat=rank))


def _picked(xp: Any, x: Any, index: Any) -> Any:
    """x [N, C, *sizes] at flat `index` [N, *places]: [N, C, *places]."""
    batch, channels = x.shape[:2]
    flat = x.reshape(batch, channels, math.prod(x.shape[2:]))
    places = index.reshape(batch, 1, math.prod(index.shape[1:]))
    found = flat[xp.arange(batch)[:, None, None], xp.arange(channels)[:, None], places]
    return found.reshape(batch, channels, *index.shape[1:])


def _put(xp: Any, out: Any, y: Any, index: Any) -> None:
    """The transpose of `_picked`: `y` added to `out`, which is contiguous."""
    batch, channels = out.shape[:2]
    size = math.prod(out.shape[2:])
    rows = xp.arange(batch * channels).reshape(batch, channels, 1) * size
    places = rows + index.reshape(batch, 1, math.prod(index.shape[1:]))
    xp.add.at(out.reshape(-1), places.reshape(-1), y.reshape(-1))


def _grid_infer(x: Meta, grid: Meta, **_: Any) -> Meta:
    rank = len(x.shape) - 2
    require_floating("grid_sample", x=x, grid=grid)
    if rank not in (2, 3) or len(grid.shape) != rank + 2 or grid.shape[-1] not in (rank, -1):
        raise ShapeMismatch(
            "grid_sample: want x [N, C, H, W] with grid [N, H', W', 2], or x [N, C, D, H, W] with grid "
            f"[N, D', H', W', 3]; got x {list(x.shape)} and grid {list(grid.shape)}"
        )
    batch = merge_size(x.shape[0], grid.shape[0], "grid_sample", "the batch sizes of x and grid")
    return Meta((batch, x.shape[1], *grid.shape[1:-1]), x.dtype)


def _point_infer(grid: Meta, like: Meta, **_: Any) -> Meta:
    return Meta(grid.shape[:-1], grid.dtype)


@defop("grid_slope", infer=_point_infer, shape_only=("like",), wide=True)
def grid_slope(xp: Any, grid: Any, like: Any, *, axis, padding_mode, align_corners) -> Any:
    """How fast each point moves along spatial `axis` of `like` with the grid's coordinate."""
    return _located(xp, grid, axis, like.shape[2 + axis], padding_mode, align_corners)[1].copy()


def _offset_rule(g: Any, grid: Any, like_like: Any, axis: int, padding_mode: str, align_corners: bool) -> Any:
    slope = grid_slope(grid, like_like, axis=axis, padding_mode=padding_mode, align_corners=align_corners)
    parts = [zeros_like(g)] * (len(like_like._shape) - 2)
    parts[len(parts) - 1 - axis] = elementwise_mul(g, slope)
    return stack(*parts, axis=-1)


@defop("grid_offset", infer=_point_infer, shape_only=("like",), wide=True, vjp={"grid": _offset_rule})
def grid_offset(xp: Any, grid: Any, like: Any, *, axis, padding_mode, align_corners) -> Any:
    """Where in its cell each point lies along spatial `axis` of `like`, from 0 to 1."""
    at, _ = _located(xp, grid, axis, like.shape[2 + axis], padding_mode, align_corners)
    return at - xp.floor(at)


@defop(
    "grid_corner",
    infer=_grid_infer,
    vjp={
        "x": lambda g, grid, like_x, corner, padding_mode, align_corners: grid_corner_grad(
            g, grid, like_x, corner=corner, padding_mode=padding_mode, align_corners=align_corners
        )
    },
)
def grid_corner(xp: Any, x: Any, grid: Any, *, corner, padding_mode, align_corners) -> Any:
    """What `x` has at one corner of each point's cell; 0 outside of it."""
    cells = _cells(xp, grid, x.shape[2:], "bilinear", padding_mode, align_corners)
    index, inside = _corner(xp, cells, x.shape[2:], corner)
    return _picked(xp, x, index) * inside[:, None]


@defop(
    "grid_corner_grad",
    infer=lambda y, grid, like, **_: Meta(like.shape, y.dtype),
    shape_only=("like",),
    wide=True,
    vjp={
        "y": lambda g, grid, corner, padding_mode, align_corners: grid_corner(
            g, grid, corner=corner, padding_mode=padding_mode, align_corners=align_corners
        )
    },
)
def grid_corner_grad(xp: Any, y: Any, grid: Any, like: Any, *, corner, padding_mode, align_corners) -> Any:
    """The transpose of `grid_corner`."""
    cells = _cells(xp, grid, like.shape[2:], "bilinear", padding_mode, align_corners)
    index, inside = _corner(xp, cells, like.shape[2:], corner)
    out = xp.zeros(like.shape, y.dtype)
    _put(xp, out, y * inside[:, None], index)
    return out


def _grid_rule(g: Any, x: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool) -> Any:
    """The gradient of the grid, in ops: along each axis the difference of the cell's two faces, times the slope."""
    if mode == "nearest":
        return zeros_like(grid)
    options = {"padding_mode": padding_mode, "align_corners": align_corners}
    rank = len(x._shape) - 2
    offsets = [grid_offset(grid, x, axis=axis, **options) for axis in range(rank)]
    shares = [(elementwise_sub(1, offset), offset) for offset in offsets]
    differences: list[Any] = [None] * rank
    for corner in _corners(rank, mode):
        value = reduce_sum(elementwise_mul(grid_corner(x, grid, corner=corner, **options), g), axis=1)
        for axis in range(rank):
            term = value
            for other in range(rank):
                if other != axis:
                    term = elementwise_mul(term, shares[other][corner[other]])
            if not corner[axis]:
                term = negative(term)
            differences[axis] = term if differences[axis] is None else elementwise_add(differences[axis], term)
    slopes = [grid_slope(grid, x, axis=axis, **options) for axis in range(rank)]
    return stack(*[elementwise_mul(d, s) for d, s in zip(reversed(differences), reversed(slopes))], axis=-1)


@defop(
    "grid_sampler",
    infer=_grid_infer,
    check=True,
    wide=True,
    vjp={
        "x": lambda g, grid, like_x, mode, padding_mode, align_corners: grid_sampler_grad(
            g, grid, like_x, mode=mode, padding_mode=padding_mode, align_corners=align_corners
        ),
        "grid": _grid_rule,
    },
)
def grid_sampler(xp: Any, x: Any, grid: Any, *, mode, padding_mode, align_corners) -> Any:
    sizes = x.shape[2:]
    cells = _cells(xp, grid, sizes, mode, padding_mode, align_corners)
    out = xp.zeros((x.shape[0], x.shape[1], *grid.shape[1:-1]), x.dtype)
    for corner in _corners(len(sizes), mode):
        index, inside = _corner(xp, cells, sizes, corner)
        share = inside if mode == "nearest" else _share(cells, corner) * inside
        out += _picked(xp, x, index) * share[:, None].astype(x.dtype)
    return out


@defop(
    "grid_sampler_grad",
    infer=lambda y, grid, like, **_: Meta(like.shape, y.dtype),
    shape_only=("like",),
    wide=True,
    vjp={
        "y": lambda g, grid, mode, padding_mode, align_corners: grid_sampler(
            g, grid, mode=mode, padding_mode=padding_mode, align_corners=align_corners
        ),
        "grid": lambda g, y, grid, mode, padding_mode, align_corners: _grid_rule(
            y, g, grid, mode, padding_mode, align_corners
        ),
    },
)
def grid_sampler_grad(xp: Any, y: Any, grid: Any, like: Any, *, mode, padding_mode, align_corners) -> Any:
    """The transpose of `grid_sampler` as a map of `x`, which is of the shape of `like`."""
    sizes = like.shape[2:]
    cells = _cells(xp, grid, sizes, mode, padding_mode, align_corners)
    out = xp.zeros(like.shape, y.dtype)
    for corner in _corners(len(sizes), mode):
        index, inside = _corner(xp, cells, sizes, corner)
        share = inside if mode == "nearest" else _share(cells, corner) * inside
        _put(xp, out, y * share[:, None].astype(y.dtype), index)
    return out


def _affine_infer(theta: Meta, *, sizes: tuple[int, ...], align_corners: bool) -> Meta:
    rank = len(sizes)
    require_floating("affine_grid", theta=theta)
    if len(theta.shape) != 3 or theta.shape[1:] != (rank, rank + 1):
        raise ShapeMismatch(
            f"affine_grid: theta must have shape [N, {rank}, {rank + 1}] for {rank} spatial axes, got "
            f"{list(theta.shape)}"
        )
    return Meta((theta.shape[0], *sizes, rank), theta.dtype)


def _base(xp: Any, sizes: tuple[int, ...], align_corners: bool, dtype: Any) -> Any:
    """The points (x, y, ..., 1) of the centers of an image's elements: [elements, axes + 1]."""
    rank = len(sizes)
    columns = []
    for axis in reversed(range(rank)):
        n = sizes[axis]
        at = xp.arange(n, dtype="float64")
        at = (2 * at / max(n - 1, 1) - 1) if align_corners and n > 1 else ((2 * at + 1) / n - 1)
        along = [1] * rank
        along[axis] = n
        columns.append(xp.broadcast_to(at.reshape(along), sizes).reshape(-1))
    columns.append(xp.ones_like(columns[0]))
    return xp.stack(columns, axis=1).astype(dtype)


@defop(
    "affine_grid",
    infer=_affine_infer,
    check=True,
    vjp={"theta": lambda g, sizes, align_corners: affine_grid_grad(g, sizes=sizes, align_corners=align_corners)},
)
def affine_grid(xp: Any, theta: Any, *, sizes: tuple[int, ...], align_corners: bool) -> Any:
    """The points that `theta` [N, axes, axes + 1] maps the centers of an image's elements to."""
    rank, base = len(sizes), _base(xp, sizes, align_corners, theta.dtype)
    points = product(xp, base, theta.reshape(-1, rank + 1).T)  # [elements, N * axes]
    return points.reshape(-1, theta.shape[0], rank).swapaxes(0, 1).reshape(theta.shape[0], *sizes, rank)


@defop(
    "affine_grid_grad",
    infer=lambda y, *, sizes, align_corners: Meta((y.shape[0], len(sizes), len(sizes) + 1), y.dtype),
    vjp={"y": lambda g, sizes, align_corners: affine_grid(g, sizes=sizes, align_corners=align_corners)},
)
def affine_grid_grad(xp: Any, y: Any, *, sizes: tuple[int, ...], align_corners: bool) -> Any:
    """The transpose of `affine_grid`."""
    rank, base = len(sizes), _base(xp, sizes, align_corners, y.dtype)
    points = y.reshape(y.shape[0], len(base), rank).swapaxes(1, 2).reshape(y.shape[0] * rank, len(base))
    return product(xp, points, base).reshape(y.shape[0], rank, rank + 1)
