"""Rates that rise and fall in cycles, or along one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from paddlite.core.errors import InvalidArgument
from paddlite.optimizer.lr.base import LRScheduler, as_count, as_number, as_rate


def _cosine(start: float, end: float, done: float) -> float:
    """From `start` (done = 0) to `end` (done = 1) along half a cosine wave."""
    return end + (start - end) / 2.0 * (1 + math.cos(math.pi * done))


def _line(start: float, end: float, done: float) -> float:
    return start + (end - start) * done


class CosineAnnealingDecay(LRScheduler):
    """From `learning_rate` to `eta_min` along a cosine wave in `T_max` steps, and back, and so on.

    `eta_min + (learning_rate - eta_min) * (1 + cos(pi * t / T_max)) / 2` (SGDR, without restarts).

    >>> import paddlite as paddle
    >>> paddle.optimizer.lr.CosineAnnealingDecay(1.0, T_max=4, last_epoch=3)()
    0.0
    """

    def __init__(
        self, learning_rate: float, T_max: int, eta_min: float = 0, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.T_max = as_count("CosineAnnealingDecay", T_max, "T_max")
        self.eta_min = as_number("CosineAnnealingDecay", eta_min, "eta_min")
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return _cosine(self.base_lr, self.eta_min, self.last_epoch / self.T_max)


class CosineAnnealingWarmRestarts(LRScheduler):
    """From `learning_rate` to `eta_min` along a cosine wave, then from the start again (SGDR).

    Args:
        T_0: steps of the first period.
        T_mult: each period is this many times as long as the one before.

    `step(epoch)` also takes fractions of a step.

    Raises:
        ValueError: `T_0` or `T_mult` is no int of at least 1.
    """

    def __init__(
        self,
        learning_rate: float,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise InvalidArgument(f"CosineAnnealingWarmRestarts: {name} must be an int of at least 1, got {value}")
        self.T_0 = self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = as_number("CosineAnnealingWarmRestarts", eta_min, "eta_min")
        self.T_cur: float = last_epoch
        super().__init__(learning_rate, last_epoch, verbose)

    def step(self, epoch: float | None = None) -> None:  # type: ignore[override]
        """Go one step on, or to `epoch`, which may be a fraction."""
        if epoch is not None and epoch < 0:
            raise InvalidArgument(f"CosineAnnealingWarmRestarts: step({epoch}): the epoch must not be negative")
        at = self.last_epoch + 1 if epoch is None else epoch
        self.T_cur, self.T_i = self._place(at)
        self.last_epoch = math.floor(at)
        self._set(self.get_lr())

    def _place(self, at: float) -> tuple[float, int]:
        """Where in which period (by its length) step `at` lies."""
        if self.T_mult == 1:
            return at % self.T_0, self.T_0
        length, left = self.T_0, at
        while left >= length:
            left -= length
            length *= self.T_mult
        return left, length

    def get_lr(self) -> float:
        return _cosine(self.base_lr, self.eta_min, self.T_cur / self.T_i)


class OneCycleLR(LRScheduler):
    """Up to `max_learning_rate` and down again within `total_steps` steps (Super-Convergence).

    Args:
        divide_factor: the first rate is `max_learning_rate / divide_factor`.
        end_learning_rate: the last rate.
        phase_pct: the share of the steps in which the rate rises.
        anneal_strategy: "cos" or "linear".
        three_phase: fall to the first rate in as many steps as it rose, then on to the last; otherwise fall in one go.

    Raises:
        ValueError: a value lies outside of its range, or more than `total_steps` steps were taken.
    """

    def __init__(
        self,
        max_learning_rate: float,
        total_steps: int,
        divide_factor: float = 25.0,
        end_learning_rate: float = 0.0001,
        phase_pct: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        three_phase: bool = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        highest = as_rate("OneCycleLR", max_learning_rate, "max_learning_rate")
        as_rate("OneCycleLR", end_learning_rate, "end_learning_rate")
        self.total_steps = as_count("OneCycleLR", total_steps, "total_steps")
        if not 0 <= as_number("OneCycleLR", phase_pct, "phase_pct") <= 1:
            raise InvalidArgument(f"OneCycleLR: phase_pct must lie between 0 and 1, got {phase_pct}")
        if three_phase and phase_pct >= 0.5:
            raise InvalidArgument(f"OneCycleLR: phase_pct must be below 0.5 with three_phase=True, got {phase_pct}")
        if anneal_strategy not in ("cos", "linear"):
            raise InvalidArgument(f"OneCycleLR: anneal_strategy must be 'cos' or 'linear', got {anneal_strategy!r}")
        first = highest / float(divide_factor)
        top, end = phase_pct * total_steps - 1, total_steps - 1
        self._anneal = _cosine if anneal_strategy == "cos" else _line
        self._phases = (  # (last step, rate at its start, rate at its end)
            [(top, first, highest), (2 * top, highest, first), (end, first, end_learning_rate)]
            if three_phase
            else [(top, first, highest), (end, highest, end_learning_rate)]
        )
        super().__init__(first, last_epoch, verbose)

    def get_lr(self) -> float:
        t = self.last_epoch
        if t > self.total_steps:
            raise InvalidArgument(f"OneCycleLR: step {t} was taken, but total_steps is {self.total_steps}")
        start = 0.0
        for end, low, high in self._phases[:-1]:
            if t <= end:
                return self._anneal(low, high, (t - start) / (end - start))
            start = end
        end, low, high = self._phases[-1]
        return self._anneal(low, high, (t - start) / (end - start))


class CyclicLR(LRScheduler):
    """Up and down between two rates, again and again (Cyclical Learning Rates for Training Neural Networks).

    Args:
        base_learning_rate: the lowest rate.
        max_learning_rate: the highest rate of the first cycle.
        step_size_up: steps from the lowest to the highest rate.
        step_size_down: steps back; left out, as many.
        mode: "triangular" keeps the height of the cycles, "triangular2" halves it each cycle, "exp_range" multiplies it
            by `exp_gamma` each step.
        scale_fn: a height of your own, in place of `mode`.
        scale_mode: what `scale_fn` is called with: "cycle" (counted from 1) or "iterations" (steps).

    Raises:
        ValueError: a value lies outside of its range.
    """

    def __init__(
        self,
        base_learning_rate: float,
        max_learning_rate: float,
        step_size_up: int,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        exp_gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        up = as_count("CyclicLR", step_size_up, "step_size_up")
        down = up if step_size_down is None else as_count("CyclicLR", step_size_down, "step_size_down")
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise InvalidArgument(
                f"CyclicLR: mode must be 'triangular', 'triangular2' or 'exp_range' where no scale_fn is given, "
                f"got {mode!r}"
            )
        if scale_mode not in ("cycle", "iterations"):
            raise InvalidArgument(f"CyclicLR: scale_mode must be 'cycle' or 'iterations', got {scale_mode!r}")
        self.cycle_size = up + down
        self.step_up_pct = up / self.cycle_size
        self.max_lr = as_rate("CyclicLR", max_learning_rate, "max_learning_rate")
        self.amplitude = self.max_lr - as_rate("CyclicLR", base_learning_rate, "base_learning_rate")
        self.mode, self.exp_gamma = mode, exp_gamma
        self.scale_fn = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None or mode != "exp_range" else "iterations"
        super().__init__(base_learning_rate, last_epoch, verbose)

    def _height(self, x: float) -> float:
        if self.scale_fn is not None:
            return self.scale_fn(x)
        if self.mode == "triangular2":
            return 1 / (2.0 ** (x - 1))
        return self.exp_gamma**x if self.mode == "exp_range" else 1.0

    def get_lr(self) -> float:
        t = self.last_epoch
        cycle = 1 + t // self.cycle_size
        done = (t % self.cycle_size) / self.cycle_size
        share = done / self.step_up_pct if done <= self.step_up_pct else (1 - done) / (1 - self.step_up_pct)
        return self.base_lr + self.amplitude * share * self._height(cycle if self.scale_mode == "cycle" else t)
