"""Resampling of images: nearest, linear and cubic, one axis after the other, and the transposes of these maps.

Along an axis the map is a matrix with a few entries a row; multiplying by it keeps every step a matrix product, whose
transpose is the gradient.  `size` gives the wanted sizes or None, `scale` the factors where `size` is None; without
`exact_scale` positions follow from the sizes, as where `size` is given.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import like_second, require_floating
from paddlite.ops.matmul import product
from paddlite.ops.window import (
    batch_last,
    channel_axis,
    check_rank,
    from_batch_last,
    image_shape,
    spatial,
)

NAMES = {
    "nearest": "nearest_interp_v2", "linear": "linear_interp_v2", "bilinear": "bilinear_interp_v2",
    "trilinear": "trilinear_interp_v2", "bicubic": "bicubic_interp_v2",
}  # fmt: skip

_BAND = 64  # rows of a matrix that are multiplied at a time, where it is large and holds little but zeros


def resampled_sizes(name: str, sizes: tuple, size: Any, scale: Any) -> tuple[int, ...]:
    """The sizes after resampling; -1 where they are unknown."""
    wanted = size if size is not None else tuple([-1 if n < 0 else int(n * s) for n, s in zip(sizes, scale)])
    if any(w == 0 or w < -1 for w in wanted) or 0 in sizes:
        raise InvalidArgument(f"{name}: sizes must be at least 1, got {list(sizes)} to be made {list(wanted)}")
    return wanted


def _ratio(size: int, count: int, scale: float | None, align_corners: bool, antialias: bool = False) -> float:
    """How far neighbours of the result lie apart in the input; 0 where there is one only, as in the reference."""
    if count == 1 and (align_corners or not antialias):
        return 0.0
    if align_corners:
        return (size - 1) / (count - 1)
    return 1.0 / scale if scale else size / count


def _positions(xp: Any, count: int, ratio: float, align_corners: bool, align_mode: int) -> Any:
    """Where in the input each element of the result lies."""
    places = xp.arange(count, dtype="float64")
    if align_corners or align_mode == 1:
        return places * ratio
    return (places + 0.5) * ratio - 0.5


def _nearest(xp: Any, size: int, count: int, ratio: float, align_corners: bool) -> Any:
    places = xp.arange(count, dtype="float32") * xp.float32(ratio)  # float32 decides ties as the reference does
    return xp.minimum((places + xp.float32(0.5) if align_corners else places).astype("int64"), size - 1)


def _matrix(xp: Any, size: int, places: Any, weights: Any) -> Any:
    """[count, size] with `weights` [taps, count] at the columns `places`, which are moved inside."""
    columns = xp.arange(size)
    places = xp.minimum(xp.maximum(places, 0), size - 1)
    return ((places[:, :, None] == columns) * weights[:, :, None]).sum(axis=0)


def _linear(xp: Any, size: int, at: Any) -> Any:
    at = xp.maximum(at, 0.0)
    first = xp.minimum(xp.floor(at), size - 1)
    rest = at - first
    return _matrix(xp, size, xp.stack([first, first + 1]), xp.stack([1 - rest, rest]))


def cubic(xp: Any, t: Any, a: float) -> Any:
    """Keys' cubic kernel at the distance `t`."""
    t = xp.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = (((t - 5) * t + 8) * t - 4) * a
    return xp.where(t <= 1, near, xp.where(t < 2, far, 0.0))


def _bicubic(xp: Any, size: int, at: Any) -> Any:
    first = xp.floor(at)
    places = first + xp.arange(-1.0, 3.0)[:, None]
    return _matrix(xp, size, places, cubic(xp, at - places, -0.75))


def _smoothed(xp: Any, size: int, count: int, ratio: float, order: str) -> Any:
    """Linear or cubic, its kernel stretched over what an element of a smaller result stands for."""
    stretch = max(ratio, 1.0)
    support = stretch * (2.0 if order == "bicubic" else 1.0)
    centers = (xp.arange(count, dtype="float64") + 0.5)[:, None] * ratio
    columns = xp.arange(size, dtype="float64")
    t = (columns + 0.5 - centers) / stretch
    weights = cubic(xp, t, -0.5) if order == "bicubic" else xp.maximum(1 - xp.abs(t), 0.0)
    first, last = xp.floor(centers - support + 0.5), xp.floor(centers + support + 0.5)
    weights = xp.where((columns >= first) & (columns < last), weights, 0.0)
    return weights / weights.sum(axis=1, keepdims=True)


def _made(xp: Any, mode: str, size: int, count: int, scale, align_corners, align_mode, antialias, dtype) -> Any:
    ratio = _ratio(size, count, scale, align_corners, antialias)
    if mode == "nearest":
        chosen = _nearest(xp, size, count, ratio, align_corners)
        return (chosen[:, None] == xp.arange(size)).astype(dtype)
    if antialias:
        found = _smoothed(xp, size, count, ratio, mode)
    elif mode == "bicubic":
        found = _bicubic(xp, size, _positions(xp, count, ratio, align_corners, 0))
    else:
        found = _linear(xp, size, _positions(xp, count, ratio, align_corners, align_mode))
    return found.astype(dtype)


