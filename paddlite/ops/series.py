"""Approximating functions in kernels: Chebyshev series, polynomials, evaluation block by block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_BLOCK = 32768  # elements whose temporaries stay in the cache


def chebyshev(function: Callable[[np.ndarray], np.ndarray], count: int) -> tuple[float, ...]:
    """The first `count` Chebyshev coefficients of `function` on [-1, 1], by interpolation at the Chebyshev nodes."""
    angles = np.pi * (np.arange(count) + 0.5) / count
    values = function(np.cos(angles))
    return tuple(float(2 / count * np.sum(values * np.cos(j * angles))) for j in range(count))


def clenshaw(x: Any, coefficients: Sequence[float]) -> Any:
    """The Chebyshev series with `coefficients` at `x`, in the dtype of `x` (Clenshaw's recurrence)."""
    real = x.dtype.type
    twice = x + x
    later, latest = real(0), real(coefficients[-1])
    for c in coefficients[-2:0:-1]:
        later, latest = latest, twice * latest - later + real(c)
    return x * latest - later + real(coefficients[0] / 2)


def polynomial(xp: Any, x: Any, coefficients: Sequence[float]) -> Any:
    """c[0] + c[1] x + c[2] x**2 + ..., in the dtype of `x` (Horner's rule, in one buffer)."""
    real = x.dtype.type
    out = xp.full_like(x, real(coefficients[-1]))
    for c in coefficients[-2::-1]:
        out *= x
        out += real(c)
    return out


def in_blocks(xp: Any, function: Callable[[Any], Any], x: Any) -> Any:
    """`function` of every element of `x`; on the host block by block, so that its many steps run in the cache."""
    if xp is not np or x.size <= _BLOCK:
        return function(x)
    flat = np.ascontiguousarray(x).reshape(-1)
    out = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        out[start : start + _BLOCK] = function(flat[start : start + _BLOCK])
    return out.reshape(x.shape)
