"""Rearranging pixels and channels."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.nn import functional as F
from paddlite.nn.layer.layers import Layer

__all__ = ["ChannelShuffle", "PixelShuffle", "PixelUnshuffle"]


class _Rearrange(Layer):
    _argument = ""

    def __init__(self, factor: int, data_format: str, name: str | None):
        super().__init__()
        owner = type(self).__name__
        if not isinstance(factor, int) or isinstance(factor, bool):
            raise DTypeMismatch(f"{owner}: {self._argument} must be an int, got {factor!r:.40}")
        if factor <= 0:
            raise InvalidArgument(f"{owner}: {self._argument} must be above 0, got {factor}")
        if data_format not in ("NCHW", "NHWC"):
            raise InvalidArgument(f"{owner}: data_format must be 'NCHW' or 'NHWC', got {data_format!r}")
        self._factor, self._data_format, self._name = factor, data_format, name

    def extra_repr(self) -> str:
        text = f"{self._argument}={self._factor}"
        if self._data_format != "NCHW":
            text += f", data_format={self._data_format}"
        return text + (f", name={self._name}" if self._name else "")


class PixelShuffle(_Rearrange):
    """Makes images [N, C * r * r, H, W] larger, [N, C, H * r, W * r], with r = `upscale_factor`.

    Shi et al., "Real-time single image and video super-resolution using an efficient sub-pixel convolutional neural
    network" (2016).

    Raises:
        TypeError, ValueError: the factor is no whole number above 0.
    """

    _argument = "upscale_factor"

    def __init__(self, upscale_factor: int, data_format: str = "NCHW", name: str | None = None):
        super().__init__(upscale_factor, data_format, name)

    def forward(self, x: Any) -> Any:
        return F.pixel_shuffle(x, self._factor, self._data_format)


class PixelUnshuffle(_Rearrange):
    """Undoes `PixelShuffle`: [N, C, H, W] becomes [N, C * r * r, H / r, W / r] with r = `downscale_factor`."""

    _argument = "downscale_factor"

    def __init__(self, downscale_factor: int, data_format: str = "NCHW", name: str | None = None):
        super().__init__(downscale_factor, data_format, name)

    def forward(self, x: Any) -> Any:
        return F.pixel_unshuffle(x, self._factor, self._data_format)


class ChannelShuffle(_Rearrange):
    """Mixes `groups` groups of channels: the first of each, then the second of each, and so on."""

    _argument = "groups"

    def __init__(self, groups: int, data_format: str = "NCHW", name: str | None = None):
        super().__init__(groups, data_format, name)

    def forward(self, x: Any) -> Any:
        return F.channel_shuffle(x, self._factor, self._data_format)
