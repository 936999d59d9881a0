"""Padding as layers; see `nn.functional.pad`."""

from __future__ import annotations

from typing import Any

from paddlite.nn import functional as F
from paddlite.nn.layer.layers import Layer

__all__ = [
    "CircularPad1D", "CircularPad2D", "CircularPad3D", "ConstantPad1D", "ConstantPad2D", "ConstantPad3D", "Pad1D",
    "Pad2D", "Pad3D", "ReflectionPad1D", "ReflectionPad2D", "ReflectionPad3D", "ReplicationPad1D", "ReplicationPad2D",
    "ReplicationPad3D", "ZeroPad1D", "ZeroPad2D", "ZeroPad3D",
]  # fmt: skip


class _Pad(Layer):
    """Widths are given for the last axis first: [left, right], [left, right, top, bottom], ..., or one for all."""

    _rank = 0

    def __init__(self, padding: Any, mode: str, value: float, data_format: str, name: str | None):
        super().__init__()
        self.padding = [padding] * (2 * self._rank) if isinstance(padding, int) else padding
        self._mode, self.value, self._data_format, self._name = mode, value, data_format, name

    def forward(self, x: Any) -> Any:
        return F.pad(x, self.padding, self._mode, self.value, self._data_format)

    def extra_repr(self) -> str:
        name = f", name={self._name}" if self._name else ""
        return f"padding={self.padding}, mode={self._mode}, value={self.value}, data_format={self._data_format}{name}"


class Pad1D(_Pad):
    """Widens [N, C, L] ("NCL") or [N, L, C] ("NLC") by `padding`: an int, or [left, right].

    Args:
        padding: the widths.
        mode: "constant", "reflect", "replicate" or "circular".
        value: what "constant" pads with.
        data_format: which axes are widened.

    >>> import paddlite as paddle
    >>> paddle.nn.Pad1D([1, 2], value=9.0)(paddle.to_tensor([[[1.0, 2.0]]])).tolist()
    [[[9.0, 1.0, 2.0, 9.0, 9.0]]]
    """

    _rank = 1

    def __init__(
        self,
        padding: Any,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCL",
        name: str | None = None,
    ):
        super().__init__(padding, mode, value, data_format, name)


class Pad2D(_Pad):
    """`Pad1D` for images: `padding` is an int, or [left, right, top, bottom]."""

    _rank = 2

    def __init__(
        self,
        padding: Any,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(padding, mode, value, data_format, name)


class Pad3D(_Pad):
    """`Pad1D` for volumes: `padding` is an int, or [left, right, top, bottom, front, back]."""

    _rank = 3

    def __init__(
        self,
        padding: Any,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCDHW",
        name: str | None = None,
    ):
        super().__init__(padding, mode, value, data_format, name)


class ZeroPad1D(_Pad):
    """`Pad1D` with zeros."""

    _rank = 1

    def __init__(self, padding: Any, data_format: str = "NCL", name: str | None = None):
        super().__init__(padding, "constant", 0.0, data_format, name)


class ZeroPad2D(_Pad):
    """`Pad2D` with zeros."""

    _rank = 2

    def __init__(self, padding: Any, data_format: str = "NCHW", name: str | None = None):
        super().__init__(padding, "constant", 0.0, data_format, name)


class ZeroPad3D(_Pad):
    """`Pad3D` with zeros."""

    _rank = 3

    def __init__(self, padding: Any, data_format: str = "NCDHW", name: str | None = None):
        super().__init__(padding, "constant", 0.0, data_format, name)


class ReflectionPad1D(_Pad):
    """`Pad1D` with mirrored elements."""

    _rank = 1

    def __init__(self, padding: Any, data_format: str = "NCL", name: str | None = None):
        super().__init__(padding, "reflect", 0.0, data_format, name)


class ReflectionPad2D(_Pad):
    """`Pad2D` with mirrored elements."""

    _rank = 2

    def __init__(self, padding: Any, data_format: str = "NCHW", name: str | None = None):
        super().__init__(padding, "reflect", 0.0, data_format, name)


class ReflectionPad3D(_Pad):
    """`Pad3D` with mirrored elements."""

    _rank = 3

    def __init__(self, padding: Any, data_format: str = "NCDHW", name: str | None = None):
        super().__init__(padding, "reflect", 0.0, data_format, name)


class ReplicationPad1D(_Pad):
    """`Pad1D` with the outermost elements."""

    _rank = 1

    def __init__(self, padding: Any, data_format: str = "NCL", name: str | None = None):
        super().__init__(padding, "replicate", 0.0, data_format, name)


class ReplicationPad2D(_Pad):
    """`Pad2D` with the outermost elements."""

    _rank = 2

    def __init__(self, padding: Any, data_format: str = "NCHW", name: str | None = None):
        super().__init__(padding, "replicate", 0.0, data_format, name)


class ReplicationPad3D(_Pad):
    """`Pad3D` with the outermost elements."""

    _rank = 3

    def __init__(self, padding: Any, data_format: str = "NCDHW", name: str | None = None):
        super().__init__(padding, "replicate", 0.0, data_format, name)


class CircularPad1D(_Pad):
    """`Pad1D` with the elements of the other end."""

    _rank = 1

    def __init__(self, padding: Any, data_format: str = "NCL", name: str | None = None):
        super().__init__(padding, "circular", 0.0, data_format, name)


class CircularPad2D(_Pad):
    """`Pad2D` with the elements of the other end."""

    _rank = 2

    def __init__(self, padding: Any, data_format: str = "NCHW", name: str | None = None):
        super().__init__(padding, "circular", 0.0, data_format, name)


class CircularPad3D(_Pad):
    """`Pad3D` with the elements of the other end."""

    _rank = 3

    def __init__(self, padding: Any, data_format: str = "NCDHW", name: str | None = None):
        super().__init__(padding, "circular", 0.0, data_format, name)


class ConstantPad1D(_Pad):
    """`Pad1D` with the number `value`."""

    _rank = 1

    def __init__(self, padding: Any, value: float, data_format: str = "NCL", name: str | None = None):
        super().__init__(padding, "constant", value, data_format, name)


class ConstantPad2D(_Pad):
    """`Pad2D` with the number `value`."""

    _rank = 2

    def __init__(self, padding: Any, value: float, data_format: str = "NCHW", name: str | None = None):
        super().__init__(padding, "constant", value, data_format, name)


class ConstantPad3D(_Pad):
    """`Pad3D` with the number `value`."""

    _rank = 3

    def __init__(self, padding: Any, value: float, data_format: str = "NCDHW", name: str | None = None):
        super().__init__(padding, "constant", value, data_format, name)
