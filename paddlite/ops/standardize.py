"""Bringing values to mean 0 and variance 1 over some axes, and what second gradients of all norms are made of.

Without `centre` the mean is left as it is and the mean square takes the place of the variance (RMS norm).

With xhat = standardize(x) and r = 1 / sqrt(variance + epsilon), the Jacobian J = r (1 - mean - xhat mean(xhat .)) is
symmetric, so the gradient for an output gradient u is J u, and the gradient of <v, J u> with respect to u is J v.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32, HALF
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import elementwise_add, elementwise_div, elementwise_mul, elementwise_sub, negative, square
from paddlite.ops.infer import same
from paddlite.ops.like import full_like
from paddlite.ops.power import sqrt
from paddlite.ops.reduce import reduce_mean


def statistics_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of means and variances of values of `dtype`."""
    return F32 if dtype in HALF else dtype


def _infer(x: Meta, *_: Meta, axis: tuple[int, ...], epsilon: float, centre: bool = True) -> Meta:
    return same(x)


def _deviation(xp: Any, x: Any, axis: tuple[int, ...], epsilon: float, centre: bool) -> tuple[Any, Any]:
    """(xhat, r)."""
    centred = x - x.mean(axis=axis, keepdims=True) if centre else x
    r = 1 / xp.sqrt((centred * centred).mean(axis=axis, keepdims=True) + epsilon)
    return centred * r, r


@defop(
    "standardize",
    infer=_infer,
    wide=True,
    vjp={"x": lambda g, x, axis, epsilon, centre: standardize_grad(x, g, axis=axis, epsilon=epsilon, centre=centre)},
)
def standardize(xp: Any, x: Any, *, axis: tuple[int, ...], epsilon: float, centre: bool = True) -> Any:
    """(x - mean) / sqrt(variance + epsilon) over `axis`."""
    return _deviation(xp, x, axis, epsilon, centre)[0]


@defop(
    "standardize_grad",
    infer=_infer,
    wide=True,
    vjp={
        "x": lambda g, x, u, axis, epsilon, centre: jacobian_slope(x, u, g, axis, epsilon, centre),
        "u": lambda g, x, axis, epsilon, centre: standardize_grad(x, g, axis=axis, epsilon=epsilon, centre=centre),
    },
)
def standardize_grad(xp: Any, x: Any, u: Any, *, axis: tuple[int, ...], epsilon: float, centre: bool = True) -> Any:
    """J u."""
    xhat, r = _deviation(xp, x, axis, epsilon, centre)
    out = u - xhat * (u * xhat).mean(axis=axis, keepdims=True)
    if centre:
        out -= u.mean(axis=axis, keepdims=True)
    return out * r


def _mean(x: Any, axis: tuple[int, ...]) -> Any:
    return reduce_mean(x, axis=axis, keepdim=True)


def jacobian_slope(x: Any, u: Any, v: Any, axis: tuple[int, ...], epsilon: float, centre: bool) -> Any:
    """The gradient of <v, J u> with respect to x, written with ops."""
    facts: dict[str, Any] = {"axis": axis, "epsilon": epsilon, "centre": centre}
    xhat = standardize(x, **facts)
    variance = _mean(square(elementwise_sub(x, _mean(x, axis)) if centre else x), axis)
    r = elementwise_div(1.0, sqrt(elementwise_add(variance, epsilon)))
    ju, jv = standardize_grad(x, u, **facts), standardize_grad(x, v, **facts)
    mu, mv = _mean(elementwise_mul(u, xhat), axis), _mean(elementwise_mul(v, xhat), axis)
    shared = elementwise_sub(_mean(elementwise_mul(u, v), axis), elementwise_mul(mu, mv))
    if centre:
        shared = elementwise_sub(shared, elementwise_mul(_mean(u, axis), _mean(v, axis)))
    total = elementwise_add(
        elementwise_mul(elementwise_mul(xhat, r), shared),
        elementwise_add(elementwise_mul(jv, mu), elementwise_mul(ju, mv)),
    )
    return negative(elementwise_mul(total, r))


def second_gradients(
    x: Any, scale: Any, dy: Any, gradients: tuple, axis: tuple[int, ...], epsilon: float, centre: bool = True
) -> tuple[Any, Any, Any]:
    """The rule of a norm's gradient op (dx, dscale, dbias): gradients for (x, scale, dy), that for scale unsummed.

    `scale` and the last two of `gradients` broadcast to `x`, or are None.
    """
    v, a, b = gradients
    facts: dict[str, Any] = {"axis": axis, "epsilon": epsilon, "centre": centre}
    for_x = for_dy = for_scale = None
    if v is not None:
        jv = standardize_grad(x, v, **facts)
        for_x = jacobian_slope(x, dy if scale is None else elementwise_mul(dy, scale), v, axis, epsilon, centre)
        for_dy = jv if scale is None else elementwise_mul(jv, scale)
        for_scale = elementwise_mul(dy, jv)
    if a is not None:
        for_x = _plus(for_x, standardize_grad(x, elementwise_mul(dy, a), **facts))
        for_dy = _plus(for_dy, elementwise_mul(standardize(x, **facts), a))
    if b is not None:
        for_dy = _plus(for_dy, elementwise_mul(full_like(dy, value=1.0), b))
    return for_x, for_scale, for_dy


def _plus(total: Any, term: Any) -> Any:
    return term if total is None else elementwise_add(total, term)
