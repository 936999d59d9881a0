"""Images to other sizes, to windows, and back."""

from __future__ import annotations

from typing import Any

from paddlite.nn import functional as F
from paddlite.nn.layer.layers import Layer

__all__ = ["Fold", "Unfold", "Upsample", "UpsamplingBilinear2D", "UpsamplingNearest2D"]


class Upsample(Layer):
    """Its input at another size; see `nn.functional.interpolate`.

    Args:
        size: of the spatial axes.
        scale_factor: how much larger they become, in place of `size`.
        mode: "nearest", "linear", "bilinear", "trilinear", "bicubic" or "area".
        align_corners: corner pixels stay at the corners.
        align_mode: where source pixels lie, for linear modes without `align_corners`.
        data_format: which axes are spatial; left out, those behind the channels.
        recompute_scale_factor: work with the scale that the rounded size gives.
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool = False,
        align_mode: int = 0,
        data_format: str | None = None,
        recompute_scale_factor: bool | None = None,
        name: str | None = None,
    ):
        super().__init__()
        self.size, self.scale_factor, self.mode, self.name = size, scale_factor, mode.lower(), name
        self.align_corners, self.align_mode, self.data_format = align_corners, align_mode, data_format
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, x: Any) -> Any:
        return F.interpolate(
            x,
            size=self.size,
            scale_factor=self.scale_factor,
            mode=self.mode,
            align_corners=self.align_corners,
            align_mode=self.align_mode,
            data_format=self.data_format,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def _target(self) -> str:
        return f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"

    def extra_repr(self) -> str:
        text = (
            f"{self._target()}, mode={self.mode}, align_corners={self.align_corners}, align_mode={self.align_mode}, "
            f"data_format={self.data_format}"
        )
        return text + (f", name={self.name}" if self.name else "")


class _Upsampling2D(Upsample):
    def extra_repr(self) -> str:
        return f"{self._target()}, data_format={self.data_format}" + (f", name={self.name}" if self.name else "")


class UpsamplingNearest2D(_Upsampling2D):
    """Images at another size: each pixel is that of the nearest place."""

    def __init__(self, size: Any = None, scale_factor: Any = None, data_format: str = "NCHW", name: str | None = None):
        super().__init__(size, scale_factor, "nearest", data_format=data_format, name=name)


class UpsamplingBilinear2D(_Upsampling2D):
    """Images at another size, by linear interpolation between pixels; corners stay corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None, data_format: str = "NCHW", name: str | None = None):
        super().__init__(size, scale_factor, "bilinear", align_corners=True, data_format=data_format, name=name)


class Unfold(Layer):
    """All windows of images [N, C, H, W] as columns [N, C * height * width, windows]; see `nn.functional.unfold`.

    Args:
        kernel_sizes: of the windows.
        dilations: how far their elements lie apart.
        paddings: zeros around the image.
        strides: how far windows lie apart.
    """

    def __init__(
        self,
        kernel_sizes: Any,
        dilations: Any = 1,
        paddings: Any = 0,
        strides: Any = 1,
        name: str | None = None,
    ):
        super().__init__()
        self.kernel_sizes, self.dilations, self.paddings = kernel_sizes, dilations, paddings
        self.strides, self.name = strides, name

    def forward(self, input: Any) -> Any:
        return F.unfold(input, self.kernel_sizes, self.strides, self.paddings, self.dilations)

    def extra_repr(self) -> str:
        text = f"kernel_size={self.kernel_sizes}, dilation={self.dilations}, padding={self.paddings}, "
        return f"{text}stride={self.strides}" + (f", name={self.name}" if self.name else "")


class Fold(Unfold):
    """Adds windows [N, C * height * width, windows] up to images of `output_sizes`; see `nn.functional.fold`."""

    def __init__(
        self,
        output_sizes: Any,
        kernel_sizes: Any,
        dilations: Any = 1,
        paddings: Any = 0,
        strides: Any = 1,
        name: str | None = None,
    ):
        super().__init__(kernel_sizes, dilations, paddings, strides, name)
        self.output_sizes = output_sizes

    def forward(self, input: Any) -> Any:
        return F.fold(input, self.output_sizes, self.kernel_sizes, self.strides, self.paddings, self.dilations)
