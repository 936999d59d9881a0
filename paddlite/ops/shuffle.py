"""Ops that exchange channels with places or with each other, and windows laid out as columns."""

from __future__ import annotations

import math
from typing import Any

from paddlite.core.errors import ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.conv_kernels import add_columns, windows
from paddlite.ops.window import Window, channel_axis, check_rank, image_shape, spatial, window


def _image(name: str, x: Meta, data_format: str) -> tuple[int, int, tuple[int, ...]]:
    """Batch, channels and spatial sizes."""
    check_rank(name, x.shape, data_format)
    return x.shape[0], x.shape[channel_axis(data_format)], spatial(x.shape, data_format)


def _times(size: int, factor: int) -> int:
    return size if size < 0 else size * factor


def _over(name: str, what: str, size: int, factor: int) -> int:
    if size >= 0 and size % factor:
        raise ShapeMismatch(f"{name}: {what} ({size}) must be divisible by {factor}")
    return size if size < 0 else size // factor


def _first(x: Any, data_format: str) -> Any:
    return x if data_format == "NCHW" else x.transpose(0, 3, 1, 2)


def _last(x: Any, data_format: str) -> Any:
    return x if data_format == "NCHW" else x.transpose(0, 2, 3, 1)


def _shuffle_infer(x: Meta, *, upscale_factor: int, data_format: str) -> Meta:
    batch, channels, sizes = _image("pixel_shuffle", x, data_format)
    outs = _over("pixel_shuffle", "the number of channels", channels, upscale_factor**2)
    return Meta(image_shape(batch, outs, tuple([_times(n, upscale_factor) for n in sizes]), data_format), x.dtype)


