"""The error function, its inverse, and the logit."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32, F64
from paddlite.core.op import defop
from paddlite.ops.arithmetic import elementwise_div, elementwise_mul, elementwise_sub, negative, square
from paddlite.ops.compare import greater_than, less_than, logical_and
from paddlite.ops.infer import floating_same
from paddlite.ops.power import exp
from paddlite.ops.select import where
from paddlite.ops.series import chebyshev, clenshaw, in_blocks, polynomial

# erf(x) = x P(x**2) / Q(x**2) on [-3.92, 3.92], beyond which float32 holds 1: fitted by reweighted least squares, the
# largest relative error is 2e-8 before rounding and 6 units in the last place in float32.
_P = (1.1283791065216064, 0.19040460884571075, 0.05274845287203789, 0.0037655311170965433, 0.00028487981762737036,
      2.050088141913875e-06)  # fmt: skip
_Q = (1.0, 0.5020744204521179, 0.11410832405090332, 0.014969044364988804, 0.0011625129263848066,
      3.809157351497561e-05)  # fmt: skip
_ONE_FROM = 3.92


def erf_of(xp: Any, x: Any) -> Any:
    """erf of a float32 or float64 array, for kernels."""
    return in_blocks(xp, functools.partial(_erf32 if x.dtype == F32 else _erf64, xp), x)


def _erf32(xp: Any, x: Any) -> Any:
    bound, one = F32.type(_ONE_FROM), F32.type(1)
    x = x.clip(-bound, bound)
    squared = x * x
    out = polynomial(xp, squared, _P)
    out *= x
    out /= polynomial(xp, squared, _Q)
    return out.clip(-one, one)


@functools.cache
def _erf_series() -> tuple[float, ...]:
    """Of erf(x) / x on [0, 1], in the variable 2 x**2 - 1."""
    return chebyshev(lambda t: np.array([math.erf(r) / r for r in np.sqrt((t + 1) / 2)]), 13)


_LOW, _HIGH = (1 - 3) / (1 + 3), (6 - 3) / (6 + 3)  # (x - 3) / (x + 3) for x of [1, 6]


@functools.cache
def _tail_series() -> tuple[float, ...]:
    """Of exp(x**2) erfc(x) on [1, 6], in (x - 3) / (x + 3) stretched to [-1, 1]."""

    def values(t: np.ndarray) -> np.ndarray:
        place = _LOW + (t + 1) / 2 * (_HIGH - _LOW)
        return np.array([math.erfc(x) * math.exp(x * x) for x in 3 * (1 + place) / (1 - place)])

    return chebyshev(values, 18)


def _tail(xp: Any, x: Any) -> Any:
    """erfc(x) for x of [1, 6], with a small relative error."""
    place = (x - 3.0) / (x + 3.0)
    return xp.exp(-x * x) * clenshaw((place - _LOW) * (2 / (_HIGH - _LOW)) - 1.0, _tail_series())


def _erf64(xp: Any, x: Any) -> Any:
    size = xp.abs(x)
    near = xp.minimum(size, 1.0)
    inner = near * clenshaw(2.0 * near * near - 1.0, _erf_series())
    outer = 1.0 - _tail(xp, xp.minimum(xp.maximum(size, 1.0), 6.0))
    return xp.copysign(xp.where(size < 1.0, inner, outer), x)


def _bell(x: Any) -> Any:
    """exp(-x**2)."""
    return exp(negative(square(x)))


@defop(
    "erf",
    infer=floating_same,
    floats=True,
    elementwise=True,
    wide=True,
    vjp={"x": lambda g, x: elementwise_mul(g, elementwise_mul(_bell(x), 2 / math.sqrt(math.pi)))},
)
def erf(xp: Any, x: Any) -> Any:
    """2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
    return erf_of(xp, x)


def _erfinv_rule(g: Any, out: Any) -> Any:
    return elementwise_mul(g, elementwise_mul(exp(square(out)), math.sqrt(math.pi) / 2))


@defop(
    "erfinv", infer=floating_same, floats=True, elementwise=True, wide=True, amp="keep32_o1", vjp={"x": _erfinv_rule}
)
def erfinv(xp: Any, x: Any) -> Any:
    """The number whose erf is `x`; infinite at -1 and 1, NaN beyond."""
    size = xp.abs(x.astype(F64))
    inside = xp.minimum(size, 1 - 2.0**-53)
    # Winitzki's closed formula is good to 2e-3; each of Halley's steps triples the digits
    a = 0.147
    half = xp.log((1.0 - inside) * (1.0 + inside)) / 2
    middle = 2 / (math.pi * a) + half
    y = xp.sqrt(xp.maximum(xp.sqrt(middle * middle - 2 * half / a) - middle, 0.0))
    for _ in range(2):
        upper = xp.minimum(xp.maximum(y, 1.0), 6.0)
        off = xp.where(y < 1.0, _erf64(xp, xp.minimum(y, 1.0)) - inside, (1.0 - inside) - _tail(xp, upper))
        step = off * (math.sqrt(math.pi) / 2) * xp.exp(y * y)
        y = y - step / (1.0 + y * step)
    y = xp.where(size < 1.0, y, xp.where(size == 1.0, np.inf, np.nan))
    return xp.copysign(y, x).astype(x.dtype)


def _logit_rule(g: Any, x: Any, eps: float) -> Any:
    slope = elementwise_div(g, elementwise_mul(x, elementwise_sub(1.0, x)))
    if not eps:
        return slope
    inside = logical_and(greater_than(x, eps), less_than(x, 1 - eps))
    return where(inside, slope, 0.0)


@defop(
    "logit",
    infer=lambda x, *, eps=0.0: floating_same(x),
    floats=True,
    elementwise=True,
    wide=True,
    vjp={"x": _logit_rule},
)
def logit(xp: Any, x: Any, *, eps: float = 0.0) -> Any:
    """log(x / (1 - x)), with `x` brought into [eps, 1 - eps] first; NaN outside of [0, 1] where eps is 0."""
    one = x.dtype.type(1)
    if eps:
        low = x.dtype.type(eps)
        x = xp.minimum(xp.maximum(x, low), one - low)
    return xp.log(x / (one - x))
