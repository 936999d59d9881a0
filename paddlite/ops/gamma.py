"""The gamma function's logarithm and its derivatives, and the incomplete gamma functions.

All are computed in float64.  References: Abramowitz and Stegun, chapter 6.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any

import numpy as np

from paddlite.backend.dtypes import F64
from paddlite.core.errors import InvalidArgument
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import elementwise_mul
from paddlite.ops.infer import floating_same
from paddlite.ops.series import chebyshev, clenshaw

_STIRLING = 8.0  # from here on the asymptotic series


@functools.cache
def _bernoulli(count: int) -> tuple[Fraction, ...]:
    """The Bernoulli numbers B(0) to B(count - 1)."""
    numbers = [Fraction(1)]
    for m in range(1, count):
        numbers.append(-sum((math.comb(m + 1, k) * numbers[k] for k in range(m)), Fraction(0)) / (m + 1))
    return tuple(numbers)


@functools.cache
def _near_two() -> tuple[float, ...]:
    """Of lgamma(2 + t / 2) / (t / 2) on [-1, 1]."""
    return chebyshev(lambda t: np.array([math.lgamma(2 + z) / z for z in t / 2]), 18)


def _in_powers(xp: Any, x: Any, coefficients: list[float]) -> Any:
    """c[0] / x + c[1] / x**3 + c[2] / x**5 + ..."""
    inverse = 1.0 / x
    squared = inverse * inverse
    total = coefficients[-1]
    for c in coefficients[-2::-1]:
        total = total * squared + c
    return total * inverse


def _lgamma_positive(xp: Any, x: Any) -> Any:
    """lgamma for x > 0: brought into [1.5, 2.5] by its recurrence up to 8, by Stirling's series beyond."""
    far = xp.maximum(x, _STIRLING)
    b = _bernoulli(20)
    terms = [float(b[2 * k] / (2 * k * (2 * k - 1))) for k in range(1, 10)]
    stirling = (far - 0.5) * xp.log(far) - far + 0.5 * math.log(2 * math.pi) + _in_powers(xp, far, terms)
    y = xp.minimum(x, _STIRLING)
    above, below = xp.ones_like(y), xp.ones_like(y)
    for _ in range(6):
        high = y > 2.5
        y = xp.where(high, y - 1.0, y)
        above = xp.where(high, above * y, above)
    for _ in range(2):
        low = y < 1.5
        below = xp.where(low, below * y, below)
        y = xp.where(low, y + 1.0, y)
    middle = (y - 2.0) * clenshaw(2.0 * (y - 2.0), _near_two())
    return xp.where(x < _STIRLING, middle + xp.log(above) - xp.log(below), stirling)


def _sine_of_pi(xp: Any, x: Any) -> Any:
    """sin(pi x), exactly 0 at whole numbers; its sign does not matter here."""
    return xp.sin(math.pi * (x - xp.rint(x)))


def lgamma_of(xp: Any, x: Any) -> Any:
    """log |gamma(x)| of a float64 array, for kernels."""
    left = x <= 0
    core = _lgamma_positive(xp, xp.where(left, 1.0 - x, x))
    mirrored = math.log(math.pi) - xp.log(xp.abs(_sine_of_pi(xp, x))) - core
    return xp.where(xp.isinf(x), np.inf, xp.where(left, mirrored, core))


@defop(
    "lgamma",
    infer=floating_same,
    floats=True,
    elementwise=True,
    wide=True,
    vjp={"x": lambda g, x: elementwise_mul(g, digamma(x))},
)
def lgamma(xp: Any, x: Any) -> Any:
    """log |gamma(x)|; infinite at 0, -1, -2, ..."""
    return lgamma_of(xp, x.astype(F64)).astype(x.dtype)


@defop(
    "digamma",
    infer=floating_same,
    floats=True,
    elementwise=True,
    wide=True,
    vjp={"x": lambda g, x: elementwise_mul(g, polygamma(x, n=1))},
)
def digamma(xp: Any, x: Any) -> Any:
    """The derivative of lgamma: -inf at 0, NaN at -1, -2, ..."""
    wide = x.astype(F64)
    left = wide <= 0
    y = xp.where(left, 1.0 - wide, wide)
    total = xp.zeros_like(y)
    for _ in range(int(_STIRLING)):
        low = y < _STIRLING
        total = xp.where(low, total - 1.0 / y, total)
        y = xp.where(low, y + 1.0, y)
    b = _bernoulli(20)
    terms = [float(b[2 * k] / (2 * k)) for k in range(1, 10)]
    core = total + xp.log(y) - 0.5 / y - _in_powers(xp, y, terms) / y
    turn = wide - xp.rint(wide)
    mirrored = core - math.pi / xp.tan(math.pi * turn)
    out = xp.where(left, xp.where(turn == 0, xp.where(wide == 0, -np.inf, np.nan), mirrored), core)
    return xp.where(wide == np.inf, np.inf, out).astype(x.dtype)


@functools.cache
def _cotangent_derivative(n: int) -> tuple[int, ...]:
    """The n-th derivative of cot as a polynomial in cot, lowest power first: each step is d/dx c = -(1 + c**2)."""
    p = [0, 1]
    for _ in range(n):
        slope = [k * p[k] for k in range(1, len(p))]
        p = [-a for a in slope] + [0, 0]
        for k, a in enumerate(slope):
            p[k + 2] -= a
    return tuple(p)


def _polygamma_infer(x: Meta, *, n: int) -> Meta:
    if n < 1:
        raise InvalidArgument(f"polygamma: the order n must be at least 1, got {n}")
    return floating_same(x)


@defop(
    "polygamma",
    infer=_polygamma_infer,
    floats=True,
    elementwise=True,
    wide=True,
    vjp={"x": lambda g, x, n: elementwise_mul(g, polygamma(x, n=n + 1))},
)
def polygamma(xp: Any, x: Any, *, n: int) -> Any:
    """The n-th derivative of digamma, n >= 1; infinite at 0, -1, -2, ..."""
    wide = x.astype(F64)
    left = wide <= 0
    y = xp.where(left, 1.0 - wide, wide)
    start = _STIRLING + n
    total = xp.zeros_like(y)
    for _ in range(int(start)):
        low = y < start
        total = xp.where(low, total + y ** (-n - 1.0), total)
        y = xp.where(low, y + 1.0, y)
    b = _bernoulli(26)
    ratio = [float(b[2 * k] * math.factorial(2 * k + n - 1) / math.factorial(2 * k)) for k in range(1, 13)]
    tail = math.factorial(n - 1) * y ** (-float(n)) + 0.5 * math.factorial(n) * y ** (-n - 1.0)
    tail = tail + _in_powers(xp, y, ratio) * y ** (-n - 1.0)
    core = (math.factorial(n) * total + tail) * (-1.0) ** (n + 1)
    turn = wide - xp.rint(wide)
    cotangent = 1.0 / xp.tan(math.pi * turn)
    bend = 0.0
    for c in _cotangent_derivative(n)[::-1]:
        bend = bend * cotangent + float(c)
    mirrored = core * (-1.0) ** n - math.pi ** (n + 1) * bend
    out = xp.where(left, xp.where(turn == 0, np.inf * (-1.0) ** (n + 1), mirrored), core)
    return xp.where(wide == np.inf, 0.0, out).astype(x.dtype)
