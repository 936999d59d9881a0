"""Transposed convolutions as layers."""

from __future__ import annotations

from typing import Any

from paddlite.nn import functional as F
from paddlite.nn.layer.convolution import Convolution

__all__ = ["Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"]


class _Transpose(Convolution):
    _transposed = True

    def forward(self, x: Any, output_size: Any = None) -> Any:
        return self._function(
            x,
            self.weight,
            self.bias,
            stride=self._stride,
            padding=self._padding,
            output_padding=self._output_padding if output_size is None else 0,
            dilation=self._dilation,
            groups=self._groups,
            output_size=output_size,
            data_format=self._data_format,
        )


class Conv2DTranspose(_Transpose):
    """The convolution that goes from the outputs of a `Conv2D` to its inputs; see `nn.functional.conv2d_transpose`.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: an int, or (height, width).
        stride: how far apart the windows lie in the output.
        padding: how much of the border of the output is cut away.
        output_padding: how much is added behind each axis of the output.
        dilation: how far the elements of a window lie apart.
        groups: the channels are cut into so many groups.
        weight_attr: of `weight` [in, out / groups, height, width]; XavierUniform where it says nothing.
        bias_attr: of `bias` [out], zeros; False for none.
        data_format: "NCHW" or "NHWC".

    `forward` takes `output_size`, the height and width of the output, in place of `output_padding`.

    Raises:
        ValueError: `groups` does not divide the channels, or an option is unknown.

    >>> import paddlite as paddle
    >>> up = paddle.nn.Conv2DTranspose(1, 2, 2, stride=2)
    >>> up(paddle.to_tensor([[[[1.0, 2.0]]]])).shape
    paddle.Size([1, 2, 2, 4])
    """

    _rank, _function = 2, staticmethod(F.conv2d_transpose)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
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
            bias_attr,
            output_padding=output_padding,
        )


class Conv1DTranspose(_Transpose):
    """`Conv2DTranspose` over one axis: [N, C, L] ("NCL") or [N, L, C] ("NLC")."""

    _rank, _function = 1, staticmethod(F.conv1d_transpose)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCL",
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
            bias_attr,
            output_padding=output_padding,
        )


class Conv3DTranspose(_Transpose):
    """`Conv2DTranspose` over three axes: [N, C, D, H, W] ("NCDHW") or [N, D, H, W, C] ("NDHWC")."""

    _rank, _function = 3, staticmethod(F.conv3d_transpose)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCDHW",
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
            bias_attr,
            output_padding=output_padding,
        )
