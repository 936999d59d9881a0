"""Exponentials, logarithms, roots and powers; the larger and the smaller of two; remainders."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.backend.dtypes import COMPLEX
from paddlite.core.errors import InvalidArgument
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.core.tensor import TensorBase
from paddlite.ops.arithmetic import (
    binary,
    conj,
    elementwise_add,
    elementwise_div,
    elementwise_mul,
    elementwise_sub,
    floor,
    negative,
    quotient_infer,
    square,
    unary,
)  # fmt: skip
from paddlite.ops.compare import equal, greater_equal, isnan, less_equal, logical_or
from paddlite.ops.infer import broadcast, broadcast_shapes, floating_same
from paddlite.ops.like import unbroadcast, zeros_like
from paddlite.ops.select import where

exp = unary("exp", "exp", lambda g, out: elementwise_mul(g, conj(out)), floats=True, amp="keep32_o1")
expm1 = unary(
    "expm1",
    "expm1",
    lambda g, out: elementwise_mul(g, conj(elementwise_add(out, 1.0))),
    floats=True,
    amp="keep32_o1",
)
log = unary("log", "log", lambda g, x: elementwise_div(g, conj(x)), floats=True, amp="keep32_o1")
log1p = unary("log1p", "log1p", lambda g, x: elementwise_div(g, conj(elementwise_add(x, 1.0))), floats=True)
sqrt = unary("sqrt", "sqrt", lambda g, out: elementwise_div(elementwise_mul(g, 0.5), conj(out)), floats=True)
tanh = unary("tanh", "tanh", lambda g, out: elementwise_mul(g, conj(elementwise_sub(1.0, square(out)))), floats=True)
reciprocal = unary(
    "reciprocal",
    "reciprocal",
    lambda g, out: negative(elementwise_mul(g, conj(square(out)))),
    floats=True,
    amp="keep32_o1",
)


def _logarithm(name: str, base: float) -> Callable:
    def rule(g: Any, x: Any) -> Any:
        return elementwise_div(g, conj(elementwise_mul(x, math.log(base))))

    return unary(name, name, rule, floats=True, amp="keep32_o1")


log2 = _logarithm("log2", 2.0)
log10 = _logarithm("log10", 10.0)


def _rsqrt_rule(g: Any, x: Any, out: Any) -> Any:
    return elementwise_mul(g, conj(elementwise_div(elementwise_mul(out, -0.5), x)))


@defop(
    "rsqrt",
    infer=floating_same,
    floats=True,
    elementwise=True,
    wide=True,
    amp="keep32_o1",
    vjp={"x": _rsqrt_rule},
)
def rsqrt(xp: Any, x: Any) -> Any:
    root = xp.sqrt(x)
    return xp.divide(x.dtype.type(1), root, out=root if x.ndim else None)


def _base_rule(g: Any, x: Any, y: Any, like_x: Any) -> Any:
    if not isinstance(y, TensorBase):
        if y == 2:
            slope = elementwise_mul(x, 2)
        elif y == 0:
            return zeros_like(like_x)  # where 0 ** -1 * 0 would be NaN
        else:
            slope = elementwise_mul(elementwise_pow(x, y - 1), y)
        return elementwise_mul(g, conj(slope))
    slope = elementwise_mul(elementwise_pow(x, elementwise_sub(y, 1)), y)
    return unbroadcast(elementwise_mul(g, conj(where(equal(y, 0), 0, slope))), like_x)


def _exponent_rule(g: Any, x: Any, out: Any, like_y: Any) -> Any:
    # d(x**y)/dy = x**y log x; its limit at x = 0 is 0, where the formula gives NaN
    slope = elementwise_mul(out, log(x) if isinstance(x, TensorBase) else float(np.log(x)))
    if isinstance(x, TensorBase) and x._dtype not in COMPLEX:
        slope = where(equal(x, 0), 0.0, slope)
    return unbroadcast(elementwise_mul(g, conj(slope)), like_y)


@defop(
    "elementwise_pow",
    infer=broadcast,
    vjp={"x": _base_rule, "y": _exponent_rule},
    promote=("x", "y"),
    amp="keep32_o1",
    elementwise=True,
    inplace=True,
)
def elementwise_pow(xp: Any, x: Any, y: Any, *, out: Any = None) -> Any:
    if isinstance(y, np.generic) and not isinstance(x, np.generic):
        if y == 2:
            return xp.square(x, out=out)
        if y == 1:
            return xp.positive(x, out=out)
        if y == 0.5 and x.dtype.kind == "f":
            return xp.sqrt(x, out=out)
        if y == 3 and x.dtype.kind in "fc":
            return xp.multiply(xp.square(x), x, out=out)
    if x.dtype.kind not in "iu":
        return xp.power(x, y, out=out)
    raised = _whole_power(xp, x, y)
    if out is None:
        return raised
    out[...] = raised
    return out


def _whole_power(xp: Any, x: Any, y: Any) -> Any:
    """Integer powers; a negative exponent gives the whole part of 1 / x**-y, where NumPy refuses."""
    below = y < 0
    raised = xp.power(x, xp.abs(y))
    one, zero = raised.dtype.type(1), raised.dtype.type(0)
    return xp.where(below, xp.where(xp.abs(raised) == one, raised, zero), raised)


def _part_infer(g: Meta, x: Meta, y: Meta) -> Meta:
    return Meta(broadcast_shapes(g.shape, broadcast_shapes(x.shape, y.shape)), g.dtype)


@defop(
    "elementwise_max_part",
    infer=_part_infer,
    promote=("x", "y"),
    elementwise=True,
    vjp={"g": lambda g, x, y: max_part(g, x, y)},
)
def max_part(xp: Any, g: Any, x: Any, y: Any) -> Any:
    """`g` where x > y, half of it where both are equal, else 0: what the larger of two passes back to `x`."""
    zero = g.dtype.type(0)
    return xp.where(x > y, g, xp.where(x == y, g * g.dtype.type(0.5), zero))


elementwise_max = binary(
    "elementwise_max",
    "maximum",
    {
        "x": lambda g, x, y, like_x: unbroadcast(max_part(g, x, y), like_x),
        "y": lambda g, x, y, like_y: unbroadcast(max_part(g, y, x), like_y),
    },
)
elementwise_min = binary(
    "elementwise_min",
    "minimum",
    {
        "x": lambda g, x, y, like_x: unbroadcast(max_part(g, y, x), like_x),
        "y": lambda g, x, y, like_y: unbroadcast(max_part(g, x, y), like_y),
    },
)


def _first_or(chosen: Callable) -> dict[str, Callable]:
    """The rules of fmax and fmin: `x` where `chosen(x, y)` holds or `y` is NaN, else `y`."""

    def ours(x: Any, y: Any) -> Any:
        return logical_or(chosen(x, y), isnan(y)) if isinstance(y, TensorBase) else chosen(x, y)

    return {
        "x": lambda g, x, y, like_x: unbroadcast(where(ours(x, y), g, 0), like_x),
        "y": lambda g, x, y, like_y: unbroadcast(where(ours(x, y), 0, g), like_y),
    }


elementwise_fmax = binary("elementwise_fmax", "fmax", _first_or(greater_equal))
elementwise_fmin = binary("elementwise_fmin", "fmin", _first_or(less_equal))


@defop(
    "logaddexp",
    infer=quotient_infer,
    promote=("x", "y"),
    floats=True,
    elementwise=True,
    vjp={
        "x": lambda g, x, out, like_x: unbroadcast(elementwise_mul(g, exp(elementwise_sub(x, out))), like_x),
        "y": lambda g, y, out, like_y: unbroadcast(elementwise_mul(g, exp(elementwise_sub(y, out))), like_y),
    },
)
def logaddexp(xp: Any, x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)) without overflow."""
    return xp.logaddexp(x, y)


def _modulus_rule(g: Any, x: Any, y: Any, like_y: Any) -> Any:
    return unbroadcast(negative(elementwise_mul(g, floor(elementwise_div(x, y)))), like_y)


def _refuse_zero(xp: Any, y: Any, name: str) -> None:
    if xp is np and y.dtype.kind in "iu" and not y.all():
        raise InvalidArgument(f"{name}: an integer divisor is 0")


@defop(
    "elementwise_mod",
    infer=broadcast,
    promote=("x", "y"),
    elementwise=True,
    inplace=True,
    vjp={"x": lambda g, like_x: unbroadcast(g, like_x), "y": _modulus_rule},
)
def elementwise_mod(xp: Any, x: Any, y: Any, *, out: Any = None) -> Any:
    _refuse_zero(xp, y, "remainder")
    return xp.remainder(x, y, out=out)


@defop("elementwise_floordiv", infer=broadcast, promote=("x", "y"), elementwise=True, inplace=True)
def elementwise_floordiv(xp: Any, x: Any, y: Any, *, out: Any = None) -> Any:
    _refuse_zero(xp, y, "floor_divide")
    return xp.floor_divide(x, y, out=out)
