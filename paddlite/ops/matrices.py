"""Inverses, determinants and linear systems.

Gradients are those of Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008), with adjoints in place of transposes for complex matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import COMPLEX
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import conj, elementwise_add, elementwise_mul, elementwise_sub, negative
from paddlite.ops.infer import broadcast_shapes, like_second, merge_size, real_of, require_floating, same
from paddlite.ops.join import concat
from paddlite.ops.like import unbroadcast, zeros_like
from paddlite.ops.matmul import matmul
from paddlite.ops.rearrange import tril_triu
from paddlite.ops.shape import transpose, unsqueeze


def adjoint(x: Any) -> Any:
    """The matrices `x` transposed and conjugated."""
    rank = len(x._shape)
    return transpose(conj(x), perm=(*range(rank - 2), rank - 1, rank - 2))


def require_square(name: str, x: Meta) -> None:
    """Raise ShapeMismatch where `x` holds no square matrices."""
    require_floating(name, x=x)
    if len(x.shape) < 2 or (x.shape[-1] != x.shape[-2] and -1 not in x.shape[-2:]):
        raise ShapeMismatch(f"{name}: want square matrices over the last two axes, got shape {list(x.shape)}")


def _square_same(name: str) -> Any:
    def infer(x: Meta, **_: Any) -> Meta:
        require_square(name, x)
        return same(x)

    return infer


def _explained(name: str, compute: Any, *arrays: Any) -> Any:
    try:
        return compute(*arrays)
    except np.linalg.LinAlgError as error:
        raise InvalidArgument(f"{name}: {error}; a matrix has no solution of this kind") from None


def _inverse_rule(g: Any, out: Any) -> Any:
    turned = adjoint(out)
    return negative(matmul(matmul(turned, g), turned))


@defop("inverse", infer=_square_same("inverse"), check=True, amp="keep32", vjp={"x": _inverse_rule})
def inverse(xp: Any, x: Any) -> Any:
    return _explained("inverse", xp.linalg.inv, x)


def _determinant_infer(x: Meta) -> Meta:
    require_square("det", x)
    return Meta(x.shape[:-2], x.dtype)


def _as_matrix(x: Any) -> Any:
    """Numbers as 1 x 1 matrices."""
    return unsqueeze(x, axes=(-1, -1))


@defop(
    "determinant",
    infer=_determinant_infer,
    check=True,
    amp="keep32",
    vjp={"x": lambda g, x, out: elementwise_mul(_as_matrix(elementwise_mul(g, conj(out))), adjoint(inverse(x)))},
)
def determinant(xp: Any, x: Any) -> Any:
    return xp.asarray(xp.linalg.det(x))


def _slogdet_infer(x: Meta) -> tuple[Meta, Meta]:
    require_square("slogdet", x)
    return Meta(x.shape[:-2], x.dtype), Meta(x.shape[:-2], real_of(x.dtype))


def _slogdet_rule(g_logarithm: Any, x: Any) -> Any:
    if x._dtype in COMPLEX:
        raise InvalidArgument("slogdet: the gradient of complex matrices is not implemented; use det")
    return elementwise_mul(_as_matrix(g_logarithm), adjoint(inverse(x)))


@defop(
    "slogdeterminant",
    infer=_slogdet_infer,
    outputs=("sign", "logarithm"),
    check=True,
    amp="keep32",
    vjp={"x": _slogdet_rule},
)
def slogdeterminant(xp: Any, x: Any) -> Any:
    sign, logarithm = xp.linalg.slogdet(x)
    return xp.asarray(sign), xp.asarray(logarithm)


def _solve_infer(name: str) -> Any:
    def infer(x: Meta, y: Meta, **_: Any) -> Meta:
        require_square(name, x)
        require_floating(name, y=y)
        if len(y.shape) < 2:
            raise ShapeMismatch(f"{name}: the right side must have at least 2 axes, got shape {list(y.shape)}")
        rows = merge_size(x.shape[-1], y.shape[-2], name, f"the rows of {list(x.shape)} and {list(y.shape)}")
        return Meta((*broadcast_shapes(x.shape[:-2], y.shape[:-2], name), rows, y.shape[-1]), y.dtype)

    return infer


def _same_batch(xp: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Both with the batch that they broadcast to, which CuPy does not do by itself."""
    if xp is np or x.shape[:-2] == y.shape[:-2]:
        return x, y
    batch = broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return xp.broadcast_to(x, (*batch, *x.shape[-2:])), xp.broadcast_to(y, (*batch, *y.shape[-2:]))


def _solve_rule(g: Any, x: Any, out: Any) -> Any:
    return unbroadcast(negative(matmul(solve(adjoint(x), g), adjoint(out))), x)


@defop(
    "solve",
    infer=_solve_infer("solve"),
    check=True,
    amp="keep32",
    promote=("x", "y"),
    vjp={"x": _solve_rule, "y": lambda g, x, like_y: unbroadcast(solve(adjoint(x), g), like_y)},
)
def solve(xp: Any, x: Any, y: Any) -> Any:
    """The matrices z with x @ z = y."""
    return _explained("solve", xp.linalg.solve, *_same_batch(xp, x, y))


