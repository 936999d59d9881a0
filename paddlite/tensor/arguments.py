"""Arguments that may be given as tensors: axes, shapes and whole numbers are read on the host, in one place."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import INTEGRAL
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ProgramError
from paddlite.core.inplace import replace
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor


def host_values(value: Any, function: str, name: str) -> np.ndarray:
    """The integers that the tensor `value` holds, as a NumPy array.

    Raises:
        ProgramError: it is a Variable, which has no value while a Program is recorded.
        DTypeMismatch: it holds no integers.
    """
    if isinstance(value, Variable):
        raise ProgramError(
            f"{function}: {name} must be known while a Program is recorded, but variable '{value.name}' gets its value "
            "at run time; pass plain ints"
        )
    if value._dtype not in INTEGRAL:
        raise DTypeMismatch(f"{function}: {name} must hold integers, got a tensor of dtype {value._dtype}")
    return device.to_host(value._data)


def int_argument(value: Any, function: str, name: str) -> int:
    """`value` (an int or an integer tensor of one element) as an int."""
    if type(value) is int:
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, (Tensor, Variable)):
        array = host_values(value, function, name)
        if array.size != 1:
            raise InvalidArgument(f"{function}: {name} must be one number, got a tensor of shape {list(array.shape)}")
        return int(array.item())
    if isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind in "iu":
        return int(value.item())
    raise DTypeMismatch(f"{function}: {name} must be an int, got {type(value).__name__} {value!r:.40}")


def ints_argument(value: Any, function: str, name: str) -> tuple[int, ...]:
    """`value` (an int, an integer tensor or array, or a list of ints and one-element tensors) as a tuple of ints."""
    if isinstance(value, (list, tuple)):
        return tuple([item if type(item) is int else int_argument(item, function, name) for item in value])
    if isinstance(value, (Tensor, Variable)):
        return tuple(host_values(value, function, name).reshape(-1).tolist())
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        return tuple(value.reshape(-1).tolist())
    return (int_argument(value, function, name),)


def axis_argument(axis: Any, function: str, name: str = "axis") -> int | tuple[int, ...] | None:
    """What ops take as `axis`: None, an int or a tuple; tensors, also inside of a list, are read on the host."""
    if axis is None or type(axis) is int:
        return axis
    if isinstance(axis, (list, tuple)) or (isinstance(axis, (Tensor, Variable)) and axis._shape):
        return ints_argument(axis, function, name)
    return int_argument(axis, function, name)


def shape_argument(shape: Any, function: str, name: str = "shape") -> tuple[int, ...]:
    """A shape given as an int, a list (also with one-element tensors in it) or an integer tensor, as a tuple of ints.

    Sizes are not checked, since -1 and 0 mean something to some functions.
    """
    return ints_argument(shape, function, name)


def write(out: Any, result: Any) -> Any:
    """`result` written into the tensor `out` (or the tensors, of a tuple) in place; gives `out`.

    Raises:
        ShapeMismatch: the shapes differ.
        InplaceOnLeaf: `out` is a leaf whose gradient is wanted.
    """
    if isinstance(result, tuple):
        return tuple([write(one, part) for one, part in zip(out, result, strict=True)])
    return replace(out, lambda: result)
