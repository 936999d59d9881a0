"""Functions that NumPy lacks or computes slowly."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from paddlite.backend.dtypes import F64

_PIVOT = 2.5


@functools.cache
def _tail_polynomial(dtype: np.dtype) -> tuple[float, float, tuple[float, ...]]:
    """(scale, shift, coefficients, highest first) of a polynomial in v = scale / (_PIVOT sqrt(2) + a) + shift.

    erfc(z) exp(z**2) is smooth in u = _PIVOT / (_PIVOT + z), so it is interpolated there at Chebyshev's nodes:
    to 1e-7 with 7 coefficients on [0, 4.2], to 2e-15 with 19 on [0, 6].  Beyond, exp(-z**2) has vanished.
    """
    degree, far = (18, 6.0) if dtype == F64 else (6, 4.2)
    nodes = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    low = _PIVOT / (_PIVOT + far)
    z = _PIVOT / ((nodes * (1.0 - low) + 1.0 + low) / 2) - _PIVOT
    values = [math.erfc(v) * math.exp(v * v) / 2 for v in z]
    powers = chebyshev.cheb2poly(chebyshev.chebfit(nodes, values, degree))
    scale = 2 * _PIVOT * math.sqrt(2) / (1.0 - low)
    return scale, -(1.0 + low) / (1.0 - low), tuple(powers[::-1].tolist())


def upper_tail(xp: Any, a: Any) -> tuple[Any, Any]:
    """(P(X > a), exp(-a**2 / 2)) for a standard normal X and a >= 0, float32 or float64.

    The absolute error is 3e-7 in float32 and 1e-15 in float64.
    """
    bell = a * a
    bell *= -0.5
    xp.exp(bell, out=bell)
    if xp is not np:
        from cupyx.scipy.special import erfc

        return erfc(a * a.dtype.type(math.sqrt(0.5))) * a.dtype.type(0.5), bell
    scale, shift, (first, *others) = _tail_polynomial(a.dtype)
    v = a + _PIVOT * math.sqrt(2)
    np.divide(scale, v, out=v)
    v += shift
    tail = v * first
    for coefficient in others[:-1]:
        tail += coefficient
        tail *= v
    tail += others[-1]
    tail *= bell
    return tail, bell


def log1p(xp: Any, u: Any) -> Any:
    """log(1 + u) for finite u >= 0, in a new array.

    NumPy's own is 14 times slower than its log; here the rounding of 1 + u is made good by a first-order term.
    """
    if xp is not np:
        return xp.log1p(u)
    whole = u + 1
    lost = whole - 1
    np.subtract(u, lost, out=lost)
    lost /= whole
    np.log(whole, out=whole)
    whole += lost
    return whole
