"""The same elements under another shape: `paddle.reshape`, `paddle.transpose` and their kin, most of them views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.backend.dtypes import numpy_dtype
from paddlite.core.dim import Dim
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.tensor import TensorBase
from paddlite.ops.arithmetic import cast as _cast
from paddlite.ops.dynamic import At
from paddlite.ops.infer import axis_in
from paddlite.ops.rearrange import diagonal as _diagonal
from paddlite.ops.rearrange import flip as _flip
from paddlite.ops.rearrange import roll as _roll
from paddlite.ops.shape import flatten as _flatten
from paddlite.ops.shape import reshape as _reshape
from paddlite.ops.shape import reshape_by as _reshape_by
from paddlite.ops.shape import squeeze as _squeeze
from paddlite.ops.shape import transpose as _transpose
from paddlite.ops.shape import unflatten as _unflatten
from paddlite.ops.shape import unsqueeze as _unsqueeze
from paddlite.ops.view import as_strided as _as_strided
from paddlite.ops.view import unfold as _unfold
from paddlite.ops.view import view_dtype as _view_dtype
from paddlite.tensor.arguments import int_argument, ints_argument
from paddlite.tensor.convert import to_tensor
from paddlite.tensor.sizes import listed, sizes_argument


def reshape(x: Any, shape: Any, *more: int, name: str | None = None) -> Any:
    """The elements of `x` in row-major order under another shape; a view where the strides of `x` allow it.

    Args:
        shape: sizes: a list of ints and one-element tensors, an integer tensor, or one by one.  0 keeps the size of
            `x` at that place, one -1 stands for what is left over.

    Raises:
        ValueError: the number of elements does not fit.

    >>> import paddlite as paddle
    >>> paddle.arange(6).reshape([0, -1]).shape, paddle.arange(6).reshape([2, -1]).shape
    (paddle.Size([6, 1]), paddle.Size([2, 3]))
    """
    if more:
        shape = listed(shape, more)
    if x._block is not None and isinstance(shape, (list, tuple)):  # an unknown size of x that stays at its place
        shape = [0 if type(size) is Dim and size.of(x, axis) else size for axis, size in enumerate(shape)]
    items, held = sizes_argument(shape, "reshape")
    if not held:
        return _reshape(x, shape=items)
    if len(held) == 1 and -1 not in items:  # what is left over must be the one unknown size
        return _reshape(x, shape=tuple([-1 if type(size) is At else size for size in items]))
    return _reshape_by(x, *held, shape=items)


def view(x: Any, shape_or_dtype: Any, *more: int, name: str | None = None) -> Any:
    """`reshape` for a shape; for a dtype, the same memory read as that dtype (the last size changes with the width).

    >>> import paddlite as paddle
    >>> paddle.to_tensor([1.0]).view("int32").tolist()
    [1065353216]
    """
    if isinstance(shape_or_dtype, (list, tuple, int, TensorBase)):
        return reshape(x, shape_or_dtype, *more)
    return _view_dtype(x, dtype=numpy_dtype(shape_or_dtype))


def view_as(x: Any, other: Any, name: str | None = None) -> Any:
    """`x` under the shape of `other`."""
    return _reshape(x, shape=tuple(other._shape))


def transpose(x: Any, perm: Any, *more: int, name: str | None = None) -> Any:
    """A view of `x` with its axes in the order `perm`; with two ints, a view with these two axes swapped.

    Raises:
        ValueError: `perm` does not name every axis once.

    >>> import paddlite as paddle
    >>> paddle.zeros([2, 3, 4]).transpose([2, 0, 1]).shape
    paddle.Size([4, 2, 3])
    """
    if more and type(more[0]) is int:
        return swapaxes(x, perm, more[0])
    kind = type(perm)
    return _transpose(
        x, perm=tuple(perm) if kind is list or kind is tuple else ints_argument(perm, "transpose", "perm")
    )


def permute(input: Any, dims: Any, *more: int) -> Any:
    """A view of `input` with its axes in the order `dims`, a list or ints one by one."""
    return _transpose(input, perm=ints_argument(listed(dims, more), "permute", "dims"))


def swapaxes(x: Any, axis0: Any, axis1: Any, name: str | None = None) -> Any:
    """A view of `x` with two axes swapped.

    >>> import paddlite as paddle
    >>> paddle.swapaxes(paddle.zeros([2, 3, 4]), 0, -1).shape
    paddle.Size([4, 3, 2])
    """
    rank = len(x._shape)
    perm = list(range(rank))
    a, b = (axis_in(int_argument(axis, "swapaxes", "axis"), rank, "swapaxes") for axis in (axis0, axis1))
    if rank:
        perm[a], perm[b] = b, a
    return _transpose(x, perm=tuple(perm))


def swapdims(x: Any, axis0: Any, axis1: Any, name: str | None = None) -> Any:
    """The same as `swapaxes`."""
    return swapaxes(x, axis0, axis1)


def moveaxis(x: Any, source: Any, destination: Any, name: str | None = None) -> Any:
    """A view of `x` with the axes `source` (an int or a list) at the places `destination`; the others keep their order.

    >>> import paddlite as paddle
    >>> paddle.moveaxis(paddle.zeros([2, 3, 4]), 0, -1).shape
    paddle.Size([3, 4, 2])
    """
    rank = len(x._shape)
    moved = [axis_in(a, rank, "moveaxis", "source") for a in ints_argument(source, "moveaxis", "source")]
    places = [
        axis_in(a, rank, "moveaxis", "destination") for a in ints_argument(destination, "moveaxis", "destination")
    ]
    if len(moved) != len(places) or len(set(moved)) != len(moved) or len(set(places)) != len(places):
        raise InvalidArgument(
            f"moveaxis: want as many different axes in source as in destination, got {source} and {destination}"
        )
    order = [axis for axis in range(rank) if axis not in moved]
    for place, axis in sorted(zip(places, moved)):
        order.insert(place, axis)
    return _transpose(x, perm=tuple(order))


def t(input: Any, name: str | None = None) -> Any:
    """A view of the matrix `input` with rows and columns swapped; vectors and 0-D tensors as they are.

    Raises:
        ValueError: `input` has more than 2 axes.
    """
    rank = len(input._shape)
    if rank > 2:
        raise ShapeMismatch(f"t: want at most 2 axes, got shape {list(input._shape)}; use transpose")
    return _transpose(input, perm=(1, 0) if rank == 2 else tuple(range(rank)))


def matrix_transpose(x: Any, name: str | None = None) -> Any:
    """A view of `x` with its last two axes swapped.

    Raises:
        ValueError: `x` has fewer than 2 axes.
    """
    if len(x._shape) < 2:
        raise ShapeMismatch(f"matrix_transpose: want at least 2 axes, got shape {list(x._shape)}")
    return swapaxes(x, -1, -2)


def squeeze(x: Any, axis: Any = None, *more: int, name: str | None = None) -> Any:
    """A view of `x` without its axes of size 1, or without those of them that `axis` (an int or a list) names.

    >>> import paddlite as paddle
    >>> paddle.zeros([1, 3, 1]).squeeze(0).shape
    paddle.Size([3, 1])
    """
    if more and type(more[0]) is int:
        axis = (axis, *more)
    if type(axis) is int:
        return _squeeze(x, axes=(axis,))
    return _squeeze(x, axes=None if axis is None else ints_argument(axis, "squeeze", "axis"))


def unsqueeze(x: Any, axis: Any, name: str | None = None) -> Any:
    """A view of `x` with axes of size 1 put in at the places `axis` (an int or a list), one after another.

    >>> import paddlite as paddle
    >>> paddle.zeros([3, 5]).unsqueeze([0, -1]).shape
    paddle.Size([1, 3, 5, 1])
    """
    return _unsqueeze(x, axes=(axis,) if type(axis) is int else ints_argument(axis, "unsqueeze", "axis"))


def flatten(x: Any, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Any:
    """A view of `x` with the axes from `start_axis` to `stop_axis` made one; 0-D tensors get shape [1].

    >>> import paddlite as paddle
    >>> paddle.zeros([2, 3, 4]).flatten(1).shape
    paddle.Size([2, 12])
    """
    return _flatten(x, start_axis=start_axis, stop_axis=stop_axis)


def ravel(input: Any) -> Any:
    """All elements of `input` on one axis."""
    return _flatten(input, start_axis=0, stop_axis=-1)


def unflatten(x: Any, axis: Any, shape: Any, name: str | None = None) -> Any:
    """A view of `x` with `axis` divided into axes of the sizes `shape`, one of which may be -1.

    >>> import paddlite as paddle
    >>> paddle.zeros([4, 6]).unflatten(1, [2, -1]).shape
    paddle.Size([4, 2, 3])
    """
    where = int_argument(axis, "unflatten", "axis")
    return _unflatten(x, axis=where, shape=ints_argument(shape, "unflatten", "shape"))


def _each(inputs: tuple, rank: int, widen: Callable) -> Any:
    """`widen` applied to the tensors with fewer than `rank` axes; one tensor, or a list of several."""
    given = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) else inputs
    tensors = [x if isinstance(x, TensorBase) else to_tensor(x) for x in given]
    found = [widen(x) if len(x._shape) < rank else x for x in tensors]
    return found[0] if len(found) == 1 else found


def atleast_1d(*inputs: Any, name: str | None = None) -> Any:
    """The tensors, 0-D ones with shape [1]; a list where there are several.

    >>> import paddlite as paddle
    >>> paddle.atleast_1d(paddle.to_tensor(3)).shape
    paddle.Size([1])
    """
    return _each(inputs, 1, lambda x: _unsqueeze(x, axes=(0,)))


def atleast_2d(*inputs: Any, name: str | None = None) -> Any:
    """The tensors with at least 2 axes, new ones of size 1 in front; a list where there are several."""
    return _each(inputs, 2, lambda x: _unsqueeze(x, axes=(0,) * (2 - len(x._shape))))


def atleast_3d(*inputs: Any, name: str | None = None) -> Any:
    """The tensors with at least 3 axes: [n] becomes [1, n, 1] and [m, n] becomes [m, n, 1]."""
    return _each(inputs, 3, lambda x: _unsqueeze(x, axes=((0, 0, 0), (0, 2), (2,))[len(x._shape)]))


def as_strided(x: Any, shape: Any, stride: Any, offset: int = 0, name: str | None = None) -> Any:
    """A view whose element [i, j, ...] is element offset + i * stride[0] + j * stride[1] + ... of `x`.

    The elements of `x` are counted in row-major order; a tensor that does not lie in memory like that is copied first.

    Args:
        offset: in bytes, as in Paddle.

    Raises:
        ValueError: the view would reach beyond `x`.

    >>> import paddlite as paddle
    >>> paddle.arange(5).as_strided([3, 2], [1, 2]).tolist()
    [[0, 2], [1, 3], [2, 4]]
    """
    sizes = ints_argument(shape, "as_strided", "shape")
    if stride is None:
        stride = [int(np.prod(sizes[k + 1 :], dtype=np.int64)) for k in range(len(sizes))]
    if offset % x._dtype.itemsize:
        raise InvalidArgument(
            f"as_strided: offset {offset} bytes is no whole number of elements of {x._dtype.itemsize} bytes"
        )
    steps = ints_argument(stride, "as_strided", "stride")
    return _as_strided(x, shape=sizes, stride=steps, offset=offset // x._dtype.itemsize)


def unfold(x: Any, axis: int, size: int, step: int, name: str | None = None) -> Any:
    """A view of windows of `size` that slide along `axis` by `step`; the place inside the window is the last axis.

    >>> import paddlite as paddle
    >>> paddle.arange(5).unfold(0, 3, 1).tolist()
    [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    """
    return _unfold(x, axis=axis, size=size, step=step)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None) -> Any:
    """A view of the diagonals over the axes `axis1` and `axis2`, as a new last axis.

    Args:
        offset: which diagonal: above (> 0) or below (< 0) the main one.

    >>> import paddlite as paddle
    >>> paddle.diagonal(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
    [1, 4]
    """
    return _diagonal(x, offset=offset, axis1=axis1, axis2=axis2)


def cast(x: Any, dtype: Any) -> Any:
    """A copy of `x` in `dtype`; gradients come back in the dtype of `x`.  `Tensor.astype` copies only where it must.

    >>> import paddlite as paddle
    >>> paddle.cast(paddle.to_tensor([1.7]), "int64").tolist()
    [1]
    """
    return _cast(x, dtype=numpy_dtype(dtype))


def flip(x: Any, axis: Any, *more: int, name: str | None = None) -> Any:
    """A copy of `x` with the order of its elements turned round along `axis` (an int or a list).

    >>> import paddlite as paddle
    >>> paddle.flip(paddle.to_tensor([1, 2, 3]), 0).tolist()
    [3, 2, 1]
    """
    return _flip(x, axis=ints_argument(listed(axis, more), "flip", "axis"))


def reverse(x: Any, axis: Any, name: str | None = None) -> Any:
    """The same as `flip`."""
    return flip(x, axis)


def rot90(x: Any, k: int = 1, axes: Any = (0, 1), name: str | None = None) -> Any:
    """`x` turned by `k` quarter turns in the plane of two `axes`, from the first towards the second.

    >>> import paddlite as paddle
    >>> paddle.rot90(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """
    rank = len(x._shape)
    plane = [axis_in(a, rank, "rot90", "axes") for a in axes]
    if len(plane) != 2 or plane[0] == plane[1]:
        raise InvalidArgument(f"rot90: axes must name two different axes, got {list(axes)}")
    turns = k % 4
    if turns == 2:
        return flip(x, plane)
    if turns == 0:
        return flip(x, [])
    return swapaxes(flip(x, plane[1]), *plane) if turns == 1 else flip(swapaxes(x, *plane), plane[1])


def roll(x: Any, shifts: Any, axis: Any = None, name: str | None = None) -> Any:
    """`x` moved by `shifts` along `axis` (ints or lists), what falls off coming back at the other end.

    Without `axis`, the elements move in row-major order.

    >>> import paddlite as paddle
    >>> paddle.roll(paddle.to_tensor([1, 2, 3]), 1).tolist()
    [3, 1, 2]
    """
    steps = ints_argument(shifts, "roll", "shifts")
    if axis is None:
        return _roll(x, shifts=steps)
    return _roll(x, shifts=steps, axis=ints_argument(axis, "roll", "axis"))


__all__ = [
    "as_strided", "atleast_1d", "atleast_2d", "atleast_3d", "cast", "diagonal", "flatten", "flip", "matrix_transpose",
    "moveaxis", "permute", "ravel", "reshape", "reverse", "roll", "rot90", "squeeze", "swapaxes", "swapdims", "t",
    "transpose", "unflatten", "unfold", "unsqueeze", "view", "view_as",
]  # fmt: skip
METHODS = __all__
RESHAPED = ("cast", "flatten", "reshape", "squeeze", "t", "transpose", "unsqueeze")
INPLACE = ()
