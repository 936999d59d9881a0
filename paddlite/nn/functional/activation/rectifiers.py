"""Piecewise linear activations."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.ops import rectify, shape
from paddlite.ops.infer import axis_in
from paddlite.ops.reduce import reduce_max

__all__ = [
    "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "maxout", "prelu", "relu", "relu6", "rrelu",
    "softshrink", "thresholded_relu",
]  # fmt: skip


def relu(x: Any, name: str | None = None) -> Any:
    """max(x, 0), elementwise; NaN stays NaN.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.relu(paddle.to_tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return rectify.relu(x)


def relu6(x: Any, name: str | None = None) -> Any:
    """min(max(x, 0), 6), elementwise."""
    return rectify.relu6(x)


def leaky_relu(x: Any, negative_slope: float = 0.01, name: str | None = None) -> Any:
    """x where it is positive, negative_slope * x elsewhere.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.leaky_relu(paddle.to_tensor([-2.0, 1.0]), 0.5).tolist()
    [-1.0, 1.0]
    """
    return rectify.leaky_relu(x, alpha=float(negative_slope))


def prelu(x: Any, weight: Any, data_format: str = "NCHW", name: str | None = None) -> Any:
    """x where it is positive, weight * x elsewhere, with a trained `weight` (He et al., 2015).

    Args:
        x: [N, C, ...], or [N, ..., C] where `data_format` ends in C.
        weight: [1], or [C] for a slope per channel.

    Raises:
        ShapeMismatch: `weight` has another shape.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.prelu(paddle.to_tensor([[-2.0, -2.0]]), paddle.to_tensor([0.5, 0.25])).tolist()
    [[-1.0, -0.5]]
    """
    rank, sizes = x.ndim, tuple(weight._shape)
    if len(sizes) > 1:
        raise ShapeMismatch(f"prelu: weight must have shape [1] or [channels], got {list(sizes)}")
    if sizes in ((), (1,)):
        return rectify.prelu(x, weight if not sizes or rank else shape.reshape(weight, shape=()))
    channel = rank - 1 if data_format.endswith("C") else 1
    if rank < 2 or x._shape[channel] not in (-1, sizes[0]):
        raise ShapeMismatch(
            f"prelu: weight has {sizes[0]} slopes, but x of shape {list(x._shape)} with data_format {data_format} has "
            f"{x._shape[channel] if rank > 1 else 'no'} channels"
        )
    return rectify.prelu(x, shape.reshape(weight, shape=(sizes[0],) + (1,) * (rank - 1 - channel)))


def rrelu(
    x: Any, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0, training: bool = True, name: str | None = None
) -> Any:
    """x where it is not negative, slope * x elsewhere, with a random slope for each element (Xu et al., 2015).

    Args:
        lower, upper: the slopes are uniform in [lower, upper]; in evaluation they all are the mean of both.

    Raises:
        InvalidArgument: not 0 <= lower <= upper <= 1.
    """
    if not 0 <= lower <= upper <= 1:
        raise InvalidArgument(f"rrelu: want 0 <= lower <= upper <= 1, got lower {lower} and upper {upper}")
    return rectify.rrelu(x, lower=float(lower), upper=float(upper), training=bool(training))[0]


def hardtanh(x: Any, min: float = -1.0, max: float = 1.0, name: str | None = None) -> Any:
    """x cut off below `min` and above `max`."""
    return rectify.hardtanh(x, t_min=float(min), t_max=float(max))


def hardsigmoid(x: Any, slope: float = 0.1666667, offset: float = 0.5, name: str | None = None) -> Any:
    """slope * x + offset, cut off below 0 and above 1."""
    return rectify.hard_sigmoid(x, slope=float(slope), offset=float(offset))


def hardswish(x: Any, name: str | None = None) -> Any:
    """x * relu6(x + 3) / 6 (Howard et al., 2019).

    >>> import paddlite as paddle
    >>> paddle.nn.functional.hardswish(paddle.to_tensor([-4.0, 0.0, 5.0])).tolist()
    [-0.0, 0.0, 5.0]
    """
    return rectify.hard_swish(x)


def hardshrink(x: Any, threshold: float = 0.5, name: str | None = None) -> Any:
    """x where |x| > threshold, 0 elsewhere."""
    return rectify.hard_shrink(x, threshold=float(threshold))


def softshrink(x: Any, threshold: float = 0.5, name: str | None = None) -> Any:
    """x moved by `threshold` towards 0; 0 where |x| <= threshold.

    Raises:
        InvalidArgument: `threshold` is negative.
    """
    if threshold < 0:
        raise InvalidArgument(f"softshrink: threshold must be >= 0, got {threshold}")
    return rectify.softshrink(x, threshold=float(threshold))


def thresholded_relu(x: Any, threshold: float = 1.0, value: float = 0.0, name: str | None = None) -> Any:
    """x where x > threshold, `value` elsewhere."""
    return rectify.thresholded_relu(x, threshold=float(threshold), value=float(value))


def maxout(x: Any, groups: int, axis: int = 1, name: str | None = None) -> Any:
    """The largest of each `groups` neighbouring channels (Goodfellow et al., 2013).

    Args:
        x: a tensor whose size at `axis` is a multiple of `groups`.

    Raises:
        InvalidArgument: the channels do not divide into groups.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.maxout(paddle.to_tensor([[1.0, 5.0, 3.0, 2.0]]), groups=2).tolist()
    [[5.0, 3.0]]
    """
    at = axis_in(axis, x.ndim, "maxout")
    channels = x._shape[at]
    if groups < 1 or channels % groups:
        raise InvalidArgument(f"maxout: {channels} channels do not divide into groups of {groups}")
    parted = shape.reshape(x, shape=(*(0,) * at, -1, groups, *x._shape[at + 1 :]))
    return reduce_max(parted, axis=at + 1)
