"""Rounding, and the parts of a number: sign, exponent, fraction."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import BOOL, COMPLEX
from paddlite.core.meta import Meta
from paddlite.core.op import def_ufunc, defop
from paddlite.ops.arithmetic import (
    conj,
    elementwise_div,
    elementwise_mul,
    elementwise_sub,
    negative,
    real,
    rounding,
)  # fmt: skip
from paddlite.ops.compare import equal
from paddlite.ops.infer import bool_same, require_floating, same
from paddlite.ops.like import zeros_like
from paddlite.ops.power import elementwise_pow
from paddlite.ops.select import where

ceil = rounding("ceil", "ceil")
trunc = rounding("trunc", "trunc")
rint = rounding("rint", "rint")


@defop("round", infer=same, elementwise=True, vjp={"x": lambda g: zeros_like(g)})
def round_to(xp: Any, x: Any, *, decimals: int = 0) -> Any:
    """`x` rounded to `decimals` decimal places; halves go to the even neighbour."""
    return xp.round(x, decimals)


signbit = def_ufunc("signbit", "signbit", arity=1, infer=bool_same)


def _unit_rule(g: Any, x: Any, out: Any) -> Any:
    # turning x turns out, stretching x does not change it: the part of g across the direction of x, over |x|
    along = real(elementwise_mul(conj(out), g))
    size = real(elementwise_mul(x, conj(out)))
    across = elementwise_sub(g, elementwise_mul(out, along))
    return elementwise_div(across, where(equal(size, 0), 1, size))


@defop("sgn", infer=same, elementwise=True, vjp={"x": _unit_rule})
def sgn(xp: Any, x: Any) -> Any:
    """x / |x| of a complex tensor; 0 where `x` is 0."""
    size = xp.abs(x)
    return x / xp.where(size == 0, size.dtype.type(1), size)


def _frexp_infer(x: Meta) -> tuple[Meta, Meta]:
    require_floating("frexp", x=x)
    return same(x), same(x)


@defop(
    "frexp",
    infer=_frexp_infer,
    check=True,
    outputs=("mantissa", "exponent"),
    vjp={"x": lambda g_mantissa, exponent: elementwise_mul(g_mantissa, elementwise_pow(2.0, negative(exponent)))},
)
def frexp(xp: Any, x: Any) -> tuple:
    """Mantissa (0.5 <= |m| < 1) and exponent of x = m * 2**e, both in the dtype of `x`."""
    mantissa, exponent = xp.frexp(x)
    return mantissa, exponent.astype(x.dtype)


@defop("isreal", infer=bool_same, elementwise=True, native_half=True)
def isreal(xp: Any, x: Any) -> Any:
    """True where the imaginary part is 0."""
    return x.imag == 0 if x.dtype in COMPLEX else xp.ones(x.shape, BOOL)
