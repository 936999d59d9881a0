"""Convolutions as layers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.nn import functional as F
from paddlite.nn.functional.windows import check_format, numbers
from paddlite.nn.initializer import Normal
from paddlite.nn.layer.layers import Layer
from paddlite.ops.pad import pad_border

__all__ = ["Conv1D", "Conv2D", "Conv3D"]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class Convolution(Layer):
    """What all convolutions have: filters, a bias, and settings."""

    _rank: int
    _function: Callable
    _transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        groups: int,
        data_format: str,
        weight_attr: Any,
        bias_attr: Any,
        padding_mode: str = "zeros",
        output_padding: Any = 0,
        dtype: Any = None,
        device: Any = None,
    ):
        super().__init__()
        name = type(self).__name__
        check_format(name, data_format, self._rank)
        if padding_mode not in _PADDING_MODES:
            raise InvalidArgument(f"{name}: padding_mode must be one of {_PADDING_MODES}, got {padding_mode!r}")
        for what, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if groups < 1 or channels % groups:
                raise InvalidArgument(f"{name}: groups={groups} must divide {what}={channels}")
        self._in_channels, self._out_channels, self._groups = in_channels, out_channels, groups
        self._kernel_size = list(numbers(name, "kernel_size", kernel_size, self._rank))
        self._stride = list(numbers(name, "stride", stride, self._rank))
        self._dilation = list(numbers(name, "dilation", dilation, self._rank))
        self._padding, self._output_padding, self._data_format = padding, output_padding, data_format
        self._padding_mode = padding_mode
        self._border = None if padding_mode == "zeros" else self._border_widths()
        sizes, initializer = [in_channels, out_channels // groups], None  # None: the default of all weights
        if not self._transposed:
            sizes = [out_channels, in_channels // groups]
            inputs = in_channels * math.prod(self._kernel_size)  # of all groups together
            initializer = Normal(0.0, math.sqrt(2.0 / inputs) if inputs else 0.0)  # He et al. (2015)
        self.weight = self.create_parameter(
            sizes + self._kernel_size, weight_attr, dtype, default_initializer=initializer, device=device
        )
        self.bias = self.create_parameter([out_channels], bias_attr, dtype, is_bias=True, device=device)

    def _border_widths(self) -> tuple:
        """(before, behind) for each axis of the input."""
        if isinstance(self._padding, str):
            raise DTypeMismatch(
                f"{type(self).__name__}: with padding_mode='{self._padding_mode}' padding must be given in numbers, "
                f"got {self._padding!r}"
            )
        widths = tuple((n, n) for n in numbers(type(self).__name__, "padding", self._padding, self._rank))
        if self._data_format.endswith("C"):
            return ((0, 0), *widths, (0, 0))
        return ((0, 0), (0, 0), *widths)

    def extra_repr(self) -> str:
        parts = [f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"]
        ones = [1] * self._rank
        for name, plain in (
            ("stride", ones),
            ("padding", 0),
            ("padding_mode", "zeros"),
            ("output_padding", 0),
            ("dilation", ones),
            ("groups", 1),
            ("data_format", None),
        ):
            value = getattr(self, f"_{name}", plain)
            if value != plain:
                parts.append(f"{name}={value}")
        return ", ".join(parts)


class _Forward(Convolution):
    def forward(self, x: Any) -> Any:
        padding = self._padding
        if self._border is not None:
            x, padding = pad_border(x, paddings=self._border, mode=self._padding_mode), 0
        return self._function(
            x,
            self.weight,
            self.bias,
            stride=self._stride,
            padding=padding,
            dilation=self._dilation,
            groups=self._groups,
            data_format=self._data_format,
        )


class Conv2D(_Forward):
    """The cross-correlation of images with trained filters, plus a bias; see `nn.functional.conv2d`.

    Args:
        in_channels: channels of the input.
        out_channels: filters, which become the channels of the output.
        kernel_size: an int, or (height, width).
        stride: how far windows lie apart.
        padding: zeros around the image: see `nn.functional.conv2d`; numbers alone with another `padding_mode`.
        dilation: how far the elements of a window lie apart.
        groups: the channels are cut into so many groups, each with filters of its own.
        padding_mode: what the padding holds: "zeros", "reflect", "replicate" or "circular".
        weight_attr: of `weight` [out, in / groups, height, width]; normal with a variance of
            2 / (in * height * width) where it says nothing.
        bias_attr: of `bias` [out], zeros; False for none.
        data_format: "NCHW" or "NHWC".
        bias: False is the same as `bias_attr=False`.
        device: where the parameters lie.
        dtype: of the parameters; left out, the default dtype.

    Raises:
        ValueError: `groups` does not divide the channels, or an option is unknown.

    >>> import paddlite as paddle
    >>> conv = paddle.nn.Conv2D(3, 8, 3, padding=1, bias_attr=False)
    >>> conv
    Conv2D(3, 8, kernel_size=[3, 3], padding=1, data_format=NCHW)
    >>> conv.weight.shape
    paddle.Size([8, 3, 3, 3])
    """

    _rank, _function = 2, staticmethod(F.conv2d)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        *,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            data_format,
            weight_attr,
            bias_attr if bias else False,
            padding_mode,
            dtype=dtype,
            device=device,
        )


class Conv1D(_Forward):
    """`Conv2D` over one axis: [N, C, L] ("NCL") or [N, L, C] ("NLC")."""

    _rank, _function = 1, staticmethod(F.conv1d)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCL",
        *,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            data_format,
            weight_attr,
            bias_attr if bias else False,
            padding_mode,
            dtype=dtype,
            device=device,
        )


class Conv3D(_Forward):
    """`Conv2D` over three axes: [N, C, D, H, W] ("NCDHW") or [N, D, H, W, C] ("NDHWC")."""

    _rank, _function = 3, staticmethod(F.conv3d)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCDHW",
        *,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            data_format,
            weight_attr,
            bias_attr if bias else False,
            padding_mode,
            dtype=dtype,
            device=device,
        )
