"""Smooth activations.  Each gradient is one op over whole arrays; its own rules are composed."""

from __future__ import annotations

import math
from typing import Any

from paddlite.backend import special
from paddlite.core.kernel import lifted
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import (
    absolute,
    cast,
    elementwise_add,
    elementwise_div,
    elementwise_mul,
    elementwise_sub,
    sign,
    square,
)
from paddlite.ops.compare import less_equal
from paddlite.ops.infer import broadcast, floating_same, like_second
from paddlite.ops.like import unbroadcast
from paddlite.ops.power import exp, tanh

_FACTS: dict[str, Any] = {"infer": floating_same, "floats": True, "wide": True, "elementwise": True}
_GRAD: dict[str, Any] = {"infer": like_second, "wide": True, "elementwise": True}


def _product(first: Any, *others: Any) -> Any:
    for factor in others:
        first = elementwise_mul(first, factor)
    return first


def _logistic(xp: Any, x: Any) -> Any:
    """1 / (1 + exp(-x)) in a new array; exp may overflow to inf, which gives 0."""
    out = xp.negative(x)
    xp.exp(out, out=out)
    out += 1
    return xp.reciprocal(out, out=out)


@defop("sigmoid", vjp={"x": lambda g, out: sigmoid_grad(out, g)}, **_FACTS)
@lifted
def sigmoid(xp: Any, x: Any) -> Any:
    return _logistic(xp, x)


@defop(
    "sigmoid_grad",
    vjp={
        "y": lambda g, y, dy: _product(g, dy, elementwise_sub(1.0, elementwise_mul(y, 2.0))),
        "dy": lambda g, y: sigmoid_grad(y, g),
    },
    **_GRAD,
)
@lifted
def sigmoid_grad(xp: Any, y: Any, dy: Any) -> Any:
    out = 1 - y
    out *= y
    out *= dy
    return out


def _silu_bend(x: Any) -> Any:
    s = sigmoid(x)
    slope = elementwise_mul(s, elementwise_sub(1.0, s))
    return elementwise_mul(
        slope, elementwise_add(elementwise_mul(x, elementwise_sub(1.0, elementwise_mul(s, 2.0))), 2.0)
    )


def _silu_pair(name: str) -> tuple[Any, Any]:
    """Paddle has the same function under two op types."""

    @defop(name, vjp={"x": lambda g, x: gradient(x, g)}, **_FACTS)
    @lifted
    def silu(xp: Any, x: Any) -> Any:
        out = xp.negative(x)
        xp.exp(out, out=out)
        out += 1
        return xp.divide(x, out, out=out)

    @defop(
        f"{name}_grad",
        vjp={
            "x": lambda g, x, dy: _product(g, dy, _silu_bend(x)),
            "dy": lambda g, x: gradient(x, g),
        },
        **_GRAD,
    )
    @lifted
    def gradient(xp: Any, x: Any, dy: Any) -> Any:
        s = _logistic(xp, x)
        out = 1 - s
        out *= x
        out += 1
        out *= s
        out *= dy
        return out

    return silu, gradient


silu, silu_grad = _silu_pair("silu")
swish, swish_grad = _silu_pair("swish")

_TANH_SCALE, _CUBIC = math.sqrt(2 / math.pi), 0.044715


def _gelu_infer(x: Meta, *, approximate: bool = False) -> Meta:
    return floating_same(x)


def _gelu_grad_infer(x: Meta, dy: Meta, *, approximate: bool) -> Meta:
    return Meta(dy.shape, dy.dtype)


def _gelu_bend(x: Any, approximate: bool) -> Any:
    squared = square(x)
    if not approximate:
        bell = exp(elementwise_mul(squared, -0.5))
        return _product(elementwise_sub(2.0, squared), bell, 1 / math.sqrt(2 * math.pi))
    rate = elementwise_mul(elementwise_add(elementwise_mul(squared, 3 * _CUBIC), 1.0), _TANH_SCALE)
    inner = _product(elementwise_add(elementwise_mul(squared, _CUBIC), 1.0), x, _TANH_SCALE)
    t = tanh(inner)
    spread = elementwise_sub(1.0, square(t))
    change = elementwise_sub(
        elementwise_mul(x, 6 * _CUBIC * _TANH_SCALE), _product(t, elementwise_mul(rate, 2.0), rate)
    )
    return elementwise_mul(spread, elementwise_add(rate, _product(x, 0.5, change)))


