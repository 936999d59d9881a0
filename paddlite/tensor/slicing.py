"""Parts of tensors by bounds and masks: `paddle.slice`, `paddle.masked_fill`, `paddle.unique` and their kin."""

from __future__ import annotations

import builtins
from typing import Any

from paddlite.backend.dtypes import numpy_dtype
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.tensor import TensorBase
from paddlite.ops import mask as ops
from paddlite.ops.arithmetic import assign, cast
from paddlite.ops.dynamic import At
from paddlite.ops.index import basic_index, index_get, set_item
from paddlite.ops.infer import axis_in
from paddlite.ops.rearrange import shard_index as _shard_index
from paddlite.ops.select import where
from paddlite.tensor.arguments import int_argument, ints_argument
from paddlite.tensor.creation import as_kind
from paddlite.tensor.sizes import sizes_argument


def _bounds(rank: int, axes: Any, function: str, **bounds: Any) -> tuple[tuple, list]:
    """The index expression of slices along `axes`, and the variables among their bounds."""
    where_ = [axis_in(a, rank, function, "axes") for a in ints_argument(axes, function, "axes")]
    held: list = []
    columns = []
    for name, values in bounds.items():
        items, found = sizes_argument(values, function, name)
        if len(items) != len(where_):
            raise InvalidArgument(f"{function}: want as many {name} as axes, got {len(items)} and {len(where_)}")
        columns.append([At(i.k + len(held)) if type(i) is At else i for i in items])
        held.extend(found)
    index = [builtins.slice(None)] * rank
    for k, axis in enumerate(where_):
        index[axis] = builtins.slice(*[column[k] for column in columns])
    return tuple(index), held


def _part(x: Any, index: tuple, held: list) -> Any:
    return index_get(x, *held, index=index) if held else basic_index(x, index=index)


def slice(input: Any, axes: Any, starts: Any, ends: Any) -> Any:
    """A view of `input` with axis axes[k] cut down to [starts[k], ends[k]); negative bounds count from the end.

    Args:
        axes: a list of ints.
        starts, ends: lists of ints and one-element tensors, or integer tensors.

    >>> import paddlite as paddle
    >>> paddle.slice(paddle.to_tensor([[1, 2, 3], [4, 5, 6]]), [1], [-2], [10]).tolist()
    [[2, 3], [5, 6]]
    """
    return _part(input, *_bounds(len(input._shape), axes, "slice", starts=starts, ends=ends))


def strided_slice(x: Any, axes: Any, starts: Any, ends: Any, strides: Any, name: str | None = None) -> Any:
    """As `slice`, taking every strides[k]-th element; a negative stride goes backwards.

    >>> import paddlite as paddle
    >>> paddle.strided_slice(paddle.arange(5), [0], [4], [0], [-2]).tolist()
    [4, 2]
    """
    return _part(x, *_bounds(len(x._shape), axes, "strided_slice", starts=starts, ends=ends, strides=strides))


def narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    """A view of `length` slices of `input` along `dim`, from `start` on."""
    axis = axis_in(dim, len(input._shape), "narrow", "dim")
    size, first = input._shape[axis], int_argument(start, "narrow", "start")
    first = first + size if first < 0 <= size else first
    if first < 0 or length < 0 or 0 <= size < first + length:
        raise InvalidArgument(f"narrow: cannot take {length} slices from {start} on of an axis of size {size}")
    return basic_index(input, index=(builtins.slice(None),) * axis + (builtins.slice(first, first + length),))


def crop(x: Any, shape: Any = None, offsets: Any = None, name: str | None = None) -> Any:
    """A copy of the part of `x` that begins at `offsets` (zeros if left out) and has the given shape.

    Args:
        shape: sizes, one an axis; -1 takes all that is left, and so does leaving it out.

    Raises:
        ValueError: the part reaches beyond `x`.

    >>> import paddlite as paddle
    >>> paddle.crop(paddle.to_tensor([[1, 2], [3, 4]]), [-1, 1], [0, 1]).tolist()
    [[2], [4]]
    """
    rank = len(x._shape)
    sizes = (-1,) * rank if shape is None else ints_argument(shape, "crop", "shape")
    starts = (0,) * rank if offsets is None else ints_argument(offsets, "crop", "offsets")
    if len(sizes) != rank or len(starts) != rank:
        raise InvalidArgument(f"crop: want {rank} sizes and {rank} offsets, got {list(sizes)} and {list(starts)}")
    for have, size, start in zip(x._shape, sizes, starts):
        if start < 0 or size < -1 or 0 <= have < start + max(size, 0):
            raise InvalidArgument(
                f"crop: shape {list(sizes)} at offsets {list(starts)} is no part of a tensor of shape {list(x._shape)}"
            )
    ends = [None if size < 0 else start + size for size, start in zip(sizes, starts)]
    return assign(basic_index(x, index=tuple([builtins.slice(*pair) for pair in zip(starts, ends)])))


def slice_scatter(x: Any, value: Any, axes: Any, starts: Any, ends: Any, strides: Any, name: str | None = None) -> Any:
    """A copy of `x` with `value` in the place of `strided_slice(x, axes, starts, ends, strides)`.

    >>> import paddlite as paddle
    >>> paddle.slice_scatter(paddle.zeros([3]), paddle.ones([2]), [0], [0], [3], [2]).tolist()
    [1.0, 0.0, 1.0]
    """
    index, held = _bounds(len(x._shape), axes, "slice_scatter", starts=starts, ends=ends, strides=strides)
    return set_item(x, cast(value, dtype=x._dtype) if value._dtype != x._dtype else value, *held, index=index)


