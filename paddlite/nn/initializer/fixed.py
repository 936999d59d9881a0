"""Initializers that draw nothing: constants, given values, interpolation and identity filters."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.tensor import Tensor
from paddlite.nn.initializer.base import Initializer, fill


class Constant(Initializer):
    """The same value everywhere.

    >>> import paddlite as paddle
    >>> paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(0.5)).tolist()
    [0.5, 0.5]
    """

    def __init__(self, value: float = 0.0):
        if not isinstance(value, (bool, int, float, complex, np.generic)):
            raise InvalidArgument(f"Constant: value must be a number, got {value!r:.60}")
        self._value = value

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        return xp.full(shape, self._value, dtype)


class Assign(Initializer):
    """Given values: an array, a nested list or a tensor of the parameter's shape.

    A parameter of another shape takes the shape of the values, with a warning.

    Raises:
        TypeError: `value` is none of these.

    >>> import paddlite as paddle
    >>> given = paddle.nn.initializer.Assign([[1, 2], [3, 4]])
    >>> paddle.nn.Linear(2, 2, weight_attr=given).weight.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """

    def __init__(self, value: Any, name: str | None = None):
        if not isinstance(value, (np.ndarray, list, tuple, Tensor)):
            raise DTypeMismatch(f"Assign: value must be an array, a list or a tensor, got {type(value).__name__}")
        self._value = value

    def forward(self, param: Any, block: Any = None) -> None:
        values = self.values(None, param._shape, param._dtype)
        if values.shape != param._shape:
            warnings.warn(
                f"Assign: parameter '{param.name}' of shape {list(param._shape)} takes the shape of its values, "
                f"{list(values.shape)}"
            )
            param._data = device.to_place(np.empty(values.shape, param._dtype), param.place)
        fill(param, values, "Assign")

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        value = self._value
        return device.to_host(value._data) if isinstance(value, Tensor) else np.asarray(value)


class Bilinear(Initializer):
    """Filters by which a transposed convolution interpolates linearly between pixels.

    For a convolution with stride f, kernel 2 * f - f % 2 and padding ceil((f - 1) / 2), usually with one group a
    channel and `learning_rate=0`.  Long et al., "Fully convolutional networks for semantic segmentation" (2015).
    Differs: the reference shifts the rows of the filter by fractions of a pixel.

    Raises:
        ValueError: the parameter is not [outputs, inputs, k, k].

    >>> import paddlite as paddle
    >>> smooth = paddle.nn.initializer.Bilinear()
    >>> paddle.create_parameter([1, 1, 3, 3], "float32", default_initializer=smooth).tolist()
    [[[[0.25, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 0.25]]]]
    """

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        if len(shape) != 4 or shape[2] != shape[3]:
            raise InvalidArgument(f"Bilinear: the parameter must have shape [n, n, k, k], got {list(shape)}")
        size = shape[3]
        factor = (size + 1) // 2
        center = factor - 1 if size % 2 else factor - 0.5
        line = 1 - abs(np.arange(size) - center) / factor
        return np.broadcast_to(np.outer(line, line), shape)


class Dirac(Initializer):
    """Filters of a convolution that hand their inputs on unchanged, as far as there are enough outputs.

    Args:
        groups: the outputs fall into so many parts, each of which hands on the inputs from the first on.

    Raises:
        ValueError: `groups` does not divide the outputs, or the parameter is no filter (3 to 5 axes).

    >>> import paddlite as paddle
    >>> keep = paddle.nn.initializer.Dirac()
    >>> paddle.create_parameter([2, 2, 3], "float32", default_initializer=keep).tolist()
    [[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]
    """

    def __init__(self, groups: int = 1, name: str | None = None):
        if not isinstance(groups, int) or groups < 1:
            raise InvalidArgument(f"Dirac: groups must be a whole number above 0, got {groups!r}")
        self._groups = groups

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        if not 3 <= len(shape) <= 5:
            raise InvalidArgument(f"Dirac: the parameter must have 3, 4 or 5 axes, got shape {list(shape)}")
        if shape[0] % self._groups:
            raise InvalidArgument(
                f"Dirac: groups={self._groups} must divide the first size of the parameter, got shape {list(shape)}"
            )
        found = np.zeros(shape, dtype)
        part = shape[0] // self._groups
        middle = tuple(size // 2 for size in shape[2:])
        for i in range(min(part, shape[1])):
            found[(slice(i, None, part), i, *middle)] = 1
        return found
