"""Activations and softmax."""

from __future__ import annotations

from typing import Any

from paddlite.core.op import defop
from paddlite.ops.arithmetic import elementwise_mul, elementwise_sub
from paddlite.ops.infer import axis_in, like_second, same
from paddlite.ops.reduce import reduce_sum


@defop("relu", infer=same, amp="low", elementwise=True, vjp={"x": lambda g, out: relu_grad(out, g)})
def relu(xp: Any, x: Any) -> Any:
    return xp.maximum(x, x.dtype.type(0))


@defop("relu_grad", infer=like_second, elementwise=True, vjp={"g": lambda g, y: relu_grad(y, g)})
def relu_grad(xp: Any, y: Any, g: Any) -> Any:
    """`g` where the output `y` of relu is positive."""
    return g * (y > 0)


def _softmax_infer(x: Any, *, axis: int = -1) -> Any:
    axis_in(axis, len(x.shape), "softmax")
    return same(x)


@defop(
    "softmax",
    infer=_softmax_infer,
    amp="keep32_o1",
    check=True,
    vjp={"x": lambda g, out, axis: softmax_grad(out, g, axis=axis)},
)
def softmax(xp: Any, x: Any, *, axis: int = -1) -> Any:
    if x.ndim == 0:
        return xp.ones_like(x)
    out = x - x.max(axis=axis, keepdims=True)
    xp.exp(out, out=out)
    out /= out.sum(axis=axis, keepdims=True)
    return out


def _softmax_grad_y(g: Any, y: Any, x: Any, axis: int) -> Any:
    """d/dy of y * (x - sum(y * x)) against g."""
    inner = reduce_sum(elementwise_mul(y, x), axis=axis, keepdim=True)
    outer = reduce_sum(elementwise_mul(g, y), axis=axis, keepdim=True)
    return elementwise_sub(elementwise_mul(g, elementwise_sub(x, inner)), elementwise_mul(x, outer))


@defop(
    "softmax_grad",
    infer=same,
    vjp={
        "y": lambda g, y, x, axis: _softmax_grad_y(g, y, x, axis),
        "x": lambda g, y, axis: softmax_grad(y, g, axis=axis),
    },
)
def softmax_grad(xp: Any, y: Any, x: Any, *, axis: int = -1) -> Any:
    """y * (x - sum(y * x)): the gradient of softmax with output `y` and output gradient `x`."""
    if y.ndim == 0:
        return xp.zeros_like(y)
    out = y * x
    total = out.sum(axis=axis, keepdims=True)
    return xp.subtract(out, y * total, out=out)
