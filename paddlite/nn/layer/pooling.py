"""Pooling as layers.  What each computes is said at the function of the same name in `nn.functional`."""

from __future__ import annotations

from typing import Any

from paddlite.nn import functional as F
from paddlite.nn.layer.layers import Layer
from paddlite.nn.layer.special_pooling import FractionalMaxPool2D, FractionalMaxPool3D, LPPool1D, LPPool2D

__all__ = [
    "AdaptiveAvgPool1D", "AdaptiveAvgPool2D", "AdaptiveAvgPool3D", "AdaptiveMaxPool1D", "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D", "AvgPool1D", "AvgPool2D", "AvgPool3D", "FractionalMaxPool2D", "FractionalMaxPool3D",
    "LPPool1D", "LPPool2D", "MaxPool1D", "MaxPool2D", "MaxPool3D", "MaxUnPool1D", "MaxUnPool2D", "MaxUnPool3D",
]  # fmt: skip


class _Windows(Layer):
    """What pools over windows of a given size have in common."""

    def __init__(self, kernel_size: Any, stride: Any, padding: Any, name: str | None):
        super().__init__()
        self.ksize, self.stride, self.padding, self.name = kernel_size, stride, padding, name

    def extra_repr(self) -> str:
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


class MaxPool1D(_Windows):
    """`MaxPool2D` over one axis: [N, C, L]."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, name)
        self.return_mask, self.ceil_mode = return_mask, ceil_mode

    def forward(self, x: Any) -> Any:
        return F.max_pool1d(x, self.ksize, self.stride, self.padding, self.return_mask, self.ceil_mode)


class MaxPool2D(_Windows):
    """The largest element of each window of images.

    Args:
        kernel_size: of the windows: an int or (height, width).
        stride: how far they lie apart; left out, `kernel_size`.
        padding: around the image; padded places never win.
        return_mask: give also where the largest elements are, for `MaxUnPool2D`.
        ceil_mode: let a last window reach over the edge.
        data_format: "NCHW" or "NHWC".

    >>> import paddlite as paddle
    >>> paddle.nn.MaxPool2D(2)(paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).tolist()
    [[[[4.0]]]]
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, name)
        self.return_mask, self.ceil_mode, self.data_format = return_mask, ceil_mode, data_format

    def forward(self, x: Any) -> Any:
        return F.max_pool2d(
            x, self.ksize, self.stride, self.padding, self.return_mask, self.ceil_mode, self.data_format
        )


class MaxPool3D(_Windows):
    """`MaxPool2D` over three axes: [N, C, D, H, W]."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCDHW",
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, name)
        self.return_mask, self.ceil_mode, self.data_format = return_mask, ceil_mode, data_format

    def forward(self, x: Any) -> Any:
        return F.max_pool3d(
            x, self.ksize, self.stride, self.padding, self.return_mask, self.ceil_mode, self.data_format
        )


class AvgPool1D(_Windows):
    """`AvgPool2D` over one axis: [N, C, L]."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        exclusive: bool = True,
        ceil_mode: bool = False,
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, name)
        self.exclusive, self.ceil_mode = exclusive, ceil_mode

    def forward(self, x: Any) -> Any:
        return F.avg_pool1d(x, self.ksize, self.stride, self.padding, self.exclusive, self.ceil_mode)


class AvgPool2D(_Windows):
    """The mean of each window of images.

    Args:
        kernel_size: of the windows: an int or (height, width).
        stride: how far they lie apart; left out, `kernel_size`.
        padding: zeros around the image.
        ceil_mode: let a last window reach over the edge.
        exclusive: leave the padding out of the count that sums are divided by.
        divisor_override: divide sums by this number.
        data_format: "NCHW" or "NHWC".

    >>> import paddlite as paddle
    >>> paddle.nn.AvgPool2D(2)(paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).tolist()
    [[[[2.5]]]]
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        exclusive: bool = True,
        divisor_override: float | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, name)
        self.ceil_mode, self.exclusive = ceil_mode, exclusive
        self.divisor, self.data_format = divisor_override, data_format

    def forward(self, x: Any) -> Any:
        return F.avg_pool2d(
            x, self.ksize, self.stride, self.padding, self.ceil_mode, self.exclusive, self.divisor, self.data_format
        )


class AvgPool3D(_Windows):
    """`AvgPool2D` over three axes: [N, C, D, H, W]."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        exclusive: bool = True,
        divisor_override: float | None = None,
        data_format: str = "NCDHW",
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, name)
        self.ceil_mode, self.exclusive = ceil_mode, exclusive
        self.divisor, self.data_format = divisor_override, data_format

    def forward(self, x: Any) -> Any:
        return F.avg_pool3d(
            x, self.ksize, self.stride, self.padding, self.ceil_mode, self.exclusive, self.divisor, self.data_format
        )


