"""How tensors print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import F32
from paddlite.core.errors import InvalidArgument
from paddlite.core.mode import current
from paddlite.core.tensor import Parameter, Tensor


@dataclass
class PrintOptions:
    """What `set_printoptions` sets."""

    precision: int = 8
    threshold: int = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool = False


def _options() -> PrintOptions:
    return current().session.setdefault("print options", PrintOptions())


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sci_mode: bool | None = None,
    linewidth: int | None = None,
) -> None:
    """Change how tensors print; what is left out stays as it is.

    Args:
        precision: digits after the point (8).
        threshold: tensors with more elements are abbreviated (1000).
        edgeitems: elements shown at each end of an abbreviated axis (3).
        sci_mode: scientific notation (False).
        linewidth: characters a line (80).

    Raises:
        ValueError: a number is negative.

    >>> import paddlite as paddle
    >>> paddle.set_printoptions(precision=2)
    >>> paddle.to_tensor([0.125])
    Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
           [0.12])
    """
    options = _options()
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for name, value in given.items():
        if value is not None and value < 0:
            raise InvalidArgument(f"set_printoptions: {name} must not be negative, got {value}")
        if value is not None:
            setattr(options, name, value)
    if sci_mode is not None:
        options.sci_mode = bool(sci_mode)


class _Layout:
    """Text of the elements: all of one width, lined up where some are negative."""

    def __init__(self, array: np.ndarray, options: PrintOptions):
        self.options = options
        self.abbreviated = array.size > options.threshold
        measured = self._measured(array)
        self.signed = measured.dtype.kind in "ifc" and bool(np.any(measured < 0))
        self.width = max((len(self._number(v)) for v in measured), default=0)

    def _measured(self, array: np.ndarray) -> np.ndarray:
        """The elements at the ends of each axis, as one flat array: the width of all is taken from them."""
        edge = self.options.edgeitems
        for axis in range(array.ndim):
            if array.shape[axis] > 2 * edge:
                keep = [*range(edge), *range(array.shape[axis] - edge, array.shape[axis])]
                array = np.take(array, keep, axis)
        return array.ravel()

    def _number(self, value: Any) -> str:
        if np.iscomplexobj(value):
            sign = "" if value.imag < 0 else "+"
            return f"({self._digits(value.real)}{sign}{self._digits(value.imag)}j)"
        if isinstance(value, (bool, np.bool_, int, np.integer)):
            return str(value)
        if np.ceil(value) == value and not self.options.sci_mode:
            return f"{value:.0f}."
        return self._digits(value)

    def _digits(self, value: Any) -> str:
        return f"{value:.{self.options.precision}{'e' if self.options.sci_mode else 'f'}}"

    def _item(self, value: Any) -> str:
        text = self._number(value)
        if self.signed and len(text) < self.width and not value < 0:
            text = f" {text}"  # in line with the digits of negative numbers
        return text.ljust(self.width)

    def text(self, array: np.ndarray, indent: int) -> str:
        if array.ndim == 0:
            return self._item(array[()])
        if not len(array):
            return "[]"
        edge = self.options.edgeitems
        short = self.abbreviated and len(array) > 2 * edge
        heads, tails = (array[:edge], array[len(array) - edge :]) if short else (array, array[:0])
        dots = ["..."] if short else []
        if array.ndim == 1:
            parts = [*map(self._item, heads), *dots, *map(self._item, tails)]
            per_line = max(1, (self.options.linewidth - indent) // (self.width + 2))
            lines = [", ".join(parts[i : i + per_line]) for i in range(0, len(parts), per_line)]
            return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
        rows = [*[self.text(row, indent + 1) for row in heads], *dots, *[self.text(row, indent + 1) for row in tails]]
        return "[" + (",\n" + "\n" * (array.ndim - 2) + " " * (indent + 1)).join(rows) + "]"


def to_string(tensor: Tensor) -> str:
    """The text of `print(tensor)`."""
    array = device.to_host(tensor._data)
    if array.dtype.kind == "V" or array.dtype == np.float16:
        array = array.astype(F32)
    head = f"Tensor(shape={list(tensor._shape)}, dtype={tensor.dtype.name}, place={tensor.place}, "
    body = _Layout(array, _options()).text(array, 7)
    text = f"{head}stop_gradient={tensor.stop_gradient},\n       {body})"
    return f"Parameter containing:\n{text}" if isinstance(tensor, Parameter) else text


Tensor.__repr__ = to_string  # type: ignore[method-assign,assignment]
Tensor.__str__ = to_string  # type: ignore[method-assign,assignment]

__all__ = ["set_printoptions"]
