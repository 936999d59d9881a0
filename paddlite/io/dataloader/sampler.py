"""Samplers: in which order the samples of a data set are visited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Generic, TypeVar

import numpy as np

from paddlite.backend import device
from paddlite.core.errors import DTypeMismatch, InvalidArgument, RefusedArgument
from paddlite.core.tensor import Tensor
from paddlite.io.dataloader.rng import own_source, source

T = TypeVar("T")


class Sampler(Generic[T]):
    """Base of samplers: define `__iter__()`, which gives sample numbers, and `__len__()` where it is known."""

    def __init__(self, data_source: Any = None):
        self.data_source = data_source

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__()")


class SequenceSampler(Sampler[int]):
    """The numbers 0, 1, ..., len(data_source) - 1.

    >>> import paddlite as paddle
    >>> list(paddle.io.SequenceSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Any):
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


def _check_count(who: str, count: Any) -> None:
    if not isinstance(count, (int, np.integer)) or isinstance(count, bool) or count <= 0:
        raise InvalidArgument(f"{who}: num_samples must be a whole number above 0, got {count!r}")


class RandomSampler(Sampler[int]):
    """Sample numbers in random order, a new one each time it is iterated.

    Args:
        data_source: anything with a length.
        replacement: draw each number independently, so that some come twice and some never.
        num_samples: how many numbers to give; left out, the length.
        generator: a `paddle.Generator` or NumPy generator, or an iterator that gives the numbers itself.  Left out,
            NumPy's global generator; or Paddle's, if `paddle.seed` was called and NumPy's not used since.

    Raises:
        TypeError: `replacement` is no bool, or `generator` cannot draw numbers.
        ValueError: `num_samples` is no whole number above 0, or more than there are samples without replacement.

    Differs: in Paddle, `paddle.seed` alone does not make the order repeatable.

    >>> import paddlite as paddle
    >>> sorted(paddle.io.RandomSampler(range(4)))
    [0, 1, 2, 3]
    """

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ):
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num_samples = num_samples
        if not isinstance(replacement, bool):
            raise DTypeMismatch(f"RandomSampler: replacement must be True or False, got {replacement!r}")
        if num_samples is not None or not len(data_source):
            _check_count("RandomSampler", self.num_samples)
        if not replacement and self.num_samples > len(data_source):
            raise InvalidArgument(
                f"RandomSampler: num_samples is {num_samples}, but there are only {len(data_source)} samples; "
                "use replacement=True to draw some of them several times"
            )

    @property
    def num_samples(self) -> int:
        """How many numbers are given."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        if isinstance(self.generator, Iterator):
            return islice(self.generator, self.num_samples)
        size, draw = len(self.data_source), source(self.generator)
        order = draw.choice(size, self.num_samples) if self.replacement else draw.permutation(size)[: self.num_samples]
        return iter(order.tolist())

    def __len__(self) -> int:
        return self.num_samples


class WeightedRandomSampler(Sampler[int]):
    """`num_samples` numbers below `len(weights)`, drawn with probabilities in proportion to `weights`.

    Args:
        weights: list, array or tensor of numbers >= 0 with one axis; they need not add up to 1.
        replacement: False to draw no number twice.

    Raises:
        ValueError: `num_samples` or `replacement` is not of its kind, or the weights cannot be probabilities.

    >>> import paddlite as paddle
    >>> list(paddle.io.WeightedRandomSampler([0.0, 3.0, 0.0], 2))
    [1, 1]
    """

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True):
        _check_count("WeightedRandomSampler", num_samples)
        if not isinstance(replacement, bool):
            raise InvalidArgument(f"WeightedRandomSampler: replacement must be True or False, got {replacement!r}")
        host = device.to_host(weights._data) if isinstance(weights, Tensor) else weights
        self.weights = np.asarray(host, np.float64)
        self.num_samples, self.replacement = int(num_samples), replacement
        self._check()

    def _check(self) -> None:
        weights = self.weights
        if weights.ndim != 1:
            raise RefusedArgument(f"WeightedRandomSampler: weights must have one axis, got shape {list(weights.shape)}")
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise RefusedArgument("WeightedRandomSampler: weights must be finite, none below 0 and some above 0")
        usable = int(np.count_nonzero(weights))
        if not self.replacement and usable < self.num_samples:
            raise RefusedArgument(
                f"WeightedRandomSampler: num_samples is {self.num_samples}, but only {usable} weights are above 0; "
                "use replacement=True to draw some samples several times"
            )

    def __iter__(self) -> Iterator[int]:
        chances = self.weights / self.weights.sum()
        return iter(source().choice(len(chances), self.num_samples, self.replacement, chances).tolist())

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given `indices` in random order, a new one each time, which follows `paddle.seed`.

    Raises:
        ValueError: there are no indices.
    """

    def __init__(self, indices: Sequence[int]):
        if len(indices) == 0:
            raise InvalidArgument("SubsetRandomSampler: want at least one index, got none")
        self.indices = indices

    def __iter__(self) -> Iterator[int]:
        return (self.indices[i] for i in own_source().permutation(len(self.indices)).tolist())

    def __len__(self) -> int:
        return len(self.indices)
