"""Repeating: `paddle.tile`, `paddle.expand`, `paddle.repeat_interleave` and their kin."""

from __future__ import annotations

import itertools
from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.program import Variable
from paddlite.core.tensor import TensorBase
from paddlite.ops.expand import expand as _expand
from paddlite.ops.expand import expand_as as _expand_as
from paddlite.ops.expand import meshgrid as _meshgrid
from paddlite.ops.expand import repeat_interleave as _repeat
from paddlite.ops.expand import repeat_numbers
from paddlite.ops.expand import tile as _tile
from paddlite.ops.gather import gather
from paddlite.ops.infer import axis_in, broadcast_shapes
from paddlite.ops.shape import flatten
from paddlite.tensor.arguments import int_argument
from paddlite.tensor.convert import to_tensor
from paddlite.tensor.creation import empty
from paddlite.tensor.joining import as_list, stack
from paddlite.tensor.manipulation import reshape, transpose
from paddlite.tensor.sizes import listed, sizes_argument


def tile(x: Any, repeat_times: Any, *more: int, name: str | None = None) -> Any:
    """`x` repeated `repeat_times[k]` times along axis k; the last number counts for the last axis.

    >>> import paddlite as paddle
    >>> paddle.tile(paddle.to_tensor([1, 2]), [2, 2]).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    items, held = sizes_argument(repeat_times, "tile", "repeat_times")
    return _tile(x, *held, repeat_times=items)


def repeat(input: Any, *repeats: Any) -> Any:
    """`tile` with the numbers one by one."""
    return tile(input, listed(repeats[0], repeats[1:]))


def expand(x: Any, shape: Any, *more: int, name: str | None = None) -> Any:
    """A copy of `x` of the given shape: axes of size 1 repeated, new axes in front; -1 keeps a size.

    Raises:
        ValueError: an axis whose size is not 1 would change.

    >>> import paddlite as paddle
    >>> paddle.expand(paddle.to_tensor([[1], [2]]), [-1, 3]).tolist()
    [[1, 1, 1], [2, 2, 2]]
    """
    items, held = sizes_argument(listed(shape, more) if more else shape, "expand")
    return _expand(x, *held, shape=items)


def broadcast_to(x: Any, shape: Any, name: str | None = None) -> Any:
    """The same as `expand`."""
    return expand(x, shape)


def expand_as(x: Any, y: Any, name: str | None = None) -> Any:
    """A copy of `x` expanded to the shape of `y`."""
    return _expand_as(x, y)


def broadcast_shape(x_shape: Any, y_shape: Any) -> list[int]:
    """The shape to which two shapes broadcast.

    >>> import paddlite as paddle
    >>> paddle.broadcast_shape([2, 1], [1, 3])
    [2, 3]
    """
    return list(broadcast_shapes(tuple(x_shape), tuple(y_shape), "broadcast_shape"))


def broadcast_tensors(input: Any, name: str | None = None) -> list:
    """Copies of the tensors of the list `input`, all expanded to the shape to which they broadcast.

    >>> import paddlite as paddle
    >>> [t.shape for t in paddle.broadcast_tensors([paddle.ones([2, 1]), paddle.ones([3])])]
    [paddle.Size([2, 3]), paddle.Size([2, 3])]
    """
    tensors = as_list([input])
    if not tensors:
        raise InvalidArgument("broadcast_tensors: want at least one tensor, got an empty list")
    shape: tuple[int, ...] = ()
    for one in tensors:
        shape = broadcast_shapes(shape, one._shape, "broadcast_tensors")
    if -1 not in shape:
        return [_expand(one, shape=shape) for one in tensors]
    whole = tensors[0]
    for one in tensors[1:]:  # unknown sizes: a sum has the shape to expand to
        whole = whole + one
    return [_expand_as(one, whole) for one in tensors]


def repeat_interleave(
    x: Any, repeats: Any, axis: int | None = None, name: str | None = None, *, output_size: int | None = None
) -> Any:
    """Each slice of `x` along `axis` written `repeats` times; without `axis`, each element, in row-major order.

    Args:
        repeats: an int, or a 1-D integer tensor with a number for every slice.
        output_size: not needed; there for compatibility.

    Raises:
        ValueError: `repeats` is a tensor of another size than the axis.

    >>> import paddlite as paddle
    >>> paddle.repeat_interleave(paddle.to_tensor([1, 2]), 2).tolist()
    [1, 1, 2, 2]
    """
    if axis is None:
        x, axis = flatten(x), 0
    axis = int_argument(axis, "repeat_interleave", "axis")
    if not isinstance(repeats, TensorBase):
        return _repeat(x, repeats=int_argument(repeats, "repeat_interleave", "repeats"), axis=axis)
    size = x._shape[axis_in(axis, len(x._shape), "repeat_interleave")]
    given = repeats._shape[0] if len(repeats._shape) == 1 else 1
    if given == 1 and size != 1 and not isinstance(repeats, Variable):
        return _repeat(x, repeats=int_argument(repeats, "repeat_interleave", "repeats"), axis=axis)
    if given != size and -1 not in (given, size):
        raise InvalidArgument(
            f"repeat_interleave: repeats must hold one number a slice, {size}, got shape {list(repeats._shape)}"
        )
    return gather(x, repeat_numbers(repeats), axis=axis)


def meshgrid(*args: Any, indexing: str = "ij", name: str | None = None) -> list:
    """The coordinates of a grid over 1-D tensors, one tensor an axis, each of the shape of the grid.

    Args:
        args: 1-D or 0-D tensors, or one list of them.
        indexing: "ij", or "xy" to have the first two axes swapped.

    >>> import paddlite as paddle
    >>> x, y = paddle.meshgrid(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4, 5]))
    >>> x.tolist(), y.tolist()
    ([[1, 1, 1], [2, 2, 2]], [[3, 4, 5], [3, 4, 5]])
    """
    if indexing not in ("ij", "xy"):
        raise InvalidArgument(f"meshgrid: indexing must be 'ij' or 'xy', got {indexing!r}")
    grids = list(_meshgrid(*as_list(args)))
    if indexing == "xy" and len(grids) > 1:
        order = [1, 0, *range(2, len(grids))]
        return [transpose(grid, order) for grid in grids]
    return grids


def cartesian_prod(x: Any, name: str | None = None) -> Any:
    """Every combination of one element of each of the 1-D tensors of the list `x`, one a row.

    >>> import paddlite as paddle
    >>> paddle.cartesian_prod([paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])]).tolist()
    [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    tensors = as_list([x])
    for one in tensors:
        if len(one._shape) != 1:
            raise InvalidArgument(f"cartesian_prod: want 1-D tensors, got shape {list(one._shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack([reshape(grid, [-1]) for grid in _meshgrid(*tensors)], axis=1)


def combinations(x: Any, r: int = 2, with_replacement: bool = False, name: str | None = None) -> Any:
    """Every choice of `r` elements of the 1-D tensor `x`, in its order, one a row.

    >>> import paddlite as paddle
    >>> paddle.combinations(paddle.to_tensor([1, 2, 3])).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    if len(x._shape) != 1 or r < 0:
        raise InvalidArgument(f"combinations: want a 1-D tensor and r >= 0, got shape {list(x._shape)} and r={r}")
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = [list(row) for row in choose(range(x._shape[0]), r)] if r else []
    if not rows:
        return empty([0, r] if r else [0], x.dtype)
    return gather(x, to_tensor(rows))


__all__ = [
    "broadcast_shape", "broadcast_tensors", "broadcast_to", "cartesian_prod", "combinations", "expand", "expand_as",
    "meshgrid", "repeat_interleave", "tile",
]  # fmt: skip
METHODS = (
    "broadcast_tensors", "broadcast_to", "combinations", "expand", "expand_as", "repeat", "repeat_interleave", "tile",
)  # fmt: skip
