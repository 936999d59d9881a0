"""Optimizers with a rate of its own for each element (Adagrad, Adadelta, RMSProp) or each parameter (Lamb)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Tensor
from paddlite.ops import update
from paddlite.optimizer.adam import betas
from paddlite.optimizer.groups import as_real
from paddlite.optimizer.optimizer import Optimizer


def _wanted(kind: str, **values: Any) -> dict[str, float]:
    for name, value in values.items():
        if value is None:
            raise InvalidArgument(f"{kind}: {name} must be given, got None")
    return {name: as_real(value, f"{kind}: {name} must be a number") for name, value in values.items()}


def _not_negative(kind: str, values: dict[str, float], *names: str) -> None:
    for name in names:
        if values[name] < 0:
            raise InvalidArgument(f"{kind}: {name} must not be negative, got {values[name]}")


class Adagrad(Optimizer):
    """A rate that falls with the sum of squares so far: `s += g^2; w -= lr * g / (sqrt(s) + epsilon)` (Duchi et al.).

    Args:
        learning_rate, parameters, weight_decay, grad_clip: see `Optimizer`.
        epsilon: keeps the quotient finite.
        initial_accumulator_value: what the sums start with.
    """

    _rule = update.adagrad
    _options = {"epsilon": "epsilon"}

    def __init__(
        self,
        learning_rate: Any,
        epsilon: float = 1e-6,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ) -> None:
        self._defaults = _wanted("Adagrad", epsilon=epsilon)
        self._first = _wanted("Adagrad", initial_accumulator_value=initial_accumulator_value)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _fills(self) -> dict[str, float]:
        return {"moment": self._first["initial_accumulator_value"]}


class Adadelta(Optimizer):
    """Steps in proportion to the root mean square of the last steps over that of the gradients (Zeiler).

    `a = rho a + (1 - rho) g^2; d = sqrt((b + epsilon) / (a + epsilon)) g; b = rho b + (1 - rho) d^2; w -= lr * d`.

    Args:
        learning_rate, parameters, weight_decay, grad_clip: see `Optimizer`.
        epsilon: keeps the quotient finite and gets the steps going.
        rho: how slowly the means follow.
    """

    _rule = update.adadelta
    _options = {"epsilon": "epsilon", "rho": "rho"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        epsilon: float = 1e-6,
        rho: float = 0.95,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._defaults = _wanted("Adadelta", epsilon=epsilon, rho=rho)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)


class RMSProp(Optimizer):
    """The gradient over the root of the running mean of its square (Hinton), with momentum.

    `s = rho s + (1 - rho) g^2; v = momentum v + lr g / sqrt(s + epsilon); w -= v`.

    Args:
        learning_rate, parameters, weight_decay, grad_clip: see `Optimizer`.
        rho: how slowly the means follow.
        epsilon: keeps the quotient finite; it stands under the root.
        momentum: how much of the last step goes on.
        centered: take the square of the mean gradient off s, which leaves the variance.

    Raises:
        ValueError: `rho`, `epsilon` or `momentum` is negative or None.
    """

    _rule = update.rmsprop
    _options = {"rho": "rho", "epsilon": "epsilon", "momentum": "mu", "centered": "centered"}

    def __init__(
        self,
        learning_rate: Any,
        rho: float = 0.95,
        epsilon: float = 1e-6,
        momentum: float = 0.0,
        centered: bool = False,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._defaults = _wanted("RMSProp", rho=rho, epsilon=epsilon, momentum=momentum)
        _not_negative("RMSProp", self._defaults, "rho", "epsilon", "momentum")
        self._defaults["centered"] = bool(centered)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)


class Lamb(Optimizer):
    """Adam's step, with weight decay, made as long as the parameter is: for large batches (You et al.).

    `r = m' / (sqrt(v') + epsilon) + decay * w; w -= lr * |w| / |r| * r`, with m' and v' as in Adam.

    Args:
        learning_rate, parameters, grad_clip: see `Optimizer`.
        lamb_weight_decay: the decay.
        beta1, beta2, epsilon: see `Adam`.
        exclude_from_weight_decay_fn: `exclude_from_weight_decay_fn(parameter)` says which parameters do not decay.
        multi_precision: keep a float32 copy of half-type parameters and update that.
        always_adapt: scale the steps of parameters without decay too; otherwise these take Adam's.
    """

    _rule = update.lamb
    _options = {"beta1": "beta1", "beta2": "beta2", "epsilon": "epsilon", "always_adapt": "always_adapt"}
    _decoupled = True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        lamb_weight_decay: float = 0.01,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-6,
        parameters: Any = None,
        grad_clip: Any = None,
        exclude_from_weight_decay_fn: Callable[[Tensor], bool] | None = None,
        multi_precision: bool = False,
        always_adapt: bool = False,
        name: str | None = None,
    ) -> None:
        self._defaults = {
            **betas("Lamb", beta1, beta2, epsilon),
            **_wanted("Lamb", lamb_weight_decay=lamb_weight_decay),
            "always_adapt": bool(always_adapt),
        }
        self._exclude_from_weight_decay_fn = exclude_from_weight_decay_fn
        super().__init__(learning_rate, parameters, None, grad_clip, name)
        self._multi_precision = multi_precision

    def _attrs(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        excluded = self._exclude_from_weight_decay_fn is not None and self._exclude_from_weight_decay_fn(p)
        decay = 0.0 if excluded else float(self._option(group, "lamb_weight_decay"))
        return {**super()._attrs(p, group), "weight_decay": decay}

    def _first_numbers(self, attrs: dict[str, Any]) -> tuple:
        return (attrs["beta1"], attrs["beta2"])
