"""Adam and its relatives: the step is the mean gradient over the root of the mean square."""

from __future__ import annotations

import math
from collections.abc import Container
from typing import Any

from paddlite.backend.dtypes import F64
from paddlite.ops.update.op import define


def _means(xp: Any, g: Any, m: Any, v: Any, t: Any, b1: Any, c1: Any, b2: Any, c2: Any) -> None:
    """The running means of the gradient and of its square: `m = b1 m + c1 g`, `v = b2 v + c2 g^2`."""
    xp.multiply(m, b1, out=m)
    xp.multiply(g, c1, out=t)
    xp.add(m, t, out=m)
    xp.multiply(v, b2, out=v)
    xp.multiply(g, g, out=t)
    xp.multiply(t, c2, out=t)
    xp.add(v, t, out=v)


def shares_of(rate: Any, beta: float) -> tuple:
    """Beta and what it leaves, rounded like the powers of beta are: else `1 - beta` and `1 - beta^1` would differ."""
    rounded = rate.dtype.type(beta)
    return rounded, rate.dtype.type(1) - rounded


def powers_on(xp: Any, beta1_pow: Any, beta2_pow: Any, *, beta1: float, beta2: float, **_: Any) -> None:
    xp.multiply(beta1_pow, beta1, out=beta1_pow)
    xp.multiply(beta2_pow, beta2, out=beta2_pow)