@defop(
    "gelu",
    vjp={"x": lambda g, x, approximate: gelu_grad(x, g, approximate=approximate)},
    **{**_FACTS, "infer": _gelu_infer},
)
@lifted
def gelu(xp: Any, x: Any, *, approximate: bool = False) -> Any:
    """x P(X < x) for a standard normal X (Hendrycks and Gimpel, 2016), or their approximation by tanh."""
    if approximate:
        out = _gelu_tanh(xp, x)
        out += 1
        out *= x
        out *= 0.5
        return out
    a = xp.abs(x)
    tail, _ = special.upper_tail(xp, a)
    tail *= a
    positive = x.clip(0, math.inf, out=a)
    return xp.subtract(positive, tail, out=positive)


def _gelu_tanh(xp: Any, x: Any) -> Any:
    inner = x * x
    inner *= _CUBIC * _TANH_SCALE
    inner += _TANH_SCALE
    inner *= x
    return xp.tanh(inner, out=inner)


@defop(
    "gelu_grad",
    vjp={
        "x": lambda g, x, dy, approximate: _product(g, dy, _gelu_bend(x, approximate)),
        "dy": lambda g, x, approximate: gelu_grad(x, g, approximate=approximate),
    },
    **{**_GRAD, "infer": _gelu_grad_infer},
)
@lifted
def gelu_grad(xp: Any, x: Any, dy: Any, *, approximate: bool) -> Any:
    if approximate:
        t = _gelu_tanh(xp, x)
        rate = x * x
        rate *= 3 * _CUBIC * _TANH_SCALE
        rate += _TANH_SCALE
        rate *= x
        out = 1 - t
        out *= rate
        out += 1  # 1 + (1 - t) x rate, times 1 + t
        t += 1
        out *= t
        out *= 0.5
    else:
        tail, bell = special.upper_tail(xp, xp.abs(x))
        bell *= x
        bell *= 1 / math.sqrt(2 * math.pi)
        out = xp.subtract(0.5, tail, out=tail)
        out *= xp.sign(x)
        out += 0.5
        out += bell
    out *= dy
    return out


def _mish_parts(xp: Any, x: Any) -> tuple[Any, Any]:
    """e = exp(x), cut off where tanh has reached 1, and n = e (e + 2), so that tanh(log(1 + e)) = n / (n + 2)."""
    e = x.clip(-math.inf, 20)
    xp.exp(e, out=e)
    n = e + 2
    n *= e
    return e, n


def _mish_bend(x: Any) -> Any:
    s, t = sigmoid(x), tanh(softplus(x))
    spread = elementwise_sub(1.0, square(t))
    inner = elementwise_sub(elementwise_sub(1.0, s), _product(t, s, 2.0))
    return _product(s, spread, elementwise_add(elementwise_mul(x, inner), 2.0))


@defop("mish", vjp={"x": lambda g, x: mish_grad(x, g)}, **_FACTS)
@lifted
def mish(xp: Any, x: Any) -> Any:
    """x tanh(log(1 + exp(x))) (Misra, 2019)."""
    e, n = _mish_parts(xp, x)
    xp.add(n, 2, out=e)
    n *= x
    return xp.divide(n, e, out=n)


@defop(
    "mish_grad",
    vjp={"x": lambda g, x, dy: _product(g, dy, _mish_bend(x)), "dy": lambda g, x: mish_grad(x, g)},
    **_GRAD,
)
@lifted
def mish_grad(xp: Any, x: Any, dy: Any) -> Any:
    e, n = _mish_parts(xp, x)
    below = n + 2
    slope = e + 1  # 4 e (1 + e) / (n + 2)**2 is the slope of the tanh
    slope *= e
    slope *= 4
    slope /= below
    slope *= x
    slope += n
    slope /= below
    slope *= dy
    return slope


@defop("logsigmoid", vjp={"x": lambda g, x: logsigmoid_grad(x, g)}, **_FACTS)
@lifted
def logsigmoid(xp: Any, x: Any) -> Any:
    """log(1 / (1 + exp(-x)))."""
    out = xp.abs(x)
    xp.negative(out, out=out)
    xp.exp(out, out=out)
    out = special.log1p(xp, out)
    return xp.subtract(x.clip(-math.inf, 0), out, out=out)


