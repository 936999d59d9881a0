"""Gradient descent: plain, with momentum, averaged, and by signs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Tensor
from paddlite.ops import update
from paddlite.optimizer.groups import as_real
from paddlite.optimizer.optimizer import Optimizer


class SGD(Optimizer):
    """Gradient descent: `w -= lr * g`.

    Args:
        learning_rate, parameters, weight_decay, grad_clip: see `Optimizer`.
        multi_precision: keep a float32 copy of half-type parameters and update that.

    >>> import paddlite as paddle
    >>> w = paddle.to_tensor([3.0], stop_gradient=False)
    >>> sgd = paddle.optimizer.SGD(learning_rate=0.5, parameters=[w])
    >>> (2 * w).backward()
    >>> sgd.step()
    >>> w.item()
    2.0
    """

    _rule = update.sgd

    def __init__(
        self,
        learning_rate: Any = 0.001,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._multi_precision = multi_precision


class Momentum(Optimizer):
    """Gradient descent with momentum: `v = momentum * v + g; w -= lr * v`.

    Args:
        learning_rate, parameters, weight_decay, grad_clip: see `Optimizer`.
        momentum: how much of the last step goes on.
        use_nesterov: step by `g + momentum * v` instead (Nesterov).
        multi_precision: keep a float32 copy of half-type parameters and update that.
        rescale_grad: gradients are multiplied by it first.
        use_multi_tensor: not used; parameters are always updated together.

    Differs: `rescale_grad` counts; Paddle's step on the CPU leaves it out.

    >>> import paddlite as paddle
    >>> w = paddle.to_tensor([1.0], stop_gradient=False)
    >>> momentum = paddle.optimizer.Momentum(0.5, momentum=0.5, parameters=[w])
    >>> for _ in range(2):
    ...     w.backward()
    ...     momentum.step()
    ...     momentum.clear_grad()
    >>> w.item()  # 1 - 0.5 * 1 - 0.5 * 1.5
    -0.25
    """

    _rule = update.momentum
    _options = {"momentum": "mu", "use_nesterov": "use_nesterov", "rescale_grad": "rescale_grad"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        momentum: float = 0.9,
        parameters: Any = None,
        use_nesterov: bool = False,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        rescale_grad: float = 1.0,
        use_multi_tensor: bool = False,
        name: str | None = None,
    ) -> None:
        self._defaults = {
            "momentum": as_real(momentum, "Momentum: momentum must be a number"),
            "use_nesterov": bool(use_nesterov),
            "rescale_grad": as_real(rescale_grad, "Momentum: rescale_grad must be a number"),
        }
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._multi_precision = multi_precision

    def _penalty(self, p: Tensor, group: dict[str, Any]) -> tuple[type, float] | None:
        found = super()._penalty(p, group)
        rescale = self._option(group, "rescale_grad")
        # the decay is not rescaled, but the rule multiplies what it gets, decay and all
        return found if found is None or rescale == 1.0 else (found[0], found[1] / rescale)


class ASGD(Optimizer):
    """Averaged gradient descent over `batch_num` batches: a step by the mean of the last gradient of each.

    `d = d - y[i] + g; y[i] = g; w -= lr * d / min(t, batch_num)`, where i counts the batches around (SAG).

    Args:
        learning_rate, parameters, weight_decay, grad_clip: see `Optimizer`.
        batch_num: how many batches make an epoch; that many gradients are kept.
        multi_precision: keep a float32 copy of half-type parameters and update that.

    Raises:
        ValueError: `batch_num` is not greater than 0.
    """

    _rule = update.asgd
    _options = {"batch_num": "batch_num"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        batch_num: int = 1,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        if batch_num is None or batch_num <= 0:
            raise InvalidArgument(f"ASGD: batch_num must be greater than 0, got {batch_num}")
        self._defaults = {"batch_num": int(batch_num)}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._multi_precision = multi_precision

    def _first_numbers(self, attrs: dict[str, Any]) -> tuple:
        return (np.int64(0),)

    def _slot_shape(self, slot: str, shape: tuple, attrs: dict[str, Any]) -> tuple:
        return (attrs["batch_num"], *shape) if slot == "y" else shape


class Rprop(Optimizer):
    """A rate of its own for each element, which grows while the gradient keeps its sign: `w -= rate * sign(g)`.

    For whole-batch training.  Where the sign changes, the rate shrinks and the element rests for a step (RProp+).

    Args:
        learning_rate: the first rate of all elements.
        learning_rate_range: the least and the greatest rate.
        parameters, grad_clip: see `Optimizer`.
        etas: by what rates shrink and grow.
        multi_precision: keep a float32 copy of half-type parameters and update that.

    Raises:
        ValueError: not 0 < range[0] <= learning_rate <= range[1], or not 0 < etas[0] < 1 < etas[1].
    """

    _rule = update.rprop
    _options = {"lowest": "lowest", "highest": "highest", "shrink": "shrink", "grow": "grow"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_range: Sequence[float] = (1e-5, 50),
        parameters: Any = None,
        etas: Sequence[float] = (0.5, 1.2),
        grad_clip: Any = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        (lowest, highest), (shrink, grow) = learning_rate_range, etas
        if not 0.0 < shrink < 1.0 < grow:
            raise InvalidArgument(f"Rprop: etas must have 0 < etas[0] < 1 < etas[1], got {tuple(etas)}")
        self._defaults = {
            "lowest": float(lowest),
            "highest": float(highest),
            "shrink": float(shrink),
            "grow": float(grow),
        }
        super().__init__(learning_rate, parameters, None, grad_clip, name)
        if not 0.0 < lowest <= self.get_lr() <= highest:
            raise InvalidArgument(
                f"Rprop: the learning rate ({self.get_lr()}) must lie within learning_rate_range "
                f"{tuple(learning_rate_range)}, which begins above 0"
            )
        self._initial_learning_rate = self.get_lr()
        self._multi_precision = multi_precision

    def _fills(self) -> dict[str, float]:
        return {"learning_rates": self._initial_learning_rate}