def _triangle(xp: Any, x: Any, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    """The triangle of `x` that counts, with ones on its diagonal where that is asked for, turned as asked for."""
    matrix = xp.triu(x, 1 if unitriangular else 0) if upper else xp.tril(x, -1 if unitriangular else 0)
    if unitriangular:
        matrix = matrix + xp.eye(x.shape[-1], dtype=x.dtype)
    return matrix.swapaxes(-1, -2) if transpose else matrix


def _triangular_x(g: Any, x: Any, out: Any, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    back = _turned_solve(g, x, upper, transpose, unitriangular)
    found = matmul(conj(out), back, transpose_y=True) if transpose else matmul(back, adjoint(out))
    first = 1 if unitriangular else 0
    return unbroadcast(negative(tril_triu(found, diagonal=first if upper else -first, lower=not upper)), x)


def _turned_solve(g: Any, x: Any, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    """What the right side gets back: the system with the adjoint matrix."""
    return triangular_solve(conj(x), g, upper=upper, transpose=not transpose, unitriangular=unitriangular)


@defop(
    "triangular_solve",
    infer=_solve_infer("triangular_solve"),
    check=True,
    amp="keep32",
    promote=("x", "y"),
    vjp={
        "x": _triangular_x,
        "y": lambda g, x, like_y, upper, transpose, unitriangular: unbroadcast(
            _turned_solve(g, x, upper, transpose, unitriangular), like_y
        ),
    },
)
def triangular_solve(
    xp: Any, x: Any, y: Any, *, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """`solve` that reads one triangle of `x` only."""
    matrix = _triangle(xp, x, upper, transpose, unitriangular)
    return _explained("triangular_solve", xp.linalg.solve, *_same_batch(xp, matrix, y))


def _pinv_infer(x: Meta, *, rcond: float = 1e-15, hermitian: bool = False) -> Meta:
    require_floating("pinv", x=x)
    if len(x.shape) < 2:
        raise ShapeMismatch(f"pinv: want matrices over the last two axes, got shape {list(x.shape)}")
    return Meta((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)


def pinv_rule(g: Any, x: Any, out: Any) -> Any:
    """Golub and Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems" (1973)."""
    p, g_turned = adjoint(out), adjoint(g)
    inner = matmul(matmul(p, g), p)
    left = matmul(g_turned, matmul(out, p))
    left = elementwise_sub(left, matmul(x, matmul(out, left)))
    right = matmul(matmul(p, out), g_turned)
    right = elementwise_sub(right, matmul(matmul(right, out), x))
    return elementwise_add(elementwise_sub(left, inner), right)


@defop("pinv", infer=_pinv_infer, check=True, amp="keep32", vjp={"x": pinv_rule})
def pinv(xp: Any, x: Any, *, rcond: float = 1e-15, hermitian: bool = False) -> Any:
    """The Moore-Penrose inverse; singular values below `rcond` times the largest count as 0."""
    floor = np.finfo(x.dtype).eps * max(x.shape[-2:], default=1)
    if xp is np:
        return np.linalg.pinv(x, rcond=max(rcond, floor), hermitian=hermitian)
    return xp.linalg.pinv(x, rcond=max(rcond, floor))


# Coefficients of the [13/13] Pade approximant of exp, and the norm up to which it is exact to double precision
# (Higham, "The scaling and squaring method for the matrix exponential revisited", 2005).
_PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
_PADE_NORM = 5.371920351148152


@defop(
    "matrix_exp", infer=_square_same("matrix_exp"), check=True, amp="keep32", vjp={"x": lambda g, x: _exp_rule(g, x)}
)
def matrix_exp(xp: Any, x: Any) -> Any:
    """The matrix exponential, by scaling and squaring."""
    if not x.size:
        return x.copy()
    norm = float(xp.abs(x).sum(axis=-2).max())  # read on the host: it decides how often to square
    if not np.isfinite(norm):
        return xp.full(x.shape, np.nan, x.dtype)
    squarings = max(0, int(np.ceil(np.log2(max(norm, 1e-30) / _PADE_NORM))))
    kind = x.dtype.type
    a = x * kind(0.5**squarings)
    unit = xp.eye(x.shape[-1], dtype=x.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    b = [kind(c / _PADE[0]) for c in _PADE]
    odd = a @ (a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * unit)
    even = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * unit
    out = xp.linalg.solve(even - odd, even + odd)
    for _ in range(squarings):
        out = out @ out
    return out


def _exp_rule(g: Any, x: Any) -> Any:
    """The upper right block of exp([[x*, g], [0, x*]]) (Mathias, "A chain rule for matrix functions", 1996)."""
    turned = adjoint(x)
    blocks = concat(concat(turned, g, axis=-1), concat(zeros_like(turned), turned, axis=-1), axis=-2)
    return upper_right(matrix_exp(blocks), g)


@defop("upper_right", infer=like_second, shape_only=("like",), vjp={"x": lambda g, like_x: upper_right_grad(g, like_x)})
def upper_right(xp: Any, x: Any, like: Any) -> Any:
    """The upper right quarter of the matrices `x`."""
    size = like.shape[-1]
    return x[..., :size, size:].copy()


@defop("upper_right_grad", infer=like_second, shape_only=("like",), vjp={"x": lambda g, like_x: upper_right(g, like_x)})
def upper_right_grad(xp: Any, x: Any, like: Any) -> Any:
    out = xp.zeros(like.shape, x.dtype)
    size = x.shape[-1]
    out[..., :size, size:] = x
    return out