@defop(
    "pixel_shuffle",
    infer=_shuffle_infer,
    native_half=True,
    vjp={
        "x": lambda g, upscale_factor, data_format: pixel_unshuffle(
            g, downscale_factor=upscale_factor, data_format=data_format
        )
    },
)
def pixel_shuffle(xp: Any, x: Any, *, upscale_factor: int, data_format: str) -> Any:
    n, c, h, w = _first(x, data_format).shape
    r = upscale_factor
    split = _first(x, data_format).reshape(n, c // r**2, r, r, h, w)
    return _last(split.transpose(0, 1, 4, 2, 5, 3).copy().reshape(n, c // r**2, h * r, w * r), data_format)


def _unshuffle_infer(x: Meta, *, downscale_factor: int, data_format: str) -> Meta:
    batch, channels, sizes = _image("pixel_unshuffle", x, data_format)
    less = tuple([_over("pixel_unshuffle", f"spatial size {i}", n, downscale_factor) for i, n in enumerate(sizes)])
    return Meta(image_shape(batch, _times(channels, downscale_factor**2), less, data_format), x.dtype)


@defop(
    "pixel_unshuffle",
    infer=_unshuffle_infer,
    native_half=True,
    vjp={
        "x": lambda g, downscale_factor, data_format: pixel_shuffle(
            g, upscale_factor=downscale_factor, data_format=data_format
        )
    },
)
def pixel_unshuffle(xp: Any, x: Any, *, downscale_factor: int, data_format: str) -> Any:
    n, c, h, w = _first(x, data_format).shape
    r = downscale_factor
    split = _first(x, data_format).reshape(n, c, h // r, r, w // r, r)
    return _last(split.transpose(0, 1, 3, 5, 2, 4).copy().reshape(n, c * r**2, h // r, w // r), data_format)


def _channel_infer(x: Meta, *, groups: int, data_format: str) -> Meta:
    _over("channel_shuffle", "the number of channels", _image("channel_shuffle", x, data_format)[1], groups)
    return Meta(x.shape, x.dtype)


def _regroup(x: Any, groups: int, data_format: str) -> Any:
    """The channels, seen as [groups, rest], in the order of [rest, groups]."""
    if data_format == "NCHW":
        split = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
        return split.swapaxes(1, 2).copy().reshape(x.shape)
    return x.reshape(*x.shape[:3], groups, x.shape[3] // groups).swapaxes(3, 4).copy().reshape(x.shape)


@defop(
    "channel_shuffle",
    infer=_channel_infer,
    native_half=True,
    check=True,
    vjp={"x": lambda g, groups, data_format: channel_unshuffle(g, groups=groups, data_format=data_format)},
)
def channel_shuffle(xp: Any, x: Any, *, groups: int, data_format: str) -> Any:
    return _regroup(x, groups, data_format)


@defop(
    "channel_unshuffle",
    infer=_channel_infer,
    native_half=True,
    check=True,
    vjp={"x": lambda g, groups, data_format: channel_shuffle(g, groups=groups, data_format=data_format)},
)
def channel_unshuffle(xp: Any, x: Any, *, groups: int, data_format: str) -> Any:
    """The inverse of `channel_shuffle`."""
    return _regroup(x, x.shape[channel_axis(data_format)] // groups, data_format)


def _shift_infer(x: Meta, *, seg_num: int, shift_ratio: float, data_format: str, backward: bool = False) -> Meta:
    batch, _, _ = _image("temporal_shift", x, data_format)
    _over("temporal_shift", "the batch", batch, seg_num)
    return Meta(x.shape, x.dtype)


@defop(
    "temporal_shift",
    infer=_shift_infer,
    native_half=True,
    check=True,
    vjp={
        "x": lambda g, seg_num, shift_ratio, data_format, backward: temporal_shift(
            g, seg_num=seg_num, shift_ratio=shift_ratio, data_format=data_format, backward=not backward
        )
    },
)
def temporal_shift(xp: Any, x: Any, *, seg_num: int, shift_ratio: float, data_format: str, backward: bool) -> Any:
    """The first share of the channels one step later in time, the second one earlier; `backward`: the transpose."""
    axis = channel_axis(data_format)
    channels = x.shape[axis]
    first, second = int(channels * shift_ratio), int(channels * 2 * shift_ratio)
    steps = x.reshape(x.shape[0] // seg_num, seg_num, *x.shape[1:])
    out = steps.copy()
    for low, high, later in ((0, first, not backward), (first, second, backward)):
        part = [slice(None)] * steps.ndim
        part[axis if axis < 0 else axis + 1] = slice(low, high)
        old, new = steps[tuple(part)], out[tuple(part)]
        new[...] = 0
        if later:
            new[:, 1:] = old[:, :-1]
        else:
            new[:, :-1] = old[:, 1:]
    return out.reshape(x.shape)


def _places(name: str, sizes, kernel_sizes, strides, paddings, dilations) -> Window:
    return window(name, tuple(sizes), kernel_sizes, strides, paddings, dilations)


def _unfold_infer(x: Meta, *, kernel_sizes, strides, paddings, dilations) -> Meta:
    batch, channels, sizes = _image("unfold", x, "NCHW")
    counts = _places("unfold", sizes, kernel_sizes, strides, paddings, dilations).counts
    length = -1 if -1 in counts else math.prod(counts)
    return Meta((batch, _times(channels, math.prod(kernel_sizes)), length), x.dtype)


@defop(
    "unfold",
    infer=_unfold_infer,
    native_half=True,
    vjp={
        "x": lambda g, like_x, kernel_sizes, strides, paddings, dilations: unfold_grad(
            g, like_x, kernel_sizes=kernel_sizes, strides=strides, paddings=paddings, dilations=dilations
        )
    },
)
def unfold(xp: Any, x: Any, *, kernel_sizes, strides, paddings, dilations) -> Any:
    """The windows of `x` [N, C, H, W] as columns: [N, C * taps, windows]."""
    places = _places("unfold", x.shape[2:], kernel_sizes, strides, paddings, dilations)
    view = windows(xp, x.transpose(1, 2, 3, 0), places)
    columns = view.transpose(5, 0, 1, 2, 3, 4).copy()
    return columns.reshape(x.shape[0], x.shape[1] * math.prod(kernel_sizes), math.prod(places.counts))


def _folded(xp: Any, y: Any, places: Window) -> Any:
    """Columns [N, C * taps, windows] added up where they lie in an image of the windows' sizes."""
    batch, channels = y.shape[0], y.shape[1] // math.prod(places.kernel)
    columns = y.reshape(batch, channels, *places.kernel, *places.counts).transpose(1, 2, 3, 4, 5, 0)
    out = xp.zeros((channels, *places.sizes, batch), y.dtype)
    add_columns(out, columns, places, tuple([slice(0, n) for n in (*places.counts, batch)]))
    return out.transpose(3, 0, 1, 2)


@defop(
    "unfold_grad",
    infer=lambda y, like, **_: Meta(like.shape, y.dtype),
    shape_only=("like",),
    wide=True,
    vjp={
        "y": lambda g, kernel_sizes, strides, paddings, dilations: unfold(
            g, kernel_sizes=kernel_sizes, strides=strides, paddings=paddings, dilations=dilations
        )
    },
)
def unfold_grad(xp: Any, y: Any, like: Any, *, kernel_sizes, strides, paddings, dilations) -> Any:
    """The transpose of `unfold` of `like`."""
    return _folded(xp, y, _places("unfold", like.shape[2:], kernel_sizes, strides, paddings, dilations))


def _fold_infer(y: Meta, *, output_sizes, kernel_sizes, strides, paddings, dilations) -> Meta:
    if len(y.shape) != 3:
        raise ShapeMismatch(f"fold: x must have shape [N, C * taps, windows], got {list(y.shape)}")
    counts = _places("fold", output_sizes, kernel_sizes, strides, paddings, dilations).counts
    if y.shape[2] not in (-1, math.prod(counts)):
        raise ShapeMismatch(
            f"fold: an image of {list(output_sizes)} has {' x '.join(map(str, counts))} windows, but x {list(y.shape)} "
            f"has {y.shape[2]} columns"
        )
    channels = _over("fold", "the number of rows of x", y.shape[1], math.prod(kernel_sizes))
    return Meta((y.shape[0], channels, *output_sizes), y.dtype)


@defop(
    "fold",
    infer=_fold_infer,
    check=True,
    wide=True,
    vjp={
        "y": lambda g, kernel_sizes, strides, paddings, dilations: unfold(
            g, kernel_sizes=kernel_sizes, strides=strides, paddings=paddings, dilations=dilations
        )
    },
)
def fold(xp: Any, y: Any, *, output_sizes, kernel_sizes, strides, paddings, dilations) -> Any:
    """The columns of an image's windows added up to the image [N, C, *output_sizes]."""
    return _folded(xp, y, _places("fold", output_sizes, kernel_sizes, strides, paddings, dilations))