def select_scatter(x: Any, values: Any, axis: int, index: int, name: str | None = None) -> Any:
    """A copy of `x` with `values` in the place of slice `index` along `axis`.

    >>> import paddlite as paddle
    >>> paddle.select_scatter(paddle.zeros([2, 2]), paddle.ones([2]), 1, 0).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    axis = axis_in(axis, len(x._shape), "select_scatter")
    want = x._shape[:axis] + x._shape[axis + 1 :]
    if len(values._shape) != len(want):
        raise ShapeMismatch(f"select_scatter: values must have shape {list(want)}, got {list(values._shape)}")
    at = (builtins.slice(None),) * axis + (int_argument(index, "select_scatter", "index"),)
    return set_item(x, cast(values, dtype=x._dtype) if values._dtype != x._dtype else values, index=at)


def masked_select(x: Any, mask: Any, name: str | None = None) -> Any:
    """The elements of `x` where the bool tensor `mask` holds, 1-D; both are broadcast together.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1, 2, 3])
    >>> paddle.masked_select(x, x > 1).tolist()
    [2, 3]
    """
    return ops.masked_select(x, mask)


def masked_fill(x: Any, mask: Any, value: Any, name: str | None = None) -> Any:
    """A copy of `x` with `value` (a number or a 0-D tensor) where the bool tensor `mask` holds.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1, 2, 3])
    >>> paddle.masked_fill(x, x > 1, 0).tolist()
    [1, 0, 0]
    """
    if isinstance(value, TensorBase):
        return where(mask, value if value._dtype == x._dtype else cast(value, dtype=x._dtype), x)
    return where(mask, as_kind(value, x._dtype), x)


def masked_scatter(x: Any, mask: Any, value: Any, name: str | None = None) -> Any:
    """A copy of `x` with the first elements of `value`, in order, where the bool tensor `mask` holds.

    Raises:
        ValueError: `value` has too few elements.
    """
    return ops.masked_scatter(x, mask, value)


def _several(found: tuple, wanted: tuple[bool, ...], dtype: Any) -> Any:
    """The first of `found`, and those of the others that are wanted, in `dtype`."""
    target = numpy_dtype(dtype)
    chosen = [one if one._dtype == target else cast(one, dtype=target) for one, want in zip(found[1:], wanted) if want]
    return (found[0], *chosen) if chosen else found[0]


def unique(
    x: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    dtype: Any = "int64",
    sorted: bool = True,
    name: str | None = None,
) -> Any:
    """The different elements of `x` (or slices along `axis`) in ascending order.

    Args:
        return_index: also give where each occurs first.
        return_inverse: also give, for each element of `x`, its number among the different ones.
        return_counts: also give how often each occurs.
        dtype: of these numbers, int32 or int64.

    Returns:
        A tensor, or a tuple with what was asked for, in this order.

    >>> import paddlite as paddle
    >>> values, counts = paddle.unique(paddle.to_tensor([3, 1, 3]), return_counts=True)
    >>> values.tolist(), counts.tolist()
    ([1, 3], [1, 2])
    """
    where_ = None if axis is None else int_argument(axis, "unique", "axis")
    return _several(ops.unique(x, axis=where_), (return_index, return_inverse, return_counts), dtype)


def unique_consecutive(
    x: Any,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    dtype: Any = "int64",
    name: str | None = None,
) -> Any:
    """`x` without elements (or slices along `axis`) that equal the one before; arguments as for `unique`.

    >>> import paddlite as paddle
    >>> paddle.unique_consecutive(paddle.to_tensor([1, 1, 2, 1])).tolist()
    [1, 2, 1]
    """
    where_ = None if axis is None else int_argument(axis, "unique_consecutive", "axis")
    return _several(ops.unique_consecutive(x, axis=where_), (return_inverse, return_counts), dtype)


def shard_index(input: Any, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Any:
    """Numbers of [0, index_num) that belong to shard `shard_id` counted from its start; others as `ignore_value`.

    Each of `nshards` shards holds ceil(index_num / nshards) numbers.

    >>> import paddlite as paddle
    >>> paddle.shard_index(paddle.to_tensor([[16], [1]]), 20, 2, 0).tolist()
    [[-1], [1]]
    """
    if index_num < 1:
        raise InvalidArgument(f"shard_index: index_num must be at least 1, got {index_num}")
    if not 0 <= shard_id < nshards:
        raise InvalidArgument(f"shard_index: shard_id must lie in [0, {nshards}), got {shard_id}")
    return _shard_index(input, index_num=index_num, nshards=nshards, shard_id=shard_id, ignore_value=ignore_value)


__all__ = [
    "crop", "masked_fill", "masked_scatter", "masked_select", "narrow", "select_scatter", "shard_index", "slice",
    "slice_scatter", "strided_slice", "unique", "unique_consecutive",
]  # fmt: skip
METHODS = [name for name in __all__ if name != "crop"]
INPLACE = ("masked_fill", "masked_scatter")
