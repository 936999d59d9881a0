"""Factorizations of matrices: Cholesky, QR, SVD, eigenvalues.

NumPy (LAPACK) computes them, CuPy where it has them.  The sources of the gradients stand at the rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import COMPLEX, COMPLEX_OF
from paddlite.core.errors import InvalidArgument, NoGradient, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import (
    cast,
    conj,
    elementwise_add,
    elementwise_div,
    elementwise_mul,
    elementwise_sub,
    real,
    real_as,
)
from paddlite.ops.compare import equal
from paddlite.ops.index import basic_index
from paddlite.ops.infer import real_of, require_floating, same
from paddlite.ops.join import concat
from paddlite.ops.matmul import matmul
from paddlite.ops.matrices import adjoint, require_square, solve, triangular_solve
from paddlite.ops.rearrange import diag_embed, diagonal, tril_triu
from paddlite.ops.select import where
from paddlite.ops.shape import unsqueeze


def _plus_adjoint(x: Any) -> Any:
    return elementwise_add(x, adjoint(x))


def _minus_adjoint(x: Any) -> Any:
    return elementwise_sub(x, adjoint(x))


def _half(x: Any) -> Any:
    return elementwise_mul(x, 0.5)


def _diagonal_of(x: Any) -> Any:
    return diagonal(x, axis1=-2, axis2=-1)


def _to_dtype(x: Any, like: Any) -> Any:
    return cast(x, dtype=like._dtype) if x._dtype != like._dtype else x


def _matrix_same(name: str) -> Any:
    def infer(x: Meta, **_: Any) -> Meta:
        require_square(name, x)
        return same(x)

    return infer


@defop(
    "hermitian_of",
    infer=_matrix_same("hermitian_of"),
    check=True,
    vjp={"x": lambda g: _half(_plus_adjoint(g))},
)
def hermitian_of(xp: Any, x: Any, *, upper: bool = False) -> Any:
    """The Hermitian matrix of which `x` gives one triangle.

    The gradient is that of a matrix which stays Hermitian: it is Hermitian too.
    """
    half = xp.triu(x, 1) if upper else xp.tril(x, -1)
    out = half + half.conj().swapaxes(-1, -2)
    rows = xp.arange(x.shape[-1])
    out[..., rows, rows] = x[..., rows, rows].real
    return out


def _cholesky_rule(g: Any, out: Any, upper: bool) -> Any:
    """Murray, "Differentiation of the Cholesky decomposition" (2016)."""
    if upper:
        g, out = adjoint(g), adjoint(out)
    inner = tril_triu(matmul(adjoint(out), g))
    inner = elementwise_sub(inner, diag_embed(_half(_diagonal_of(inner))))
    turned = adjoint(out)
    left = triangular_solve(turned, inner, upper=True)
    return _half(_plus_adjoint(adjoint(triangular_solve(turned, adjoint(left), upper=True))))


@defop("cholesky", infer=_matrix_same("cholesky"), check=True, amp="keep32", vjp={"x": _cholesky_rule})
def cholesky(xp: Any, x: Any, *, upper: bool = False) -> Any:
    """The lower triangular L with L L* = x, for the Hermitian part of `x`; or its adjoint."""
    x = (x + x.conj().swapaxes(-1, -2)) * x.dtype.type(0.5)
    try:
        out = xp.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        raise InvalidArgument("cholesky: a matrix is not positive definite") from None
    return xp.ascontiguousarray(out.conj().swapaxes(-1, -2)) if upper else out


def _qr_infer(x: Meta, *, mode: str = "reduced") -> tuple[Meta, Meta]:
    require_floating("qr", x=x)
    if len(x.shape) < 2:
        raise ShapeMismatch(f"qr: want matrices over the last two axes, got shape {list(x.shape)}")
    rows, columns = x.shape[-2:]
    if mode not in ("reduced", "complete"):
        raise InvalidArgument(f"qr: mode must be 'reduced' or 'complete', got {mode!r}")
    small = -1 if -1 in (rows, columns) else min(rows, columns)
    inner = rows if mode == "complete" else small
    return Meta((*x.shape[:-1], inner), x.dtype), Meta((*x.shape[:-2], inner, columns), x.dtype)


def _columns(x: Any, start: int | None, stop: int | None) -> Any:
    return basic_index(x, index=(Ellipsis, slice(start, stop)))


def _qr_rule(g_q: Any, g_r: Any, x: Any, q: Any, r: Any, mode: str) -> Any:
    """Walter and Lehmann, "Algorithmic differentiation of linear algebra functions" (2010); wide ones by blocks."""
    rows, columns = x._shape[-2:]
    if mode == "complete" and rows > columns:
        raise NoGradient("qr: mode 'complete' of a tall matrix has no gradient, since Q is not unique; use 'reduced'")
    if rows >= columns:
        return _tall_qr(g_q, g_r, q, r)
    left, right = _columns(r, None, rows), _columns(x, rows, None)
    g_left, g_right = _columns(g_r, None, rows), _columns(g_r, rows, None)
    found = _tall_qr(elementwise_add(g_q, matmul(right, adjoint(g_right))), g_left, q, left)
    return concat(found, matmul(q, g_right), axis=-1)


def _tall_qr(g_q: Any, g_r: Any, q: Any, r: Any) -> Any:
    m = elementwise_sub(matmul(r, adjoint(g_r)), matmul(adjoint(g_q), q))
    lower = tril_triu(m, diagonal=-1)
    middle = diag_embed(_to_dtype(real(_diagonal_of(m)), m))
    inner = elementwise_add(g_q, matmul(q, elementwise_add(_plus_adjoint(lower), middle)))
    return adjoint(triangular_solve(r, adjoint(inner), upper=True))


@defop("qr", infer=_qr_infer, outputs=("q", "r"), check=True, amp="keep32", vjp={"x": _qr_rule})
def qr(xp: Any, x: Any, *, mode: str = "reduced") -> Any:
    """Q with orthonormal columns and upper triangular R, so that Q R = x."""
    q, r = xp.linalg.qr(x, mode=mode)
    return xp.asarray(q), xp.asarray(r)


def _svd_infer(x: Meta, *, full_matrices: bool = False) -> tuple[Meta, Meta, Meta]:
    require_floating("svd", x=x)
    if len(x.shape) < 2:
        raise ShapeMismatch(f"svd: want matrices over the last two axes, got shape {list(x.shape)}")
    (rows, columns), batch = x.shape[-2:], x.shape[:-2]
    small = -1 if -1 in (rows, columns) else min(rows, columns)
    left, right = (rows, columns) if full_matrices else (small, small)
    return (
        Meta((*batch, rows, left), x.dtype),
        Meta((*batch, small), real_of(x.dtype)),
        Meta((*batch, right, columns), x.dtype),
    )


def _svd_rule(g_u: Any, g_s: Any, g_vh: Any, x: Any, u: Any, s: Any, vh: Any, full_matrices: bool) -> Any:
    """Townsend, "Differentiating the singular value decomposition" (2016); complex: Wan and Zhang (2019)."""
    rows, columns = x._shape[-2:]
    small = min(rows, columns)
    if full_matrices and rows != columns:
        u, g_u = _columns(u, None, small), _columns(g_u, None, small)
        index = (Ellipsis, slice(None, small), slice(None))
        vh, g_vh = basic_index(vh, index=index), basic_index(g_vh, index=index)
    values = _to_dtype(s, x)
    row, column = unsqueeze(values, axes=(-2,)), unsqueeze(values, axes=(-1,))
    gap = elementwise_mul(elementwise_sub(row, column), elementwise_add(row, column))
    same_values = equal(gap, 0)
    gap = where(same_values, 1, gap)
    left, right = _minus_adjoint(matmul(adjoint(u), g_u)), _minus_adjoint(matmul(vh, adjoint(g_vh)))
    turned = elementwise_add(elementwise_mul(left, row), elementwise_mul(column, right))
    inner = where(same_values, 0, elementwise_div(turned, gap))
    on_diagonal = _to_dtype(g_s, x)
    if x._dtype in COMPLEX:
        on_diagonal = elementwise_add(on_diagonal, elementwise_div(_diagonal_of(left), elementwise_mul(values, 2.0)))
    inner = elementwise_add(inner, diag_embed(on_diagonal))
    found = matmul(matmul(u, inner), vh)
    if rows > small:
        outside = elementwise_sub(g_u, matmul(u, matmul(adjoint(u), g_u)))
        found = elementwise_add(found, matmul(elementwise_div(outside, row), vh))
    if columns > small:
        outside = elementwise_sub(g_vh, matmul(matmul(g_vh, adjoint(vh)), vh))
        found = elementwise_add(found, matmul(elementwise_div(u, row), outside))
    return found


@defop("svd", infer=_svd_infer, outputs=("u", "s", "vh"), check=True, amp="keep32", vjp={"x": _svd_rule})
def svd(xp: Any, x: Any, *, full_matrices: bool = False) -> Any:
    """U, the singular values from the largest down, and V*, so that U diag(S) V* = x.

    The gradient with `full_matrices` is that of the columns that belong to a singular value.
    """
    u, s, vh = xp.linalg.svd(x, full_matrices=full_matrices)
    return xp.asarray(u), xp.asarray(s), xp.asarray(vh)


def _values_infer(x: Meta) -> Meta:
    require_floating("svdvals", x=x)
    if len(x.shape) < 2:
        raise ShapeMismatch(f"svdvals: want matrices over the last two axes, got shape {list(x.shape)}")
    rows, columns = x.shape[-2:]
    return Meta((*x.shape[:-2], -1 if -1 in (rows, columns) else min(rows, columns)), real_of(x.dtype))


def _values_rule(g: Any, x: Any) -> Any:
    u, _, vh = svd(x)
    return matmul(elementwise_mul(u, unsqueeze(_to_dtype(g, x), axes=(-2,))), vh)


@defop("svdvals", infer=_values_infer, check=True, amp="keep32", vjp={"x": _values_rule})
def svdvals(xp: Any, x: Any) -> Any:
    """The singular values, from the largest down."""
    return xp.linalg.svd(x, compute_uv=False)


def _eigh_infer(x: Meta) -> tuple[Meta, Meta]:
    require_square("eigh", x)
    return Meta(x.shape[:-1], real_of(x.dtype)), Meta(x.shape, x.dtype)


def _eigh_rule(g_values: Any, g_vectors: Any, x: Any, values: Any, vectors: Any) -> Any:
    """Giles, "An extended collection of matrix derivative results" (2008), section 3.1."""
    spread = _to_dtype(values, x)
    gap = elementwise_sub(unsqueeze(spread, axes=(-2,)), unsqueeze(spread, axes=(-1,)))
    none = equal(gap, 0)
    inner = where(none, 0, elementwise_div(matmul(adjoint(vectors), g_vectors), where(none, 1, gap)))
    inner = elementwise_add(inner, diag_embed(_to_dtype(g_values, x)))
    return _half(_plus_adjoint(matmul(matmul(vectors, inner), adjoint(vectors))))


@defop("eigh", infer=_eigh_infer, outputs=("values", "vectors"), check=True, amp="keep32", vjp={"x": _eigh_rule})
def eigh(xp: Any, x: Any) -> Any:
    """Eigenvalues in ascending order, and eigenvectors as columns, of the Hermitian part of `x`."""
    values, vectors = xp.linalg.eigh((x + x.conj().swapaxes(-1, -2)) * x.dtype.type(0.5))
    return xp.asarray(values), xp.asarray(vectors)


def _complex_of(x: Meta) -> np.dtype:
    return x.dtype if x.dtype in COMPLEX else COMPLEX_OF[x.dtype]


def _eig_infer(x: Meta) -> tuple[Meta, Meta]:
    require_square("eig", x)
    return Meta(x.shape[:-1], _complex_of(x)), Meta(x.shape, _complex_of(x))


def _eig_rule(g_values: Any, g_vectors: Any, like_x: Any, values: Any, vectors: Any) -> Any:
    """Boeddeker et al., "On the computation of complex-valued gradients" (2017), for eigenvectors of length 1."""
    turned = adjoint(vectors)
    inner = matmul(turned, g_vectors)
    own = unsqueeze(_to_dtype(real(_diagonal_of(inner)), inner), axes=(-2,))
    inner = elementwise_sub(inner, elementwise_mul(matmul(turned, vectors), own))
    gap = elementwise_sub(unsqueeze(values, axes=(-2,)), unsqueeze(values, axes=(-1,)))
    none = equal(gap, 0)
    inner = where(none, 0, elementwise_div(inner, conj(where(none, 1, gap))))
    inner = elementwise_add(inner, diag_embed(g_values))
    return real_as(solve(turned, matmul(inner, turned)), like_x)


def _host_eig(xp: Any, x: Any) -> tuple[Any, Any]:
    if xp is np:
        return np.linalg.eig(x)
    values, vectors = np.linalg.eig(x.get())
    return xp.asarray(values), xp.asarray(vectors)


@defop("eig", infer=_eig_infer, outputs=("values", "vectors"), check=True, amp="keep32", vjp={"x": _eig_rule})
def eig(xp: Any, x: Any) -> Any:
    """Complex eigenvalues, and eigenvectors of length 1 as columns; computed on the host."""
    values, vectors = _host_eig(xp, x)
    kind = np.result_type(x.dtype, np.complex64)
    return values.astype(kind), vectors.astype(kind)


def _eigvals_infer(x: Meta) -> Meta:
    return _eig_infer(x)[0]


def _eigvals_rule(g: Any, x: Any) -> Any:
    turned = adjoint(eig(x)[1])
    return real_as(solve(turned, elementwise_mul(unsqueeze(g, axes=(-1,)), turned)), x)


@defop("eigvals", infer=_eigvals_infer, check=True, amp="keep32", vjp={"x": _eigvals_rule})
def eigvals(xp: Any, x: Any) -> Any:
    """The complex eigenvalues; computed on the host."""
    host = x if xp is np else x.get()
    return xp.asarray(np.linalg.eigvals(host).astype(np.result_type(x.dtype, np.complex64)))
