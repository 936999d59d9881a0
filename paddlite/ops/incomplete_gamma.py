"""The regularised incomplete gamma functions, in float64.

Series and continued fraction: Abramowitz and Stegun 6.5.29 and 6.5.31; for large orders the integral itself, by
Gauss and Legendre's rule.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from paddlite.backend.dtypes import F64
from paddlite.core.op import defop
from paddlite.ops.arithmetic import elementwise_mul, elementwise_sub, negative, quotient_infer
from paddlite.ops.gamma import lgamma, lgamma_of
from paddlite.ops.like import unbroadcast
from paddlite.ops.power import exp, log

_STEPS = 300  # enough for orders up to _LARGE
_LARGE = 500.0
_EPSILON, _TINY = 2.0**-53, 1e-300


def _series(xp: Any, a: Any, x: Any) -> Any:
    """sum of x**k / (a (a + 1) ... (a + k)), for x < a + 1."""
    term = 1.0 / a
    total = term
    for k in range(1, _STEPS):
        term = term * (x / (a + k))
        total = total + term
        if xp is np and (term <= _EPSILON * total).all():
            break
    return total


def _fraction(xp: Any, a: Any, x: Any) -> Any:
    """1 / (x + 1 - a - (1 - a) / (x + 3 - a - 2 (2 - a) / ...)) for x >= a + 1 (Lentz's way)."""
    b = x + 1.0 - a
    c, d = xp.full_like(x, 1 / _TINY), 1.0 / b
    total = d
    for k in range(1, _STEPS):
        factor = -k * (k - a)
        b = b + 2.0
        d = factor * d + b
        d = 1.0 / xp.where(xp.abs(d) < _TINY, _TINY, d)
        c = b + factor / c
        c = xp.where(xp.abs(c) < _TINY, _TINY, c)
        change = c * d
        total = total * change
        if xp is np and (xp.abs(change - 1.0) <= 4 * _EPSILON).all():
            break
    return total


@functools.cache
def _rule() -> tuple[tuple[float, float], ...]:
    """Places in [0, 1] and weights."""
    places, weights = np.polynomial.legendre.leggauss(64)
    return tuple((float(p + 1) / 2, float(w) / 2) for p, w in zip(places, weights))


def _integral(xp: Any, a: Any, x: Any) -> tuple[Any, Any]:
    """Lower and upper function for large `a`: the integral from `x` to where the integrand has died off."""
    peak = a - 1.0
    width = xp.sqrt(peak)
    upper = x > peak
    right = xp.maximum(peak + 12.0 * width, x + 6.0 * width)
    end = xp.where(upper, right, xp.maximum(0.0, xp.minimum(peak - 8.0 * width, x - 5.0 * width)))
    log_peak = xp.log(peak)
    total = xp.zeros_like(x)
    for place, weight in _rule():
        t = x + (end - x) * place
        total = total + weight * xp.exp(peak * (xp.log(t) - log_peak) - (t - peak))
    part = xp.abs(end - x) * total * xp.exp(peak * (log_peak - 1.0) - lgamma_of(xp, a))
    return xp.where(upper, 1.0 - part, part), xp.where(upper, part, 1.0 - part)


def _lower_and_upper(xp: Any, a: Any, x: Any) -> tuple[Any, Any]:
    a, x = xp.broadcast_arrays(a.astype(F64), x.astype(F64))
    good = (a > 0) & (x >= 0)
    a, x = xp.where(good, a, 1.0), xp.where(good, x, 1.0)
    large = a > _LARGE
    few = xp.where(large, 1.0, a)
    near = x < few + 1.0
    front = xp.exp(few * xp.log(x) - x - lgamma_of(xp, few))
    series = front * _series(xp, few, xp.where(near, x, 0.0))
    fraction = front * _fraction(xp, few, xp.where(near, few + 1.0, x))
    lower, upper = xp.where(near, series, 1.0 - fraction), xp.where(near, 1.0 - series, fraction)
    high = _integral(xp, xp.where(large, a, _LARGE + 1.0), x)
    lower, upper = xp.where(large, high[0], lower), xp.where(large, high[1], upper)
    full, nan = xp.isinf(x), np.nan
    lower, upper = xp.where(full, 1.0, lower), xp.where(full, 0.0, upper)
    return xp.where(good, lower, nan), xp.where(good, upper, nan)


def _density(x: Any, y: Any) -> Any:
    """y**(x - 1) exp(-y) / gamma(x)."""
    power = elementwise_mul(elementwise_sub(x, 1.0), log(y))
    return exp(elementwise_sub(elementwise_sub(power, y), lgamma(x)))


@defop(
    "gammainc",
    infer=quotient_infer,
    floats=True,
    promote=("x", "y"),
    elementwise=True,
    wide=True,
    vjp={"y": lambda g, x, y, like_y: unbroadcast(elementwise_mul(g, _density(x, y)), like_y)},
)
def gammainc(xp: Any, x: Any, y: Any) -> Any:
    """The integral of t**(x - 1) exp(-t) from 0 to `y`, over gamma(x)."""
    return _lower_and_upper(xp, x, y)[0].astype(x.dtype)


@defop(
    "gammaincc",
    infer=quotient_infer,
    floats=True,
    promote=("x", "y"),
    elementwise=True,
    wide=True,
    vjp={"y": lambda g, x, y, like_y: unbroadcast(negative(elementwise_mul(g, _density(x, y))), like_y)},
)
def gammaincc(xp: Any, x: Any, y: Any) -> Any:
    """The integral of t**(x - 1) exp(-t) from `y` on, over gamma(x)."""
    return _lower_and_upper(xp, x, y)[1].astype(x.dtype)