class _ToSize(Layer):
    """What pools that give an output of a given size have in common."""

    def __init__(self, output_size: Any, name: str | None):
        super().__init__()
        self._output_size, self._name = output_size, name

    def extra_repr(self) -> str:
        return f"output_size={self._output_size}"


class AdaptiveAvgPool1D(_ToSize):
    """The means of as many windows of [N, C, L] as `output_size` says."""

    def __init__(self, output_size: int, name: str | None = None):
        super().__init__(output_size, name)

    def forward(self, x: Any) -> Any:
        return F.adaptive_avg_pool1d(x, self._output_size)


class AdaptiveAvgPool2D(_ToSize):
    """The means of as many windows of images as `output_size` says: an int or (height, width), None to keep a size.

    >>> import paddlite as paddle
    >>> paddle.nn.AdaptiveAvgPool2D(1)(paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).tolist()
    [[[[2.5]]]]
    """

    def __init__(self, output_size: Any, data_format: str = "NCHW", name: str | None = None):
        super().__init__(output_size, name)
        self._data_format = data_format

    def forward(self, x: Any) -> Any:
        return F.adaptive_avg_pool2d(x, self._output_size, self._data_format)


class AdaptiveAvgPool3D(_ToSize):
    """The means of as many windows of [N, C, D, H, W] as `output_size` says: an int or three, None to keep a size."""

    def __init__(self, output_size: Any, data_format: str = "NCDHW", name: str | None = None):
        super().__init__(output_size, name)
        self._data_format = data_format

    def forward(self, x: Any) -> Any:
        return F.adaptive_avg_pool3d(x, self._output_size, self._data_format)


class _MaxToSize(_ToSize):
    def __init__(self, output_size: Any, return_mask: bool = False, name: str | None = None):
        super().__init__(output_size, name)
        self._return_mask = return_mask

    def extra_repr(self) -> str:
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


class AdaptiveMaxPool1D(_MaxToSize):
    """The largest elements of as many windows of rows [N, C, L] as `output_size` says."""

    def forward(self, x: Any) -> Any:
        return F.adaptive_max_pool1d(x, self._output_size, self._return_mask)


class AdaptiveMaxPool2D(_MaxToSize):
    """The largest elements of as many windows of images [N, C, H, W] as `output_size` says."""

    def forward(self, x: Any) -> Any:
        return F.adaptive_max_pool2d(x, self._output_size, self._return_mask)


class AdaptiveMaxPool3D(_MaxToSize):
    """The largest elements of as many windows of volumes [N, C, D, H, W] as `output_size` says."""

    def forward(self, x: Any) -> Any:
        return F.adaptive_max_pool3d(x, self._output_size, self._return_mask)


class _Unpool(_Windows):
    def __init__(
        self, kernel_size: Any, stride: Any, padding: Any, data_format: str, output_size: Any, name: str | None
    ):
        super().__init__(kernel_size, stride, padding, name)
        self.data_format, self.output_size = data_format, output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class MaxUnPool1D(_Unpool):
    """Puts the outputs of `MaxPool1D` with `return_mask=True` back where they came from, zeros elsewhere.

    `forward` takes them and the mask.  `output_size` decides between the input sizes that would have given them.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        data_format: str = "NCL",
        output_size: Any = None,
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)

    def forward(self, x: Any, indices: Any) -> Any:
        return F.max_unpool1d(x, indices, self.ksize, self.stride, self.padding, self.data_format, self.output_size)


class MaxUnPool2D(_Unpool):
    """Puts the outputs of `MaxPool2D` with `return_mask=True` back where they came from, zeros elsewhere.

    `forward` takes them and the mask.  `output_size` decides between the input sizes that would have given them.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        data_format: str = "NCHW",
        output_size: Any = None,
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)

    def forward(self, x: Any, indices: Any) -> Any:
        return F.max_unpool2d(x, indices, self.ksize, self.stride, self.padding, self.data_format, self.output_size)


class MaxUnPool3D(_Unpool):
    """Puts the outputs of `MaxPool3D` with `return_mask=True` back where they came from, zeros elsewhere.

    `forward` takes them and the mask.  `output_size` decides between the input sizes that would have given them.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        data_format: str = "NCDHW",
        output_size: Any = None,
        name: str | None = None,
    ):
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)

    def forward(self, x: Any, indices: Any) -> Any:
        return F.max_unpool3d(x, indices, self.ksize, self.stride, self.padding, self.data_format, self.output_size)
