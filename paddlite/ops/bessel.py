"""Modified Bessel functions of the first kind, of order 0 and 1, plain and scaled by exp(-|x|).

The series are made on first use from Bessel's integral, whose trapezoidal sums converge exponentially (Abramowitz and
Stegun 9.6.19).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.backend.dtypes import F64
from paddlite.core.op import defop
from paddlite.ops.arithmetic import elementwise_add, elementwise_div, elementwise_mul, elementwise_sub, sign
from paddlite.ops.compare import equal
from paddlite.ops.infer import floating_same
from paddlite.ops.select import where
from paddlite.ops.series import chebyshev, clenshaw

_TURN = 8.0  # up to here a series in x, beyond it one in 1 / x


def _integral(order: int, x: np.ndarray, points: int) -> np.ndarray:
    """exp(-x) I_order(x): the mean of exp(x (cos t - 1)) cos(order t) over half a turn."""
    angle = (np.arange(points) + 0.5) * np.pi / points
    return (np.exp(np.multiply.outer(x, np.cos(angle) - 1)) * np.cos(order * angle)).mean(-1)


@functools.cache
def _series(order: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Of exp(-x) I(x) / x**order in x / 4 - 1 up to 8, and of sqrt(x) exp(-x) I(x) in 16 / x - 1 beyond."""

    def low(t: np.ndarray) -> np.ndarray:
        x = _TURN / 2 * (t + 1)
        return _integral(order, x, 100) / x**order

    near = chebyshev(low, 30)
    far = chebyshev(lambda t: _integral(order, 2 * _TURN / (t + 1), 4000) * np.sqrt(2 * _TURN / (t + 1)), 22)
    return near, far


def _scaled(xp: Any, x: Any, order: int) -> Any:
    """exp(-|x|) I_order(|x|), in float64."""
    size = xp.abs(x.astype(F64))
    near, far = _series(order)
    low, high = xp.minimum(size, _TURN), xp.maximum(size, _TURN)
    inner = clenshaw(low / (_TURN / 2) - 1.0, near) * low**order
    outer = clenshaw(2 * _TURN / high - 1.0, far) / xp.sqrt(high)
    out = xp.where(size <= _TURN, inner, outer)
    return xp.where(xp.isinf(size), 0.0, out)


def _plain(xp: Any, x: Any, order: int) -> Any:
    size = xp.abs(x.astype(F64))
    return xp.where(xp.isinf(size), np.inf, _scaled(xp, x, order) * xp.exp(size))


def _over(out: Any, x: Any) -> Any:
    """out / x for I1, with its limit 1/2 at 0."""
    zero = equal(x, 0)
    return where(zero, 0.5, elementwise_div(out, where(zero, 1, x)))


def _op(name: str, rule: Callable) -> Callable[[Callable], Callable]:
    return defop(name, infer=floating_same, floats=True, elementwise=True, wide=True, vjp={"x": rule})


@_op("i0", lambda g, x: elementwise_mul(g, i1(x)))
def i0(xp: Any, x: Any) -> Any:
    return _plain(xp, x, 0).astype(x.dtype)


@_op("i1", lambda g, x, out: elementwise_mul(g, elementwise_sub(i0(x), _over(out, x))))
def i1(xp: Any, x: Any) -> Any:
    return xp.copysign(_plain(xp, x, 1), x).astype(x.dtype)


@_op("i0e", lambda g, x, out: elementwise_mul(g, elementwise_sub(i1e(x), elementwise_mul(sign(x), out))))
def i0e(xp: Any, x: Any) -> Any:
    return _scaled(xp, x, 0).astype(x.dtype)


def _i1e_rule(g: Any, x: Any, out: Any) -> Any:
    fall = elementwise_add(elementwise_mul(sign(x), out), _over(out, x))
    return elementwise_mul(g, elementwise_sub(i0e(x), fall))


@_op("i1e", _i1e_rule)
def i1e(xp: Any, x: Any) -> Any:
    return xp.copysign(_scaled(xp, x, 1), x).astype(x.dtype)
