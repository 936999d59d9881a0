"""Convolutions and transposed convolutions over one, two and three spatial axes."""

from __future__ import annotations

import functools
import warnings
from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.nn.functional.windows import check_format, hashable, lowered, numbers, paddings
from paddlite.ops import conv
from paddlite.ops.shape import squeeze, unsqueeze
from paddlite.ops.window import same_pads, spatial

__all__ = ["conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose"]


@functools.lru_cache(maxsize=1024)
def _settings(name: str, rank: int, stride: Any, padding: Any, dilation: Any, groups: int, data_format: str) -> dict:
    """The attributes of the op; not to be changed by whoever gets them."""
    check_format(name, data_format, rank)
    found = {
        "stride": numbers(name, "stride", stride, rank),
        "padding": paddings(name, padding, rank, data_format),
        "dilation": numbers(name, "dilation", dilation, rank),
        "groups": groups,
        "data_format": data_format,
    }
    if found["padding"] == "SAME" and any(d != 1 for d in found["dilation"]):
        warnings.warn(
            f"{name}: with padding='SAME' dilation {dilation} counts as 1, as it does in Paddle; give the padding in "
            "numbers to have it",
            stacklevel=4,
        )
    return found


def _convolve(name, op, rank, x, weight, bias, stride, padding, dilation, groups, data_format) -> Any:
    settings = _settings(name, rank, hashable(stride), hashable(padding), hashable(dilation), groups, data_format)
    return op(x, weight, bias, **settings)


def conv2d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """The cross-correlation of images with filters, plus a bias: [N, out, H', W'].

    H' = (H + padding before and behind - dilation * (kernel - 1) - 1) // stride + 1, and W' likewise.

    Args:
        x: [N, C, H, W], or [N, H, W, C] with `data_format="NHWC"`.
        weight: [out, C / groups, kernel height, kernel width].
        bias: [out] or None.
        stride: how far windows lie apart: an int or one an axis.
        padding: zeros around the image: an int; an int an axis; [top, bottom, left, right]; a pair for each of the four
            axes; "VALID" for none; "SAME" for as many as give ceil(size / stride) windows.
        dilation: how far the elements of a window lie apart.
        groups: the channels are cut into so many groups, each with filters of its own; C of them: depthwise.

    Raises:
        ShapeMismatch: x, weight and bias do not fit together, or the window does not fit into the image.
        InvalidArgument: an option has a value that cannot be.
        DTypeMismatch: x, weight and bias differ in dtype, or are not floating point.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])
    >>> paddle.nn.functional.conv2d(x, paddle.to_tensor([[[[1.0, 1.0], [1.0, 1.0]]]])).tolist()
    [[[[12.0, 16.0]]]]
    """
    return _convolve("conv2d", conv.conv2d, 2, x, weight, bias, stride, padding, dilation, groups, data_format)


def conv3d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """`conv2d` over three spatial axes: x [N, C, D, H, W] (or "NDHWC"), weight [out, C / groups, *kernel]."""
    return _convolve("conv3d", conv.conv3d, 3, x, weight, bias, stride, padding, dilation, groups, data_format)


def conv1d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    data_format: str = "NCL",
    name: str | None = None,
) -> Any:
    """`conv2d` over one spatial axis: x [N, C, L] (or "NLC"), weight [out, C / groups, kernel]."""
    check_format("conv1d", data_format, 1)
    axis = (1,) if data_format == "NLC" else (2,)
    out = _convolve(
        "conv1d", conv.conv2d, 2, unsqueeze(x, axes=axis), unsqueeze(weight, axes=(2,)), bias,
        (1, *numbers("conv1d", "stride", stride, 1)), lowered("conv1d", hashable(padding), data_format),
        (1, *numbers("conv1d", "dilation", dilation, 1)), groups, "NHWC" if data_format == "NLC" else "NCHW",
    )  # fmt: skip
    return squeeze(out, axes=axis)


