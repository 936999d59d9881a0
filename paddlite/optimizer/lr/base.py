"""What all learning-rate schedules have in common."""

from __future__ import annotations

import numbers
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from paddlite.core.errors import DTypeMismatch, InvalidArgument


class LRScheduler:
    """A learning rate that changes as `step()` is called; `scheduler()` gives the rate in force.

    A schedule of your own is a subclass with `get_lr()`, which computes the rate from `self.last_epoch` (the number of
    steps taken) and `self.base_lr`.  Reading the rate never changes it: it is computed in `step()` alone.

    Args:
        learning_rate: the rate to start from (0.1).
        last_epoch: the number of steps already taken; -1 for a new schedule.
        verbose: print the rate whenever it is set.

    Raises:
        TypeError: `learning_rate` is no number.
        ValueError: it is negative.

    >>> import paddlite as paddle
    >>> class Halving(paddle.optimizer.lr.LRScheduler):
    ...     def get_lr(self):
    ...         return self.base_lr * 0.5**self.last_epoch
    >>> scheduler = Halving(1.0)
    >>> scheduler.step()
    >>> scheduler()
    0.5
    """

    def __init__(self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False) -> None:
        rate = as_rate(type(self).__name__, learning_rate)
        self.base_lr = rate
        self.last_lr = rate
        self.last_epoch = last_epoch
        self.verbose = verbose
        self.step()

    def __call__(self) -> float:
        """The rate in force."""
        return self.last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go one step on, or to step number `epoch`, and compute the rate there."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set(self.get_lr())

    def get_lr(self) -> float:
        """The rate at step `last_epoch`; each schedule says its own."""
        raise NotImplementedError(f"{type(self).__name__} must define get_lr()")

    def state_keys(self) -> None:
        """Say which attributes a checkpoint holds, by setting `self.keys` (numbers or one-element tensors)."""
        self.keys = ["last_epoch", "last_lr"]

    def state_dict(self) -> dict[str, Any]:
        """What it takes to go on from here: the attributes that `state_keys` names, as plain numbers."""
        self.state_keys()
        return {key: _plain(getattr(self, key)) for key in self.keys if key in self.__dict__}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from where `state_dict` was taken.

        Raises:
            RuntimeError: a key is missing.
        """
        self.state_keys()
        missing = [key for key in self.keys if key not in state_dict]
        if missing:
            raise RuntimeError(
                f"{type(self).__name__}.set_state_dict: {missing} is missing; the state has {sorted(state_dict)}. "
                "Load the state of a schedule of the same kind."
            )
        for key in self.keys:
            setattr(self, key, state_dict[key])
        if len(state_dict) > len(self._known_keys()):
            extra = sorted(set(state_dict) - set(self._known_keys()))
            warnings.warn(f"{type(self).__name__}.set_state_dict: nothing was done with {extra}", stacklevel=2)
        self._tell()

    set_dict = set_state_dict

    def _known_keys(self) -> list[str]:
        return self.keys

    def _set(self, rate: float) -> None:
        """Put `rate` in force and tell those who follow it."""
        self.last_lr = rate
        self._tell()
        if self.verbose:
            print(f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}.")

    def _tell(self) -> None:
        for follower in list(self.__dict__.get("_followers", ())):
            follower.follow(self.last_lr)

    def _add_follower(self, follower: Any) -> None:
        """Call `follower.follow(rate)` whenever a rate comes into force, as long as `follower` lives."""
        self.__dict__.setdefault("_followers", weakref.WeakSet()).add(follower)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_followers"}


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") and getattr(value, "size", 1) == 1 else value


def as_rate(owner: str, value: Any, what: str = "learning_rate") -> float:
    """`value` as a float.

    Raises:
        TypeError: it is no number.
        ValueError: it is negative.
    """
    rate = as_number(owner, value, what)
    if rate < 0:
        raise InvalidArgument(f"{owner}: {what} must not be negative, got {value}")
    return rate


def as_number(owner: str, value: Any, what: str) -> float:
    """`value` as a float; TypeError where it is no real number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise DTypeMismatch(f"{owner}: {what} must be a number, got {type(value).__name__} {value!r:.40}")
    return float(value)


def as_count(owner: str, value: Any, what: str, least: int = 1) -> int:
    """`value` as an int of at least `least`.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is less.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise DTypeMismatch(f"{owner}: {what} must be an int, got {type(value).__name__} {value!r:.40}")
    if value < least:
        raise InvalidArgument(f"{owner}: {what} must be at least {least}, got {value}")
    return int(value)


def as_function(owner: str, value: Any, what: str) -> Callable:
    """`value`, where it can be called; TypeError otherwise."""
    if not callable(value):
        raise DTypeMismatch(f"{owner}: {what} must be a function, got {type(value).__name__} {value!r:.40}")
    return value


def as_sequence(owner: str, value: Any, what: str) -> Sequence:
    """`value`, where it is a list or tuple; TypeError otherwise."""
    if not isinstance(value, (list, tuple)):
        raise DTypeMismatch(f"{owner}: {what} must be a list or tuple, got {type(value).__name__} {value!r:.40}")
    return value


def below_one(owner: str, value: Any, what: str) -> float:
    """`value` as a float; ValueError where it is 1 or more."""
    number = as_number(owner, value, what)
    if number >= 1.0:
        raise InvalidArgument(f"{owner}: {what} must be less than 1.0, got {value}")
    return number
