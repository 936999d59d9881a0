"""Factorizations, inverses and systems of linear equations: the functions of `paddle.linalg`."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.tensor import TensorBase
from paddlite.ops import factor, matrices
from paddlite.ops.arithmetic import absolute, cast, elementwise_div, elementwise_mul
from paddlite.ops.compare import greater_than
from paddlite.ops.join import stack
from paddlite.ops.matmul import matmul
from paddlite.ops.matrices import adjoint
from paddlite.ops.power import elementwise_max
from paddlite.ops.reduce import reduce_max, reduce_min, reduce_sum
from paddlite.ops.shape import squeeze, unsqueeze
from paddlite.tensor.convert import to_tensor
from paddlite.tensor.creation import eye, made
from paddlite.tensor.norms import matrix_norm


def inverse(x: Any, name: str | None = None) -> Any:
    """The inverses of the square matrices `x`, [..., n, n].

    Raises:
        ValueError: a matrix is singular, or not square.

    >>> import paddlite as paddle
    >>> paddle.inverse(paddle.to_tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return matrices.inverse(x)


def inv(x: Any, name: str | None = None) -> Any:
    """The same as `inverse`."""
    return matrices.inverse(x)


def det(x: Any, name: str | None = None) -> Any:
    """The determinants of the square matrices `x`, [...].

    >>> import paddlite as paddle
    >>> paddle.linalg.det(paddle.to_tensor([[2.0, 1.0], [0.0, 3.0]])).item()
    6.0
    """
    return matrices.determinant(x)


def slogdet(x: Any, name: str | None = None) -> Any:
    """The signs of the determinants and the logarithms of their absolute values, in one tensor [2, ...]."""
    sign, logarithm = matrices.slogdeterminant(x)
    return stack(sign, logarithm if logarithm._dtype == sign._dtype else cast(logarithm, dtype=sign._dtype))


def solve(x: Any, y: Any, left: bool = True, name: str | None = None, *, out: Any = None) -> Any:
    """The z with x @ z = y (or z @ x = y, with left=False).

    Args:
        x: regular square matrices, [..., n, n].
        y: [..., n, k], or a vector [n].

    Raises:
        ValueError: a matrix is singular, or shapes do not fit.

    >>> import paddlite as paddle
    >>> paddle.linalg.solve(paddle.to_tensor([[2.0, 0.0], [0.0, 4.0]]), paddle.to_tensor([2.0, 8.0])).tolist()
    [1.0, 2.0]
    """
    if len(y._shape) == 1:
        column = unsqueeze(y, axes=(-1,))
        result = squeeze(matrices.solve(x if left else _swapped(x), column), axes=(-1,))
    elif left:
        result = matrices.solve(x, y)
    else:
        result = _swapped(matrices.solve(_swapped(x), _swapped(y)))
    return result if out is None else made(result, out)


def _swapped(x: Any) -> Any:
    return x.swapaxes(-1, -2)


def triangular_solve(
    x: Any, y: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False, name: str | None = None
) -> Any:
    """The z with x @ z = y, where only one triangle of `x` counts.

    Args:
        x: [..., n, n].
        y: [..., n, k].
        upper: which triangle.
        transpose: solve with the transposed triangle.
        unitriangular: take the diagonal as ones.

    >>> import paddlite as paddle
    >>> paddle.linalg.triangular_solve(paddle.to_tensor([[2.0, 9.0], [9.0, 4.0]]), paddle.ones([2, 1]), False).shape
    paddle.Size([2, 1])
    """
    return matrices.triangular_solve(x, y, upper=upper, transpose=transpose, unitriangular=unitriangular)


def cholesky(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """The lower triangular L with L L* = x for Hermitian positive definite `x`; with `upper`, its adjoint.

    Raises:
        ValueError: a matrix is not positive definite.

    >>> import paddlite as paddle
    >>> paddle.linalg.cholesky(paddle.to_tensor([[4.0, 2.0], [2.0, 5.0]])).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    return factor.cholesky(factor.hermitian_of(x, upper=upper), upper=upper)


def cholesky_solve(x: Any, y: Any, upper: bool = False, name: str | None = None) -> Any:
    """The z with A @ z = x, where `y` is the Cholesky factor of A.

    >>> import paddlite as paddle
    >>> paddle.linalg.cholesky_solve(paddle.ones([1, 1]), paddle.to_tensor([[2.0]])).tolist()
    [[0.25]]
    """
    lower = adjoint(y) if upper else y
    half = matrices.triangular_solve(lower, x, upper=False)
    return matrices.triangular_solve(adjoint(lower), half, upper=True)


def cholesky_inverse(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """The inverse of the matrix whose Cholesky factor is `x`."""
    return cholesky_solve(eye(x._shape[-1], dtype=x.dtype), x, upper)


def qr(x: Any, mode: str = "reduced", name: str | None = None) -> Any:
    """Q with orthonormal columns and upper triangular R, so that Q @ R = x.

    Args:
        mode: "reduced" (Q has as many columns as fit), "complete" (Q is square) or "r" (R alone).

    >>> import paddlite as paddle
    >>> q, r = paddle.linalg.qr(paddle.to_tensor([[3.0], [4.0]]))
    >>> q.shape, r.shape
    (paddle.Size([2, 1]), paddle.Size([1, 1]))
    """
    if mode not in ("reduced", "complete", "r"):
        raise InvalidArgument(f"qr: mode must be 'reduced', 'complete' or 'r', got {mode!r}")
    q, r = factor.qr(x, mode="reduced" if mode == "r" else mode)
    return r if mode == "r" else (q, r)


def svd(x: Any, full_matrices: bool = False, name: str | None = None, *, out: Any = None) -> tuple:
    """U, the singular values S from the largest down, and V*, so that (U * S) @ V* = x.

    Args:
        full_matrices: True for square U and V.

    >>> import paddlite as paddle
    >>> u, s, vh = paddle.linalg.svd(paddle.to_tensor([[3.0, 0.0], [0.0, 4.0]]))
    >>> s.tolist()
    [4.0, 3.0]
    """
    found = factor.svd(x, full_matrices=full_matrices)
    return found if out is None else tuple([made(one, target) for one, target in zip(found, out)])


def svdvals(x: Any, name: str | None = None) -> Any:
    """The singular values, from the largest down."""
    return factor.svdvals(x)


def eigh(x: Any, UPLO: str = "L", name: str | None = None) -> tuple:
    """The eigenvalues, ascending, and eigenvectors, as columns, of Hermitian matrices.

    Args:
        UPLO: "L" to read the lower triangle only, "U" the upper.

    >>> import paddlite as paddle
    >>> values, vectors = paddle.linalg.eigh(paddle.to_tensor([[2.0, 0.0], [0.0, 1.0]]))
    >>> values.tolist()
    [1.0, 2.0]
    """
    return factor.eigh(factor.hermitian_of(x, upper=_upper(UPLO, "eigh")))


def eigvalsh(x: Any, UPLO: str = "L", name: str | None = None) -> Any:
    """The eigenvalues of Hermitian matrices, ascending; see `eigh`."""
    return factor.eigh(factor.hermitian_of(x, upper=_upper(UPLO, "eigvalsh")))[0]


def _upper(triangle: str, function: str) -> bool:
    if triangle not in ("L", "U"):
        raise InvalidArgument(f"{function}: UPLO must be 'L' or 'U', got {triangle!r}")
    return triangle == "U"


def eig(x: Any, name: str | None = None) -> tuple:
    """The complex eigenvalues, and eigenvectors of length 1 as columns, of square matrices."""
    return factor.eig(x)


def eigvals(x: Any, name: str | None = None) -> Any:
    """The complex eigenvalues of square matrices."""
    return factor.eigvals(x)


def pinv(x: Any, rcond: Any = 1e-15, hermitian: bool = False, name: str | None = None) -> Any:
    """The Moore-Penrose inverse of the matrices `x`.

    Args:
        rcond: singular values below this share of the largest count as 0; the rounding error of the dtype at least.
        hermitian: True where `x` is known to be Hermitian.

    >>> import paddlite as paddle
    >>> paddle.linalg.pinv(paddle.to_tensor([[2.0, 0.0]])).tolist()
    [[0.5], [0.0]]
    """
    return matrices.pinv(x, rcond=float(rcond), hermitian=hermitian)


def lstsq(x: Any, y: Any, rcond: float | None = None, driver: str | None = None, name: str | None = None) -> tuple:
    """The z that make |x @ z - y| least, and of these the shortest.

    Args:
        x: [..., m, n].
        y: [..., m, k].
        rcond: see `pinv`.
        driver: "gelsy" (default), "gels", "gelsd" or "gelss"; says which of the other results are given, as in Paddle.

    Returns:
        The solution; the squared residuals (with full rank and m > n, else empty); the rank; the singular values (with
        "gelsd" and "gelss", else empty).
    """
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise InvalidArgument(f"lstsq: driver must be 'gels', 'gelsy', 'gelsd' or 'gelss', got {driver!r}")
    rows, columns = x._shape[-2:]
    share = np.finfo(x._dtype).eps * max(rows, columns) if rcond is None else rcond
    solution = matmul(matrices.pinv(x, rcond=float(share)), y)
    nothing = to_tensor(np.zeros(0, x._dtype))
    residuals = nothing
    if rows > columns and driver != "gelsy" and driver is not None:
        error = matmul(x, solution) - y
        residuals = reduce_sum(elementwise_mul(error, error), axis=-2)
    values = factor.svdvals(x)
    found = greater_than(values, elementwise_mul(reduce_max(values, axis=-1, keepdim=True), float(share)))
    count = cast(reduce_sum(cast(found, dtype=np.dtype(np.int32)), axis=-1), dtype=np.dtype(np.int32))
    if driver == "gels":
        count = to_tensor(np.zeros(0, np.int64))
    return solution, residuals, count, values if driver in ("gelsd", "gelss") else nothing


def matrix_exp(x: Any, name: str | None = None) -> Any:
    """The matrix exponential, the sum of x^k / k!.

    >>> import paddlite as paddle
    >>> paddle.linalg.matrix_exp(paddle.zeros([2, 2])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return matrices.matrix_exp(x)


def matrix_rank(
    x: Any, tol: Any = None, hermitian: bool = False, atol: Any = None, rtol: Any = None, name: str | None = None
) -> Any:
    """How many singular values of the matrices `x` are above a bound, int64.

    Args:
        tol: the bound; left out, the largest singular value times the larger size times the rounding error.
        hermitian: True where `x` is known to be Hermitian.
        atol, rtol: in place of `tol`, the larger of `atol` and `rtol` times the largest singular value.

    >>> import paddlite as paddle
    >>> paddle.linalg.matrix_rank(paddle.eye(3)).item()
    3
    """
    values = absolute(factor.eigh(factor.hermitian_of(x))[0]) if hermitian else factor.svdvals(x)
    largest = reduce_max(values, axis=-1, keepdim=True)
    if tol is None and atol is None and rtol is None:
        rtol = float(np.finfo(values._dtype).eps) * max(x._shape[-2:])
    if tol is not None:
        bound = _as_bound(tol, values)
    else:
        bound = elementwise_max(
            elementwise_mul(largest, _as_bound(0.0 if rtol is None else rtol, values)),
            _as_bound(0.0 if atol is None else atol, values),
        )
    return reduce_sum(cast(greater_than(values, bound), dtype=np.dtype(np.int64)), axis=-1)


def _as_bound(value: Any, values: Any) -> Any:
    if not isinstance(value, TensorBase):
        return to_tensor(float(value), dtype=values.dtype)
    value = value if value._dtype == values._dtype else cast(value, dtype=values._dtype)
    return unsqueeze(value, axes=(-1,)) if value._shape else value


def cond(x: Any, p: Any = None, name: str | None = None) -> Any:
    """The condition numbers of the matrices `x`: norm(x) * norm(inverse(x)) in the matrix norm `p`.

    Args:
        p: see `matrix_norm`; None, 2 and -2 are the quotient of the largest and the smallest singular value.

    >>> import paddlite as paddle
    >>> paddle.linalg.cond(paddle.to_tensor([[2.0, 0.0], [0.0, 1.0]])).item()
    2.0
    """
    if len(x._shape) < 2:
        raise ShapeMismatch(f"cond: want matrices over the last two axes, got shape {list(x._shape)}")
    if p in (None, 2, -2):
        values = factor.svdvals(x)
        large, small = reduce_max(values, axis=-1), reduce_min(values, axis=-1)
        return elementwise_div(small, large) if p == -2 else elementwise_div(large, small)
    return elementwise_mul(matrix_norm(x, p), matrix_norm(matrices.inverse(x), p))


__all__ = ["cholesky", "eigvalsh", "inverse"]
METHODS = (
    "cholesky", "cholesky_inverse", "cholesky_solve", "cond", "eig", "eigvals", "eigvalsh", "inverse", "lstsq", "pinv",
    "qr", "slogdet", "solve",
)  # fmt: skip
