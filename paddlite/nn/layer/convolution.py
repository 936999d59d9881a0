"""What all convolution layers have in common."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.nn.functional.windows import check_format, numbers
from paddlite.nn.initializer import Normal
from paddlite.nn.layer.layers import Layer

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
