"""Running sums and products along an axis, differences, and areas under curves."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import BOOL, numpy_dtype
from paddlite.core.dispatch import cast_to
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.ops import arithmetic, compare, cumulative, reduce
from paddlite.ops.index import basic_index
from paddlite.ops.infer import axis_in
from paddlite.ops.join import concat
from paddlite.ops.shape import reshape
from paddlite.tensor.arguments import int_argument, write

__all__ = [
    "cummax", "cummin", "cumprod", "cumsum", "cumulative_trapezoid", "diff", "logcumsumexp", "trapezoid",
]  # fmt: skip
METHODS = __all__
INPLACE = ("cumprod", "cumsum")


def _along(x: Any, axis: Any, function: str) -> tuple[Any, int]:
    """`x` and the axis to run along: laid flat where `axis` is None."""
    if axis is None:
        return reshape(x, shape=(-1,)), 0
    return x, axis if type(axis) is int else int_argument(axis, function, "axis")


def _as(x: Any, dtype: Any) -> Any:
    target = numpy_dtype(dtype)
    return x if x._dtype == target else cast_to(x, target)


def cumsum(x: Any, axis: Any = None, dtype: Any = None, name: str | None = None, *, out: Any = None) -> Any:
    """The sums of the elements up to each one along `axis`.

    Args:
        x: a tensor; bools and integers are summed as int64.
        axis: an int; None lays the tensor flat first.
        dtype: what `x` is cast to before it is summed, and the dtype of the result.
        name: not used; there for compatibility.

    Raises:
        InvalidArgument: `axis` is out of range.

    >>> import paddlite as paddle
    >>> paddle.cumsum(paddle.to_tensor([[1, 2], [3, 4]]), axis=1).tolist()
    [[1, 3], [3, 7]]
    """
    x, axis = _along(x, axis, "cumsum")
    result = cumulative.cumsum(x if dtype is None else _as(x, dtype), axis=axis)
    if dtype is not None:
        result = _as(result, dtype)
    return result if out is None else write(out, result)


def cumprod(x: Any, dim: Any = None, *, dtype: Any = None, name: str | None = None, out: Any = None) -> Any:
    """The products of the elements up to each one along `dim`; arguments as for `cumsum`.

    The gradient is right also where elements are 0.

    >>> import paddlite as paddle
    >>> paddle.cumprod(paddle.to_tensor([1.0, 2.0, 3.0]), dim=0).tolist()
    [1.0, 2.0, 6.0]
    """
    x, axis = _along(x if dtype is None else _as(x, dtype), dim, "cumprod")
    result = cumulative.cumprod(x, axis=axis)
    return result if out is None else write(out, result)


def cummax(x: Any, axis: Any = None, dtype: Any = "int64", name: str | None = None) -> tuple[Any, Any]:
    """The largest element up to each one along `axis`, and the index of its last occurrence so far.

    Args:
        axis: an int; None lays the tensor flat first.
        dtype: of the indices, int64 or int32.

    >>> import paddlite as paddle
    >>> [part.tolist() for part in paddle.cummax(paddle.to_tensor([1.0, 3.0, 2.0]))]
    [[1.0, 3.0, 3.0], [0, 1, 1]]
    """
    x, axis = _along(x, axis, "cummax")
    return cumulative.cummax(x, axis=axis, dtype=_index_dtype(dtype, "cummax"))


def cummin(x: Any, axis: Any = None, dtype: Any = "int64", name: str | None = None) -> tuple[Any, Any]:
    """The smallest element up to each one along `axis`, and where it is; the counterpart of `cummax`."""
    x, axis = _along(x, axis, "cummin")
    return cumulative.cummin(x, axis=axis, dtype=_index_dtype(dtype, "cummin"))


def _index_dtype(dtype: Any, function: str) -> Any:
    found = numpy_dtype(dtype)
    if found.name not in ("int32", "int64"):
        raise InvalidArgument(f"{function}: dtype must be int32 or int64, got {found.name}")
    return found


def logcumsumexp(x: Any, axis: Any = None, dtype: Any = None, name: str | None = None) -> Any:
    """log of the sums of exp of the elements up to each one along `axis`, without overflow; arguments as for `cumsum`.

    >>> import paddlite as paddle
    >>> paddle.logcumsumexp(paddle.to_tensor([1000.0, 0.0])).tolist()
    [1000.0, 1000.0]
    """
    x, axis = _along(x if dtype is None else _as(x, dtype), axis, "logcumsumexp")
    return cumulative.logcumsumexp(x, axis=axis)


def _part(x: Any, axis: int, start: int | None, stop: int | None) -> Any:
    """x[start:stop] along `axis`."""
    return basic_index(x, index=(slice(None),) * axis + (slice(start, stop),))


def diff(
    x: Any,
    n: int = 1,
    axis: int = -1,
    prepend: Any = None,
    append: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
) -> Any:
    """The differences of neighbours along `axis`, taken `n` times; of bools, where neighbours differ.

    Args:
        prepend: a tensor to put in front of `x` along `axis` first.
        append: a tensor to put behind `x`.

    Raises:
        InvalidArgument: `n` is negative, or `axis` is out of range.

    >>> import paddlite as paddle
    >>> paddle.diff(paddle.to_tensor([1, 4, 9])).tolist()
    [3, 5]
    """
    if n < 0:
        raise InvalidArgument(f"diff: n must not be negative, got {n}")
    if not x._shape:
        raise ShapeMismatch("diff: a tensor of at least one axis is wanted, got a 0-D one")
    axis = axis_in(axis, len(x._shape), "diff")
    parts = [part for part in (prepend, x, append) if part is not None]
    if len(parts) > 1:
        x = concat(*parts, axis=axis)
    subtract = compare.logical_xor if x._dtype == BOOL else arithmetic.elementwise_sub
    for _ in range(n):
        x = subtract(_part(x, axis, 1, None), _part(x, axis, None, -1))
    result = x
    return result if out is None else write(out, result)


def _areas(y: Any, x: Any, dx: float | None, axis: int, function: str) -> tuple[Any, int]:
    """The areas of the trapezoids between neighbours along `axis`."""
    if x is not None and dx is not None:
        raise InvalidArgument(f"{function}: give the places x or their distance dx, not both")
    axis = axis_in(axis, len(y._shape), function)
    width: Any = 1.0 if dx is None else dx
    if x is not None:
        width = diff(x, axis=axis if len(x._shape) > 1 else 0)
        if len(x._shape) == 1:
            width = reshape(width, shape=(-1,) + (1,) * (len(y._shape) - axis - 1))
    both = arithmetic.elementwise_add(_part(y, axis, 1, None), _part(y, axis, None, -1))
    return arithmetic.elementwise_mul(arithmetic.elementwise_mul(both, width), 0.5), axis


def trapezoid(y: Any, x: Any = None, dx: float | None = None, axis: int = -1, name: str | None = None) -> Any:
    """The area under `y` along `axis` by the trapezoidal rule.

    Args:
        y: the heights.
        x: the places of the heights, 1-D or of the shape of `y`.
        dx: the distance of neighbours where `x` is left out; 1 by default.

    Raises:
        InvalidArgument: both `x` and `dx` are given, or `axis` is out of range.

    >>> import paddlite as paddle
    >>> paddle.trapezoid(paddle.to_tensor([1.0, 2.0, 3.0])).item()
    4.0
    """
    areas, axis = _areas(y, x, dx, axis, "trapezoid")
    return reduce.reduce_sum(areas, axis=axis)


def cumulative_trapezoid(
    y: Any, x: Any = None, dx: float | None = None, axis: int = -1, name: str | None = None
) -> Any:
    """The areas under `y` up to each place by the trapezoidal rule, one fewer than places; see `trapezoid`."""
    areas, axis = _areas(y, x, dx, axis, "cumulative_trapezoid")
    return cumulative.cumsum(areas, axis=axis)
