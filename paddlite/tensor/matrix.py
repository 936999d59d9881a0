"""Matrix products: `paddle.matmul`, `paddle.tensordot` and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.tensor import TensorBase
from paddlite.ops import norms as norm_ops
from paddlite.ops.arithmetic import cast, conj, elementwise_add, elementwise_mul
from paddlite.ops.infer import axis_in
from paddlite.ops.like import zeros_like
from paddlite.ops.matmul import matmul as _matmul
from paddlite.ops.matrices import inverse as _inverse
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.shape import flatten, reshape, transpose, unsqueeze
from paddlite.tensor.arguments import int_argument, ints_argument
from paddlite.tensor.creation import eye, made


def matmul(
    x: Any, y: Any, transpose_x: bool = False, transpose_y: bool = False, name: str | None = None, *, out: Any = None
) -> Any:
    """The matrix product of `x` and `y` over their last two axes; the axes before are broadcast.

    A vector counts as a row on the left and as a column on the right, and that axis is not in the result.

    Args:
        transpose_x, transpose_y: swap the last two axes first.

    Raises:
        ValueError: the sizes do not fit.

    >>> import paddlite as paddle
    >>> paddle.matmul(paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[3.0], [4.0]])).tolist()
    [[11.0]]
    """
    result = _matmul(x, y, transpose_x=transpose_x, transpose_y=transpose_y)
    return result if out is None else made(result, out)


def mm(input: Any, mat2: Any, name: str | None = None, *, out: Any = None) -> Any:
    """`matmul(input, mat2)`."""
    return matmul(input, mat2, out=out)


def bmm(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The products of the matrices of two batches, [b, m, k] and [b, k, n].

    Raises:
        ValueError: a tensor has not 3 axes, or the batches differ in size.
    """
    if (
        len(x._shape) != 3
        or len(y._shape) != 3
        or (x._shape[0] != y._shape[0] and -1 not in (x._shape[0], y._shape[0]))
    ):
        raise ShapeMismatch(
            f"bmm: want shapes [b, m, k] and [b, k, n], got {list(x._shape)} and {list(y._shape)}; matmul broadcasts"
        )
    return matmul(x, y, out=out)


def mv(x: Any, vec: Any, name: str | None = None) -> Any:
    """The product of the matrix `x` and the vector `vec`."""
    if len(x._shape) != 2 or len(vec._shape) != 1:
        raise ShapeMismatch(f"mv: want a matrix and a vector, got shapes {list(x._shape)} and {list(vec._shape)}")
    return _matmul(x, vec)


def _sum(x: Any, axis: int = -1) -> Any:
    total = reduce_sum(x, axis=axis)
    return total if total._dtype == x._dtype else cast(total, dtype=x._dtype)


def vecdot(x: Any, y: Any, axis: int = -1, name: str | None = None) -> Any:
    """The sum of conj(x) * y over `axis`; both are broadcast together."""
    return _sum(elementwise_mul(conj(x), y), axis)