_kept = functools.lru_cache(maxsize=16)(functools.partial(_made, np))  # host matrices; not to be changed


def _map(xp: Any, *how: Any) -> Any:
    """The matrix [count, size] that resamples an axis; arguments as for `_made`."""
    return _kept(*how) if xp is np else _made(xp, *how)


def _bands(xp: Any, matrix: Any) -> list[tuple[slice, slice]]:
    """Blocks of rows of `matrix` and the columns outside of which they are 0; one block where that gains nothing."""
    rows, columns = matrix.shape
    if xp is not np or columns <= 2 * _BAND:
        return [(slice(0, rows), slice(0, columns))]
    found = []
    for first in range(0, rows, _BAND):
        block = slice(first, min(first + _BAND, rows))
        used = np.flatnonzero(matrix[block].any(axis=0))
        found.append((block, slice(used[0], used[-1] + 1) if len(used) else slice(0, 1)))
    return found


def _apply(xp: Any, matrix: Any, x: Any, axis: int) -> Any:
    """`matrix` [count, size] on spatial `axis` of `x` [C, *spatial, N]."""
    before, behind = math.prod(x.shape[: axis + 1]), math.prod(x.shape[axis + 2 :])
    count, size = matrix.shape
    bands = _bands(xp, matrix)
    x, shape = xp.ascontiguousarray(x), (*x.shape[: axis + 1], count, *x.shape[axis + 2 :])
    if behind > 4:
        x = x.reshape(before, size, behind)
        if len(bands) == 1:
            return xp.matmul(matrix, x).reshape(shape)
        out = np.empty((before, count, behind), x.dtype)
        for rows, columns in bands:
            np.matmul(matrix[rows, columns], x[:, columns], out=out[:, rows])
        return out.reshape(shape)
    lines = x.reshape(before, size, behind).swapaxes(1, 2).reshape(before * behind, size)
    parts = [product(xp, lines[:, columns], matrix[rows, columns].T) for rows, columns in bands]
    whole = parts[0] if len(parts) == 1 else np.concatenate(parts, 1)
    return whole.reshape(before, behind, count).swapaxes(1, 2).reshape(shape)


def _scales(scale: Any, rank: int, exact_scale: bool) -> tuple:
    return tuple(scale) if scale is not None and exact_scale else (None,) * rank


def _rule(mode: str) -> Callable:
    def rule(g, like_x, size, scale, exact_scale, align_corners, align_mode, antialias, data_format):
        return interp_grad(
            g, like_x, mode=mode, size=size, scale=scale, exact_scale=exact_scale, align_corners=align_corners,
            align_mode=align_mode, antialias=antialias, data_format=data_format,
        )  # fmt: skip

    return rule


def _resampling(mode: str) -> Callable:
    name = NAMES[mode]

    def infer(x: Meta, *, size, scale, exact_scale, align_corners, align_mode, antialias, data_format) -> Meta:
        check_rank(name, x.shape, data_format)
        if mode != "nearest":
            require_floating(name, x=x)
        sizes = resampled_sizes(name, spatial(x.shape, data_format), size, scale)
        return Meta(image_shape(x.shape[0], x.shape[channel_axis(data_format)], sizes, data_format), x.dtype)

    @defop(
        name,
        infer=infer,
        check=True,
        native_half=mode == "nearest",
        wide=mode != "nearest",
        vjp={"x": _rule(mode)},
    )
    def resample(xp, x, *, size, scale, exact_scale, align_corners, align_mode, antialias, data_format):
        out = batch_last(x, data_format)
        counts = resampled_sizes(name, out.shape[1:-1], size, scale)
        for axis, factor in enumerate(_scales(scale, len(counts), exact_scale)):
            n, count = out.shape[axis + 1], counts[axis]
            if mode == "nearest":
                ratio = _ratio(n, count, factor, align_corners)
                out = out.take(_nearest(xp, n, count, ratio, align_corners), axis + 1)
            else:
                matrix = _map(xp, mode, n, count, factor, align_corners, align_mode, antialias, x.dtype)
                out = _apply(xp, matrix, out, axis)
        return from_batch_last(out, data_format)

    return resample


RESAMPLING = {mode: _resampling(mode) for mode in NAMES}


@defop(
    "interp_grad",
    infer=like_second,
    shape_only=("like",),
    wide=True,
    vjp={
        "y": lambda g, mode, size, scale, exact_scale, align_corners, align_mode, antialias, data_format: RESAMPLING[
            mode
        ](
            g, size=size, scale=scale, exact_scale=exact_scale, align_corners=align_corners, align_mode=align_mode,
            antialias=antialias, data_format=data_format,
        )
    },
)  # fmt: skip
def interp_grad(
    xp, y, like, *, mode, size, scale, exact_scale, align_corners, align_mode, antialias, data_format
) -> Any:
    """The transpose of a resampling of `like`."""
    out = batch_last(y, data_format)
    for axis, factor in enumerate(_scales(scale, out.ndim - 2, exact_scale)):
        n = spatial(like.shape, data_format)[axis]
        matrix = _map(xp, mode, n, out.shape[axis + 1], factor, align_corners, align_mode, antialias, y.dtype)
        out = _apply(xp, matrix.T, out, axis)
    return from_batch_last(out, data_format)
