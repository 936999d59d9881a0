"""Vector norms over axes, and the cross product."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import COMPLEX
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.core.promote import promote_types
from paddlite.ops.arithmetic import absolute, conj, elementwise_div, elementwise_mul, sign
from paddlite.ops.compare import equal
from paddlite.ops.infer import axes_in, axis_in, broadcast_shapes, real_of, reduced_shape, require_floating
from paddlite.ops.like import unbroadcast, zeros_like
from paddlite.ops.power import elementwise_pow
from paddlite.ops.reduce import as_axis, reduce_expand
from paddlite.ops.select import where


def _norm_infer(x: Meta, *, p: float = 2.0, axis: Any = None, keepdim: bool = False) -> Meta:
    require_floating("norm", x=x)
    axes = axes_in(axis, len(x.shape), "norm")
    if p in (-np.inf, np.inf) and any(x.shape[a] == 0 for a in axes):
        raise InvalidArgument(f"norm: a tensor of shape {list(x.shape)} has no largest element along {axis}")
    return Meta(reduced_shape(x.shape, axes, keepdim), real_of(x.dtype))


def _norm_rule(g: Any, x: Any, out: Any, like_x: Any, p: float, axis: Any, keepdim: bool) -> Any:
    """g x |x|^(p-2) / norm^(p-1), 0 where the norm is 0; the largest elements of an infinite norm get all of g."""
    if p == 0:
        return zeros_like(like_x)
    spread = {"axis": axis, "keepdim": keepdim}
    g, norm = reduce_expand(g, like_x, **spread), reduce_expand(out, like_x, **spread)
    if p == 1:
        return elementwise_mul(g, _direction(x))
    if p in (np.inf, -np.inf):
        return elementwise_mul(where(equal(absolute(x), norm), g, 0), _direction(x))
    none = equal(norm, 0)
    norm = where(none, 1, norm)
    if p == 2:
        return elementwise_mul(elementwise_div(where(none, 0, g), norm), x)
    size = absolute(x)
    share = elementwise_pow(elementwise_div(where(equal(size, 0), 1, size), norm), float(p - 1))
    return elementwise_mul(elementwise_mul(where(none, 0, g), share), _direction(x))


def _direction(x: Any) -> Any:
    """x / |x|, 0 at 0."""
    if x._dtype not in COMPLEX:
        return sign(x)
    size = absolute(x)
    return elementwise_div(x, where(equal(size, 0), 1, size))


@defop("p_norm", infer=_norm_infer, check=True, wide=True, amp="keep32_o1", vjp={"x": _norm_rule})
def p_norm(xp: Any, x: Any, *, p: float = 2.0, axis: Any = None, keepdim: bool = False) -> Any:
    """(sum |x|^p)^(1/p) over `axis`; the largest |x| for p = inf, the smallest for -inf, the count of x != 0 for 0."""
    how = {"axis": as_axis(axis, x.ndim), "keepdims": keepdim}
    real = x.real.dtype
    if p == 2:
        squares = x * x if x.dtype.kind != "c" else x.real * x.real + x.imag * x.imag
        return xp.sqrt(squares.sum(**how, dtype=real))
    if p == 0:
        return (x != x.dtype.type(0)).sum(**how, dtype=real)
    size = xp.abs(x)
    if p == 1:
        return size.sum(**how, dtype=real)
    if p == np.inf:
        return size.max(**how)
    if p == -np.inf:
        return size.min(**how)
    return xp.power(xp.power(size, real.type(p)).sum(**how, dtype=real), real.type(1.0 / p))


def _cross_infer(x: Meta, y: Meta, *, axis: int = -1) -> Meta:
    shape = broadcast_shapes(x.shape, y.shape, "cross")
    axis = axis_in(axis, len(shape), "cross")
    if not shape or shape[axis] not in (3, -1):
        raise ShapeMismatch(f"cross: axis {axis} must have size 3, got shapes {list(x.shape)} and {list(y.shape)}")
    return Meta(shape, promote_types(x.dtype, y.dtype))


@defop(
    "cross",
    infer=_cross_infer,
    check=True,
    promote=("x", "y"),
    vjp={
        "x": lambda g, y, like_x, axis: unbroadcast(cross(conj(y), g, axis=axis), like_x),
        "y": lambda g, x, like_y, axis: unbroadcast(cross(g, conj(x), axis=axis), like_y),
    },
)
def cross(xp: Any, x: Any, y: Any, *, axis: int = -1) -> Any:
    """The vector product along `axis`, of size 3."""
    x, y = xp.moveaxis(x, axis, 0), xp.moveaxis(y, axis, 0)
    parts = [x[a] * y[b] - x[b] * y[a] for a, b in ((1, 2), (2, 0), (0, 1))]
    return xp.ascontiguousarray(xp.moveaxis(xp.stack(parts), 0, axis))
