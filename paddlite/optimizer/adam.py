"""Adam and its relatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Tensor
from paddlite.ops import update
from paddlite.optimizer.groups import as_real
from paddlite.optimizer.optimizer import Optimizer

_BETAS = {"beta1": "beta1", "beta2": "beta2", "epsilon": "epsilon"}


def betas(kind: str, beta1: Any, beta2: Any, epsilon: Any) -> dict[str, float]:
    """The three as floats.

    Raises:
        TypeError: one is no number.
        ValueError: a beta lies outside of [0, 1), or epsilon is negative.
    """
    found = {
        name: as_real(value, f"{kind}: {name} must be a number")
        for name, value in (("beta1", beta1), ("beta2", beta2), ("epsilon", epsilon))
    }
    for name in ("beta1", "beta2"):
        if not 0 <= found[name] < 1:
            raise InvalidArgument(f"{kind}: {name} must lie in [0, 1), got {found[name]}")
    if found["epsilon"] < 0:
        raise InvalidArgument(f"{kind}: epsilon must not be negative, got {found['epsilon']}")
    return found


class _AdamFamily(Optimizer):
    """Adam and AdamW: two running means, corrected by powers of their betas."""

    _options = _BETAS
    _amsgrad = False

    def _first_numbers(self, attrs: dict[str, Any]) -> tuple:
        return (attrs["beta1"], attrs["beta2"])

    def _absent(self, p: Tensor, group: dict[str, Any]) -> frozenset[str]:
        return frozenset() if self._amsgrad else super()._absent(p, group)


class Adam(_AdamFamily):
    """Adam: a step by the running mean of the gradient over the root of that of its square, both without bias.

    `m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; w -= lr m' / (sqrt(v') + epsilon)` with
    `m' = m / (1 - beta1^t)` and `v' = v / (1 - beta2^t)` (Kingma and Ba).

    Args:
        learning_rate, parameters, weight_decay, grad_clip: see `Optimizer`.
        beta1, beta2: how slowly the means follow, numbers or one-element tensors in [0, 1).
        epsilon: keeps the quotient finite.
        lazy_mode: not used; gradients are never sparse.
        multi_precision: keep a float32 copy of half-type parameters and update that.
        use_multi_tensor: not used; parameters are always updated together.
        amsgrad: divide by the largest mean square so far (On the Convergence of Adam and Beyond).

    Raises:
        ValueError: a beta lies outside of [0, 1), or epsilon is negative.

    >>> import paddlite as paddle
    >>> w = paddle.to_tensor([1.0], stop_gradient=False)
    >>> adam = paddle.optimizer.Adam(learning_rate=0.1, parameters=[w])
    >>> (w * w).backward()
    >>> adam.step()
    >>> round(w.item(), 4)  # the first step is as long as the rate
    0.9
    """

    _rule = update.adam

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        use_multi_tensor: bool = False,
        amsgrad: bool = False,
        name: str | None = None,
    ) -> None:
        self._defaults = betas("Adam", beta1, beta2, epsilon)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._multi_precision = multi_precision
        self._amsgrad = amsgrad


class AdamW(_AdamFamily):
    """Adam with decoupled weight decay: `w *= 1 - lr * weight_decay`, then Adam's step (Loshchilov and Hutter).

    Args:
        learning_rate, parameters, grad_clip: see `Optimizer`.
        beta1, beta2, epsilon, lazy_mode, multi_precision, amsgrad: see `Adam`.
        weight_decay: a number or one-element tensor.
        use_lowprecision_moment: not used; moments are float32 at least.
        lr_ratio: `lr_ratio(parameter)` multiplies the learning rate of each parameter (layer-wise decay).
        apply_decay_param_fun: `apply_decay_param_fun(name)` says which parameters decay; left out, all do.

    Raises:
        TypeError: `weight_decay` is no number.
        ValueError: a beta lies outside of [0, 1), or epsilon is negative.

    Differs: `lr_ratio` works on the CPU too.

    >>> import paddlite as paddle
    >>> w = paddle.to_tensor([1.0], stop_gradient=False)
    >>> adamw = paddle.optimizer.AdamW(0.1, parameters=[w], weight_decay=0.5)
    >>> w.backward()
    >>> adamw.step()
    >>> round(w.item(), 4)  # 1 * (1 - 0.05) - 0.1
    0.85
    """

    _rule = update.adamw
    _decoupled = True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        parameters: Any = None,
        weight_decay: Any = 0.01,
        use_lowprecision_moment: bool = False,
        lr_ratio: Callable[[Tensor], float] | None = None,
        apply_decay_param_fun: Callable[[str], bool] | None = None,
        grad_clip: Any = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        amsgrad: bool = False,
        name: str | None = None,
    ) -> None:
        self._defaults = betas("AdamW", beta1, beta2, epsilon)
        self._lr_ratio = lr_ratio
        self._apply_decay_param_fun = apply_decay_param_fun
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._multi_precision = multi_precision
        self._amsgrad = amsgrad

    def _attrs(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        decays = self._apply_decay_param_fun is None or self._apply_decay_param_fun(p.name)
        given = group.get("weight_decay", self.regularization)
        return {**super()._attrs(p, group), "coeff": self._as_decay(given) if decays else 0.0}

    def _as_decay(self, value: Any) -> float:
        return as_real(value, "AdamW: weight_decay must be a number")

    def _ratio(self, p: Tensor) -> float:
        return 1.0 if self._lr_ratio is None else float(self._lr_ratio(p))


class Adamax(Optimizer):
    """Adam with the largest gradient, slowly forgotten, in place of the mean square.

    `m = beta1 m + (1 - beta1) g; n = max(beta2 n + epsilon, |g|); w -= lr / (1 - beta1^t) * m / n` (Kingma and Ba).

    Args:
        learning_rate, parameters, weight_decay, grad_clip: see `Optimizer`.
        beta1, beta2, epsilon: see `Adam`.
    """

    _rule = update.adamax
    _options = _BETAS

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._defaults = betas("Adamax", beta1, beta2, epsilon)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _first_numbers(self, attrs: dict[str, Any]) -> tuple:
        return (attrs["beta1"],)


class NAdam(Optimizer):
    """Adam with Nesterov momentum (Dozat): the step looks ahead by the momentum of the next step.

    Args:
        learning_rate, parameters, weight_decay, grad_clip: see `Optimizer`.
        beta1, beta2, epsilon: see `Adam`.
        momentum_decay: how fast the momentum `beta1 * (1 - 0.5 * 0.96^(t * momentum_decay))` rises.
    """

    _rule = update.nadam
    _options = {**_BETAS, "momentum_decay": "momentum_decay"}
    _spread = True

    def __init__(
        self,
        learning_rate: Any = 0.002,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: float = 1e-8,
        momentum_decay: float = 0.004,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._defaults = betas("NAdam", beta1, beta2, epsilon)
        self._defaults["momentum_decay"] = as_real(momentum_decay, "NAdam: momentum_decay must be a number")
        if momentum_decay < 0:
            raise InvalidArgument(f"NAdam: momentum_decay must not be negative, got {momentum_decay}")
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _first_numbers(self, attrs: dict[str, Any]) -> tuple:
        return (1.0, 1.0, 1.0)


class RAdam(Optimizer):
    """Rectified Adam: the mean gradient alone as long as the mean square is too uncertain, then a rectified Adam step.

    On the Variance of the Adaptive Learning Rate and Beyond (Liu et al.).

    Args:
        learning_rate, parameters, weight_decay, grad_clip: see `Optimizer`.
        beta1, beta2, epsilon: see `Adam`.
    """

    _rule = update.radam
    _options = _BETAS
    _spread = True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: float = 1e-8,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._defaults = betas("RAdam", beta1, beta2, epsilon)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _first_numbers(self, attrs: dict[str, Any]) -> tuple:
        return (1.0, 1.0, 0.0)
