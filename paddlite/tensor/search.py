"""Sorting and finding: extremes, ranks, places, choices by conditions."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import INT64, numpy_dtype
from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import TensorBase
from paddlite.ops import gather, search, select, sorting
from paddlite.ops.index import basic_index
from paddlite.tensor.arguments import int_argument, write
from paddlite.tensor.convert import to_tensor

__all__ = [
    "argmax", "argmin", "argsort", "argwhere", "bucketize", "kthvalue", "mode",
    "msort", "nonzero", "searchsorted", "sort", "topk", "where", "where_",
]  # fmt: skip
METHODS = __all__
INPLACE = ()


def argmax(x: Any, axis: Any = None, keepdim: bool = False, dtype: Any = "int64", name: str | None = None) -> Any:
    """The index of the largest element along `axis`: the first of several; the first NaN where there is one.

    Args:
        x: a tensor of real numbers.
        axis: an int; None counts through the tensor laid flat.
        keepdim: keep the axis (or all of them) with size 1.
        dtype: of the result, int64 or int32.

    Raises:
        InvalidArgument: `axis` is out of range, or there is no element.

    >>> import paddlite as paddle
    >>> paddle.argmax(paddle.to_tensor([[1.0, 5.0], [7.0, 2.0]]), axis=1).tolist()
    [1, 0]
    """
    return search.argmax(x, axis=_axis(axis, "argmax"), keepdim=keepdim, dtype=_index_dtype(dtype, "argmax"))


def argmin(x: Any, axis: Any = None, keepdim: bool = False, dtype: Any = "int64", name: str | None = None) -> Any:
    """The index of the smallest element along `axis`; the counterpart of `argmax`."""
    return search.argmin(x, axis=_axis(axis, "argmin"), keepdim=keepdim, dtype=_index_dtype(dtype, "argmin"))


def _axis(axis: Any, function: str) -> int | None:
    return axis if axis is None or type(axis) is int else int_argument(axis, function, "axis")


def _index_dtype(dtype: Any, function: str) -> Any:
    if dtype == "int64":
        return INT64
    if dtype is None:
        raise InvalidArgument(f"{function}: dtype must be int32 or int64, got None")
    found = numpy_dtype(dtype)
    if found.name not in ("int32", "int64"):
        raise InvalidArgument(f"{function}: dtype must be int32 or int64, got {found.name}")
    return found


def sort(x: Any, axis: int = -1, descending: bool = False, stable: bool = False, name: str | None = None) -> Any:
    """The elements in order along `axis`, NaN as the largest; see `argsort`.

    >>> import paddlite as paddle
    >>> paddle.sort(paddle.to_tensor([3, 1, 2]), descending=True).tolist()
    [3, 2, 1]
    """
    return sorting.sort(x, axis=axis, descending=descending)


def argsort(x: Any, axis: int = -1, descending: bool = False, stable: bool = False, name: str | None = None) -> Any:
    """The indices (int64) that put the elements in order along `axis`, NaN as the largest.

    Args:
        axis: an int.
        descending: from the largest to the smallest.
        stable: equal elements keep their order; they always do here.

    Raises:
        InvalidArgument: `axis` is out of range.
        DTypeMismatch: `x` is complex.

    >>> import paddlite as paddle
    >>> paddle.argsort(paddle.to_tensor([3, 1, 2])).tolist()
    [1, 2, 0]
    """
    return sorting.argsort(x, axis=axis, descending=descending)[1]


def msort(input: Any, *, out: Any = None) -> Any:
    """The elements in order along the first axis."""
    result = sorting.sort(input, axis=0)
    return result if out is None else write(out, result)


def topk(
    x: Any,
    k: Any,
    axis: int | None = None,
    largest: bool = True,
    sorted: bool = True,
    name: str | None = None,
    *,
    out: Any = None,
) -> tuple[Any, Any]:
    """The `k` largest (or smallest) elements along `axis`, in order, and their indices.

    Args:
        k: an int or an integer tensor of one element.
        axis: an int; the last axis where it is None.
        largest: False for the smallest.
        sorted: the result is always in order here.

    Raises:
        InvalidArgument: `k` is not in [1, size of the axis], or `axis` is out of range.

    >>> import paddlite as paddle
    >>> [part.tolist() for part in paddle.topk(paddle.to_tensor([1.0, 5.0, 3.0]), k=2)]
    [[5.0, 3.0], [1, 2]]
    """
    k = k if type(k) is int else int_argument(k, "topk", "k")
    result = sorting.topk(x, k=k, axis=-1 if axis is None else axis, largest=largest)
    return result if out is None else write(out, result)


def kthvalue(
    x: Any, k: int, axis: int | None = None, keepdim: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """The `k`-th smallest element along `axis`, counted from 1, and its index; arguments as for `topk`.

    >>> import paddlite as paddle
    >>> [part.item() for part in paddle.kthvalue(paddle.to_tensor([3.0, 1.0, 2.0]), k=2)]
    [2.0, 2]
    """
    return sorting.kthvalue(x, k=int_argument(k, "kthvalue", "k"), axis=-1 if axis is None else axis, keepdim=keepdim)


def mode(x: Any, axis: int = -1, keepdim: bool = False, name: str | None = None) -> tuple[Any, Any]:
    """The most frequent element along `axis`, the smallest of several, and the index of its last occurrence.

    >>> import paddlite as paddle
    >>> [part.item() for part in paddle.mode(paddle.to_tensor([2, 1, 2, 3]))]
    [2, 2]
    """
    return sorting.mode(x, axis=axis, keepdim=keepdim)


def nonzero(x: Any, as_tuple: bool = False, *, out: Any = None) -> Any:
    """The indices of the elements that are not 0, in row-major order.

    Args:
        as_tuple: give one 1-D tensor an axis, which can be used as an index.

    Returns an int64 tensor of one row an element and one column an axis, or the tuple.

    >>> import paddlite as paddle
    >>> paddle.nonzero(paddle.to_tensor([[1, 0], [0, 2]])).tolist()
    [[0, 0], [1, 1]]
    """
    rows = search.nonzero(x)
    if not as_tuple:
        return rows if out is None else write(out, rows)
    columns = tuple([basic_index(rows, index=(slice(None), axis)) for axis in range(len(x._shape))])
    return columns if out is None else write(out, columns)


def argwhere(input: Any) -> Any:
    """The same as `nonzero`."""
    return search.nonzero(input)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None, *, out: Any = None) -> Any:
    """`x` where `condition` holds, else `y`, elementwise with broadcasting.

    Args:
        condition: a bool tensor.
        x: a tensor or a number; where both `x` and `y` are left out, the result is that of
            `nonzero(condition, as_tuple=True)`.
        y: a tensor or a number.

    Raises:
        DTypeMismatch: `condition` is no bool tensor.
        InvalidArgument: only one of `x` and `y` is given.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([-1.0, 2.0])
    >>> paddle.where(x > 0, x, 0.0).tolist()
    [0.0, 2.0]
    """
    if x is None and y is None:
        return nonzero(condition, as_tuple=True, out=out)
    if x is None or y is None:
        raise InvalidArgument("where: give both x and y, or neither")
    result = select.where(condition, x, y)
    return result if out is None else write(out, result)


def where_(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """The in-place form of `where`: changes `x` and gives it back."""
    from paddlite.core.inplace import replace

    return replace(x, lambda: where(condition, x, y))


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    out_int32: bool = False,
    right: bool = False,
    name: str | None = None,
    *,
    side: str | None = None,
    sorter: Any = None,
    out: Any = None,
) -> Any:
    """The place in `sorted_sequence` where each of `values` would have to be inserted to keep it sorted.

    Args:
        sorted_sequence: sorted along the last axis; 1-D, or with the same leading sizes as `values`.
        values: a tensor or a number.
        out_int32: give int32 instead of int64.
        right: behind equal elements instead of in front of them.
        side: "left" or "right", the same as `right`.
        sorter: indices that sort `sorted_sequence`, where it is not sorted.

    Raises:
        ShapeMismatch: the leading sizes differ.
        InvalidArgument: another `side`, or one that contradicts `right`.

    >>> import paddlite as paddle
    >>> paddle.searchsorted(paddle.to_tensor([1, 3, 5]), paddle.to_tensor([3, 4])).tolist()
    [1, 2]
    """
    if side not in (None, "left", "right") or (side == "left" and right):
        raise InvalidArgument(
            f"searchsorted: side must be 'left' or 'right' and agree with right={right}, got {side!r}"
        )
    if sorter is not None:
        sorted_sequence = gather.take_along_axis(sorted_sequence, sorter, axis=-1)
    if not isinstance(values, TensorBase):
        values = to_tensor(values)
    result = search.searchsorted(sorted_sequence, values, out_int32=out_int32, right=right or side == "right")
    return result if out is None else write(out, result)


def bucketize(
    x: Any,
    sorted_sequence: Any,
    out_int32: bool = False,
    right: bool = False,
    name: str | None = None,
    *,
    out: Any = None,
) -> Any:
    """The number of the interval between the bounds `sorted_sequence` (1-D) in which each element lies.

    >>> import paddlite as paddle
    >>> paddle.bucketize(paddle.to_tensor([0.5, 2.5]), paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
    [0, 2]
    """
    if len(sorted_sequence._shape) != 1:
        raise InvalidArgument(f"bucketize: the bounds must be 1-D, got shape {sorted_sequence.shape}")
    return searchsorted(sorted_sequence, x, out_int32, right, out=out)
