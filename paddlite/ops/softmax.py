"""Softmax and its logarithm along an axis, and samples of a softmax by Gumbel noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.random import uniform
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import elementwise_mul, elementwise_sub
from paddlite.ops.infer import axis_in, floating_same, same
from paddlite.ops.power import exp
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.rows import row_dot, row_max, row_sum

_SAFE = 60.0  # exp of this and of its negative, and sums of such, are normal float32 numbers


def _last(x: Any, axis: int) -> bool:
    return axis in (-1, x.ndim - 1)


def _sum(xp: Any, x: Any, axis: int) -> Any:
    return row_sum(xp, x) if _last(x, axis) else x.sum(axis=axis, keepdims=True)


def _max(xp: Any, x: Any, axis: int) -> Any:
    return row_max(xp, x) if _last(x, axis) else x.max(axis=axis, keepdims=True)


def softmax_over(xp: Any, x: Any, out: Any = None) -> Any:
    """Softmax over the last axis, for kernels; `out` may be `x`.

    Where no exponential can over- or underflow, the maximum is not looked for: the quotient is the same.
    """
    if xp is np and x.size and x.max() < _SAFE and x.min() > -_SAFE:
        out = np.exp(x, out=out)
    else:
        out = xp.subtract(x, row_max(xp, x), out=out)
        xp.exp(out, out=out)
    total = row_sum(xp, out)
    out *= xp.reciprocal(total, out=total)
    return out


def _softmax_infer(x: Any, *, axis: int = -1) -> Any:
    axis_in(axis, len(x.shape), "softmax")
    return floating_same(x)


@defop(
    "softmax",
    infer=_softmax_infer,
    amp="keep32_o1",
    floats=True,
    check=True,
    wide=True,
    vjp={"x": lambda g, out, axis: softmax_grad(out, g, axis=axis)},
)
def softmax(xp: Any, x: Any, *, axis: int = -1) -> Any:
    if x.ndim == 0:
        return xp.ones_like(x)
    if x.size == 0:
        return x.copy()
    if _last(x, axis):
        return softmax_over(xp, x)
    out = x - x.max(axis=axis, keepdims=True)
    xp.exp(out, out=out)
    out /= out.sum(axis=axis, keepdims=True)
    return out


def softmax_grad_slope(g: Any, y: Any, dy: Any, axis: int) -> Any:
    """d/dy of y * (dy - sum(y * dy)) against g."""
    inner = reduce_sum(elementwise_mul(y, dy), axis=axis, keepdim=True)
    outer = reduce_sum(elementwise_mul(g, y), axis=axis, keepdim=True)
    return elementwise_sub(elementwise_mul(g, elementwise_sub(dy, inner)), elementwise_mul(dy, outer))


@defop(
    "softmax_grad",
    infer=same,
    wide=True,
    vjp={
        "y": lambda g, y, dy, axis: softmax_grad_slope(g, y, dy, axis),
        "dy": lambda g, y, axis: softmax_grad(y, g, axis=axis),
    },
)
def softmax_grad(xp: Any, y: Any, dy: Any, *, axis: int = -1) -> Any:
    """y * (dy - sum(y * dy)): the gradient of softmax with output `y` and output gradient `dy`."""
    if y.ndim == 0:
        return xp.zeros_like(y)
    inner = row_dot(xp, y, dy) if _last(y, axis) else (y * dy).sum(axis=axis, keepdims=True)
    out = dy - inner
    out *= y
    return out


@defop(
    "log_softmax",
    infer=_softmax_infer,
    amp="keep32_o1",
    floats=True,
    check=True,
    wide=True,
    vjp={"x": lambda g, out, axis: log_softmax_grad(out, g, axis=axis)},
)
def log_softmax(xp: Any, x: Any, *, axis: int = -1) -> Any:
    if x.ndim == 0:
        return xp.zeros_like(x)
    if x.size == 0:
        return x.copy()
    out = x - _max(xp, x, axis)
    total = _sum(xp, xp.exp(out), axis)
    out -= xp.log(total, out=total)
    return out


def _logsoftmax_grad_slope(g: Any, y: Any, dy: Any, axis: int) -> Any:
    weighted = elementwise_mul(elementwise_mul(g, exp(y)), reduce_sum(dy, axis=axis, keepdim=True))
    return elementwise_mul(weighted, -1.0)


def _log_softmax_grad_dy(g: Any, y: Any, axis: int) -> Any:
    return elementwise_sub(g, reduce_sum(elementwise_mul(g, exp(y)), axis=axis, keepdim=True))


@defop(
    "log_softmax_grad",
    infer=same,
    wide=True,
    vjp={
        "y": lambda g, y, dy, axis: _logsoftmax_grad_slope(g, y, dy, axis),
        "dy": lambda g, y, axis: _log_softmax_grad_dy(g, y, axis),
    },
)
def log_softmax_grad(xp: Any, y: Any, dy: Any, *, axis: int = -1) -> Any:
    """dy - exp(y) * sum(dy): the gradient of log_softmax with output `y` and output gradient `dy`."""
    if y.ndim == 0:
        return xp.zeros_like(y)
    out = xp.exp(y)
    out *= _sum(xp, dy, axis)
    return xp.subtract(dy, out, out=out)


def _noise_infer(like: Meta, *, stream: Any) -> Meta:
    return same(like)


@defop("gumbel_noise", infer=_noise_infer, shape_only=("like",), random=True)
def gumbel_noise(xp: Any, like: Any, *, stream: Any) -> Any:
    """-log(-log(u)) for uniform u: added to logits, its largest element is a sample of their softmax."""
    dtype = like.dtype if like.dtype == np.float64 else np.dtype(np.float32)
    noise = xp.asarray(uniform(xp, stream, like.shape, dtype).clip(2.0**-25, 1 - 2.0**-24))
    for _ in range(2):
        xp.log(noise, out=noise)
        xp.negative(noise, out=noise)
    return noise.astype(like.dtype, copy=False)


@defop("straight_through_max", infer=_softmax_infer, check=True, vjp={"x": lambda g: g})
def straight_through_max(xp: Any, x: Any, *, axis: int = -1) -> Any:
    """1 at the (first) largest element along `axis`, 0 elsewhere; the gradient goes through unchanged."""
    if x.ndim == 0:
        return xp.ones_like(x)
    sizes = [1] * x.ndim
    sizes[axis] = x.shape[axis]
    places = xp.arange(x.shape[axis]).reshape(sizes)
    return (places == xp.expand_dims(x.argmax(axis=axis), axis)).astype(x.dtype)
