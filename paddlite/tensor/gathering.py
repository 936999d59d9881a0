"""Picking and writing by number: `paddle.gather`, `paddle.scatter` and their kin.  The results are copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.tensor import TensorBase
from paddlite.ops import gather as ops
from paddlite.ops.creation import fill_constant
from paddlite.ops.dynamic import At
from paddlite.ops.index import basic_index, index_put_add, set_item
from paddlite.ops.infer import axis_in
from paddlite.ops.put_along import put_along_axis as _put_along_axis
from paddlite.ops.put_along import put_reduce
from paddlite.ops.scatter import scatter as _scatter
from paddlite.ops.scatter import scatter_nd_add as _scatter_nd_add
from paddlite.ops.shape import flatten, reshape
from paddlite.tensor.arguments import int_argument
from paddlite.tensor.convert import to_tensor
from paddlite.tensor.creation import made
from paddlite.tensor.indexing import index_tensor
from paddlite.tensor.joining import stack
from paddlite.tensor.sizes import sizes_argument


def _flat_index(index: Any, function: str) -> Any:
    """An index of shape [n, 1] as [n]."""
    shape = index._shape
    if len(shape) < 2:
        return index
    if len(shape) == 2 and shape[1] == 1:
        return reshape(index, shape=(-1,))
    raise ShapeMismatch(f"{function}: index must have shape [n], [n, 1] or [], got {list(shape)}")


def gather(x: Any, index: Any, axis: Any = None, name: str | None = None, out: Any = None) -> Any:
    """The slices of `x` along `axis` (0 if left out) that `index` names, in its order.

    Args:
        index: an integer tensor of shape [n], [n, 1] or []; negative numbers count from the end.

    Raises:
        IndexError: a number is out of range.

    >>> import paddlite as paddle
    >>> paddle.gather(paddle.to_tensor([[1, 2], [3, 4], [5, 6]]), paddle.to_tensor([2, 0])).tolist()
    [[5, 6], [1, 2]]
    """
    where = 0 if axis is None else axis if type(axis) is int else int_argument(axis, "gather", "axis")
    result = ops.gather(x, _flat_index(index, "gather"), axis=where)
    return result if out is None else made(result, out)


def index_select(x: Any, index: Any, axis: int = 0, name: str | None = None) -> Any:
    """The slices of `x` along `axis` that the 1-D `index` names; see `gather`."""
    return ops.gather(x, _flat_index(index, "index_select"), axis=int_argument(axis, "index_select", "axis"))


def gather_nd(x: Any, index: Any, name: str | None = None) -> Any:
    """out[i] = x[index[i, 0], index[i, 1], ...]: the last axis of `index` names the first axes of `x`.

    Raises:
        IndexError: a number is out of range.
        ValueError: `index` names more axes than `x` has.

    >>> import paddlite as paddle
    >>> paddle.gather_nd(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[1, 0], [0, 1]])).tolist()
    [3, 2]
    """
    return ops.gather_nd(x, index)


def take_along_axis(arr: Any, indices: Any, axis: Any, broadcast: bool = True, *, out: Any = None) -> Any:
    """out[i][j] = arr[i][indices[i][j]] for axis 1 of two, and so on.

    Args:
        indices: an integer tensor with as many axes as `arr`.
        broadcast: True to broadcast both together, but for `axis`; False to read only where `indices` has elements.

    Raises:
        IndexError: a number is out of range.

    >>> import paddlite as paddle
    >>> paddle.take_along_axis(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[0], [1]]), 1).tolist()
    [[1], [4]]
    """
    axis = int_argument(axis, "take_along_axis", "axis")
    if broadcast and len(arr._shape) == len(indices._shape):
        arr = _widened(arr, indices, axis_in(axis, len(arr._shape), "take_along_axis"))
    result = ops.take_along_axis(arr, indices, axis=axis, broadcast=broadcast)
    return result if out is None else made(result, out)


def _widened(arr: Any, indices: Any, axis: int) -> Any:
    """`arr` with its sizes of 1, but for `axis`, expanded to those of `indices`."""
    shape = list(arr._shape)
    for d, (size, want) in enumerate(zip(arr._shape, indices._shape)):
        if d != axis and size == 1 and want > 1:
            shape[d] = want
    return arr if tuple(shape) == arr._shape else arr.expand(shape)


def take_along_dim(arr: Any, indices: Any, axis: Any, broadcast: bool = True, *, out: Any = None) -> Any:
    """The same as `take_along_axis`."""
    return take_along_axis(arr, indices, axis, broadcast, out=out)


def index_sample(x: Any, index: Any) -> Any:
    """out[i][j] = x[i][index[i][j]], for matrices with one number of rows.

    >>> import paddlite as paddle
    >>> paddle.index_sample(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[1, 1], [0, 1]])).tolist()
    [[2, 2], [3, 4]]
    """
    rows = x._shape[0] if x._shape else 0
    if len(x._shape) != 2 or len(index._shape) != 2 or (rows != index._shape[0] and -1 not in (rows, index._shape[0])):
        raise ShapeMismatch(
            f"index_sample: want two matrices with one number of rows, got {list(x._shape)} and {list(index._shape)}"
        )
    return ops.take_along_axis(x, index, axis=1, broadcast=False)


def take(x: Any, index: Any, mode: str = "raise", name: str | None = None) -> Any:
    """The elements of `x`, counted in row-major order, that `index` names, in the shape of `index`.

    Args:
        mode: what becomes of a number out of range: "raise" refuses it, "wrap" counts on from the other end, "clip"
            takes the nearest (and a negative one as 0).

    >>> import paddlite as paddle
    >>> paddle.take(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([0, 3])).tolist()
    [1, 4]
    """
    if mode not in ("raise", "wrap", "clip"):
        raise InvalidArgument(f"take: mode must be 'raise', 'wrap' or 'clip', got {mode!r}")
    flat = flatten(x)
    if mode != "raise":
        if flat._shape[0] < 0:
            raise InvalidArgument(f"take: mode {mode!r} needs a tensor of known size while a Program is recorded")
        index = index % flat._shape[0] if mode == "wrap" else index.clip(0, flat._shape[0] - 1)
    return ops.gather(flat, index)


def multiplex(inputs: Sequence, index: Any, name: str | None = None) -> Any:
    """Row i of the tensor of the list `inputs` that index[i] names, for every i.

    Args:
        inputs: tensors of one shape.
        index: an integer tensor of shape [rows] or [rows, 1].
    """
    rows = _flat_index(index, "multiplex")
    every = stack(inputs)
    return ops.gather_nd(every, stack([rows, to_tensor(_row_numbers(rows), dtype=rows.dtype)], axis=1))


def _row_numbers(x: Any) -> list[int]:
    if x._shape[0] < 0:
        raise InvalidArgument("multiplex: the number of rows must be known while a Program is recorded")
    return list(range(x._shape[0]))


def scatter(x: Any, index: Any, updates: Any, overwrite: bool = True, name: str | None = None, out: Any = None) -> Any:
    """A copy of `x` with the rows that `index` names replaced by `updates`.

    Args:
        index: an integer tensor of shape [n], [n, 1] or [].
        updates: [n, ...], a row for every number.
        overwrite: False to replace a row by the sum of its updates.

    Raises:
        IndexError: a number is out of range.

    >>> import paddlite as paddle
    >>> paddle.scatter(paddle.zeros([3]), paddle.to_tensor([1, 1]), paddle.ones([2]), overwrite=False).tolist()
    [0.0, 2.0, 0.0]
    """
    result = _scatter(x, _flat_index(index, "scatter"), updates, overwrite=overwrite)
    return result if out is None else made(result, out)


def scatter_nd_add(x: Any, index: Any, updates: Any, name: str | None = None) -> Any:
    """A copy of `x` with `updates` added at the places that `gather_nd(x, index)` takes; repeated places sum.

    >>> import paddlite as paddle
    >>> paddle.scatter_nd_add(paddle.ones([3]), paddle.to_tensor([[1], [1]]), paddle.ones([2])).tolist()
    [1.0, 3.0, 1.0]
    """
    return _scatter_nd_add(x, index, updates)


def scatter_nd(index: Any, updates: Any, shape: Any, name: str | None = None) -> Any:
    """`scatter_nd_add` to zeros of the given shape."""
    items, held = sizes_argument(shape, "scatter_nd")
    return _scatter_nd_add(fill_constant(*held, shape=items, value=0, dtype=updates._dtype), index, updates)


def index_add(
    x: Any, index: Any, axis: int, value: Any, alpha: float = 1, name: str | None = None, *, out: Any = None
) -> Any:
    """A copy of `x` with the slices of `alpha * value` added along `axis` where the 1-D `index` says.

    >>> import paddlite as paddle
    >>> paddle.index_add(paddle.zeros([2, 2]), paddle.to_tensor([1, 1]), 0, paddle.ones([2, 2])).tolist()
    [[0.0, 0.0], [2.0, 2.0]]
    """
    result = ops.index_add(x, _flat_index(index, "index_add"), value if alpha == 1 else value * alpha, axis=axis)
    return result if out is None else made(result, out)


def _of_dtype(value: Any, x: Any) -> Any:
    """`value`, a tensor or a number, as a tensor in the dtype of `x`."""
    if not isinstance(value, TensorBase):
        return to_tensor(value, dtype=x.dtype, place=x.place if x._block is None else None)
    return value if value._dtype == x._dtype else value.astype(x.dtype)


def index_fill(x: Any, index: Any, axis: int, value: Any, name: str | None = None) -> Any:
    """A copy of `x` with `value` (a number or a 0-D tensor) in the slices along `axis` that the 1-D `index` names.

    >>> import paddlite as paddle
    >>> paddle.index_fill(paddle.zeros([2, 2]), paddle.to_tensor([1]), 0, 5.0).tolist()
    [[0.0, 0.0], [5.0, 5.0]]
    """
    axis = axis_in(int_argument(axis, "index_fill", "axis"), len(x._shape), "index_fill")
    at = ((slice(None),) * axis) + (At(0),)
    return set_item(x, _of_dtype(value, x), _flat_index(index, "index_fill"), index=at)


def index_put(x: Any, indices: Any, value: Any, accumulate: bool = False, name: str | None = None) -> Any:
    """A copy of `x` with x[indices] = value, or x[indices] += value.

    Args:
        indices: a tuple of integer or bool tensors, as in an index expression.
        value: a tensor that broadcasts to the place.
        accumulate: True to add; repeated places sum.

    >>> import paddlite as paddle
    >>> at = (paddle.to_tensor([0, 0]),)
    >>> paddle.index_put(paddle.zeros([2]), at, paddle.ones([1]), accumulate=True).tolist()
    [2.0, 0.0]
    """
    tensors = [index_tensor(one) for one in indices]
    at = tuple([At(k) for k in range(len(tensors))])
    return (index_put_add if accumulate else set_item)(x, _of_dtype(value, x), *tensors, index=at)


_REDUCTIONS = {"multiply": "mul", "prod": "mul", "sum": "add"}


def put_along_axis(
    arr: Any,
    indices: Any,
    values: Any,
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> Any:
    """A copy of `arr` with `values` written where `take_along_axis(arr, indices, axis)` reads.

    Args:
        values: a number, or a tensor that broadcasts to `indices`.
        reduce: "assign", "add", "mul" (or "multiply"), "mean", "amin" or "amax": what becomes of the values of a place.
        include_self: False to leave the old value out of that.
        broadcast: False to write only where `indices` has elements.

    Raises:
        IndexError: a number is out of range.
        ValueError: `reduce` is none of these.

    >>> import paddlite as paddle
    >>> paddle.put_along_axis(paddle.zeros([2, 2]), paddle.to_tensor([[1], [0]]), 3.0, 1).tolist()
    [[0.0, 3.0], [3.0, 0.0]]
    """
    reduce = _REDUCTIONS.get(reduce, reduce)
    value = _of_dtype(values, arr)
    if not broadcast and value._shape != indices._shape and len(value._shape) == len(indices._shape):
        value = basic_index(value, index=tuple([slice(0, size) for size in indices._shape]))
    op = put_reduce if reduce in ("mul", "amin", "amax") else _put_along_axis
    axis = int_argument(axis, "put_along_axis", "axis")
    return op(arr, indices, value, axis=axis, reduce=reduce, include_self=include_self, broadcast=broadcast)


def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """A copy of `input` with `src` added where `index` says along `dim`; see `put_along_axis`."""
    return put_along_axis(input, index, src, dim, "add", broadcast=False)


def scatter_reduce(input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
    """`put_along_axis` without broadcasting; `reduce` is "sum", "prod", "mean", "amin" or "amax"."""
    return put_along_axis(input, index, src, dim, reduce, include_self, broadcast=False)


__all__ = [
    "gather", "gather_nd", "index_add", "index_fill", "index_put", "index_sample", "index_select", "multiplex",
    "put_along_axis", "scatter", "scatter_add", "scatter_nd", "scatter_nd_add", "scatter_reduce", "take",
    "take_along_axis", "take_along_dim",
]  # fmt: skip
METHODS = __all__
INPLACE = ("index_add", "index_fill", "index_put", "put_along_axis", "scatter", "scatter_add")
