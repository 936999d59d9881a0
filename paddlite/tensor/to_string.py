"""How tensors print."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import F32
from paddlite.core.tensor import Parameter, Tensor


class PrintOptions:
    """What `set_printoptions` sets."""

    def __init__(self) -> None:
        self.precision = 8
        self.threshold = 1000
        self.edgeitems = 3
        self.linewidth = 80
        self.sci_mode = False


OPTIONS = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sci_mode: bool | None = None,
    linewidth: int | None = None,
) -> None:
    """Change how tensors print.

    Args:
        precision: digits after the point (8).
        threshold: tensors with more elements are abbreviated (1000).
        edgeitems: elements shown at each end of an abbreviated axis (3).
        sci_mode: scientific notation (False).
        linewidth: characters a line (80).
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "sci_mode": sci_mode}
    for name, value in {**given, "linewidth": linewidth}.items():
        if value is not None:
            setattr(OPTIONS, name, value)


def _number(value: Any, whole: bool) -> str:
    if np.iscomplexobj(value):
        sign = "" if value.imag < 0 else "+"
        return f"({_number(value.real, False)}{sign}{_number(value.imag, False)}j)"
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return str(value)
    if not np.isfinite(value):
        return str(value)
    if OPTIONS.sci_mode:
        return f"{value:.{OPTIONS.precision}e}"
    return f"{value:.0f}." if whole else f"{value:.{OPTIONS.precision}f}"


def _shown(array: np.ndarray, abbreviated: bool) -> np.ndarray:
    """The elements that are printed, as one flat array."""
    if not abbreviated:
        return array.ravel()
    edge = OPTIONS.edgeitems
    for axis in range(array.ndim):
        if array.shape[axis] > 2 * edge:
            keep = [*range(edge), *range(array.shape[axis] - edge, array.shape[axis])]
            array = np.take(array, keep, axis)
    return array.ravel()


class _Layout:
    def __init__(self, array: np.ndarray):
        self.abbreviated = array.size > OPTIONS.threshold
        shown = _shown(array, self.abbreviated)
        real = shown.real if np.iscomplexobj(shown) else shown
        finite = real[np.isfinite(real)] if real.dtype.kind == "f" else real
        self.whole = not np.iscomplexobj(shown) and real.dtype.kind == "f" and bool(np.all(finite == np.trunc(finite)))
        self.signed = real.dtype.kind in "if" and bool(np.any(real < 0))
        texts = [_number(v, self.whole) for v in shown]
        self.width = max((len(t) + (self.signed and not t.startswith("-")) for t in texts), default=0)

    def item(self, value: Any) -> str:
        text = _number(value, self.whole)
        if self.signed and not text.startswith("-"):
            text = f" {text}"
        return text.ljust(self.width)

    def text(self, array: np.ndarray, indent: int) -> str:
        if array.ndim == 0:
            return self.item(array[()])
        edge = OPTIONS.edgeitems
        short = self.abbreviated and len(array) > 2 * edge
        if array.ndim == 1:
            parts = [self.item(v) for v in (array[:edge] if short else array)]
            if short:
                parts += ["...", *[self.item(v) for v in array[-edge:]]]
            per_line = max(1, (OPTIONS.linewidth - indent) // (self.width + 2))
            lines = [", ".join(parts[i : i + per_line]) for i in range(0, len(parts), per_line)]
            return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
        rows = [self.text(row, indent + 1) for row in (array[:edge] if short else array)]
        if short:
            rows += ["...", *[self.text(row, indent + 1) for row in array[-edge:]]]
        return "[" + (",\n" + "\n" * (array.ndim - 2) + " " * (indent + 1)).join(rows) + "]"


def to_string(tensor: Tensor) -> str:
    """The text of `print(tensor)`."""
    array = device.to_host(tensor._data)
    if array.dtype.kind == "V" or array.dtype == np.float16:
        array = array.astype(F32)
    head = f"Tensor(shape={list(tensor._shape)}, dtype={tensor.dtype.name}, place={tensor.place}, "
    body = "[]" if array.size == 0 else _Layout(array).text(array, 7)
    text = f"{head}stop_gradient={tensor.stop_gradient},\n       {body})"
    return f"Parameter containing:\n{text}" if isinstance(tensor, Parameter) else text


Tensor.__repr__ = to_string  # type: ignore[method-assign,assignment]
Tensor.__str__ = to_string  # type: ignore[method-assign,assignment]

__all__ = ["set_printoptions"]
