"""Pooling by norms, and over windows of uneven sizes, as layers."""

from __future__ import annotations

from typing import Any

from paddlite.nn import functional as F
from paddlite.nn.layer.layers import Layer

__all__ = ["FractionalMaxPool2D", "FractionalMaxPool3D", "LPPool1D", "LPPool2D"]


class _LPPool(Layer):
    def __init__(
        self,
        norm_type: float,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        ceil_mode: bool,
        data_format: str,
        name: str | None,
    ):
        super().__init__()
        self.norm_type, self.ksize, self.stride, self.padding = float(norm_type), kernel_size, stride, padding
        self.ceil_mode, self.data_format, self.name = ceil_mode, data_format, name

    def extra_repr(self) -> str:
        return f"norm_type={self.norm_type}, kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


class LPPool1D(_LPPool):
    """The p-norm of each window of [N, C, L] or, with "NLC", [N, L, C]; see `nn.functional.lp_pool1d`.

    Args:
        norm_type: p; infinity for the largest element.
        kernel_size: of the windows.
        stride: how far they lie apart; left out, `kernel_size`.
        padding: zeros around the input.
        ceil_mode: let a last window reach over the edge.
        data_format: "NCL" or "NLC".

    >>> import paddlite as paddle
    >>> paddle.nn.LPPool1D(2, 2)(paddle.to_tensor([[[3.0, 4.0]]])).tolist()
    [[[5.0]]]
    """

    def __init__(
        self,
        norm_type: float,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        data_format: str = "NCL",
        name: str | None = None,
    ):
        super().__init__(norm_type, kernel_size, stride, padding, ceil_mode, data_format, name)

    def forward(self, x: Any) -> Any:
        return F.lp_pool1d(x, self.norm_type, self.ksize, self.stride, self.padding, self.ceil_mode, self.data_format)


class LPPool2D(_LPPool):
    """`LPPool1D` for images, "NCHW" or "NHWC"."""

    def __init__(
        self,
        norm_type: float,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        stride = kernel_size if stride is None else stride
        super().__init__(norm_type, kernel_size, stride, padding, ceil_mode, data_format, name)

    def forward(self, x: Any) -> Any:
        return F.lp_pool2d(x, self.norm_type, self.ksize, self.stride, self.padding, self.ceil_mode, self.data_format)


class FractionalMaxPool2D(Layer):
    """The largest elements of windows of uneven, random sizes; see `nn.functional.fractional_max_pool2d`.

    Args:
        output_size: an int, or (height, width).
        kernel_size: of overlapping windows; left out, they lie side by side.
        random_u: a number of (0, 1) in place of a random one.
        return_mask: give also where the largest elements are.
    """

    def __init__(
        self,
        output_size: Any,
        kernel_size: Any = None,
        random_u: float | None = None,
        return_mask: bool = False,
        name: str | None = None,
    ):
        super().__init__()
        self.output_size, self.kernel_size = output_size, kernel_size
        self.random_u, self.return_mask, self.name = random_u, return_mask, name

    def forward(self, x: Any) -> Any:
        return F.fractional_max_pool2d(x, self.output_size, self.kernel_size, self.random_u, self.return_mask)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, return_mask={self.return_mask}"


class FractionalMaxPool3D(FractionalMaxPool2D):
    """`FractionalMaxPool2D` for volumes."""

    def forward(self, x: Any) -> Any:
        return F.fractional_max_pool3d(x, self.output_size, self.kernel_size, self.random_u, self.return_mask)
