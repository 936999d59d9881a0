"""Pools whose windows follow from the wanted size, and what goes with the places of maxima: masks and unpooling.

`output_size` has one entry an axis, None for the size that the input has.  Places are counted over the flattened
spatial axes and are int32.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.backend import random
from paddlite.backend.dtypes import F64, INT32
from paddlite.core.errors import IndexOutOfRange, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import like_second, require_integer
from paddlite.ops.pool import check_floating, pool_window, pooled
from paddlite.ops.pool_kernels import (
    Bins,
    bin_means,
    even_bins,
    indexed_bin_maxima,
    indexed_maxima,
    spread,
    spread_bin_means,
    sums,
)
from paddlite.ops.window import (
    Window,
    batch_last,
    channel_axis,
    check_rank,
    from_batch_last,
    image_shape,
    spatial,
    window,
)


def _sized(name: str, x: Meta, output_size: tuple, data_format: str) -> Meta:
    check_rank(name, x.shape, data_format)
    check_floating(name, x)
    sizes = tuple([n if w is None else w for n, w in zip(spatial(x.shape, data_format), output_size)])
    return Meta(image_shape(x.shape[0], x.shape[channel_axis(data_format)], sizes, data_format), x.dtype)


def _even_window(sizes: tuple[int, ...], output_size: tuple) -> Window | None:
    """The windows that are the bins, where each axis divides into its bins."""
    wanted = [n if w is None else w for n, w in zip(sizes, output_size)]
    if any(w == 0 or n % w for n, w in zip(sizes, wanted)):
        return None
    steps = tuple([n // w for n, w in zip(sizes, wanted)])
    if 0 in steps:
        return None
    return window("adaptive_avg_pool", sizes, steps, steps, "VALID")


def _bins(sizes: tuple[int, ...], output_size: tuple) -> list[Bins]:
    return [even_bins(n, n if w is None else w) for n, w in zip(sizes, output_size)]


@defop(
    "adaptive_avg_pool",
    infer=lambda x, *, output_size, data_format: _sized("adaptive_avg_pool", x, output_size, data_format),
    wide=True,
    vjp={
        "x": lambda g, like_x, output_size, data_format: adaptive_avg_pool_grad(
            g, like_x, output_size=output_size, data_format=data_format
        )
    },
)
def adaptive_avg_pool(xp: Any, x: Any, *, output_size, data_format) -> Any:
    check_floating("adaptive_avg_pool", x)
    source = batch_last(x, data_format)
    places = _even_window(source.shape[1:-1], output_size)
    if places is None:
        return from_batch_last(bin_means(xp, source, _bins(source.shape[1:-1], output_size)), data_format)
    share = x.dtype.type(1.0 / math.prod(places.kernel))
    return from_batch_last(sums(xp, source, places) * share, data_format)


@defop(
    "adaptive_avg_pool_grad",
    infer=like_second,
    shape_only=("like",),
    wide=True,
    vjp={
        "y": lambda g, output_size, data_format: adaptive_avg_pool(g, output_size=output_size, data_format=data_format)
    },
)
def adaptive_avg_pool_grad(xp: Any, y: Any, like: Any, *, output_size, data_format) -> Any:
    """The transpose of `adaptive_avg_pool`, for an input of the shape of `like`."""
    source, sizes = batch_last(y, data_format), spatial(like.shape, data_format)
    places = _even_window(sizes, output_size)
    if places is None:
        return from_batch_last(spread_bin_means(xp, source, _bins(sizes, output_size), sizes), data_format)
    share = y.dtype.type(1.0 / math.prod(places.kernel))
    return from_batch_last(spread(xp, source * share, places), data_format)


def _flat(x: Any) -> Any:
    """[N, C, ...] as [N, C, elements]."""
    return x.reshape(*x.shape[:2], math.prod(x.shape[2:]))


def _index(xp: Any, places: Any) -> tuple[Any, Any, Any]:
    """What picks `places` [N, C, ...] out of an array [N, C, elements]."""
    batch, channels = places.shape[:2]
    return xp.arange(batch)[:, None, None], xp.arange(channels)[:, None], _flat(places)


@defop(
    "pick_places",
    infer=lambda x, places: Meta(places.shape, x.dtype),
    native_half=True,
    vjp={"x": lambda g, places, like_x: add_at_places(g, places, like_x)},
)
def pick_places(xp: Any, x: Any, places: Any) -> Any:
    """The elements of `x` [N, C, ...] at `places` [N, C, ...] among its flattened spatial axes."""
    return _flat(x)[_index(xp, places)].reshape(places.shape)


@defop(
    "add_at_places",
    infer=lambda y, places, like: Meta(like.shape, y.dtype),
    shape_only=("like",),
    wide=True,
    vjp={"y": lambda g, places: pick_places(g, places)},
)
def add_at_places(xp: Any, y: Any, places: Any, like: Any) -> Any:
    """The transpose of `pick_places`: what meets at one place is added up."""
    out = xp.zeros((*like.shape[:2], math.prod(like.shape[2:])), y.dtype)
    xp.add.at(out, _index(xp, places), _flat(y))
    return out.reshape(like.shape)


_by_mask = {"x": lambda g_out, mask, like_x: add_at_places(g_out, mask, like_x)}


def _masked(meta: Meta) -> tuple[Meta, Meta]:
    return meta, Meta(meta.shape, INT32)


def _with_index(name: str, data_format: str) -> Callable:
    """An op under Paddle's name for the rank; its mask says where each maximum was found."""

    def infer(x: Meta, *, kernel_size, stride, padding, ceil_mode) -> tuple[Meta, Meta]:
        return _masked(pooled(name, x, kernel_size, stride, padding, ceil_mode, data_format))

    @defop(name, infer=infer, amp="low", outputs=("out", "mask"), vjp=_by_mask)
    def pool(xp, x, *, kernel_size, stride, padding, ceil_mode):
        check_floating(name, x)
        places = pool_window(name, x, kernel_size, stride, padding, ceil_mode, data_format)
        best, where = indexed_maxima(xp, batch_last(x, data_format), places)
        return from_batch_last(best, data_format), from_batch_last(where, data_format)

    return pool


