"""LU factors, Householder products, and singular vectors of large matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.ops import lu as lu_ops
from paddlite.ops.arithmetic import cast, conj, elementwise_mul, elementwise_sub
from paddlite.ops.factor import qr, svd
from paddlite.ops.gather import take_along_axis
from paddlite.ops.index import basic_index
from paddlite.ops.join import concat
from paddlite.ops.matmul import matmul
from paddlite.ops.matrices import adjoint, triangular_solve
from paddlite.ops.random import gaussian_random
from paddlite.ops.rearrange import tril_triu
from paddlite.ops.reduce import reduce_mean
from paddlite.ops.shape import unsqueeze
from paddlite.tensor.creation import eye


def lu(x: Any, pivot: bool = True, get_infos: bool = False, name: str | None = None) -> tuple:
    """The factors L and U of the matrices `x` with rows exchanged, in one tensor, and the exchanges.

    Args:
        pivot: must be True, as in Paddle on the CPU.
        get_infos: also give, a matrix, the number of the first pivot that is 0 (0: there is none), int32.

    Returns:
        L (below the diagonal, without its ones) and U; the pivots, int32, counted from 1: row k was exchanged with
        row pivots[k] - 1, one after another.

    >>> import paddlite as paddle
    >>> factors, pivots = paddle.linalg.lu(paddle.to_tensor([[1.0, 2.0], [2.0, 2.0]]))
    >>> factors.tolist(), pivots.tolist()
    ([[2.0, 2.0], [0.5, 1.0]], [2, 2])
    """
    if not pivot:
        raise InvalidArgument("lu: pivot must be True")
    factors, pivots, infos = lu_ops.lu(x)
    return (factors, pivots, infos) if get_infos else (factors, pivots)


def lu_unpack(x: Any, y: Any, unpack_ludata: bool = True, unpack_pivots: bool = True, name: str | None = None) -> tuple:
    """P, L and U from what `lu` gives, so that P @ L @ U is the matrix.

    Args:
        x, y: the factors and the pivots.
        unpack_ludata: False to give None for L and U.
        unpack_pivots: False to give None for P.
    """
    lower = upper = permutation = None
    rows, columns = x._shape[-2:]
    small = min(rows, columns)
    if unpack_ludata:
        lower = lu_ops.unit_lower(basic_index(x, index=(Ellipsis, slice(0, small))))
        upper = tril_triu(basic_index(x, index=(Ellipsis, slice(0, small), slice(None))), lower=False)
    if unpack_pivots:
        order = lu_ops.pivot_order(y, x)
        numbers = eye(rows, dtype=x.dtype)
        permutation = numbers[order].swapaxes(-1, -2)
    return permutation, lower, upper


def lu_solve(b: Any, lu: Any, pivots: Any, trans: str = "N", name: str | None = None) -> Any:
    """The z with A @ z = b, where `lu` and `pivots` are what `lu` gives for A.

    Args:
        trans: "N", or "T" or "C" to solve with the transposed or the adjoint of A.
    """
    if trans not in ("N", "T", "C"):
        raise InvalidArgument(f"lu_solve: trans must be 'N', 'T' or 'C', got {trans!r}")
    if trans == "N":
        order = unsqueeze(lu_ops.pivot_order(pivots, lu), axes=(-1,))
        y = take_along_axis(b, order, axis=-2)
        y = triangular_solve(lu, y, upper=False, unitriangular=True)
        return triangular_solve(lu, y, upper=True)
    lu = conj(lu) if trans == "C" else lu
    y = triangular_solve(lu, b, upper=True, transpose=True)
    y = triangular_solve(lu, y, upper=False, transpose=True, unitriangular=True)
    order = unsqueeze(lu_ops.pivot_order(pivots, lu, inverse=True), axes=(-1,))
    return take_along_axis(y, order, axis=-2)


def _reflected(x: Any, tau: Any, y: Any, k: int, turned: bool) -> Any:
    """y - t v (v* y), for the k-th reflector: v has zeros above a one at place k, and below it column k of `x`."""
    rows = x._shape[-2]
    v = tril_triu(basic_index(x, index=(Ellipsis, slice(k, None), slice(k, k + 1))), diagonal=-1)
    one = np.zeros((rows - k, 1), x._dtype)
    one[0] = 1
    v = v + one
    t = basic_index(tau, index=(Ellipsis, slice(k, k + 1)))
    t = unsqueeze(conj(t) if turned else t, axes=(-1,))
    below = basic_index(y, index=(Ellipsis, slice(k, None), slice(None)))
    changed = elementwise_sub(below, matmul(elementwise_mul(v, t), matmul(adjoint(v), below)))
    if k == 0:
        return changed
    return concat(basic_index(y, index=(Ellipsis, slice(0, k), slice(None))), changed, axis=-2)


def householder_product(x: Any, tau: Any, name: str | None = None) -> Any:
    """The first columns of the product of the reflectors that `x` and `tau` hold, as LAPACK's `orgqr` does.

    Args:
        x: [..., m, n] with m >= n; column k below the diagonal holds reflector k.
        tau: [..., k], the scales.
    """
    rows, columns = x._shape[-2:]
    if rows < columns or tau._shape[-1] > columns:
        raise ShapeMismatch(
            f"householder_product: want x [..., m, n] and tau [..., k] with m >= n >= k, got {list(x._shape)} and "
            f"{list(tau._shape)}"
        )
    found = eye(rows, columns, dtype=x.dtype).expand([*x._shape[:-2], rows, columns])
    for k in reversed(range(tau._shape[-1])):
        found = _reflected(x, tau, found, k, False)
    return found


def ormqr(x: Any, tau: Any, y: Any, left: bool = True, transpose: bool = False, name: str | None = None) -> Any:
    """Q @ y (or y @ Q, with left=False), where Q is the product of the reflectors that `x` and `tau` hold.

    Args:
        transpose: use the adjoint of Q.
    """
    if not left:  # y Q is the adjoint of Q* y*
        return adjoint(ormqr(x, tau, adjoint(y), True, not transpose))
    order = range(tau._shape[-1])
    for k in order if transpose else reversed(order):
        y = _reflected(x, tau, y, k, transpose)
    return y


def svd_lowrank(x: Any, q: int | None = None, niter: int = 2, M: Any = None, name: str | None = None) -> tuple:
    """U, S and V of about the `q` largest singular values of `x` (or of x - M), so that (U * S) @ V* is near `x`.

    Halko, Martinsson and Tropp, "Finding structure with randomness" (2011), algorithms 4.4 and 5.1.

    Args:
        q: how many, a little more than the rank; min(6, m, n) if left out.
        niter: how many power iterations sharpen the range.
    """
    x = x if M is None else elementwise_sub(x, M)
    rows, columns = x._shape[-2:]
    q = min(6, rows, columns) if q is None else q
    if not 0 < q <= min(rows, columns) or niter < 0:
        raise InvalidArgument(f"svd_lowrank: want 0 < q <= {min(rows, columns)} and niter >= 0, got {q} and {niter}")
    if rows < columns:
        u, s, v = svd_lowrank(adjoint(x), q, niter)
        return v, s, u
    real = np.dtype(f"f{x._dtype.itemsize // 2}") if x._dtype.kind == "c" else x._dtype
    probe = gaussian_random(None, shape=(columns, q), dtype=real)
    basis = qr(matmul(x, probe if real == x._dtype else cast(probe, dtype=x._dtype)))[0]
    for _ in range(niter):
        basis = qr(matmul(x, qr(matmul(adjoint(x), basis))[0]))[0]
    u, s, vh = svd(matmul(adjoint(basis), x))
    return matmul(basis, u), s, adjoint(vh)


def pca_lowrank(x: Any, q: int | None = None, center: bool = True, niter: int = 2, name: str | None = None) -> tuple:
    """`svd_lowrank` of `x`, with the mean of each column taken off where `center` holds."""
    if center:
        x = elementwise_sub(x, reduce_mean(x, axis=-2, keepdim=True))
    return svd_lowrank(x, q, niter)


__all__ = []
METHODS = ("householder_product", "lu", "lu_unpack", "ormqr", "pca_lowrank", "svd_lowrank")
