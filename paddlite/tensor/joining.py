"""Putting tensors together and taking them apart: `paddle.concat`, `paddle.split` and their kin."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.tensor import TensorBase
from paddlite.ops.infer import axis_in
from paddlite.ops.join import concat as _concat
from paddlite.ops.join import split as _split
from paddlite.ops.join import stack as _stack
from paddlite.ops.join import unbind as _unbind
from paddlite.ops.join import unstack as _unstack
from paddlite.ops.pad import pad_constant
from paddlite.tensor.arguments import int_argument, ints_argument
from paddlite.tensor.creation import made
from paddlite.tensor.manipulation import atleast_1d, atleast_2d, atleast_3d, unsqueeze


def _tensors(x: Any, function: str) -> Sequence:
    if isinstance(x, (list, tuple)):
        return x
    raise DTypeMismatch(f"{function}: x must be a list of tensors, got {type(x).__name__}")


def concat(x: Any, axis: Any = 0, name: str | None = None, *, out: Any = None) -> Any:
    """The tensors of the list `x`, which differ at most in the size of `axis`, one after another along `axis`.

    Raises:
        ValueError: other sizes or the dtypes differ, or the list is empty.
        TypeError: `x` is no list.

    >>> import paddlite as paddle
    >>> a = paddle.to_tensor([[1, 2]])
    >>> paddle.concat([a, a], axis=0).tolist()
    [[1, 2], [1, 2]]
    """
    result = _concat(*_tensors(x, "concat"), axis=axis if type(axis) is int else int_argument(axis, "concat", "axis"))
    return result if out is None else made(result, out)


def concatenate(x: Any, axis: Any = 0, name: str | None = None, *, out: Any = None) -> Any:
    """The same as `concat`."""
    return concat(x, axis, out=out)


def cat(x: Any, axis: Any = 0, name: str | None = None, *, out: Any = None, dim: Any = None) -> Any:
    """The same as `concat`; `dim` is another name for `axis`."""
    return concat(x, axis if dim is None else dim, out=out)


def stack(x: Any, axis: Any = 0, name: str | None = None, *, out: Any = None) -> Any:
    """The tensors of the list `x`, all of one shape, along a new axis.

    Raises:
        ValueError: shapes or dtypes differ, or the list is empty.
        TypeError: `x` is no list.

    >>> import paddlite as paddle
    >>> paddle.stack([paddle.to_tensor(1), paddle.to_tensor(2)]).tolist()
    [1, 2]
    """
    result = _stack(*_tensors(x, "stack"), axis=axis if type(axis) is int else int_argument(axis, "stack", "axis"))
    return result if out is None else made(result, out)


def split(x: Any, num_or_sections: Any, axis: Any = 0, name: str | None = None) -> list:
    """The parts of `x` along `axis`, as copies: so many equal ones, or parts of the given sizes (one may be -1).

    Raises:
        ValueError: the axis cannot be cut like that.

    >>> import paddlite as paddle
    >>> [part.tolist() for part in paddle.split(paddle.arange(5), [2, -1])]
    [[0, 1], [2, 3, 4]]
    """
    sections = (
        ints_argument(num_or_sections, "split", "num_or_sections")
        if isinstance(num_or_sections, (list, tuple))
        else int_argument(num_or_sections, "split", "num_or_sections")
    )
    return list(_split(x, sections=sections, axis=axis if type(axis) is int else int_argument(axis, "split", "axis")))


def split_with_sizes(x: Any, split_sizes: Any, dim: int = 0) -> list:
    """The parts of `x` of the given sizes along `dim`."""
    return split(x, list(split_sizes), dim)


def chunk(x: Any, chunks: int, axis: Any = 0, name: str | None = None) -> list:
    """`x` cut into `chunks` equal parts along `axis`; see `split`."""
    return split(x, chunks, axis)


def _known_size(x: Any, axis: int, function: str) -> int:
    size = x._shape[axis]
    if size < 0:
        raise InvalidArgument(f"{function}: the size of axis {axis} must be known while a Program is recorded")
    return size


def tensor_split(x: Any, num_or_indices: Any, axis: Any = 0, name: str | None = None) -> list:
    """The parts of `x` along `axis`: so many, the first ones larger by 1 where needed, or cut before given places.

    >>> import paddlite as paddle
    >>> [part.tolist() for part in paddle.tensor_split(paddle.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    """
    axis = axis_in(int_argument(axis, "tensor_split", "axis"), len(x._shape), "tensor_split")
    size = _known_size(x, axis, "tensor_split")
    if isinstance(num_or_indices, (list, tuple)):
        places = ints_argument(num_or_indices, "tensor_split", "num_or_indices")
        bounds = [0, *[min(max(p + size if p < 0 else p, 0), size) for p in places], size]
        return list(_split(_ordered(x, bounds, axis), sections=_sizes(bounds), axis=axis))
    count = int_argument(num_or_indices, "tensor_split", "num_or_indices")
    if count < 1:
        raise InvalidArgument(f"tensor_split: the number of parts must be at least 1, got {count}")
    return list(_split(x, sections=tuple([size // count + (k < size % count) for k in range(count)]), axis=axis))


def _sizes(bounds: list[int]) -> tuple[int, ...]:
    return tuple([end - start for start, end in itertools.pairwise(bounds)])


def _ordered(x: Any, bounds: list[int], axis: int) -> Any:
    if bounds != sorted(bounds):
        raise InvalidArgument(f"tensor_split: the places to cut must not go down, got {bounds[1:-1]}")
    return x


def hsplit(x: Any, num_or_indices: Any, name: str | None = None) -> list:
    """`tensor_split` along axis 1, or along axis 0 of a tensor with one axis."""
    return tensor_split(x, num_or_indices, _axis_of("hsplit", x, 1))


def vsplit(x: Any, num_or_indices: Any, name: str | None = None) -> list:
    """`tensor_split` along axis 0 of a tensor with at least 2 axes."""
    _axis_of("vsplit", x, 2)
    return tensor_split(x, num_or_indices, 0)


def dsplit(x: Any, num_or_indices: Any, name: str | None = None) -> list:
    """`tensor_split` along axis 2 of a tensor with at least 3 axes."""
    _axis_of("dsplit", x, 3)
    return tensor_split(x, num_or_indices, 2)


def _axis_of(function: str, x: Any, least: int) -> int:
    rank = len(x._shape)
    if rank < least:
        raise InvalidArgument(f"{function}: want a tensor of at least {least} axes, got shape {list(x._shape)}")
    return min(1, rank - 1)


def unbind(input: Any, axis: int = 0) -> list:
    """The slices of `input` along `axis`, without that axis, as views.

    >>> import paddlite as paddle
    >>> [row.tolist() for row in paddle.unbind(paddle.to_tensor([[1, 2], [3, 4]]))]
    [[1, 2], [3, 4]]
    """
    return list(_unbind(input, axis=int_argument(axis, "unbind", "axis")))


def unstack(x: Any, axis: int = 0, num: int | None = None) -> list:
    """The slices of `x` along `axis`, without that axis, as copies.

    Raises:
        ValueError: `num` is given and is not the size of the axis.
    """
    axis = int_argument(axis, "unstack", "axis")
    found = x._shape[axis_in(axis, len(x._shape), "unstack")]
    if num is not None and 0 <= found != num:
        raise InvalidArgument(f"unstack: axis {axis} has size {found}, not num={num}")
    return list(_unstack(x, axis=axis))


def hstack(x: Any, name: str | None = None) -> Any:
    """The tensors side by side: along axis 1, or along axis 0 where they have one axis.

    >>> import paddlite as paddle
    >>> paddle.hstack([paddle.to_tensor([1, 2]), paddle.to_tensor([3])]).tolist()
    [1, 2, 3]
    """
    tensors = _many(atleast_1d, _tensors(x, "hstack"))
    return concat(tensors, axis=0 if len(tensors[0]._shape) == 1 else 1)


def vstack(x: Any, name: str | None = None) -> Any:
    """The tensors one below the other, along axis 0; vectors count as rows."""
    return concat(_many(atleast_2d, _tensors(x, "vstack")), axis=0)


def row_stack(x: Any, name: str | None = None) -> Any:
    """The same as `vstack`."""
    return vstack(x)


def dstack(x: Any, name: str | None = None) -> Any:
    """The tensors behind each other, along axis 2."""
    return concat(_many(atleast_3d, _tensors(x, "dstack")), axis=2)


def column_stack(x: Any, name: str | None = None) -> Any:
    """The tensors side by side along axis 1; vectors count as columns."""
    tensors = _many(atleast_1d, _tensors(x, "column_stack"))
    return concat([unsqueeze(one, 1) if len(one._shape) == 1 else one for one in tensors], axis=1)


def _many(widen: Any, tensors: Sequence) -> list:
    if not tensors:
        raise InvalidArgument("stack: want at least one tensor, got an empty list")
    return [widen(one) for one in tensors]


def block_diag(inputs: Any, name: str | None = None) -> Any:
    """The matrices of the list `inputs` along the diagonal of one matrix of zeros; vectors count as rows.

    >>> import paddlite as paddle
    >>> paddle.block_diag([paddle.ones([1, 2]), paddle.ones([1, 1])]).tolist()
    [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    blocks = _many(atleast_2d, _tensors(inputs, "block_diag"))
    width = sum(block._shape[1] for block in blocks)
    rows, before = [], 0
    for block in blocks:
        if len(block._shape) != 2:
            raise InvalidArgument(f"block_diag: want at most 2 axes, got shape {list(block._shape)}")
        after = width - before - block._shape[1]
        rows.append(pad_constant(block, paddings=((0, 0), (before, after))))
        before += block._shape[1]
    return concat(rows, axis=0)


def as_list(x: Any) -> list:
    """Tensors given as a list, or one by one in a tuple that holds a list."""
    given = x[0] if len(x) == 1 and isinstance(x[0], (list, tuple)) else x
    for one in given:
        if not isinstance(one, TensorBase):
            raise DTypeMismatch(f"want tensors, got {type(one).__name__}")
    return list(given)


__all__ = [
    "block_diag", "cat", "chunk", "column_stack", "concat", "concatenate", "dsplit", "dstack", "hsplit", "hstack",
    "row_stack", "split", "stack", "tensor_split", "unbind", "unstack", "vsplit", "vstack",
]  # fmt: skip
METHODS = (
    "block_diag", "chunk", "concat", "dsplit", "hsplit", "split", "split_with_sizes", "stack", "tensor_split", "unbind",
    "unstack", "vsplit",
)  # fmt: skip
