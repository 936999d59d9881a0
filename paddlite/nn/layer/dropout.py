"""Dropout as layers: nothing happens in evaluation."""

from __future__ import annotations

from typing import Any

from paddlite.nn import functional as F
from paddlite.nn.layer.layers import Layer

__all__ = ["AlphaDropout", "Dropout", "Dropout2D", "Dropout3D", "FeatureAlphaDropout"]


class Dropout(Layer):
    """Sets elements to 0 with probability `p` in training.

    Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting" (2014).

    Args:
        p: how likely each is dropped.
        inplace: not used; there for compatibility.
        axis: draw along these axes only and drop along all others together; None for each element.
        mode: "upscale_in_train" divides what is kept by 1 - p in training, "downscale_in_infer" multiplies by 1 - p in
            evaluation.

    >>> import paddlite as paddle
    >>> paddle.nn.Dropout(0.5).eval()(paddle.to_tensor([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """

    def __init__(
        self,
        p: float = 0.5,
        inplace: Any = False,
        axis: Any = None,
        mode: str = "upscale_in_train",
        name: str | None = None,
    ):
        super().__init__()
        if not isinstance(inplace, bool):  # older code gives (p, axis, mode) in place
            inplace, axis, mode = False, inplace, axis if isinstance(axis, str) else mode
        self.p, self.inplace, self.axis, self.mode, self.name = p, inplace, axis, mode, name

    def forward(self, input: Any) -> Any:
        return F.dropout(input, self.p, self.axis, self.training, mode=self.mode)

    def extra_repr(self) -> str:
        name = f", name={self.name}" if self.name else ""
        return f"p={self.p}, axis={self.axis}, mode={self.mode}, inplace={self.inplace}{name}"


class _DropMaps(Layer):
    def __init__(self, p: float, data_format: str, name: str | None):
        super().__init__()
        self.p, self.data_format, self.name = p, data_format, name

    def extra_repr(self) -> str:
        name = f", name={self.name}" if self.name else ""
        return f"p={self.p}, data_format={self.data_format}{name}"


class Dropout2D(_DropMaps):
    """Drops whole channels of images ("NCHW" or "NHWC") with probability `p` in training."""

    def __init__(self, p: float = 0.5, data_format: str = "NCHW", name: str | None = None):
        super().__init__(p, data_format, name)

    def forward(self, input: Any) -> Any:
        return F.dropout2d(input, self.p, self.training, self.data_format)


class Dropout3D(_DropMaps):
    """Drops whole channels of volumes ("NCDHW" or "NDHWC") with probability `p` in training."""

    def __init__(self, p: float = 0.5, data_format: str = "NCDHW", name: str | None = None):
        super().__init__(p, data_format, name)

    def forward(self, input: Any) -> Any:
        return F.dropout3d(input, self.p, self.training, self.data_format)


class AlphaDropout(Layer):
    """Dropout for SELU networks: mean and variance stay as they are.

    Klambauer et al., "Self-normalizing neural networks" (2017).
    """

    def __init__(self, p: float = 0.5, name: str | None = None):
        super().__init__()
        self.p, self.name = p, name

    def forward(self, input: Any) -> Any:
        return F.alpha_dropout(input, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}" + (f", name={self.name}" if self.name else "")


class FeatureAlphaDropout(AlphaDropout):
    """`AlphaDropout` of whole channels."""

    def forward(self, input: Any) -> Any:
        return F.feature_alpha_dropout(input, self.p, self.training)
