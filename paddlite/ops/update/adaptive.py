"""Rates of their own for each element (Adagrad, Adadelta, RMSProp) and for each layer (LAMB)."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from paddlite.ops.update.adam import powers_on, shares_of
from paddlite.ops.update.op import define


def _decayed(xp: Any, mean: Any, g: Any, t: Any, rho: Any, rest: Any) -> None:
    """`mean = rho mean + rest g^2`."""
    xp.multiply(mean, rho, out=mean)
    xp.multiply(g, g, out=t)
    xp.multiply(t, rest, out=t)
    xp.add(mean, t, out=mean)


def _adagrad_coefficients(xp: Any, rate: Any, *, epsilon: float = 1e-6) -> tuple:
    return rate, epsilon


def _adagrad(xp: Any, p: Any, g: Any, total: Any, t: Any, rate: Any, epsilon: Any) -> None:
    xp.multiply(g, g, out=t)
    xp.add(total, t, out=total)
    xp.sqrt(total, out=t)
    xp.add(t, epsilon, out=t)
    xp.divide(g, t, out=t)
    xp.multiply(t, rate, out=t)
    xp.subtract(p, t, out=p)


adagrad = define(
    "adagrad",
    _adagrad,
    slots=("moment",),
    coefficients=_adagrad_coefficients,
    expr=lambda given: ["total = total + g * g", "p = p - g / (sqrt(total) + epsilon) * rate"],
)


def _adadelta_coefficients(xp: Any, rate: Any, *, rho: float = 0.95, epsilon: float = 1e-6) -> tuple:
    return rate, epsilon, rho, 1.0 - rho


def _adadelta(
    xp: Any, p: Any, g: Any, of_gradient: Any, of_update: Any, t: Any, u: Any,
    rate: Any, epsilon: Any, rho: Any, rest: Any,
) -> None:  # fmt: skip
    _decayed(xp, of_gradient, g, t, rho, rest)
    xp.add(of_update, epsilon, out=t)
    xp.add(of_gradient, epsilon, out=u)
    xp.divide(t, u, out=t)
    xp.sqrt(t, out=t)
    xp.multiply(t, g, out=t)
    _decayed(xp, of_update, t, u, rho, rest)
    xp.multiply(t, rate, out=t)
    xp.subtract(p, t, out=p)


adadelta = define(
    "adadelta",
    _adadelta,
    slots=("_avg_squared_grad", "_avg_squared_update"),
    coefficients=_adadelta_coefficients,
    scratch=2,
    expr=lambda given: [
        "of_gradient = of_gradient * rho + g * g * rest",
        "t = sqrt((of_update + epsilon) / (of_gradient + epsilon)) * g",
        "of_update = of_update * rho + t * t * rest",
        "p = p - t * rate",
    ],
)


def _rmsprop_coefficients(
    xp: Any, rate: Any, *, rho: float = 0.95, epsilon: float = 1e-6, mu: float = 0.0, centered: bool = False
) -> tuple:
    return rate, epsilon, rho, 1.0 - rho, mu, True if centered else None


def _rmsprop(
    xp: Any, p: Any, g: Any, step: Any, square: Any, mean: Any, t: Any,
    rate: Any, epsilon: Any, rho: Any, rest: Any, mu: Any, centered: Any,
) -> None:  # fmt: skip
    _decayed(xp, square, g, t, rho, rest)
    if centered is not None:
        xp.multiply(mean, rho, out=mean)
        xp.multiply(g, rest, out=t)
        xp.add(mean, t, out=mean)
        xp.multiply(mean, mean, out=t)
        xp.subtract(square, t, out=t)
        xp.add(t, epsilon, out=t)
    else:
        xp.add(square, epsilon, out=t)
    xp.sqrt(t, out=t)
    xp.divide(g, t, out=t)
    xp.multiply(t, rate, out=t)
    xp.multiply(step, mu, out=step)
    xp.add(step, t, out=step)
    xp.subtract(p, step, out=p)


def _rmsprop_expr(given: Container[str]) -> list[str]:
    centered = "centered" in given
    return [
        "square = square * rho + g * g * rest",
        *(["mean = mean * rho + g * rest"] if centered else []),
        "t = square - mean * mean" if centered else "t = square",
        "step = step * mu + g / sqrt(t + epsilon) * rate",
        "p = p - step",
    ]


def _rmsprop_expr(given: Container[str]) -> list[str]:
    centered = "centered" in given
    return [
        "square = square * rho + g * g * rest",
        *(["mean = mean * rho + g * rest"] if centered else []),
        "t = square - mean * mean" if centered else "t = square",
        "step = step * mu + g / sqrt(t + epsilon) * rate",
        "p = p - step",
    ]


rmsprop = define(
    "rmsprop",
    _rmsprop,
    slots=("momentum", "mean_square", "mean_grad"),
    coefficients=_rmsprop_coefficients,
    expr=_rmsprop_expr,
)


def _lamb_coefficients(
    xp: Any,
    rate: Any,
    beta1_pow: Any,
    beta2_pow: Any,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-6,
    weight_decay: float = 0.01,
    always_adapt: bool = False,
) -> tuple:
    adapt = weight_decay != 0.0 or always_adapt
    correct1, correct2 = 1.0 / (1.0 - beta1_pow), 1.0 / (1.0 - beta2_pow)
    shares = (*shares_of(rate, beta1), *shares_of(rate, beta2))
    return rate, correct1, correct2, epsilon, weight_decay, adapt, *shares


def _lamb(
    xp: Any, p: Any, g: Any, m: Any, v: Any,
    rate: Any, correct1: Any, correct2: Any, epsilon: Any, decay: Any, adapt: bool, b1: Any, c1: Any, b2: Any, c2: Any,
) -> None:  # fmt: skip
    t = g * c1
    xp.multiply(m, b1, out=m)
    xp.add(m, t, out=m)
    _decayed(xp, v, g, t, b2, c2)
    xp.multiply(v, correct2, out=t)
    xp.sqrt(t, out=t)
    xp.add(t, epsilon, out=t)
    step = m * correct1
    xp.divide(step, t, out=step)
    xp.multiply(p, decay, out=t)
    xp.add(step, t, out=step)
    if adapt:
        length, by = _norm(xp, p, t), _norm(xp, step, t)
        one = p.dtype.type(1)
        rate = rate * xp.where((length > 0) & (by > 0), length / xp.where(by > 0, by, one), one)
    xp.multiply(step, rate, out=step)
    xp.subtract(p, step, out=p)


def _norm(xp: Any, x: Any, t: Any) -> Any:
    xp.multiply(x, x, out=t)
    return xp.sqrt(t.sum(dtype=t.dtype))


lamb = define(
    "lamb",
    _lamb,
    slots=("moment1", "moment2"),
    numbers=("beta1_pow_acc", "beta2_pow_acc"),
    coefficients=_lamb_coefficients,
    advance=powers_on,
    whole=True,
)
