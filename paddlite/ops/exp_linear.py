"""Activations that are linear above 0 and exponential below: elu, celu, selu."""

from __future__ import annotations

import math
from typing import Any

from paddlite.core.kernel import lifted
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import cast, elementwise_mul
from paddlite.ops.compare import less_equal
from paddlite.ops.infer import floating_same
from paddlite.ops.power import elementwise_min, exp

_FACTS: dict[str, Any] = {"floats": True, "wide": True, "elementwise": True}


def _infer(x: Meta, **_: Any) -> Meta:
    return floating_same(x)


def _grad_infer(x: Meta, dy: Meta, *, outer: float, inner: float, rate: float) -> Meta:
    return Meta(dy.shape, dy.dtype)


def _bend(x: Any, outer: float, inner: float, rate: float) -> Any:
    below = exp(elementwise_mul(elementwise_min(x, 0.0), rate))
    return elementwise_mul(
        elementwise_mul(below, outer * inner * rate * rate), cast(less_equal(x, 0.0), dtype=x._dtype)
    )


def _value(xp: Any, x: Any, outer: float, inner: float, rate: float) -> Any:
    """outer (max(x, 0) + inner (exp(rate min(x, 0)) - 1))."""
    out = x.clip(-math.inf, 0)
    if rate != 1:
        out *= rate
    xp.expm1(out, out=out)
    out *= inner
    out += x.clip(0, math.inf)
    if outer != 1:
        out *= outer
    return out


@defop(
    "exp_linear_grad",
    infer=_grad_infer,
    wide=True,
    elementwise=True,
    vjp={
        "x": lambda g, x, dy, outer, inner, rate: elementwise_mul(elementwise_mul(g, dy), _bend(x, outer, inner, rate)),
        "dy": lambda g, x, outer, inner, rate: exp_linear_grad(x, g, outer=outer, inner=inner, rate=rate),
    },
)
@lifted
def exp_linear_grad(xp: Any, x: Any, dy: Any, *, outer: float, inner: float, rate: float) -> Any:
    out = x.clip(-math.inf, 0)
    if rate != 1:
        out *= rate
    xp.exp(out, out=out)
    out *= inner * rate
    above = x > 0
    out *= x <= 0
    out += above
    if outer != 1:
        out *= outer
    out *= dy
    return out


@defop(
    "elu",
    infer=_infer,
    vjp={"x": lambda g, x, alpha: exp_linear_grad(x, g, outer=1.0, inner=alpha, rate=1.0)},
    **_FACTS,
)
@lifted
def elu(xp: Any, x: Any, *, alpha: float = 1.0) -> Any:
    """x above 0, alpha (exp(x) - 1) below (Clevert et al., 2015)."""
    return _value(xp, x, 1.0, alpha, 1.0)


@defop(
    "celu",
    infer=_infer,
    vjp={"x": lambda g, x, alpha: exp_linear_grad(x, g, outer=1.0, inner=alpha, rate=1.0 / alpha)},
    **_FACTS,
)
@lifted
def celu(xp: Any, x: Any, *, alpha: float = 1.0) -> Any:
    """x above 0, alpha (exp(x / alpha) - 1) below (Barron, 2017)."""
    return _value(xp, x, 1.0, alpha, 1.0 / alpha)


@defop(
    "selu",
    infer=_infer,
    vjp={"x": lambda g, x, scale, alpha: exp_linear_grad(x, g, outer=scale, inner=alpha, rate=1.0)},
    **_FACTS,
)
@lifted
def selu(xp: Any, x: Any, *, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772) -> Any:
    """scale elu(x, alpha), which keeps mean and variance (Klambauer et al., 2017)."""
    return _value(xp, x, scale, alpha, 1.0)
