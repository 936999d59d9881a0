"""Exponentials, logarithms, roots and powers; the larger and the smaller of two; remainders."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import COMPLEX
from paddlite.core.op import defop
from paddlite.core.tensor import TensorBase
from paddlite.ops.arithmetic import (
    binary,
    conj,
    elementwise_div,
    elementwise_mul,
    elementwise_sub,
    floor,
    negative,
    square,
    unary,
)  # fmt: skip
from paddlite.ops.compare import equal, greater_than, less_than
from paddlite.ops.infer import broadcast
from paddlite.ops.like import unbroadcast
from paddlite.ops.select import where

exp = unary("exp", "exp", lambda g, out: elementwise_mul(g, conj(out)), floats=True, amp="keep32_o1")
log = unary("log", "log", lambda g, x: elementwise_div(g, conj(x)), floats=True, amp="keep32_o1")
sqrt = unary("sqrt", "sqrt", lambda g, out: elementwise_div(elementwise_mul(g, 0.5), conj(out)), floats=True)
tanh = unary("tanh", "tanh", lambda g, out: elementwise_mul(g, conj(elementwise_sub(1.0, square(out)))), floats=True)


def _base_rule(g: Any, x: Any, y: Any, like_x: Any) -> Any:
    lowered = elementwise_pow(x, elementwise_sub(y, 1) if isinstance(y, TensorBase) else y - 1)
    return unbroadcast(elementwise_mul(g, conj(elementwise_mul(lowered, y))), like_x)


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
        if y == 0.5 and x.dtype.kind == "f":
            return xp.sqrt(x, out=out)
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


elementwise_max = binary(
    "elementwise_max",
    "maximum",
    {
        "x": lambda g, x, y, like_x: unbroadcast(where(greater_than(x, y), g, 0), like_x),
        "y": lambda g, x, y, like_y: unbroadcast(where(greater_than(x, y), 0, g), like_y),
    },
)
elementwise_min = binary(
    "elementwise_min",
    "minimum",
    {
        "x": lambda g, x, y, like_x: unbroadcast(where(less_than(x, y), g, 0), like_x),
        "y": lambda g, x, y, like_y: unbroadcast(where(less_than(x, y), 0, g), like_y),
    },
)


def _modulus_rule(g: Any, x: Any, y: Any, like_y: Any) -> Any:
    return unbroadcast(negative(elementwise_mul(g, floor(elementwise_div(x, y)))), like_y)


elementwise_mod = binary(
    "elementwise_mod", "remainder", {"x": lambda g, like_x: unbroadcast(g, like_x), "y": _modulus_rule}
)
elementwise_floordiv = binary("elementwise_floordiv", "floor_divide")
