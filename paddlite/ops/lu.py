"""LU factorization with row exchanges, computed column by column for a whole batch."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import INT32, INT64
from paddlite.core.errors import ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import elementwise_add, elementwise_sub
from paddlite.ops.gather import take_along_axis
from paddlite.ops.index import basic_index
from paddlite.ops.infer import require_floating
from paddlite.ops.join import concat
from paddlite.ops.matmul import matmul
from paddlite.ops.matrices import adjoint, triangular_solve
from paddlite.ops.rearrange import tril_triu
from paddlite.ops.shape import unsqueeze


def _lu_infer(x: Meta) -> tuple[Meta, Meta, Meta]:
    require_floating("lu", x=x)
    if len(x.shape) < 2:
        raise ShapeMismatch(f"lu: want matrices over the last two axes, got shape {list(x.shape)}")
    rows, columns = x.shape[-2:]
    small = -1 if -1 in (rows, columns) else min(rows, columns)
    return Meta(x.shape, x.dtype), Meta((*x.shape[:-2], small), INT32), Meta(x.shape[:-2], INT32)


def _rows(x: Any, start: int | None, stop: int | None) -> Any:
    return basic_index(x, index=(Ellipsis, slice(start, stop), slice(None)))


def _columns(x: Any, start: int | None, stop: int | None) -> Any:
    return basic_index(x, index=(Ellipsis, slice(start, stop)))


def _lu_rule(g_out: Any, out: Any, pivots: Any) -> Any:
    """The differentials of P x = L U, solved for x; the square case is in Seeger et al. (2017), section 4.

    With M the square of the smaller size, gradient_M = L^-* (tril(L* dL, -1) + triu(dU U*)) U^-*, where what the other
    rows or columns depend on has been taken off.
    """
    rows, columns = out._shape[-2:]
    small = min(rows, columns)
    square, g_square = _rows(_columns(out, None, small), None, small), _rows(_columns(g_out, None, small), None, small)
    lower = matmul(_unit_lower_adjoint(square), tril_triu(g_square, diagonal=-1))
    upper = matmul(tril_triu(g_square, lower=False), adjoint(tril_triu(square, lower=False)))
    below = right = None
    if rows > small:
        low, g_low = _rows(out, small, None), _rows(g_out, small, None)
        upper = elementwise_sub(upper, matmul(adjoint(low), g_low))
        below = adjoint(triangular_solve(square, adjoint(g_low), upper=True))
    if columns > small:
        wide, g_wide = _columns(out, small, None), _columns(g_out, small, None)
        lower = elementwise_sub(lower, matmul(g_wide, adjoint(wide)))
        right = _solve_lower_adjoint(square, g_wide)
    inner = elementwise_add(tril_triu(lower, diagonal=-1), tril_triu(upper, lower=False))
    left = _solve_lower_adjoint(square, inner)
    found = adjoint(triangular_solve(square, adjoint(left), upper=True))
    if below is not None:
        found = concat(found, below, axis=-2)
    if right is not None:
        found = concat(found, right, axis=-1)
    order = unsqueeze(pivot_order(pivots, found, inverse=True), axes=(-1,))
    return take_along_axis(found, order, axis=-2)


def _unit_lower_adjoint(square: Any) -> Any:
    return adjoint(unit_lower(square))


def _solve_lower_adjoint(square: Any, y: Any) -> Any:
    return triangular_solve(adjoint(square), y, upper=True, unitriangular=True)


@defop(
    "unit_lower",
    infer=lambda x: Meta(x.shape, x.dtype),
    vjp={"x": lambda g: tril_triu(g, diagonal=-1)},
)
def unit_lower(xp: Any, x: Any) -> Any:
    """The lower triangle of `x` with ones on the diagonal."""
    return xp.tril(x, -1) + xp.eye(x.shape[-2], x.shape[-1], dtype=x.dtype)


@defop("lu", infer=_lu_infer, outputs=("out", "pivots", "info"), check=True, amp="keep32", vjp={"x": _lu_rule})
def lu(xp: Any, x: Any) -> Any:
    """L (below the diagonal, its ones left out) and U in one matrix; row k was exchanged with row pivots[k] - 1.

    `info` is k + 1 where the k-th pivot is 0 first, else 0.
    """
    rows, columns = x.shape[-2:]
    small = min(rows, columns)
    batch = x.shape[:-2]
    out = xp.ascontiguousarray(x).copy().reshape(-1, rows, columns)
    pivots = xp.zeros((out.shape[0], small), INT32)
    info = xp.zeros(out.shape[0], INT32)
    every = xp.arange(out.shape[0])
    for k in range(small):
        best = xp.abs(out[:, k:, k]).argmax(axis=1) + k
        pivots[:, k] = best + 1
        exchanged = out[every, best]
        out[every, best] = out[:, k]
        out[:, k] = exchanged
        pivot = out[:, k, k]
        zero = pivot == out.dtype.type(0)
        info = xp.where(zero & (info == INT32.type(0)), INT32.type(k + 1), info)
        if k + 1 < rows:
            out[:, k + 1 :, k] /= xp.where(zero, out.dtype.type(1), pivot)[:, None]
            out[:, k + 1 :, k + 1 :] -= out[:, k + 1 :, k : k + 1] * out[:, k : k + 1, k + 1 :]
    return out.reshape(x.shape), pivots.reshape((*batch, small)), info.reshape(batch)


def _order_infer(pivots: Meta, like: Meta, *, inverse: bool = False) -> Meta:
    return Meta((*pivots.shape[:-1], like.shape[-2]), INT64)


@defop("pivot_order", infer=_order_infer, shape_only=("like",), amp="never")
def pivot_order(xp: Any, pivots: Any, like: Any, *, inverse: bool = False) -> Any:
    """Which row of the matrix each row of L U is; with `inverse`, which row of L U each row of the matrix is."""
    rows = like.shape[-2]
    flat = pivots.reshape(-1, pivots.shape[-1]).astype(INT64)
    order = xp.tile(xp.arange(rows, dtype=INT64), (flat.shape[0], 1))
    every = xp.arange(flat.shape[0])
    for k in range(flat.shape[1]):
        other = flat[:, k] - 1
        kept = order[:, k].copy()
        order[:, k] = order[every, other]
        order[every, other] = kept
    order = xp.argsort(order, axis=1) if inverse else order
    return order.reshape((*pivots.shape[:-1], rows))
