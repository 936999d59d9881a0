"""Pooling: maxima and means over windows and over bins, with gradients of any order.

Attributes: `kernel_size` and `stride` are tuples, `padding` is (before, behind) for each axis, "SAME" or "VALID".
Each op serves two and three spatial axes.
"""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import FLOATING
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import like_second
from paddlite.ops.pool_kernels import (
    at_first_maximum,
    maxima,
    spread,
    sums,
    to_first_maximum,
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


def pool_window(name: str, x: Any, kernel_size, stride, padding, ceil_mode, data_format) -> Window:
    """The windows over `x`, an array or meta."""
    sizes = spatial(x.shape, data_format)
    return window(name, sizes, kernel_size, stride, padding, None, ceil_mode, True)


def check_floating(name: str, x: Any) -> None:
    """Raise DTypeMismatch where `x`, an array or meta, is not floating point."""
    if x.dtype not in FLOATING:
        raise DTypeMismatch(f"{name}: x must be floating point, got {x.dtype}")


def pooled(name: str, x: Meta, kernel_size, stride, padding, ceil_mode, data_format) -> Meta:
    """The meta of the pool of `x`."""
    check_rank(name, x.shape, data_format)
    check_floating(name, x)
    places = pool_window(name, x, kernel_size, stride, padding, ceil_mode, data_format)
    return Meta(image_shape(x.shape[0], x.shape[channel_axis(data_format)], places.counts, data_format), x.dtype)


def _own(result: Any, x: Any) -> Any:
    """`result`, copied where no axis was pooled and it is still `x` itself."""
    return result.copy() if result is x else result


def _max_infer(x: Meta, **attrs: Any) -> Meta:
    return pooled("max_pool", x, **attrs)


@defop(
    "max_pool",
    infer=lambda x, **attrs: pooled("max_pool", x, **attrs),
    vjp={
        "x": lambda g, x, kernel_size, stride, padding, ceil_mode, data_format: max_pool_grad(
            g, x, kernel_size=kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode, data_format=data_format
        )
    },
)
def max_pool(xp: Any, x: Any, *, kernel_size, stride, padding, ceil_mode, data_format) -> Any:
    check_floating("max_pool", x)
    places = pool_window("max_pool", x, kernel_size, stride, padding, ceil_mode, data_format)
    source = batch_last(x, data_format)
    return from_batch_last(_own(maxima(xp, source, places)[-1], source), data_format)


@defop(
    "max_pool_grad",
    infer=lambda y, x, **_: Meta(x.shape, y.dtype),
    wide=True,
    vjp={
        "y": lambda g, x, kernel_size, stride, padding, ceil_mode, data_format: max_pool_pick(
            g, x, kernel_size=kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode, data_format=data_format
        )
    },
)
def max_pool_grad(xp: Any, y: Any, x: Any, *, kernel_size, stride, padding, ceil_mode, data_format) -> Any:
    """`y`, of the pool's shape, sent to the first maximum of each window of `x`."""
    places = pool_window("max_pool", x, kernel_size, stride, padding, ceil_mode, data_format)
    levels = maxima(xp, batch_last(x, data_format), places)
    source = batch_last(y, data_format)
    return from_batch_last(_own(to_first_maximum(xp, source, levels, places), source), data_format)


@defop(
    "max_pool_pick",
    infer=lambda v, x, **attrs: Meta(pooled("max_pool", x, **attrs).shape, v.dtype),
    wide=True,
    vjp={
        "v": lambda g, x, kernel_size, stride, padding, ceil_mode, data_format: max_pool_grad(
            g, x, kernel_size=kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode, data_format=data_format
        )
    },
)
def max_pool_pick(xp: Any, v: Any, x: Any, *, kernel_size, stride, padding, ceil_mode, data_format) -> Any:
    """What `v`, of the shape of `x`, has at the first maximum of each window of `x`."""
    places = pool_window("max_pool", x, kernel_size, stride, padding, ceil_mode, data_format)
    levels = maxima(xp, batch_last(x, data_format), places)
    source = batch_last(v, data_format)
    return from_batch_last(_own(at_first_maximum(xp, source, levels, places), source), data_format)


def _shares(xp: Any, dtype: Any, places: Window, exclusive: bool, divisor: Any) -> Any:
    """What the sum over each window is multiplied by: a number where it is the same for all, else [1, *counts, 1]."""
    if divisor is not None:
        return dtype.type(1.0 / divisor)
    rank = len(places.sizes)
    counted = ((0, 0),) * rank if exclusive else places.pads  # what else than the input counts as elements
    total: Any = 1
    for axis, (lo, hi) in enumerate(counted):
        count, stride, kernel = places.counts[axis], places.stride[axis], places.kernel[axis]
        first, end = -places.pads[axis][0], places.sizes[axis] + hi
        if first >= -lo and first + (count - 1) * stride + kernel <= end:
            total = total * kernel
            continue
        begin = xp.arange(count) * stride + first
        sizes = xp.maximum(xp.minimum(begin + kernel, end) - xp.maximum(begin, -lo), 1)
        total = total * sizes.reshape(*(1,) * (axis + 1), -1, *(1,) * (rank - axis))
    return dtype.type(1.0 / total) if isinstance(total, int) else (1.0 / total).astype(dtype)


def _avg_infer(x: Meta, *, exclusive, divisor_override, **attrs: Any) -> Meta:
    if divisor_override is not None and divisor_override <= 0:
        raise InvalidArgument(f"avg_pool: divisor_override must be positive, got {divisor_override}")
    return pooled("avg_pool", x, **attrs)


@defop(
    "avg_pool",
    infer=_avg_infer,
    wide=True,
    vjp={
        "x": lambda g, like_x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format: (
            avg_pool_grad(
                g, like_x, kernel_size=kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode,
                exclusive=exclusive, divisor_override=divisor_override, data_format=data_format,
            )
        )
    },
)  # fmt: skip
def avg_pool(
    xp: Any, x: Any, *, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format
) -> Any:
    check_floating("avg_pool", x)
    places = pool_window("avg_pool", x, kernel_size, stride, padding, ceil_mode, data_format)
    out = sums(xp, batch_last(x, data_format), places)
    return from_batch_last(out * _shares(xp, x.dtype, places, exclusive, divisor_override), data_format)


@defop(
    "avg_pool_grad",
    infer=like_second,
    shape_only=("like",),
    wide=True,
    vjp={
        "y": lambda g, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format: avg_pool(
            g, kernel_size=kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode, exclusive=exclusive,
            divisor_override=divisor_override, data_format=data_format,
        )
    },
)  # fmt: skip
def avg_pool_grad(
    xp: Any, y: Any, like: Any, *, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format
) -> Any:
    """The transpose of `avg_pool`, for an input of the shape of `like`."""
    places = pool_window("avg_pool", like, kernel_size, stride, padding, ceil_mode, data_format)
    shares = _shares(xp, y.dtype, places, exclusive, divisor_override)
    return from_batch_last(spread(xp, batch_last(y, data_format) * shares, places), data_format)