def _adam_coefficients(
    xp: Any,
    rate: Any,
    beta1_pow: Any,
    beta2_pow: Any,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> tuple:
    # lr m' / (sqrt(v') + eps), with the corrections of m' and v' moved into the rate and epsilon
    root = xp.sqrt(1.0 - beta2_pow)
    return rate * root / (1.0 - beta1_pow), epsilon * root, *shares_of(rate, beta1), *shares_of(rate, beta2)


def _adam(
    xp: Any, p: Any, g: Any, m: Any, v: Any, highest: Any, t: Any,
    rate: Any, epsilon: Any, b1: Any, c1: Any, b2: Any, c2: Any,
) -> None:  # fmt: skip
    _means(xp, g, m, v, t, b1, c1, b2, c2)
    if highest is not None:
        v = xp.maximum(highest, v, out=highest)
    xp.sqrt(v, out=t)
    xp.add(t, epsilon, out=t)
    xp.divide(m, t, out=t)
    xp.multiply(t, rate, out=t)
    xp.subtract(p, t, out=p)


_MEANS = ["m = m * b1 + g * c1", "v = v * b2 + g * g * c2"]


def _adam_expr(given: Container[str]) -> list[str]:
    highest = ["highest = maximum(highest, v)"] if "highest" in given else []
    return [*_MEANS, *highest, f"p = p - m / (sqrt({'highest' if highest else 'v'}) + epsilon) * rate"]


_ADAM: dict[str, Any] = {
    "slots": ("moment1", "moment2", "moment2_max"),
    "numbers": ("beta1_pow_acc", "beta2_pow_acc"),
    "optional": ("moment2_max",),
    "advance": powers_on,
}

adam = define("adam", _adam, coefficients=_adam_coefficients, expr=_adam_expr, **_ADAM)


def _adamw_coefficients(
    xp: Any,
    rate: Any,
    beta1_pow: Any,
    beta2_pow: Any,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    coeff: float = 0.01,
) -> tuple:
    found = _adam_coefficients(xp, rate, beta1_pow, beta2_pow, beta1=beta1, beta2=beta2, epsilon=epsilon)
    return (1.0 - rate * coeff if coeff else None, *found)


def _adamw(
    xp: Any, p: Any, g: Any, m: Any, v: Any, highest: Any, t: Any,
    keep: Any, rate: Any, epsilon: Any, b1: Any, c1: Any, b2: Any, c2: Any,
) -> None:  # fmt: skip
    if keep is not None:
        xp.multiply(p, keep, out=p)
    _adam(xp, p, g, m, v, highest, t, rate, epsilon, b1, c1, b2, c2)


def _adamw_expr(given: Container[str]) -> list[str]:
    return [*(["p = p * keep"] if "keep" in given else []), *_adam_expr(given)]


adamw = define("adamw", _adamw, coefficients=_adamw_coefficients, expr=_adamw_expr, **_ADAM)


def _adamax_coefficients(
    xp: Any, rate: Any, beta1_pow: Any, *, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8
) -> tuple:
    return rate / (1.0 - beta1_pow), epsilon, *shares_of(rate, beta1), beta2


def _adamax(
    xp: Any, p: Any, g: Any, m: Any, norm: Any, t: Any, rate: Any, epsilon: Any, b1: Any, c1: Any, b2: Any
) -> None:
    xp.multiply(m, b1, out=m)
    xp.multiply(g, c1, out=t)
    xp.add(m, t, out=m)
    xp.multiply(norm, b2, out=norm)
    xp.add(norm, epsilon, out=norm)
    xp.absolute(g, out=t)
    xp.maximum(norm, t, out=norm)
    xp.divide(m, norm, out=t)
    xp.multiply(t, rate, out=t)
    xp.subtract(p, t, out=p)


def _power_on(xp: Any, beta1_pow: Any, *, beta1: float, **_: Any) -> None:
    xp.multiply(beta1_pow, beta1, out=beta1_pow)


adamax = define(
    "adamax",
    _adamax,
    slots=("moment", "inf_norm"),
    numbers=("beta1_pow_acc",),
    coefficients=_adamax_coefficients,
    advance=_power_on,
    expr=lambda given: [
        "m = m * b1 + g * c1",
        "norm = maximum(norm * b2 + epsilon, absolute(g))",
        "p = p - m / norm * rate",
    ],
)

_BASE = 0.96  # NAdam's momentum schedule: beta1 * (1 - 0.5 * 0.96^(t * decay))


def _nadam_numbers(xp: Any, decay_pow: Any, beta2_pow: Any, product: Any, beta1: float, beta2: float, decay: float):
    """The numbers after this step, and the momentum of this step and the next."""
    decay_pow = decay_pow * _BASE
    share = xp.power(decay_pow, decay)
    now, then = beta1 * (1.0 - 0.5 * share), beta1 * (1.0 - 0.5 * share * _BASE**decay)
    return decay_pow, beta2_pow * beta2, product * now, now, then


def _nadam_coefficients(
    xp: Any,
    rate: Any,
    decay_pow: Any,
    beta2_pow: Any,
    product: Any,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    momentum_decay: float = 0.004,
) -> tuple:
    _, beta2_pow, product, now, then = _nadam_numbers(xp, decay_pow, beta2_pow, product, beta1, beta2, momentum_decay)
    of_mean = rate * then / (1.0 - product * then)
    of_gradient = rate * (1.0 - now) / (1.0 - product)
    root = 1.0 / xp.sqrt(1.0 - beta2_pow)
    return of_mean, of_gradient, root, epsilon, *shares_of(rate, beta1), *shares_of(rate, beta2)


def _nadam(
    xp: Any, p: Any, g: Any, m: Any, v: Any, t: Any, u: Any,
    of_mean: Any, of_gradient: Any, root: Any, epsilon: Any, b1: Any, c1: Any, b2: Any, c2: Any,
) -> None:  # fmt: skip
    _means(xp, g, m, v, t, b1, c1, b2, c2)
    xp.multiply(m, of_mean, out=t)
    xp.multiply(g, of_gradient, out=u)
    xp.add(t, u, out=t)
    xp.sqrt(v, out=u)
    xp.multiply(u, root, out=u)
    xp.add(u, epsilon, out=u)
    xp.divide(t, u, out=t)
    xp.subtract(p, t, out=p)


def _nadam_on(
    xp: Any,
    decay_pow: Any,
    beta2_pow: Any,
    product: Any,
    *,
    beta1: float,
    beta2: float,
    momentum_decay: float,
    **_: Any,
) -> None:
    moved = _nadam_numbers(xp, decay_pow, beta2_pow, product, beta1, beta2, momentum_decay)
    for number, value in zip((decay_pow, beta2_pow, product), moved):
        number[...] = value


nadam = define(
    "nadam",
    _nadam,
    slots=("moment1", "moment2"),
    numbers=("momentum_decay_pow", "beta2_pow", "mu_product"),
    coefficients=_nadam_coefficients,
    advance=_nadam_on,
    scratch=2,
    expr=lambda given: [*_MEANS, "p = p - (m * of_mean + g * of_gradient) / (sqrt(v) * root + epsilon)"],
)


def _radam_numbers(xp: Any, beta2_pow: Any, beta1: float, beta2: float) -> tuple:
    """The powers after this step, and `rho = t beta2^t / (1 - beta2^t)`, in float64.

    They are computed from the step t anew, which the power tells: `1 - beta2^t` of float32 powers has few right digits,
    and the length of the mean hangs on it.
    """
    before = beta2_pow.astype(F64)
    steps = xp.rint(xp.log(before) / (math.log(beta2) if beta2 else -math.inf)) + 1.0
    steps = xp.where(before > 1e-30, steps, 1e30)  # the power is 0 for all that matters
    beta2_pow = xp.power(beta2, steps)
    return xp.power(beta1, steps), beta2_pow, steps * beta2_pow / (1.0 - beta2_pow)


def _radam_coefficients(
    xp: Any,
    rate: Any,
    beta1_pow: Any,
    beta2_pow: Any,
    rho: Any,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> tuple:
    beta1_pow, beta2_pow, rho = _radam_numbers(xp, beta2_pow, beta1, beta2)
    limit = 2.0 / (1.0 - beta2) - 1.0
    length = limit - 2.0 * rho
    tractable = length > 5.0  # the variance of the adaptive rate is known then; before, the step is the mean alone
    safe = xp.where(tractable, length, limit)
    share = (safe - 4.0) * (safe - 2.0) * limit / ((limit - 4.0) * (limit - 2.0) * safe)
    rate = rate / (1.0 - beta1_pow)
    rate = xp.where(tractable, rate * xp.sqrt(share) * xp.sqrt(1.0 - beta2_pow), rate)
    on = tractable.astype(rate.dtype)
    return rate, epsilon, on, 1.0 - on, beta1, 1.0 - beta1, beta2, 1.0 - beta2


def _radam(
    xp: Any, p: Any, g: Any, m: Any, v: Any, t: Any,
    rate: Any, epsilon: Any, on: Any, off: Any, b1: Any, c1: Any, b2: Any, c2: Any,
) -> None:  # fmt: skip
    _means(xp, g, m, v, t, b1, c1, b2, c2)
    xp.sqrt(v, out=t)
    xp.add(t, epsilon, out=t)
    xp.multiply(t, on, out=t)
    xp.add(t, off, out=t)
    xp.divide(m, t, out=t)
    xp.multiply(t, rate, out=t)
    xp.subtract(p, t, out=p)


def _radam_on(xp: Any, beta1_pow: Any, beta2_pow: Any, rho: Any, *, beta1: float, beta2: float, **_: Any) -> None:
    moved = _radam_numbers(xp, beta2_pow, beta1, beta2)
    for number, value in zip((beta1_pow, beta2_pow, rho), moved):
        number[...] = value


radam = define(
    "radam",
    _radam,
    slots=("moment1", "moment2"),
    numbers=("beta1_pow", "beta2_pow", "rho"),
    coefficients=_radam_coefficients,
    advance=_radam_on,
    expr=lambda given: [*_MEANS, "p = p - m / ((sqrt(v) + epsilon) * on + off) * rate"],
)
