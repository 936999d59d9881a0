"""Reductions over axes: sums, means, extremes, products, truth."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import numpy_dtype
from paddlite.core.dispatch import cast_to
from paddlite.ops import arithmetic, compare, reduce, select
from paddlite.tensor.arguments import axis_argument, write

__all__ = [
    "all", "amax", "amin", "any", "count_nonzero", "logsumexp", "max", "mean", "min", "nanmean", "nansum", "prod",
    "reduce_as", "sum",
]  # fmt: skip
METHODS = __all__
INPLACE = ()


def sum(
    x: Any, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: str | None = None, *, out: Any = None
) -> Any:
    """The sum of the elements, over all axes or those named.

    Args:
        x: a tensor of any dtype; bools and integers are summed as int64.
        axis: an int, a list of ints (negative ones count from the back) or an integer tensor; None or [] for all axes.
        dtype: what `x` is cast to before it is summed, and the dtype of the result.
        keepdim: keep reduced axes with size 1.
        name: not used; there for compatibility.
        out: a tensor of the result's shape that takes the result in place and is given back.

    Raises:
        InvalidArgument: an axis is out of range or named twice.

    Differs: small integer types (uint8, int8, int16) are summed as int64 too, where the reference overflows.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.sum(x).item(), paddle.sum(x, axis=0).tolist(), paddle.sum(x, axis=[0, 1], keepdim=True).shape
    (10.0, [4.0, 6.0], paddle.Size([1, 1]))
    """
    if type(axis) is not int and axis is not None:
        axis = axis_argument(axis, "sum")
    result = reduce.reduce_sum(x if dtype is None else _as(x, dtype), axis=axis, keepdim=keepdim)
    if dtype is not None:
        result = _as(result, dtype)
    return result if out is None else write(out, result)


def _as(x: Any, dtype: Any) -> Any:
    target = numpy_dtype(dtype)
    return x if x._dtype == target else cast_to(x, target)


def mean(
    x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None, *, dtype: Any = None, out: Any = None
) -> Any:
    """The mean of the elements, over all axes or those named; NaN where there are none.  Arguments as for `sum`.

    Differs: the mean of integers is float32; the reference cuts it to an integer.

    >>> import paddlite as paddle
    >>> paddle.mean(paddle.to_tensor([1.0, 2.0, 6.0])).item()
    3.0
    """
    if type(axis) is not int and axis is not None:
        axis = axis_argument(axis, "mean")
    result = reduce.reduce_mean(x if dtype is None else _as(x, dtype), axis=axis, keepdim=keepdim)
    return result if out is None else write(out, result)


def max(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The largest element, over all axes or those named; NaN where one is NaN.  Equal ones share the gradient.

    Arguments as for `sum`.

    Raises:
        InvalidArgument: an axis is out of range, named twice, or has no elements.

    >>> import paddlite as paddle
    >>> paddle.max(paddle.to_tensor([[1.0, 5.0], [7.0, 2.0]]), axis=1).tolist()
    [5.0, 7.0]
    """
    return reduce.reduce_max(x, axis=axis_argument(axis, "max"), keepdim=keepdim)


def min(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The smallest element, over all axes or those named; the counterpart of `max`."""
    return reduce.reduce_min(x, axis=axis_argument(axis, "min"), keepdim=keepdim)


def amax(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None, *, out: Any = None) -> Any:
    """The same as `max`."""
    result = reduce.reduce_amax(x, axis=axis_argument(axis, "amax"), keepdim=keepdim)
    return result if out is None else write(out, result)


def amin(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None, *, out: Any = None) -> Any:
    """The same as `min`."""
    result = reduce.reduce_amin(x, axis=axis_argument(axis, "amin"), keepdim=keepdim)
    return result if out is None else write(out, result)


def prod(
    x: Any, axis: Any = None, keepdim: bool = False, dtype: Any = None, out: Any = None, name: str | None = None
) -> Any:
    """The product of the elements, over all axes or those named; 1 where there are none.  Arguments as for `sum`.

    The gradient is right also where elements are 0.

    >>> import paddlite as paddle
    >>> paddle.prod(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0).tolist()
    [3.0, 8.0]
    """
    result = reduce.reduce_prod(
        x if dtype is None else _as(x, dtype), axis=axis_argument(axis, "prod"), keepdim=keepdim
    )
    return result if out is None else write(out, result)


def logsumexp(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None, *, out: Any = None) -> Any:
    """log(sum(exp(x))) over all axes or those named, without overflow.  Arguments as for `sum`.

    Differs: the result is -inf (not NaN) where all elements are -inf.

    >>> import paddlite as paddle
    >>> paddle.logsumexp(paddle.to_tensor([1000.0, -1000.0])).item()
    1000.0
    """
    result = reduce.logsumexp(x, axis=axis_argument(axis, "logsumexp"), keepdim=keepdim)
    return result if out is None else write(out, result)


def nansum(x: Any, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The sum of the elements that are not NaN.  Arguments as for `sum`.

    >>> import paddlite as paddle
    >>> paddle.nansum(paddle.to_tensor([1.0, float("nan"), 2.0])).item()
    3.0
    """
    return sum(_without_nan(x), axis, dtype, keepdim)


def _without_nan(x: Any) -> Any:
    return select.where(compare.isnan(x), 0, x)


def nanmean(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The mean of the elements that are not NaN; NaN where there are none.  Arguments as for `sum`."""
    axis = axis_argument(axis, "nanmean")
    total = reduce.reduce_sum(_without_nan(x), axis=axis, keepdim=keepdim)
    count = reduce.reduce_sum(compare.logical_not(compare.isnan(x)), axis=axis, keepdim=keepdim)
    return arithmetic.elementwise_div(total, count)


def all(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None, *, out: Any = None) -> Any:
    """True where all elements, over all axes or those named, are true (not 0).  Arguments as for `sum`.

    >>> import paddlite as paddle
    >>> paddle.all(paddle.to_tensor([[True, False], [True, True]]), axis=1).tolist()
    [False, True]
    """
    result = reduce.reduce_all(x, axis=axis_argument(axis, "all"), keepdim=keepdim)
    return result if out is None else write(out, result)


def any(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None, *, out: Any = None) -> Any:
    """True where at least one element, over all axes or those named, is true (not 0).  Arguments as for `sum`."""
    result = reduce.reduce_any(x, axis=axis_argument(axis, "any"), keepdim=keepdim)
    return result if out is None else write(out, result)


def count_nonzero(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """How many elements are not 0, over all axes or those named, as int64.  Arguments as for `sum`.

    >>> import paddlite as paddle
    >>> paddle.count_nonzero(paddle.to_tensor([[1.0, 0.0], [2.0, 3.0]]), axis=0).tolist()
    [2, 1]
    """
    return reduce.reduce_sum(compare.not_equal(x, 0), axis=axis_argument(axis, "count_nonzero"), keepdim=keepdim)


def reduce_as(x: Any, target: Any, name: str | None = None) -> Any:
    """`x` summed over the axes that broadcasting would add to the shape of `target`.

    >>> import paddlite as paddle
    >>> paddle.reduce_as(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([0.0, 0.0])).tolist()
    [4.0, 6.0]
    """
    from paddlite.ops.like import sum_like

    return sum_like(x, target)
