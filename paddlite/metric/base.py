"""What every metric does."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Tensor


class Metric(abc.ABC):
    """Base of metrics.

    Of each batch `update(compute(prediction, label))` takes account; `accumulate` gives the value over all batches
    since `reset`.  `compute` works on tensors, where the predictions are; `update` on the host.

    >>> import paddlite as paddle
    >>> class Largest(paddle.metric.Metric):
    ...     def reset(self): self.found = 0.0
    ...     def update(self, x): self.found = max(self.found, float(x.numpy().max()))
    ...     def accumulate(self): return self.found
    ...     def name(self): return "largest"
    >>> metric = Largest()
    >>> metric.reset()
    >>> metric.update(*metric.compute(paddle.to_tensor([1.0, 3.0])))
    >>> metric.accumulate()
    3.0
    """

    @abc.abstractmethod
    def reset(self) -> None:
        """Forget all batches."""
        raise NotImplementedError(f"{type(self).__name__} must say in reset() how it starts anew")

    @abc.abstractmethod
    def update(self, *args: Any) -> Any:
        """Take account of one batch."""
        raise NotImplementedError(f"{type(self).__name__} must say in update() what a batch changes")

    @abc.abstractmethod
    def accumulate(self) -> Any:
        """The value over all batches."""
        raise NotImplementedError(f"{type(self).__name__} must say in accumulate() what its value is")

    @abc.abstractmethod
    def name(self) -> Any:
        """The metric's name, or a list of names where it has several values."""
        raise NotImplementedError(f"{type(self).__name__} must say in name() what it is called")

    def compute(self, *args: Any) -> Any:
        """What `update` needs of the predictions and labels; all of it, unless a metric says otherwise."""
        return args


def as_array(owner: str, what: str, value: Any) -> np.ndarray:
    """`value`, an array or tensor, as a NumPy array.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(value, Tensor):
        return value.numpy()  # type: ignore[attr-defined]
    if isinstance(value, np.ndarray):
        return value
    raise InvalidArgument(f"{owner}: {what} must be a NumPy array or a tensor, got {type(value).__name__}")