@defop(
    "logsigmoid_grad",
    vjp={
        "x": lambda g, x, dy: elementwise_mul(g, _product(dy, s := sigmoid(x), elementwise_sub(s, 1.0))),
        "dy": lambda g, x: logsigmoid_grad(x, g),
    },
    **_GRAD,
)
@lifted
def logsigmoid_grad(xp: Any, x: Any, dy: Any) -> Any:
    out = xp.exp(x)
    out += 1
    return xp.divide(dy, out, out=out)


def _softplus_infer(x: Meta, *, beta: float = 1.0, threshold: float = 20.0) -> Meta:
    return floating_same(x)


def _softplus_grad_infer(x: Meta, dy: Meta, *, beta: float, threshold: float) -> Meta:
    return Meta(dy.shape, dy.dtype)


def _softplus_bend(x: Any, beta: float, threshold: float) -> Any:
    s = sigmoid(elementwise_mul(x, beta))
    bend = _product(s, elementwise_sub(1.0, s), beta)
    return elementwise_mul(bend, cast(less_equal(elementwise_mul(x, beta), threshold), dtype=x._dtype))


@defop(
    "softplus",
    amp="keep32_o1",
    vjp={"x": lambda g, x, beta, threshold: softplus_grad(x, g, beta=beta, threshold=threshold)},
    **{**_FACTS, "infer": _softplus_infer},
)
@lifted
def softplus(xp: Any, x: Any, *, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """log(1 + exp(beta x)) / beta; x itself where beta x > threshold."""
    scaled = x * beta
    e = xp.abs(scaled)
    xp.negative(e, out=e)
    xp.exp(e, out=e)
    e *= scaled <= threshold
    out = special.log1p(xp, e)
    out += scaled.clip(0, math.inf, out=scaled)
    out *= 1 / beta
    return out


@defop(
    "softplus_grad",
    vjp={
        "x": lambda g, x, dy, beta, threshold: _product(g, dy, _softplus_bend(x, beta, threshold)),
        "dy": lambda g, x, beta, threshold: softplus_grad(x, g, beta=beta, threshold=threshold),
    },
    **{**_GRAD, "infer": _softplus_grad_infer},
)
@lifted
def softplus_grad(xp: Any, x: Any, dy: Any, *, beta: float, threshold: float) -> Any:
    e = x * -beta
    linear = e < -threshold
    xp.exp(e, out=e)
    e *= ~linear
    e += 1
    return xp.divide(dy, e, out=e)


@defop("softsign", vjp={"x": lambda g, x: softsign_grad(x, g)}, **_FACTS)
@lifted
def softsign(xp: Any, x: Any) -> Any:
    """x / (1 + |x|)."""
    out = xp.abs(x)
    out += 1
    return xp.divide(x, out, out=out)


@defop(
    "softsign_grad",
    vjp={
        "x": lambda g, x, dy: elementwise_div(
            _product(g, dy, sign(x), -2.0), _product(*[elementwise_add(absolute(x), 1.0)] * 3)
        ),
        "dy": lambda g, x: softsign_grad(x, g),
    },
    **_GRAD,
)
@lifted
def softsign_grad(xp: Any, x: Any, dy: Any) -> Any:
    out = xp.abs(x)
    out += 1
    xp.square(out, out=out)
    return xp.divide(dy, out, out=out)


@defop("tanh_shrink", amp="keep32_o1", vjp={"x": lambda g, x: elementwise_mul(g, square(tanh(x)))}, **_FACTS)
@lifted
def tanh_shrink(xp: Any, x: Any) -> Any:
    """x - tanh(x)."""
    out = xp.tanh(x)
    return xp.subtract(x, out, out=out)


@defop(
    "swiglu",
    infer=broadcast,
    promote=("x", "y"),
    wide=True,
    elementwise=True,
    vjp={
        "x": lambda g, x, y, like_x: unbroadcast(silu_grad(x, elementwise_mul(g, y)), like_x),
        "y": lambda g, x, like_y: unbroadcast(elementwise_mul(g, silu(x)), like_y),
    },
)
@lifted
def swiglu(xp: Any, x: Any, y: Any) -> Any:
    """silu(x) y, the gate of Shazeer, "GLU variants improve Transformer" (2020)."""
    out = silu.__wrapped__(xp, x)
    return xp.multiply(out, y, out=out) if out.shape == y.shape else out * y
