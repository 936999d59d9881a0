"""Weight decay as an object: which penalty on the parameters an optimizer adds to the loss."""

from __future__ import annotations

import numbers

from paddlite.core.errors import DTypeMismatch


class WeightDecayRegularizer:
    """A penalty on a parameter, whose gradient the optimizer adds to that of the loss.

    Args:
        coeff: how much the penalty counts.
    """

    def __init__(self, coeff: float = 0.0) -> None:
        if isinstance(coeff, bool) or not isinstance(coeff, numbers.Real):
            raise DTypeMismatch(f"{type(self).__name__}: coeff must be a number, got {type(coeff).__name__}")
        self._coeff = coeff

    def __str__(self) -> str:
        return f"{type(self).__name__}, coeff={self._coeff:f}"


class L1Decay(WeightDecayRegularizer):
    """The penalty `coeff * sum(|w|)`: `coeff * sign(w)` is added to the gradient of each parameter w.

    Given to a parameter (`ParamAttr(regularizer=...)`) it counts in place of the optimizer's `weight_decay`.

    >>> import paddlite as paddle
    >>> print(paddle.regularizer.L1Decay(0.1))
    L1Decay, coeff=0.100000
    """


class L2Decay(WeightDecayRegularizer):
    """The penalty `0.5 * coeff * sum(w^2)`: `coeff * w` is added to the gradient of each parameter w.

    Given to a parameter (`ParamAttr(regularizer=...)`) it counts in place of the optimizer's `weight_decay`.

    >>> import paddlite as paddle
    >>> print(paddle.regularizer.L2Decay(0.1))
    L2Decay, coeff=0.100000
    """


__all__ = ["L1Decay", "L2Decay"]
