"""Numbers in a row: `paddle.arange`, `paddle.linspace` and their kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddlite.backend.dtypes import numpy_dtype
from paddlite.core.errors import InvalidArgument
from paddlite.core.mode import current
from paddlite.core.tensor import TensorBase
from paddlite.ops import creation as ops
from paddlite.tensor.arguments import int_argument
from paddlite.tensor.creation import made
from paddlite.tensor.sizes import bound_argument


def _bound_dtype(values: tuple) -> np.dtype:
    """int64 for whole numbers, else the dtype of the first tensor, else the default dtype."""
    for value in values:
        if isinstance(value, TensorBase):
            return value._dtype
    whole = all(isinstance(v, (int, np.integer)) and not isinstance(v, bool) for v in values)
    return np.dtype(np.int64) if whole else current().default_dtype


def arange(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    name: str | None = None,
) -> Any:
    """The numbers start, start + step, ... that come before `end`, 1-D; with one argument, 0 up to that.

    Args:
        start, end, step: numbers or one-element tensors.
        dtype: element type; left out, int64 if all are whole, else the default dtype.

    Raises:
        ValueError: `step` is 0.

    >>> import paddlite as paddle
    >>> paddle.arange(1, 7, 2).tolist()
    [1, 3, 5]
    """
    if end is None:
        start, end = 0, start
    target = _bound_dtype((start, end, step)) if dtype is None else numpy_dtype(dtype)
    held: list = []
    first, last, by = (
        bound_argument(v, held, "arange", what) for v, what in ((start, "start"), (end, "end"), (step, "step"))
    )
    return made(ops.arange(*held, start=first, end=last, step=by, dtype=target), out, device, requires_grad)


def range(start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, name: str | None = None) -> Any:
    """As `arange`, but `end` is among the numbers, and the default dtype is the framework's.

    >>> import paddlite as paddle
    >>> paddle.range(0, 3).tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    if end is None:
        start, end = 0, start
    held: list = []
    first, last, by = (
        bound_argument(v, held, "range", what) for v, what in ((start, "start"), (end, "end"), (step, "step"))
    )
    if held:
        raise InvalidArgument("range: the bounds must be known while a Program is recorded; use arange")
    target = current().default_dtype if dtype is None else numpy_dtype(dtype)
    if by == 0:
        raise InvalidArgument("range: step must not be 0")
    end = first + (math.floor((last - first) / by) + 0.5) * by  # half a step beyond the last number
    return ops.arange(start=first, end=end, step=by, dtype=target)


def _space_dtype(dtype: Any) -> np.dtype:
    return current().default_dtype if dtype is None else numpy_dtype(dtype)


def linspace(
    start: Any,
    stop: Any,
    num: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """`num` numbers at equal distances from `start` to `stop`, both among them; 1-D.

    Args:
        start, stop, num: numbers or one-element tensors.
        dtype: element type; left out, the default dtype.

    >>> import paddlite as paddle
    >>> paddle.linspace(0, 10, 5).tolist()
    [0.0, 2.5, 5.0, 7.5, 10.0]
    """
    held: list = []
    first, last, count = (
        bound_argument(v, held, "linspace", what) for v, what in ((start, "start"), (stop, "stop"), (num, "num"))
    )
    result = ops.linspace(*held, start=first, stop=last, num=count, dtype=_space_dtype(dtype))
    return made(result, out, device, requires_grad)


def logspace(start: Any, stop: Any, num: Any, base: Any = 10.0, dtype: Any = None, name: str | None = None) -> Any:
    """`base` to the powers of `linspace(start, stop, num)`.

    >>> import paddlite as paddle
    >>> paddle.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    """
    held: list = []
    first, last, count, power = (
        bound_argument(v, held, "logspace", what)
        for v, what in ((start, "start"), (stop, "stop"), (num, "num"), (base, "base"))
    )
    return ops.logspace(*held, start=first, stop=last, num=count, base=power, dtype=_space_dtype(dtype))


def tril_indices(row: int, col: int | None = None, offset: int = 0, dtype: Any = "int64") -> Any:
    """Row and column numbers of the elements on and below diagonal `offset` of a matrix, [2, count], row by row.

    >>> import paddlite as paddle
    >>> paddle.tril_indices(2, 2).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    columns = row if col is None else col
    return ops.triangle_indices(
        rows=row,
        columns=columns,
        offset=int_argument(offset, "tril_indices", "offset"),
        lower=True,
        dtype=numpy_dtype(dtype),
    )


def triu_indices(row: int, col: int | None = None, offset: int = 0, dtype: Any = "int64") -> Any:
    """As `tril_indices`, for the elements on and above the diagonal."""
    columns = row if col is None else col
    return ops.triangle_indices(
        rows=row,
        columns=columns,
        offset=int_argument(offset, "triu_indices", "offset"),
        lower=False,
        dtype=numpy_dtype(dtype),
    )


__all__ = ["arange", "linspace", "logspace", "range", "tril_indices", "triu_indices"]
