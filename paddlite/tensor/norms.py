"""Norms of vectors and matrices, and distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import numpy_dtype
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.ops import norms as norm_ops
from paddlite.ops.arithmetic import absolute, cast, elementwise_sub
from paddlite.ops.factor import svdvals
from paddlite.ops.infer import axis_in
from paddlite.ops.reduce import reduce_max, reduce_min, reduce_sum
from paddlite.ops.shape import transpose, unsqueeze
from paddlite.tensor.arguments import ints_argument
from paddlite.tensor.creation import made


def vector_norm(
    x: Any,
    p: float = 2.0,
    axis: Any = None,
    keepdim: bool = False,
    name: str | None = None,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """(sum |x|^p)^(1/p) over `axis` (an int, a list, or all axes).

    Args:
        p: any number; inf gives the largest |x|, -inf the smallest, 0 the count of x != 0.
        dtype: what `x` is cast to first.

    Raises:
        TypeError: `x` is not floating point.

    >>> import paddlite as paddle
    >>> paddle.linalg.vector_norm(paddle.to_tensor([3.0, 4.0])).item()
    5.0
    """
    if dtype is not None:
        x = cast(x, dtype=numpy_dtype(dtype))
    where = None if axis is None else ints_argument(axis, "vector_norm", "axis")
    result = norm_ops.p_norm(x, p=float(p), axis=where, keepdim=keepdim)
    return result if out is None else made(result, out)


_MATRIX_NORMS = "'fro', 'nuc', 1, -1, 2, -2, inf or -inf"


def matrix_norm(x: Any, p: Any = "fro", axis: Any = (-2, -1), keepdim: bool = False, name: str | None = None) -> Any:
    """A norm of the matrices over the two axes `axis`.

    Args:
        p: "fro" (root of the sum of squares), "nuc" (sum of the singular values), 2 and -2 (largest and smallest
            singular value), 1 and -1 (largest and smallest column sum of |x|), inf and -inf (row sum).

    Raises:
        ValueError: `p` is none of these.

    >>> import paddlite as paddle
    >>> paddle.linalg.matrix_norm(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), 1).item()
    6.0
    """
    rank = len(x._shape)
    rows, columns = (axis_in(a, rank, "matrix_norm") for a in ints_argument(axis, "matrix_norm", "axis"))
    if rows == columns:
        raise InvalidArgument(f"matrix_norm: axis must name two different axes, got {axis}")
    if p == "fro":
        return norm_ops.p_norm(x, p=2.0, axis=(rows, columns), keepdim=keepdim)
    if p in ("nuc", 2, -2):
        order = [a for a in range(rank) if a not in (rows, columns)]
        values = svdvals(transpose(x, perm=(*order, rows, columns)))
        found = reduce_sum(values, axis=-1) if p == "nuc" else (reduce_max if p == 2 else reduce_min)(values, axis=-1)
    elif p in (1, -1, np.inf, -np.inf):
        sums = reduce_sum(absolute(x), axis=rows if abs(p) == 1 else columns, keepdim=True)
        found = (reduce_max if p > 0 else reduce_min)(sums, axis=(rows, columns))
    else:
        raise InvalidArgument(f"matrix_norm: p must be {_MATRIX_NORMS}, got {p!r}")
    if keepdim:
        found = unsqueeze(found, axes=tuple(sorted((rows, columns))))
    return found


def norm(
    x: Any,
    p: Any = None,
    axis: Any = None,
    keepdim: bool = False,
    out: Any = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """A vector norm over all axes or one (`vector_norm`), or a matrix norm over two (`matrix_norm`).

    Args:
        p: a number, "fro" or "nuc"; left out, the root of the sum of squares.
        axis: None, an int, or a list of one or two ints.

    >>> import paddlite as paddle
    >>> paddle.norm(paddle.to_tensor([[3.0, 0.0], [0.0, 4.0]])).item()
    5.0
    """
    if dtype is not None:
        x = cast(x, dtype=numpy_dtype(dtype))
    axes = None if axis is None else ints_argument(axis, "norm", "axis")
    if axes is None and p == "nuc" and len(x._shape) == 2:
        axes = (0, 1)
    if axes is not None and len(axes) == 2:
        result = matrix_norm(x, "fro" if p is None else p, axes, keepdim)
    elif p == "nuc" or (axes is not None and len(axes) != 1):
        raise InvalidArgument(f"norm: p={p!r} with axis={axis} is no norm of a tensor of shape {list(x._shape)}")
    else:
        result = vector_norm(x, 2.0 if p in (None, "fro") else p, axes, keepdim)
    return result if out is None else made(result, out)


def dist(x: Any, y: Any, p: float = 2, name: str | None = None) -> Any:
    """The `p`-norm of x - y, 0-D; both are broadcast together.

    >>> import paddlite as paddle
    >>> paddle.dist(paddle.to_tensor([3.0, 4.0]), paddle.zeros([2])).item()
    5.0
    """
    return norm_ops.p_norm(elementwise_sub(x, y), p=float(p))


def cdist(
    x: Any,
    y: Any,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
    name: str | None = None,
) -> Any:
    """The `p`-norm of the difference of every row of `x` [..., m, k] and every row of `y` [..., n, k]: [..., m, n].

    >>> import paddlite as paddle
    >>> paddle.cdist(paddle.zeros([1, 2]), paddle.to_tensor([[3.0, 4.0]])).tolist()
    [[5.0]]
    """
    if p < 0:
        raise InvalidArgument(f"cdist: p must be >= 0, got {p}")
    return norm_ops.p_norm(elementwise_sub(unsqueeze(x, axes=(-2,)), unsqueeze(y, axes=(-3,))), p=float(p), axis=-1)


def pdist(x: Any, p: float = 2.0, compute_mode: str = "", name: str | None = None) -> Any:
    """The `p`-norm of the difference of every two rows of the matrix `x`, 1-D, first row first."""
    if len(x._shape) != 2 or x._shape[0] < 0:
        raise ShapeMismatch(f"pdist: want a matrix of known size, got shape {list(x._shape)}")
    rows, columns = np.triu_indices(x._shape[0], 1)
    return norm_ops.p_norm(elementwise_sub(x[rows], x[columns]), p=float(p), axis=-1)


__all__ = ["cdist", "dist", "norm", "pdist"]
METHODS = ("cdist", "dist", "norm")
