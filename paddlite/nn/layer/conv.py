"""Convolutions as layers."""

from __future__ import annotations

from typing import Any

from paddlite.nn import functional as F
from paddlite.nn.layer.conv_transpose import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from paddlite.nn.layer.convolution import Convolution
from paddlite.ops.pad import pad_border

__all__ = ["Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose"]


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