def cross(x: Any, y: Any, axis: int = 9, name: str | None = None, *, out: Any = None) -> Any:
    """The vector product along `axis` (the first axis of size 3, if left out).

    Raises:
        ValueError: the axis has not size 3.

    >>> import paddlite as paddle
    >>> paddle.cross(paddle.to_tensor([1.0, 0.0, 0.0]), paddle.to_tensor([0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    if axis == 9:
        if 3 not in x._shape:
            raise ShapeMismatch(f"cross: no axis has size 3 in shape {list(x._shape)}")
        axis = x._shape.index(3)
    result = norm_ops.cross(x, y, axis=axis)
    return result if out is None else made(result, out)


def _contracted(axes: Any) -> tuple[list[int], list[int]] | int:
    """The axes to sum over, of the left and the right tensor; or how many."""
    if isinstance(axes, TensorBase):
        axes = axes.tolist()  # type: ignore[attr-defined]
    if isinstance(axes, (int, np.integer)):
        if axes < 0:
            raise InvalidArgument(f"tensordot: the number of axes must not be negative, got {axes}")
        return int(axes)
    parts = [list(ints_argument(a, "tensordot", "axes")) for a in axes]
    if axes and all(isinstance(a, (int, np.integer)) for a in axes):
        parts = [[a for part in parts for a in part]]
    if not 0 < len(parts) < 3:
        raise InvalidArgument(f"tensordot: axes must be an int or one or two lists, got {axes}")
    left, right = parts[0], parts[-1]
    count = max(len(left), len(right))
    return left + right[len(left) : count], right + left[len(right) : count]


def tensordot(x: Any, y: Any, axes: Any = 2, name: str | None = None) -> Any:
    """The sums of x * y over axes of both, for every pair of their other indices.

    Args:
        axes: how many of the last axes of `x` and the first of `y`; or the axes themselves, one list for both or two.

    Raises:
        ValueError: the sizes of these axes differ.

    >>> import paddlite as paddle
    >>> paddle.tensordot(paddle.ones([2, 3]), paddle.ones([3, 4]), 1).tolist()[0]
    [3.0, 3.0, 3.0, 3.0]
    """
    found = _contracted(axes)
    rank_x, rank_y = len(x._shape), len(y._shape)
    if isinstance(found, int):
        found = list(range(rank_x - found, rank_x)), list(range(found))
    left = [axis_in(a, rank_x, "tensordot", "axes") for a in found[0]]
    right = [axis_in(a, rank_y, "tensordot", "axes") for a in found[1]]
    for a, b in zip(left, right):
        if x._shape[a] != y._shape[b] and -1 not in (x._shape[a], y._shape[b]):
            raise ShapeMismatch(
                f"tensordot: axis {a} of {list(x._shape)} and axis {b} of {list(y._shape)} must have one size"
            )
    keep_x = [a for a in range(rank_x) if a not in left]
    keep_y = [b for b in range(rank_y) if b not in right]
    rows = _grouped(transpose(x, perm=(*keep_x, *left)), len(keep_x))
    columns = _grouped(transpose(y, perm=(*right, *keep_y)), len(right))
    return reshape(_matmul(rows, columns), shape=(*[x._shape[a] for a in keep_x], *[y._shape[b] for b in keep_y]))


def _grouped(x: Any, front: int) -> Any:
    """`x` as a matrix: its first `front` axes made one, and the others."""
    rank = len(x._shape)
    back = x if rank > front else unsqueeze(x, axes=(rank,))
    back = flatten(back, start_axis=front, stop_axis=-1)
    return flatten(back, start_axis=0, stop_axis=front - 1) if front else unsqueeze(back, axes=(0,))


def multi_dot(x: Sequence, name: str | None = None) -> Any:
    """The product of the matrices of the list `x`, multiplied in the order that takes the fewest operations.

    The first and the last may be vectors.

    >>> import paddlite as paddle
    >>> paddle.linalg.multi_dot([paddle.ones([2, 3]), paddle.ones([3, 1]), paddle.ones([1, 2])]).tolist()
    [[3.0, 3.0], [3.0, 3.0]]
    """
    matrices = list(x)
    if len(matrices) < 2:
        raise InvalidArgument(f"multi_dot: want at least 2 tensors, got {len(matrices)}")
    if any(len(m._shape) != 2 for m in matrices[1:-1]) or any(len(m._shape) not in (1, 2) for m in matrices):
        raise ShapeMismatch(f"multi_dot: want matrices, got shapes {[list(m._shape) for m in matrices]}")
    first, last = matrices[0], matrices[-1]
    sizes = [1 if len(first._shape) == 1 else first._shape[0]]
    sizes += [m._shape[-2] if len(m._shape) == 2 else m._shape[0] for m in matrices[1:]]
    sizes += [1 if len(last._shape) == 1 else last._shape[-1]]
    return _chain(matrices, _best_cuts(sizes), 0, len(matrices) - 1)


def _best_cuts(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Where to cut each part of the chain: Cormen et al., "Introduction to algorithms", section 15.2."""
    count = len(sizes) - 1
    cost: dict[tuple[int, int], float] = {(i, i): 0.0 for i in range(count)}
    cuts = {}
    for width in range(1, count):
        for i in range(count - width):
            j = i + width
            options = [(cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i, j], cuts[i, j] = min(options)
    return cuts


def _chain(matrices: list, cuts: dict, i: int, j: int) -> Any:
    if i == j:
        return matrices[i]
    k = cuts[i, j]
    return _matmul(_chain(matrices, cuts, i, k), _chain(matrices, cuts, k + 1, j))


def matrix_power(x: Any, n: int, name: str | None = None) -> Any:
    """The square matrices `x` to the power `n`, by repeated squaring; a negative power is that of the inverse.

    >>> import paddlite as paddle
    >>> paddle.linalg.matrix_power(paddle.to_tensor([[1.0, 1.0], [0.0, 1.0]]), 3).tolist()
    [[1.0, 3.0], [0.0, 1.0]]
    """
    if len(x._shape) < 2 or (x._shape[-1] != x._shape[-2] and -1 not in x._shape[-2:]):
        raise ShapeMismatch(f"matrix_power: want square matrices over the last two axes, got shape {list(x._shape)}")
    n = int_argument(n, "matrix_power", "n")
    if n == 0:
        return elementwise_add(zeros_like(x), eye(x._shape[-1], dtype=x.dtype))
    power, n = (x, n) if n > 0 else (_inverse(x), -n)
    result = None
    while n:
        if n & 1:
            result = power if result is None else _matmul(result, power)
        n >>= 1
        power = _matmul(power, power) if n else power
    return result


__all__ = ["bmm", "cross", "matmul", "mm", "multi_dot", "mv", "tensordot", "vecdot"]
METHODS = [*__all__, "matrix_power"]
