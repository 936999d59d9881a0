"""Matrix products, and the linear layer as one op with its bias."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32, HALF
from paddlite.core.errors import ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.core.promote import promote_types
from paddlite.ops.arithmetic import conj, elementwise_mul
from paddlite.ops.infer import broadcast_shapes
from paddlite.ops.like import reduce_to, sum_like, unbroadcast
from paddlite.ops.shape import squeeze, unsqueeze


def _product_infer(x: Meta, y: Meta, *, transpose_x: bool = False, transpose_y: bool = False) -> Meta:
    if not x.shape or not y.shape:
        raise ShapeMismatch(f"matmul: both inputs need at least one axis, got x {list(x.shape)} and y {list(y.shape)}")
    a = _swapped(x.shape, transpose_x)
    b = _swapped(y.shape, transpose_y)
    inner, outer = a[-1], b[-2] if len(b) > 1 else b[-1]
    if inner != outer and -1 not in (inner, outer):
        raise ShapeMismatch(
            f"matmul: the last size of x ({inner}) must equal the {'first' if len(b) < 3 else 'last but one'} of y "
            f"({outer}); got x {list(x.shape)}{' transposed' if transpose_x else ''} and y {list(y.shape)}"
            f"{' transposed' if transpose_y else ''}. {_hint(a, b)}"
        )
    batch = broadcast_shapes(a[:-2], b[:-2], "matmul")
    shape = batch + (a[-2:-1] if len(a) > 1 else ()) + (b[-1:] if len(b) > 1 else ())
    return Meta(shape, promote_types(x.dtype, y.dtype))


def _hint(a: tuple, b: tuple) -> str:
    if len(b) > 1 and a[-1] == b[-1]:
        return "Use transpose_y=True if y holds rows."
    if len(a) > 1 and a[-2] == (b[-2] if len(b) > 1 else b[-1]):
        return "Use transpose_x=True if x holds columns."
    return ""


def _swapped(shape: tuple, swap: bool) -> tuple:
    return (*shape[:-2], shape[-1], shape[-2]) if swap and len(shape) > 1 else shape


def _turned(array: Any, swap: bool) -> Any:
    return array.swapaxes(-1, -2) if swap and array.ndim > 1 else array


def product(xp: Any, x: Any, y: Any) -> Any:
    """x @ y; many rows by one matrix are multiplied in one call."""
    if x.ndim > 2 and y.ndim == 2:
        return matmul2d(xp, x.reshape(-1, x.shape[-1]), y).reshape(*x.shape[:-1], y.shape[-1])
    if xp is not np and x.dtype in HALF and max(x.ndim, y.ndim) > 2:
        return xp.matmul(x.astype(F32), y.astype(F32)).astype(x.dtype)  # CuPy has no batched product of halves
    return xp.matmul(x, y)


def matmul2d(xp: Any, x: Any, y: Any) -> Any:
    return xp.matmul(x, y) if y.shape[0] else xp.zeros((x.shape[0], y.shape[1]), x.dtype)


@defop(
    "matmul_v2",
    infer=_product_infer,
    amp="low",
    promote=("x", "y"),
    wide=False,
    vjp={
        "x": lambda g, y, like_x, transpose_x, transpose_y: _left(g, y, like_x, transpose_x, transpose_y),
        "y": lambda g, x, like_y, transpose_x, transpose_y: _right(g, x, like_y, transpose_x, transpose_y),
    },
)
def matmul(xp: Any, x: Any, y: Any, *, transpose_x: bool = False, transpose_y: bool = False) -> Any:
    return product(xp, _turned(x, transpose_x), _turned(y, transpose_y))


def _to_infer(x: Meta, y: Meta, like: Meta, *, transpose_x: bool = False, transpose_y: bool = False) -> Meta:
    return Meta(like.shape, promote_types(x.dtype, y.dtype))


@defop(
    "matmul_to",
    infer=_to_infer,
    shape_only=("like",),
    wide=False,
    vjp={
        "x": lambda g, y, like_x, transpose_x, transpose_y: _to_left(g, y, like_x, transpose_x, transpose_y),
        "y": lambda g, x, like_y, transpose_x, transpose_y: _to_right(g, x, like_y, transpose_x, transpose_y),
    },
)
def matmul_to(xp: Any, x: Any, y: Any, like: Any, *, transpose_x: bool = False, transpose_y: bool = False) -> Any:
    """x @ y summed to the shape of `like`: the gradient of a product whose operand was broadcast over a batch."""
    shape = like.shape
    if (
        len(shape) == 2
        and transpose_x
        and not transpose_y
        and x.ndim == y.ndim
        and x.ndim > 2
        and x.shape[:-2] == y.shape[:-2]
    ):
        # the sum over a batch of x[b].T @ y[b] is one product of the rows laid end to end
        return xp.matmul(x.reshape(-1, x.shape[-1]).T, y.reshape(-1, y.shape[-1]))
    return reduce_to(xp, product(xp, _turned(x, transpose_x), _turned(y, transpose_y)), shape)


def _to_left(g: Any, y: Any, like: Any, transpose_x: bool, transpose_y: bool) -> Any:
    """The gradient of the left operand (of at least two axes)."""
    y = conj(y)
    if transpose_x:
        return matmul_to(y, g, like, transpose_x=transpose_y, transpose_y=True)
    return matmul_to(g, y, like, transpose_y=not transpose_y)


def _to_right(g: Any, x: Any, like: Any, transpose_x: bool, transpose_y: bool) -> Any:
    x = conj(x)
    if transpose_y:
        return matmul_to(g, x, like, transpose_x=True, transpose_y=transpose_x)
    return matmul_to(x, g, like, transpose_x=not transpose_x)


def _left(g: Any, y: Any, like_x: Any, transpose_x: bool, transpose_y: bool) -> Any:
    rank_x, rank_y = len(like_x._shape), len(y._shape)
    if rank_x > 1 and rank_y > 1:
        return _to_left(g, y, like_x, transpose_x, transpose_y)
    if rank_x == 1 and rank_y == 1:
        return elementwise_mul(g, conj(y))
    if rank_x == 1:
        column = matmul(conj(y), unsqueeze(g, axes=(-1,)), transpose_x=transpose_y)
        return unbroadcast(squeeze(column, axes=(-1,)), like_x)
    column = unsqueeze(g, axes=(-2 if transpose_x else -1,))
    row = unsqueeze(conj(y), axes=(1,)) if transpose_x else conj(y)
    return unbroadcast(elementwise_mul(column, row), like_x)


def _right(g: Any, x: Any, like_y: Any, transpose_x: bool, transpose_y: bool) -> Any:
    rank_x, rank_y = len(x._shape), len(like_y._shape)
    if rank_x > 1 and rank_y > 1:
        return _to_right(g, x, like_y, transpose_x, transpose_y)
    if rank_x == 1 and rank_y == 1:
        return elementwise_mul(g, conj(x))
    if rank_y == 1:
        column = matmul(conj(x), unsqueeze(g, axes=(-1,)), transpose_x=not transpose_x)
        return unbroadcast(squeeze(column, axes=(-1,)), like_y)
    row = unsqueeze(g, axes=(-1 if transpose_y else -2,))
    column = conj(x) if transpose_y else unsqueeze(conj(x), axes=(1,))
    return unbroadcast(elementwise_mul(row, column), like_y)


def _linear_infer(x: Meta, weight: Meta, bias: Meta | None) -> Meta:
    if len(weight.shape) != 2 or not x.shape:
        raise ShapeMismatch(
            f"linear: weight must have 2 axes [in_features, out_features] and x at least 1; "
            f"got x {list(x.shape)} and weight {list(weight.shape)}"
        )
    inner, outer = x.shape[-1], weight.shape[0]
    if inner != outer and -1 not in (inner, outer):
        raise ShapeMismatch(
            f"linear: the last size of x ({inner}) must equal in_features, the first of weight ({outer}); "
            f"got x {list(x.shape)} and weight {list(weight.shape)}"
        )
    if bias is not None and bias.shape != (weight.shape[1],) and bias.shape != (1,):
        raise ShapeMismatch(f"linear: bias must have shape [{weight.shape[1]}], got {list(bias.shape)}")
    return Meta((*x.shape[:-1], weight.shape[1]), promote_types(x.dtype, weight.dtype))


@defop(
    "linear",
    infer=_linear_infer,
    amp="low",
    promote=("x", "weight", "bias"),
    wide=False,
    vjp={
        "x": lambda g, weight, like_x: _left(g, weight, like_x, False, False),
        "weight": lambda g, x, like_weight: _right(g, x, like_weight, False, False),
        "bias": lambda g, like_bias: sum_like(g, like_bias),
    },
)
def linear(xp: Any, x: Any, weight: Any, bias: Any) -> Any:
    if weight.ndim != 2 or (bias is not None and bias.shape != weight.shape[1:] and bias.shape != (1,)):
        raise ValueError("the shapes do not fit")  # `infer` is asked for the text, which names them
    out = product(xp, x, weight)
    if bias is None:
        return out
    return xp.add(out, bias, out=out) if out.dtype == bias.dtype else out + bias
