"""Rates that fall by a formula of the step number."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Sequence

from paddlite.core.errors import InvalidArgument
from paddlite.optimizer.lr.base import (
    LRScheduler,
    as_count,
    as_function,
    as_number,
    as_sequence,
    below_one,
)


class NoamDecay(LRScheduler):
    """`learning_rate * d_model^-0.5 * min(t^-0.5, t * warmup_steps^-1.5)` at step t (Attention Is All You Need).

    Args:
        d_model: the width of the model.
        warmup_steps: how many steps the rate rises for.

    >>> import paddlite as paddle
    >>> paddle.optimizer.lr.NoamDecay(100, 4, last_epoch=3)()
    0.05
    """

    def __init__(
        self,
        d_model: int,
        warmup_steps: int,
        learning_rate: float = 1.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if d_model <= 0:
            raise InvalidArgument(f"NoamDecay: d_model must be greater than 0, got {d_model}")
        self.d_model = d_model
        self.warmup_steps = warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        t = self.last_epoch
        falling = 1.0 if t == 0 else t**-0.5
        return self.base_lr * self.d_model**-0.5 * min(falling, self.warmup_steps**-1.5 * t)


class PiecewiseDecay(LRScheduler):
    """`values[i]` as long as the step number is below `boundaries[i]`; the last value after that.

    Raises:
        ValueError: `values` does not have one element more than `boundaries`.

    >>> import paddlite as paddle
    >>> scheduler = paddle.optimizer.lr.PiecewiseDecay([2, 4], [1.0, 0.5, 0.1])
    >>> rates = []
    >>> for _ in range(5):
    ...     rates.append(scheduler())
    ...     scheduler.step()
    >>> rates
    [1.0, 1.0, 0.5, 0.5, 0.1]
    """

    def __init__(
        self, boundaries: Sequence[int], values: Sequence[float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        if len(boundaries) == 0:
            raise InvalidArgument("PiecewiseDecay: boundaries must not be empty")
        if len(values) != len(boundaries) + 1:
            raise InvalidArgument(
                f"PiecewiseDecay: values must have one element more than boundaries, got {len(values)} values and "
                f"{len(boundaries)} boundaries"
            )
        self.boundaries = boundaries
        self.values = values
        super().__init__(last_epoch=last_epoch, verbose=verbose)

    def get_lr(self) -> float:
        for boundary, value in zip(self.boundaries, self.values):
            if self.last_epoch < boundary:
                return value
        return self.values[-1]


class NaturalExpDecay(LRScheduler):
    """`learning_rate * e^(-gamma * t)` at step t; `gamma` is positive."""

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        if as_number("NaturalExpDecay", gamma, "gamma") <= 0.0:
            raise InvalidArgument(f"NaturalExpDecay: gamma must be greater than 0, got {gamma}")
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """`learning_rate / (1 + gamma * t)` at step t."""

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        self.gamma = as_number("InverseTimeDecay", gamma, "gamma")
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return self.base_lr / (1.0 + self.gamma * self.last_epoch)


class PolynomialDecay(LRScheduler):
    """From `learning_rate` to `end_lr` in `decay_steps` steps: `(lr - end_lr) * (1 - t / decay_steps)^power + end_lr`.

    Args:
        cycle: when the end is reached, start anew from a lower rate with a longer period (`decay_steps` becomes its
            multiple that lies at or beyond t); otherwise stay at `end_lr`.
    """

    def __init__(
        self,
        learning_rate: float,
        decay_steps: int,
        end_lr: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.decay_steps = as_count("PolynomialDecay", decay_steps, "decay_steps")
        self.end_lr = end_lr
        if as_number("PolynomialDecay", power, "power") <= 0.0:
            raise InvalidArgument(f"PolynomialDecay: power must be greater than 0, got {power}")
        self.power = power
        self.cycle = cycle
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        t, period = self.last_epoch, self.decay_steps
        if self.cycle:
            period *= max(1, math.ceil(t / period))
        else:
            t = min(t, period)
        return (self.base_lr - self.end_lr) * (1 - t / period) ** self.power + self.end_lr


class LinearLR(LRScheduler):
    """`learning_rate` times a factor that goes from `start_factor` to `end_factor` in `total_steps` steps.

    Differs: `step(epoch)` to any step gives the rate of the formula; Paddle's depends on the steps taken before.

    >>> import paddlite as paddle
    >>> scheduler = paddle.optimizer.lr.LinearLR(1.0, 4, start_factor=0.5)
    >>> scheduler.step(2)
    >>> scheduler()
    0.75
    """

    def __init__(
        self,
        learning_rate: float,
        total_steps: int,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        for name, factor in (("start_factor", start_factor), ("end_factor", end_factor)):
            if not 0.0 <= as_number("LinearLR", factor, name) <= 1.0 or (factor == 0.0 and name == "start_factor"):
                raise InvalidArgument(f"LinearLR: {name} must lie between 0 and 1, got {factor}")
        if total_steps <= 0:
            raise InvalidArgument(f"LinearLR: total_steps must be greater than 0, got {total_steps}")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_steps = total_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        done = min(self.last_epoch, self.total_steps) / self.total_steps
        return self.base_lr * (self.start_factor + (self.end_factor - self.start_factor) * done)


class ExponentialDecay(LRScheduler):
    """`learning_rate * gamma^t` at step t; `gamma` lies between 0 and 1."""

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        if not 0.0 < as_number("ExponentialDecay", gamma, "gamma") < 1.0:
            raise InvalidArgument(f"ExponentialDecay: gamma must lie between 0 and 1, got {gamma}")
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return self.base_lr * self.gamma**self.last_epoch


class MultiStepDecay(LRScheduler):
    """`learning_rate * gamma^k`, where k counts the `milestones` that are reached.

    Raises:
        TypeError: `milestones` is no list or tuple.
        ValueError: they do not rise, or `gamma` is not below 1.
    """

    def __init__(
        self,
        learning_rate: float,
        milestones: Sequence[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        as_sequence("MultiStepDecay", milestones, "milestones")
        if any(a >= b for a, b in itertools.pairwise(milestones)):
            raise InvalidArgument(f"MultiStepDecay: milestones must rise, got {list(milestones)}")
        self.milestones = milestones
        self.gamma = below_one("MultiStepDecay", gamma, "gamma")
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return self.base_lr * self.gamma ** bisect.bisect_right(self.milestones, self.last_epoch)


class StepDecay(LRScheduler):
    """`learning_rate * gamma^(t // step_size)` at step t.

    Raises:
        TypeError: `step_size` is no int.
        ValueError: `gamma` is not below 1.
    """

    def __init__(
        self, learning_rate: float, step_size: int, gamma: float = 0.1, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.step_size = as_count("StepDecay", step_size, "step_size")
        self.gamma = below_one("StepDecay", gamma, "gamma")
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return self.base_lr * self.gamma ** (self.last_epoch // self.step_size)


class LambdaDecay(LRScheduler):
    """`learning_rate * lr_lambda(t)` at step t."""

    def __init__(
        self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.lr_lambda = as_function("LambdaDecay", lr_lambda, "lr_lambda")
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return self.base_lr * self.lr_lambda(self.last_epoch)


class MultiplicativeDecay(LRScheduler):
    """`learning_rate * lr_lambda(1) * ... * lr_lambda(t)` at step t."""

    def __init__(
        self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.lr_lambda = as_function("MultiplicativeDecay", lr_lambda, "lr_lambda")
        self._done: tuple[int, float] | None = None  # a step and the rate there
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        # going on by one step is the common case; a jump multiplies from the start, in the same order
        start, rate = self._done or (0, self.base_lr)
        if start > self.last_epoch:
            start, rate = 0, self.base_lr
        for t in range(start + 1, self.last_epoch + 1):
            rate = rate * self.lr_lambda(t)
        self._done = (self.last_epoch, rate)
        return rate
