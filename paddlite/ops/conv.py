"""Convolutions and their gradients: three maps that are each other's derivatives, so that any order can be had.

`conv2d(x, weight)` is linear in both; `conv_grad_x` and `conv_grad_weight` are its two adjoints, and the derivatives of
either are again one of the three.  Attributes: `stride` and `dilation` are tuples, `padding` is (before, behind) for
each axis, "SAME" or "VALID", `data_format` has the letters of the axes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.backend.dtypes import FLOATING
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.conv_kernels import correlate, input_gradient, weight_gradient
from paddlite.ops.infer import merge_size
from paddlite.ops.like import device_sum
from paddlite.ops.window import (
    CHANNEL_LAST,
    Window,
    batch_last,
    channel_axis,
    check_positive,
    check_rank,
    from_batch_last,
    image_shape,
    spatial,
    window,
)


def _check_dtypes(name: str, x: Any, weight: Any, bias: Any) -> None:
    """Raise DTypeMismatch for what NumPy would take: mixed dtypes and whole numbers."""
    dtype = x.dtype
    if weight.dtype != dtype or (bias is not None and bias.dtype != dtype) or dtype not in FLOATING:
        given = f"x {dtype}, weight {weight.dtype}" + ("" if bias is None else f", bias {bias.dtype}")
        raise DTypeMismatch(f"{name}: x, weight and bias must have one floating dtype, got {given}; cast them")


def _check_operands(name: str, x: Meta, weight: Meta, bias: Meta | None, groups: int, data_format: str) -> None:
    check_rank(name, x.shape, data_format)
    _check_dtypes(name, x, weight, bias)
    if len(weight.shape) != len(data_format):
        raise ShapeMismatch(f"{name}: weight must have {len(data_format)} axes, got shape {list(weight.shape)}")
    if groups < 1:
        raise InvalidArgument(f"{name}: groups must be at least 1, got {groups}")


def _check_bias(name: str, bias: Meta | None, channels: int) -> None:
    if bias is not None and bias.shape != (channels,):
        raise ShapeMismatch(f"{name}: bias must have shape [{channels}], got {list(bias.shape)}")


def _conv_infer(name: str) -> Callable:
    def infer(x: Meta, weight: Meta, bias: Meta | None, *, stride, padding, dilation, groups, data_format) -> Meta:
        _check_operands(name, x, weight, bias, groups, data_format)
        outs, inner = weight.shape[:2]
        channels = x.shape[channel_axis(data_format)]
        if channels >= 0 and channels != inner * groups:
            raise ShapeMismatch(
                f"{name}: x has {channels} channels, but weight {list(weight.shape)} takes {inner} in each of {groups} "
                f"groups; got x {list(x.shape)} in {data_format}"
            )
        if outs % groups:
            raise ShapeMismatch(f"{name}: the {outs} outputs of weight cannot be divided into {groups} groups")
        _check_bias(name, bias, outs)
        places = window(name, spatial(x.shape, data_format), weight.shape[2:], stride, padding, dilation)
        return Meta(image_shape(x.shape[0], outs, places.counts, data_format), x.dtype)

    return infer


def transposed_sizes(sizes: tuple, kernel: tuple, stride: tuple, pads: Any, dilation: tuple) -> tuple[int, ...]:
    """The smallest sizes of an image over which windows lie `sizes` times; -1 where that is unknown."""
    return tuple(
        [
            -1 if n < 0 else (n - 1) * s - lo - hi + d * (k - 1) + 1
            for n, k, s, (lo, hi), d in zip(sizes, kernel, stride, pads, dilation)
        ]
    )


@functools.lru_cache(maxsize=1024)
def _transposed_window(name, sizes, kernel, stride, padding, output_padding, output_size, dilation) -> Window:
    """The windows over the result of a transposed convolution, which lie `sizes` times."""
    check_positive(name, stride=stride, dilation=dilation)
    smallest = transposed_sizes(sizes, kernel, stride, padding, dilation)
    if output_size is not None:
        for axis, (n, least, s) in enumerate(zip(output_size, smallest, stride)):
            if least >= 0 and not least <= n < least + s:
                raise InvalidArgument(
                    f"{name}: output_size {list(output_size)} cannot be had; size {n} of spatial axis {axis} must lie "
                    f"in [{least}, {least + s})"
                )
        wanted = output_size
    else:
        if any(not 0 <= extra < s for extra, s in zip(output_padding, stride)):
            raise InvalidArgument(
                f"{name}: output_padding {list(output_padding)} must be at least 0 and smaller than "
                f"stride {list(stride)}"
            )
        wanted = tuple([n if n < 0 else n + extra for n, extra in zip(smallest, output_padding)])
    if any(n < 1 for n, m in zip(wanted, sizes) if m > 0):
        raise ShapeMismatch(
            f"{name}: padding {padding} leaves nothing of the result; its sizes would be {list(wanted)}"
        )
    return Window(wanted, kernel, stride, dilation, padding, sizes)


def _transpose_infer(name: str) -> Callable:
    def infer(
        x: Meta, weight: Meta, bias: Meta | None, *,
        stride, padding, output_padding, output_size, dilation, groups, data_format,
    ) -> Meta:  # fmt: skip
        _check_operands(name, x, weight, bias, groups, data_format)
        inner, outs = weight.shape[:2]
        channels = merge_size(
            x.shape[channel_axis(data_format)], inner, name, "the channels of x and weight's first size"
        )
        if channels % groups:
            raise ShapeMismatch(f"{name}: {channels} channels cannot be divided into {groups} groups")
        _check_bias(name, bias, outs * groups)
        places = _transposed_window(
            name,
            spatial(x.shape, data_format),
            weight.shape[2:],
            stride,
            padding,
            output_padding,
            output_size,
            dilation,
        )
        return Meta(image_shape(x.shape[0], outs * groups, places.sizes, data_format), x.dtype)

    return infer


def _images(data_format: str) -> Callable:
    """`conv2d` or `conv3d`, by the number of axes."""
    return conv3d if len(data_format) == 5 else conv2d


@defop(
    "conv_grad_x",
    infer=lambda y, weight, like, **_: Meta(like.shape, y.dtype),
    shape_only=("like",),
    wide=False,
    vjp={
        "y": lambda g, weight, stride, padding, dilation, groups, data_format: _images(data_format)(
            g, weight, None, stride=stride, padding=padding, dilation=dilation, groups=groups, data_format=data_format
        ),
        "weight": lambda g, y, like_weight, stride, padding, dilation, groups, data_format: conv_grad_weight(
            y,
            g,
            like_weight,
            stride=stride,
            padding=padding,
            dilation=dilation,
            groups=groups,
            data_format=data_format,
        ),
    },
)
def conv_grad_x(xp: Any, y: Any, weight: Any, like: Any, *, stride, padding, dilation, groups, data_format) -> Any:
    """The gradient of a convolution of `like` with respect to it, where `y` is that of the result."""
    places = window("conv", spatial(like.shape, data_format), weight.shape[2:], stride, padding, dilation)
    return from_batch_last(input_gradient(xp, batch_last(y, data_format), weight, places, groups), data_format)


@defop(
    "conv_grad_weight",
    infer=lambda y, x, like, **_: Meta(like.shape, y.dtype),
    shape_only=("like",),
    wide=False,
    vjp={
        "y": lambda g, x, stride, padding, dilation, groups, data_format: _images(data_format)(
            x, g, None, stride=stride, padding=padding, dilation=dilation, groups=groups, data_format=data_format
        ),
        "x": lambda g, y, like_x, stride, padding, dilation, groups, data_format: conv_grad_x(
            y, g, like_x, stride=stride, padding=padding, dilation=dilation, groups=groups, data_format=data_format
        ),
    },
)
def conv_grad_weight(xp: Any, y: Any, x: Any, like: Any, *, stride, padding, dilation, groups, data_format) -> Any:
    """The gradient of a convolution of `x` with respect to its weight, where `y` is that of the result."""
    places = window("conv", spatial(x.shape, data_format), like.shape[2:], stride, padding, dilation)
    return weight_gradient(xp, batch_last(y, data_format), batch_last(x, data_format), like.shape, places, groups)


@defop(
    "channel_expand",
    infer=lambda x, like, **_: Meta(like.shape, x.dtype),
    shape_only=("like",),
    native_half=True,
    vjp={"x": lambda g, like_x, data_format: channel_sum(g, like_x, data_format=data_format)},
)
def channel_expand(xp: Any, x: Any, like: Any, *, data_format: str) -> Any:
    """One number a channel, repeated over the batch and the spatial axes of `like`."""
    spread = x if data_format in CHANNEL_LAST else x.reshape(-1, *(1,) * (len(like.shape) - 2))
    return xp.broadcast_to(spread, like.shape)


@defop(
    "channel_sum",
    infer=lambda x, like, **_: Meta(like.shape, x.dtype),
    shape_only=("like",),
    wide=False,
    vjp={"x": lambda g, like_x, data_format: channel_expand(g, like_x, data_format=data_format)},
)
def channel_sum(xp: Any, x: Any, like: Any, *, data_format: str) -> Any:
    """The sum over the batch and the spatial axes: the gradient of a bias of the shape of `like`."""
    rows = xp.ascontiguousarray(batch_last(x, data_format)).reshape(like.shape[0], -1)
    return np.add.reduce(rows, 1) if xp is np else device_sum(rows, 1).reshape(-1)


def _convolution(name: str) -> Callable:
    @defop(
        name,
        infer=_conv_infer(name),
        amp="low",
        wide=False,
        vjp={
            "x": lambda g, weight, like_x, stride, padding, dilation, groups, data_format: conv_grad_x(
                g, weight, like_x,
                stride=stride, padding=padding, dilation=dilation, groups=groups, data_format=data_format,
            ),
            "weight": lambda g, x, like_weight, stride, padding, dilation, groups, data_format: conv_grad_weight(
                g, x, like_weight,
                stride=stride, padding=padding, dilation=dilation, groups=groups, data_format=data_format,
            ),
            "bias": lambda g, like_bias, data_format: channel_sum(g, like_bias, data_format=data_format),
        },
    )  # fmt: skip
    def convolve(xp, x, weight, bias, *, stride, padding, dilation, groups, data_format):
        places = window(name, spatial(x.shape, data_format), weight.shape[2:], stride, padding, dilation)
        _check_dtypes(name, x, weight, bias)
        return from_batch_last(correlate(xp, batch_last(x, data_format), weight, bias, places, groups), data_format)

    return convolve


def _transposed(name: str) -> Callable:
    """A transposed convolution: `conv_grad_x` as a map of its own, whose weight is [in, out / groups, *kernel]."""

    @defop(
        name,
        infer=_transpose_infer(name),
        amp="low",
        wide=False,
        vjp={
            "x": lambda g, weight, stride, padding, dilation, groups, data_format: _images(data_format)(
                g, weight, None,
                stride=stride, padding=padding, dilation=dilation, groups=groups, data_format=data_format,
            ),
            "weight": lambda g, x, like_weight, stride, padding, dilation, groups, data_format: conv_grad_weight(
                x, g, like_weight,
                stride=stride, padding=padding, dilation=dilation, groups=groups, data_format=data_format,
            ),
            "bias": lambda g, like_bias, data_format: channel_sum(g, like_bias, data_format=data_format),
        },
    )  # fmt: skip
    def transposed(xp, x, weight, bias, *, stride, padding, output_padding, output_size, dilation, groups, data_format):
        places = _transposed_window(
            name,
            spatial(x.shape, data_format),
            weight.shape[2:],
            stride,
            padding,
            output_padding,
            output_size,
            dilation,
        )
        _check_dtypes(name, x, weight, bias)
        out = input_gradient(xp, batch_last(x, data_format), weight, places, groups, bias)
        return from_batch_last(out, data_format)

    return transposed


conv2d = _convolution("conv2d")
conv3d = _convolution("conv3d")
conv2d_transpose = _transposed("conv2d_transpose")
conv3d_transpose = _transposed("conv3d_transpose")
