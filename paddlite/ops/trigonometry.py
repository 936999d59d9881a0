"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

import math
from typing import Any

from paddlite.backend.dtypes import COMPLEX
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import (
    binary,
    conj,
    elementwise_add,
    elementwise_div,
    elementwise_mul,
    elementwise_sub,
    negative,
    quotient_infer,
    square,
    unary,
)  # fmt: skip
from paddlite.ops.compare import equal
from paddlite.ops.infer import floating_same, real_of
from paddlite.ops.like import unbroadcast, zeros_like
from paddlite.ops.power import sqrt
from paddlite.ops.select import where

sin = unary("sin", "sin", lambda g, x: elementwise_mul(g, conj(cos(x))), floats=True)
cos = unary("cos", "cos", lambda g, x: negative(elementwise_mul(g, conj(sin(x)))), floats=True)
tan = unary(
    "tan",
    "tan",
    lambda g, out: elementwise_mul(g, conj(elementwise_add(square(out), 1.0))),
    floats=True,
    amp="keep32_o1",
)
sinh = unary("sinh", "sinh", lambda g, x: elementwise_mul(g, conj(cosh(x))), floats=True, amp="keep32_o1")
cosh = unary("cosh", "cosh", lambda g, x: elementwise_mul(g, conj(sinh(x))), floats=True, amp="keep32_o1")


def _one_minus_square(x: Any) -> Any:
    return elementwise_sub(1.0, square(x))


def _one_plus_square(x: Any) -> Any:
    return elementwise_add(square(x), 1.0)


asin = unary(
    "asin",
    "arcsin",
    lambda g, x: elementwise_div(g, conj(sqrt(_one_minus_square(x)))),
    floats=True,
    amp="keep32_o1",
)
acos = unary(
    "acos",
    "arccos",
    lambda g, x: negative(elementwise_div(g, conj(sqrt(_one_minus_square(x))))),
    floats=True,
    amp="keep32_o1",
)
atan = unary("atan", "arctan", lambda g, x: elementwise_div(g, conj(_one_plus_square(x))), floats=True)
asinh = unary("asinh", "arcsinh", lambda g, x: elementwise_div(g, conj(sqrt(_one_plus_square(x)))), floats=True)


def _acosh_rule(g: Any, x: Any) -> Any:
    # two roots, since that of the product would leave the branch for complex x
    roots = elementwise_mul(sqrt(elementwise_sub(x, 1.0)), sqrt(elementwise_add(x, 1.0)))
    return elementwise_div(g, conj(roots))


acosh = unary("acosh", "arccosh", _acosh_rule, floats=True)
atanh = unary(
    "atanh",
    "arctanh",
    lambda g, x: elementwise_div(g, conj(_one_minus_square(x))),
    floats=True,
    amp="keep32_o1",
)


def _turn(g: Any, x: Any, y: Any) -> Any:
    """g / (x**2 + y**2)."""
    return elementwise_div(g, elementwise_add(_square(x), _square(y)))


def _square(x: Any) -> Any:
    return elementwise_mul(x, x)


atan2 = binary(
    "atan2",
    "arctan2",
    {
        "x": lambda g, x, y, like_x: unbroadcast(elementwise_mul(_turn(g, x, y), y), like_x),
        "y": lambda g, x, y, like_y: unbroadcast(negative(elementwise_mul(_turn(g, x, y), x)), like_y),
    },
    infer=quotient_infer,
    floats=True,
)


def _unit(x: Any, out: Any) -> Any:
    """x / out, and 0 where `out` is 0."""
    return elementwise_div(x, where(equal(out, 0), 1, out))


hypot = binary(
    "hypot",
    "hypot",
    {
        "x": lambda g, x, out, like_x: unbroadcast(elementwise_mul(g, _unit(x, out)), like_x),
        "y": lambda g, y, out, like_y: unbroadcast(elementwise_mul(g, _unit(y, out)), like_y),
    },
    infer=quotient_infer,
    floats=True,
)


def _angle_infer(x: Meta) -> Meta:
    made = floating_same(x)
    return Meta(made.shape, real_of(made.dtype))


def _angle_rule(g: Any, x: Any) -> Any:
    if x._dtype not in COMPLEX:
        return zeros_like(g)
    size = elementwise_mul(x, conj(x))
    return elementwise_mul(g, elementwise_div(elementwise_mul(x, 1j), where(equal(size, 0), 1, size)))


@defop("angle", infer=_angle_infer, floats=True, elementwise=True, vjp={"x": _angle_rule})
def angle(xp: Any, x: Any) -> Any:
    """The angle of a complex number; 0 or pi for a real one."""
    if x.dtype.kind == "c":
        return xp.arctan2(x.imag, x.real)
    pi, zero = x.dtype.type(math.pi), x.dtype.type(0)
    return xp.where(xp.isnan(x), x, xp.where(x < zero, pi, zero))


def _sinc_curve(g: Any, x: Any, out: Any) -> Any:
    # the second derivative: -pi**2 sinc(x) - 2 sinc'(x) / x, with its limit -pi**2 / 3 at 0
    zero = equal(x, 0)
    bend = elementwise_div(elementwise_mul(out, 2), where(zero, 1, x))
    curve = negative(elementwise_add(elementwise_mul(sinc(x), math.pi**2), bend))
    return elementwise_mul(g, conj(where(zero, -(math.pi**2) / 3, curve)))


@defop("sinc_slope", infer=floating_same, elementwise=True, wide=True, vjp={"x": _sinc_curve})
def sinc_slope(xp: Any, x: Any) -> Any:
    """The derivative of sinc."""
    zero, one = x.dtype.type(0), x.dtype.type(1)
    safe = xp.where(x == zero, one, x)
    return (xp.cos(x * x.dtype.type(math.pi)) - sinc.op.kernel(xp, x)) / safe


@defop(
    "sinc",
    infer=floating_same,
    floats=True,
    elementwise=True,
    wide=True,
    vjp={"x": lambda g, x: elementwise_mul(g, conj(sinc_slope(x)))},
)
def sinc(xp: Any, x: Any) -> Any:
    """sin(pi x) / (pi x), which is 1 at 0."""
    turned = x * x.dtype.type(math.pi)
    zero, one = x.dtype.type(0), x.dtype.type(1)
    return xp.where(turned == zero, one, xp.sin(turned) / xp.where(turned == zero, one, turned))
