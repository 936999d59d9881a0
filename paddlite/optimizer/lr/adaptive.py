"""Schedules around another schedule, and by what training shows."""

from __future__ import annotations

import math
import numbers
from typing import Any, Literal

import numpy as np

from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.tensor import Tensor
from paddlite.optimizer.lr.base import LRScheduler, as_count, as_number, as_rate, below_one


class LinearWarmup(LRScheduler):
    """From `start_lr` to `end_lr` in `warmup_steps` steps, then `learning_rate`, a number or a schedule of its own.

    A schedule begins with its step 0 when the warm-up is over.

    Raises:
        TypeError: `learning_rate` is neither a number nor a schedule.
        ValueError: `end_lr` is not above `start_lr`.

    >>> import paddlite as paddle
    >>> lr = paddle.optimizer.lr
    >>> scheduler = lr.LinearWarmup(lr.StepDecay(1.0, 2), warmup_steps=2, start_lr=0.0, end_lr=1.0)
    >>> rates = []
    >>> for _ in range(5):
    ...     rates.append(scheduler())
    ...     scheduler.step()
    >>> rates
    [0.0, 0.5, 1.0, 1.0, 0.1]
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        warmup_steps: int,
        start_lr: float,
        end_lr: float,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if not isinstance(learning_rate, (numbers.Real, LRScheduler)):
            raise DTypeMismatch(
                f"LinearWarmup: learning_rate must be a number or an LRScheduler, got {type(learning_rate).__name__}"
            )
        self.learning_rate = learning_rate
        self.warmup_steps = as_count("LinearWarmup", warmup_steps, "warmup_steps", least=0)
        self.start_lr = as_number("LinearWarmup", start_lr, "start_lr")
        self.end_lr = as_number("LinearWarmup", end_lr, "end_lr")
        if end_lr <= start_lr:
            raise InvalidArgument(f"LinearWarmup: end_lr ({end_lr}) must be greater than start_lr ({start_lr})")
        super().__init__(start_lr, last_epoch, verbose)

    def get_lr(self) -> float:
        t = self.last_epoch
        if t < self.warmup_steps:
            return (self.end_lr - self.start_lr) * t / self.warmup_steps + self.start_lr
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.step(t - self.warmup_steps)
            return self.learning_rate()
        return float(self.learning_rate)

    def state_dict(self) -> dict[str, Any]:
        """The state, with that of the inner schedule as `LinearWarmup_LR`."""
        state = super().state_dict()
        if isinstance(self.learning_rate, LRScheduler):
            state["LinearWarmup_LR"] = self.learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from where `state_dict` was taken, the inner schedule too."""
        super().set_state_dict(state_dict)
        if isinstance(self.learning_rate, LRScheduler) and "LinearWarmup_LR" in state_dict:
            self.learning_rate.set_state_dict(state_dict["LinearWarmup_LR"])

    set_dict = set_state_dict

    def _known_keys(self) -> list[str]:
        return [*self.keys, "LinearWarmup_LR"] if isinstance(self.learning_rate, LRScheduler) else self.keys


class ReduceOnPlateau(LRScheduler):
    """Multiply the rate by `factor` when the metric given to `step` has not improved for more than `patience` steps.

    Args:
        mode: "min" where a smaller metric is better, "max" where a larger one is.
        factor: below 1.
        patience: steps without improvement that are let pass.
        threshold: what counts as improvement.
        threshold_mode: "rel": by more than this share of the best value; "abs": by more than this.
        cooldown: steps after a reduction in which nothing is counted.
        min_lr: the rate never falls below it.
        epsilon: smaller changes of the rate are left out.

    >>> import paddlite as paddle
    >>> scheduler = paddle.optimizer.lr.ReduceOnPlateau(1.0, factor=0.5, patience=1)
    >>> for loss in (3.0, 2.0, 2.0, 2.0):
    ...     scheduler.step(loss)
    >>> scheduler()
    0.5
    """

    def __init__(
        self,
        learning_rate: float,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0,
        min_lr: float = 0,
        epsilon: float = 1e-8,
        verbose: bool = False,
    ) -> None:
        for name, value, choices in (
            ("mode", mode, ("min", "max")),
            ("threshold_mode", threshold_mode, ("rel", "abs")),
        ):
            if str(value).lower() not in choices:
                raise InvalidArgument(f"ReduceOnPlateau: {name} must be one of {choices}, got {value!r}")
        self.mode, self.threshold_mode = mode.lower(), threshold_mode.lower()
        self.factor = below_one("ReduceOnPlateau", factor, "factor")
        self.patience, self.threshold, self.cooldown = patience, threshold, cooldown
        self.min_lr, self.epsilon = min_lr, epsilon
        self.cooldown_counter = 0
        self.best: float | None = None
        self.num_bad_epochs = 0
        # not the base class's constructor: there is no metric for a first step yet
        self.base_lr = self.last_lr = as_rate("ReduceOnPlateau", learning_rate)
        self.last_epoch = 0
        self.verbose = verbose

    def state_keys(self) -> None:
        self.keys = ["cooldown_counter", "best", "num_bad_epochs", "last_epoch", "last_lr"]

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Take note of `metrics`, a number or a tensor or array of one element.

        Raises:
            TypeError: it is something else.
            ValueError: it has more than one element.
        """
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        current = _single(metrics)
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best is None or self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
            rate = max(self.last_lr * self.factor, self.min_lr)
            if self.last_lr - rate > self.epsilon:
                self._set(rate)

    def _is_better(self, current: float, best: float) -> bool:
        margin = self.threshold * (best if self.threshold_mode == "rel" else 1.0)
        return current < best - margin if self.mode == "min" else current > best + margin


def _single(metrics: Any) -> float:
    if isinstance(metrics, numbers.Real):
        return metrics  # type: ignore[return-value]
    if isinstance(metrics, (Tensor, np.ndarray)):
        size = math.prod(metrics.shape)
        if size != 1:
            raise InvalidArgument(
                f"ReduceOnPlateau.step: metrics must have one element, got {size}; take their mean first"
            )
        return metrics.item()  # type: ignore[attr-defined]
    raise DTypeMismatch(
        f"ReduceOnPlateau.step: metrics must be a number, a tensor or an array, got {type(metrics).__name__}"
    )
