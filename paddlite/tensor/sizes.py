"""Shapes and bounds whose numbers may be tensors: read on the host when run at once, kept as inputs while recording."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.dim import Dim
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor
from paddlite.ops.dynamic import At
from paddlite.tensor.arguments import host_values


def listed(shape: Any, more: tuple) -> Any:
    """`shape`, or all sizes in one tuple where they were given one by one, as in `x.reshape(2, 3)`."""
    if not more or isinstance(more[0], str):  # a positional `name`
        return shape
    return (shape, *more)


def sizes_argument(shape: Any, function: str, name: str = "shape") -> tuple[tuple, tuple]:
    """Sizes as ints and `At(k)`, and the variables that the `At` stand for (none outside of recording).

    Args:
        shape: an int, a list of ints and one-element tensors, or an integer tensor.
        function: the caller's name, for errors.

    Raises:
        TypeError: something is no whole number.
        ValueError: a shape variable whose own size is unknown.
    """
    kind = type(shape)
    if kind is list or kind is tuple:
        for size in shape:
            if type(size) is not int:
                break
        else:
            return tuple(shape), ()
    elif kind is int:
        return (shape,), ()
    elif kind is Tensor:
        return tuple(host_values(shape, function, name).reshape(-1).tolist()), ()
    elif isinstance(shape, Variable):
        shape = _items(shape, function, name)
    elif isinstance(shape, np.ndarray):
        shape = shape.reshape(-1).tolist()
    elif not isinstance(shape, (list, tuple)):
        shape = (shape,)
    held: list = []
    return tuple([_size(size, held, function, name) for size in shape]), tuple(held)


def _items(shape: Variable, function: str, name: str) -> list:
    if not shape._shape:
        return [shape]
    if len(shape._shape) != 1 or shape._shape[0] < 0:
        raise InvalidArgument(
            f"{function}: {name} must be a 1-D variable of known size, so that the number of axes is known; got shape "
            f"{list(shape._shape)}"
        )
    return [shape[k] for k in range(shape._shape[0])]  # type: ignore[index]


def _size(size: Any, held: list, function: str, name: str) -> Any:
    if isinstance(size, (Dim, Variable)):
        held.append(size.value() if isinstance(size, Dim) else size)
        return At(len(held) - 1)
    if isinstance(size, (int, np.integer)) and not isinstance(size, bool):
        return int(size)
    if isinstance(size, (Tensor, np.ndarray)):
        values = host_values(size, function, name) if isinstance(size, Tensor) else size
        if values.size == 1 and values.dtype.kind in "iu":
            return int(values.item())
    raise DTypeMismatch(f"{function}: {name} must be made of whole numbers, got {type(size).__name__} {size!r:.60}")


def bound_argument(value: Any, held: list, function: str, name: str) -> Any:
    """A number (not only a whole one) or a one-element tensor: the number itself, or `At` while recording."""
    if isinstance(value, (Dim, Variable)):
        held.append(value.value() if isinstance(value, Dim) else value)
        return At(len(held) - 1)
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        if (value._data if isinstance(value, Tensor) else value).size != 1:
            raise InvalidArgument(f"{function}: {name} must be one number, got shape {list(value.shape)}")
        return value.item()  # type: ignore[attr-defined]
    if isinstance(value, (int, float)):
        return value
    raise DTypeMismatch(f"{function}: {name} must be a number, got {type(value).__name__} {value!r:.60}")