max_pool2d_with_index = _with_index("max_pool2d_with_index", "NCHW")
max_pool3d_with_index = _with_index("max_pool3d_with_index", "NCDHW")


def _letters(x: Any) -> str:
    return "NCDHW" if len(x.shape) == 5 else "NCHW"


@defop(
    "adaptive_max_pool_with_index",
    infer=lambda x, *, output_size: _masked(_sized("adaptive_max_pool", x, output_size, _letters(x))),
    outputs=("out", "mask"),
    vjp=_by_mask,
)
def adaptive_max_pool_with_index(xp: Any, x: Any, *, output_size) -> Any:
    check_floating("adaptive_max_pool", x)
    found = indexed_bin_maxima(xp, batch_last(x, "NCHW"), _bins(x.shape[2:], output_size))
    return tuple([from_batch_last(a, "NCHW") for a in found])


def _fractional_infer(x: Meta, *, output_size, kernel_size, u, stream) -> tuple[Meta, Meta]:
    meta = _sized("fractional_max_pool", x, output_size, _letters(x))
    for n, count, k in zip(x.shape[2:], meta.shape[2:], kernel_size or (1,) * len(output_size)):
        if n >= 0 and n < count - 1 + k:
            raise ShapeMismatch(
                f"fractional_max_pool: {count} windows of {k} do not fit into an axis of size {n}; x is {list(x.shape)}"
            )
    return _masked(meta)


def _fractional_bins(size: int, count: int, kernel: int | None, u: float) -> Bins:
    """Windows whose distances vary between two neighbouring whole numbers, shifted by `u` of [0, 1)."""
    if kernel is not None:
        step = (size - kernel) / (count - 1) if count > 1 else 0.0
        starts = [int((i + u) * step) - int(u * step) for i in range(count - 1)] + [size - kernel] * (count > 0)
        return tuple([(s, s + kernel) for s in starts])
    step = size / count if count else 0.0
    ends = [int((i + u) * step) - int(u * step) for i in range(count)] + [size]
    return tuple(itertools.pairwise(ends))


@defop(
    "fractional_max_pool_with_index",
    infer=_fractional_infer,
    random=True,
    outputs=("out", "mask"),
    vjp=_by_mask,
)
def fractional_max_pool_with_index(xp: Any, x: Any, *, output_size, kernel_size, u, stream) -> Any:
    """Maxima over windows that are spread over the image at random (Graham, "Fractional max-pooling", 2014)."""
    check_floating("fractional_max_pool", x)
    if u is None:
        u = float(random.uniform(np, stream, (1,), F64)[0])
    wanted = [n if w is None else w for n, w in zip(x.shape[2:], output_size)]
    kernels = kernel_size or (None,) * len(wanted)
    bins = [_fractional_bins(n, w, k, u) for n, w, k in zip(x.shape[2:], wanted, kernels)]
    found = indexed_bin_maxima(xp, batch_last(x, "NCHW"), bins)
    return tuple([from_batch_last(a, "NCHW") for a in found])


def _unpool_infer(x: Meta, places: Meta, *, output_size: tuple[int, ...]) -> Meta:
    require_integer("max_unpool", indices=places)
    if len(x.shape) != len(places.shape) or any(a != b and -1 not in (a, b) for a, b in zip(x.shape, places.shape)):
        raise ShapeMismatch(
            f"max_unpool: indices must have the shape of x, got x {list(x.shape)} and indices {list(places.shape)}"
        )
    return Meta((*x.shape[:2], *output_size), x.dtype)


@defop(
    "max_unpool",
    infer=_unpool_infer,
    check=True,
    native_half=True,
    vjp={"x": lambda g, places: pick_places(g, places)},
)
def max_unpool(xp: Any, x: Any, places: Any, *, output_size: tuple[int, ...]) -> Any:
    """Zeros of spatial `output_size` with the elements of `x` at `places`."""
    size = math.prod(output_size)
    if xp is np and places.size and not 0 <= int(places.min()) <= int(places.max()) < size:
        raise IndexOutOfRange(
            f"max_unpool: indices must lie in [0, {size}) for the output size {list(output_size)}, got "
            f"{int(places.min())} to {int(places.max())}"
        )
    out = xp.zeros((*x.shape[:2], size), x.dtype)
    out[_index(xp, places)] = _flat(x)
    return out.reshape(*x.shape[:2], *output_size)
