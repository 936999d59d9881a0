"""Gradient descent: plain, with momentum, averaged, and by signs."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from paddlite.ops.update.op import define


def _sgd(xp: Any, p: Any, g: Any, t: Any, rate: Any) -> None:
    xp.multiply(g, rate, out=t)
    xp.subtract(p, t, out=p)


sgd = define("sgd", _sgd, expr=lambda given: ["p = p - g * rate"])


def _momentum_coefficients(
    xp: Any, rate: Any, *, mu: float = 0.9, use_nesterov: bool = False, rescale_grad: float = 1.0
) -> tuple:
    return rate, mu, mu if use_nesterov else None, None if rescale_grad == 1.0 else rescale_grad


def _momentum(xp: Any, p: Any, g: Any, v: Any, t: Any, u: Any, rate: Any, mu: Any, ahead: Any, rescale: Any) -> None:
    if rescale is not None:
        g = xp.multiply(g, rescale, out=u)
    xp.multiply(v, mu, out=v)
    xp.add(v, g, out=v)
    if ahead is None:
        xp.multiply(v, rate, out=t)
    else:
        xp.multiply(v, ahead, out=t)
        xp.add(t, g, out=t)
        xp.multiply(t, rate, out=t)
    xp.subtract(p, t, out=p)


def _momentum_expr(given: Container[str]) -> list[str]:
    return [
        *(["g = g * rescale"] if "rescale" in given else []),
        "v = v * mu + g",
        "p = p - (v * ahead + g) * rate" if "ahead" in given else "p = p - v * rate",
    ]


momentum = define(
    "momentum",
    _momentum,
    slots=("velocity",),
    coefficients=_momentum_coefficients,
    scratch=2,
    expr=_momentum_expr,
)


def _asgd_coefficients(xp: Any, rate: Any, m: Any, *, batch_num: int = 1) -> tuple:
    return rate / xp.minimum(m + 1, batch_num).astype(rate.dtype), m % batch_num


def _asgd(xp: Any, p: Any, g: Any, d: Any, y: Any, rate: Any, index: Any) -> None:
    # d is the sum of the last gradient of each of `batch_num` batches, y holds these
    xp.subtract(d, y[index], out=d)
    xp.add(d, g, out=d)
    y[index] = g
    xp.subtract(p, d * rate, out=p)


def _count_on(xp: Any, m: Any, *, batch_num: int = 1) -> None:
    xp.add(m, 1, out=m)


asgd = define(
    "asgd",
    _asgd,
    slots=("d", "y"),
    numbers=("m",),
    coefficients=_asgd_coefficients,
    advance=_count_on,
    whole=True,
)


def _rprop_coefficients(
    xp: Any, rate: Any, *, lowest: float = 1e-5, highest: float = 50.0, shrink: float = 0.5, grow: float = 1.2
) -> tuple:
    return lowest, highest, shrink, grow


def _rprop(
    xp: Any, p: Any, g: Any, before: Any, rates: Any, t: Any, low: Any, high: Any, shrink: Any, grow: Any
) -> None:
    xp.multiply(g, before, out=t)
    turned = t < 0
    one = p.dtype.type(1)
    factor = xp.where(t > 0, grow, xp.where(turned, shrink, one)).astype(p.dtype, copy=False)
    xp.multiply(rates, factor, out=rates)
    xp.minimum(xp.maximum(rates, low, out=rates), high, out=rates)
    before[...] = xp.where(turned, p.dtype.type(0), g)  # no step, and no memory, where the sign has changed
    xp.sign(before, out=t)
    xp.multiply(t, rates, out=t)
    xp.subtract(p, t, out=p)


rprop = define(
    "rprop",
    _rprop,
    slots=("prevs", "learning_rates"),
    coefficients=_rprop_coefficients,
    expr=lambda given: [
        "t = g * before",
        "rates = minimum(maximum(rates * where(t > 0, grow, where(t < 0, shrink, 1)), low), high)",
        "before = where(t < 0, 0, g)",
        "p = p - sign(before) * rates",
    ],
)