def _transposed(
    name, op, rank, x, weight, bias, stride, padding, output_padding, output_size, dilation, groups, data_format
) -> Any:
    settings = _settings(name, rank, hashable(stride), hashable(padding), hashable(dilation), groups, data_format)
    if output_size is not None:
        if any(numbers(name, "output_padding", output_padding, rank)):
            raise InvalidArgument(f"{name}: give output_size or output_padding, not both")
        output_size = numbers(name, "output_size", output_size, rank)
    pads = settings["padding"]
    if isinstance(pads, str):
        settings = {**settings, "padding": _explicit(name, pads, x, weight, settings)}
    extra = numbers(name, "output_padding", output_padding, rank)
    return op(x, weight, bias, output_padding=extra, output_size=output_size, **settings)


def _explicit(name: str, pads: str, x: Any, weight: Any, settings: dict) -> Any:
    sizes = spatial(x._shape, settings["data_format"])
    if pads == "VALID":
        return ((0, 0),) * len(sizes)
    if any(n < 0 for n in sizes):
        raise InvalidArgument(
            f"{name}: padding='SAME' needs to know the image's sizes, got {list(sizes)}; give numbers"
        )
    return same_pads(sizes, weight._shape[2:], settings["stride"])


def conv2d_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    output_size: Any = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """The transpose of `conv2d` as a linear map, plus a bias: images grow by the stride.

    H' = (H - 1) * stride - padding before and behind + dilation * (kernel - 1) + 1 + output_padding, and W' likewise.

    Args:
        x: [N, C, H, W], or [N, H, W, C] with `data_format="NHWC"`.
        weight: [C, out / groups, kernel height, kernel width].
        bias: [out] or None.
        padding: how much of the result's border is cut off; in the forms of `conv2d`.
        output_padding: rows and columns added behind, fewer than `stride`.
        output_size: [H', W'], in place of `output_padding`.

    Raises:
        ShapeMismatch: the tensors do not fit together, or nothing is left of the result.
        InvalidArgument: an option has a value that cannot be, such as an `output_size` out of reach.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[[[1.0, 2.0]]]])
    >>> paddle.nn.functional.conv2d_transpose(x, paddle.to_tensor([[[[1.0, 1.0]]]]), stride=2).tolist()
    [[[[1.0, 1.0, 2.0, 2.0]]]]
    """
    return _transposed(
        "conv2d_transpose", conv.conv2d_transpose, 2, x, weight, bias, stride, padding, output_padding, output_size,
        dilation, groups, data_format,
    )  # fmt: skip


def conv3d_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
    output_size: Any = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """`conv2d_transpose` over three spatial axes: x [N, C, D, H, W] (or "NDHWC"), weight [C, out / groups, *kernel]."""
    return _transposed(
        "conv3d_transpose", conv.conv3d_transpose, 3, x, weight, bias, stride, padding, output_padding, output_size,
        dilation, groups, data_format,
    )  # fmt: skip


def conv1d_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
    output_size: Any = None,
    data_format: str = "NCL",
    name: str | None = None,
) -> Any:
    """`conv2d_transpose` over one spatial axis: x [N, C, L] (or "NLC"), weight [C, out / groups, kernel]."""
    here = "conv1d_transpose"
    check_format(here, data_format, 1)
    axis = (1,) if data_format == "NLC" else (2,)
    out = _transposed(
        here, conv.conv2d_transpose, 2, unsqueeze(x, axes=axis), unsqueeze(weight, axes=(2,)), bias,
        (1, *numbers(here, "stride", stride, 1)), lowered(here, hashable(padding), data_format),
        (0, *numbers(here, "output_padding", output_padding, 1)),
        None if output_size is None else (1, *numbers(here, "output_size", output_size, 1)),
        (1, *numbers(here, "dilation", dilation, 1)), groups, "NHWC" if data_format == "NLC" else "NCHW",
    )  # fmt: skip
    return squeeze(out, axes=axis)
