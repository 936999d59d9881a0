"""Data sets: by index (`Dataset`), as a stream (`IterableDataset`), and made of others."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np

from paddlite.core.errors import IndexOutOfRange, InvalidArgument, NoLength, RefusedArgument
from paddlite.core.tensor import Tensor
from paddlite.io.dataloader.rng import own_source

T = TypeVar("T")


class Dataset(Generic[T]):
    """Base of data sets whose samples have numbers: define `__getitem__(index)` and `__len__()`.

    >>> import paddlite as paddle
    >>> class Squares(paddle.io.Dataset):
    ...     def __getitem__(self, index):
    ...         return index * index
    ...
    ...     def __len__(self):
    ...         return 5
    >>> [int(x) for batch in paddle.io.DataLoader(Squares(), batch_size=2) for x in batch]
    [0, 1, 4, 9, 16]
    """

    def __getitem__(self, index: int) -> T:
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__(index)")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define __len__()")


class IterableDataset(Dataset[T]):
    """Base of data sets that are read as a stream: define `__iter__()`.

    Every worker of a DataLoader iterates the whole set; use `get_worker_info` to give each its share.

    Raises:
        RuntimeError: a sample is asked for by its number.
        NoLength: the length is asked for (a RuntimeError as in Paddle; also a TypeError, so that `list` works).

    >>> import paddlite as paddle
    >>> class Countdown(paddle.io.IterableDataset):
    ...     def __iter__(self):
    ...         yield from (3, 2, 1)
    >>> list(Countdown())
    [3, 2, 1]
    """

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__()")

    def __getitem__(self, index: int) -> NoReturn:
        raise RuntimeError(f"{type(self).__name__} is an IterableDataset: it has no numbered samples, iterate over it")

    def __len__(self) -> int:
        raise NoLength(f"{type(self).__name__} is an IterableDataset: its length is not known")


class TensorDataset(Dataset[tuple[Any, ...]]):
    """Sample i is the tuple of the i-th slices of `tensors`, which have the same first size.

    Raises:
        RefusedArgument: the first sizes differ, or a tensor has no axes (a ValueError and AssertionError).

    >>> import paddlite as paddle
    >>> x, y = paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([3, 4])
    >>> [part.tolist() for part in paddle.io.TensorDataset([x, y])[1]]
    [[2.0], 4]
    """

    def __init__(self, tensors: Sequence[Any]):
        sizes = {len(t) if t.ndim else -1 for t in tensors}
        if len(sizes) > 1 or -1 in sizes:
            raise RefusedArgument(
                "TensorDataset: want tensors with the same first size, got shapes "
                + ", ".join(str(list(t.shape)) for t in tensors)
            )
        self.tensors = tensors

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple([_slice(t, index) for t in self.tensors])

    def __len__(self) -> int:
        return len(self.tensors[0]) if self.tensors else 0


def _slice(tensor: Any, index: Any) -> Any:
    """`tensor[index]`; for a plain number and no gradient without the cost of an op."""
    plain = type(tensor) is Tensor and type(index) is int and tensor.stop_gradient
    if plain and -len(tensor._data) <= index < len(tensor._data):
        return Tensor(tensor._data[index, ...])
    return tensor[index]


class ComposeDataset(Dataset[tuple[Any, ...]]):
    """Sample i joins the fields of the i-th samples of `datasets`, which have the same length.

    Raises:
        RefusedArgument: there are none, one is no indexed Dataset, or the lengths differ.

    >>> import paddlite as paddle
    >>> a, b = (paddle.io.TensorDataset([paddle.to_tensor(v)]) for v in ([1, 2], [3, 4]))
    >>> [int(field) for field in paddle.io.ComposeDataset([a, b])[0]]
    [1, 3]
    """

    def __init__(self, datasets: Sequence[Dataset[Any]]):
        self.datasets = list(datasets)
        _check_all("ComposeDataset", self.datasets, IterableDataset, False)
        lengths = [len(d) for d in self.datasets]
        if len(set(lengths)) > 1:
            raise RefusedArgument(f"ComposeDataset: all data sets must have the same length, got {lengths}")

    def __len__(self) -> int:
        return len(self.datasets[0])

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        fields: list[Any] = []
        for dataset in self.datasets:
            sample = dataset[index]
            fields.extend(sample if isinstance(sample, (list, tuple)) else (sample,))
        return tuple(fields)


class ChainDataset(IterableDataset[Any]):
    """The samples of several IterableDatasets, one data set after the other.

    Raises:
        RefusedArgument: there are none, or one is no IterableDataset.
    """

    def __init__(self, datasets: Sequence[IterableDataset[Any]]):
        self.datasets = list(datasets)
        _check_all("ChainDataset", self.datasets, IterableDataset, True)

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            yield from dataset


class ConcatDataset(Dataset[T]):
    """The samples of several Datasets, numbered through.

    Raises:
        RefusedArgument: there are none, or one is an IterableDataset.
        IndexError: a sample beyond the end is asked for.

    >>> import paddlite as paddle
    >>> a, b = (paddle.io.TensorDataset([paddle.to_tensor(v)]) for v in ([1, 2], [3, 4, 5]))
    >>> both = paddle.io.ConcatDataset([a, b])
    >>> len(both), int(both[2][0]), int(both[-1][0])
    (5, 3, 5)
    """

    def __init__(self, datasets: Iterable[Dataset[T]]):
        self.datasets = list(datasets)
        _check_all("ConcatDataset", self.datasets, IterableDataset, False)
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Sequence[Any]) -> list[int]:
        """How many samples there are up to and with each data set."""
        return list(accumulate(len(d) for d in sequence))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> T:
        size = len(self)
        position = index + size if index < 0 else index
        if not 0 <= position < size:
            raise IndexOutOfRange(f"ConcatDataset: there are {size} samples, got index {index}")
        which = bisect_right(self.cumulative_sizes, position)
        return self.datasets[which][position - (self.cumulative_sizes[which - 1] if which else 0)]


class Subset(Dataset[T]):
    """The samples of `dataset` that `indices` name, in that order."""

    def __init__(self, dataset: Dataset[T], indices: Sequence[int]):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: int) -> T:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def _check_all(who: str, datasets: list, kind: type, wanted: bool) -> None:
    if not datasets:
        raise RefusedArgument(f"{who}: want at least one data set, got none")
    for i, dataset in enumerate(datasets):
        if isinstance(dataset, kind) is not wanted:
            want = "an IterableDataset" if wanted else "a Dataset with numbered samples"
            raise RefusedArgument(f"{who}: datasets[{i}] must be {want}, got {type(dataset).__name__}")


def random_split(
    dataset: Dataset[T], lengths: Sequence[int] | Sequence[float], generator: Any = None
) -> list[Subset[T]]:
    """Disjoint random parts of `dataset`, as `Subset`s.

    Args:
        lengths: numbers of samples, which add up to `len(dataset)`; or fractions, which add up to 1 (samples left
            over by rounding down go to the parts one by one, the first part first).
        generator: a `paddle.Generator` or NumPy generator; left out, Paddle's own, so that
            the parts follow `paddle.seed`.

    Raises:
        ValueError: the lengths are negative or do not add up.

    >>> import paddlite as paddle
    >>> x = paddle.io.TensorDataset([paddle.to_tensor(list(range(10)))])
    >>> [len(part) for part in paddle.io.random_split(x, [0.75, 0.25])]
    [8, 2]
    """
    size = len(dataset)
    if any(n < 0 for n in lengths):
        raise InvalidArgument(f"random_split: lengths must not be negative, got {list(lengths)}")
    counts = _counts(size, lengths)
    if sum(counts) != size:
        raise InvalidArgument(
            f"random_split: lengths must add up to the length of the data set ({size}), or to 1 if they are fractions; "
            f"got {list(lengths)}"
        )
    order = own_source(generator).permutation(size).tolist()
    ends = list(accumulate(counts))
    return [Subset(dataset, order[end - count : end]) for count, end in zip(counts, ends)]


def _counts(size: int, lengths: Sequence[Any]) -> list[int]:
    if all(isinstance(n, (int, np.integer)) for n in lengths):
        return [int(n) for n in lengths]
    if not math.isclose(sum(lengths), 1.0):
        return [-1]
    counts = [math.floor(size * fraction) for fraction in lengths]
    for i in range(size - sum(counts)):
        counts[i % len(counts)] += 1
    for i, count in enumerate(counts):
        if not count:
            warnings.warn(f"random_split: part {i} of {size} samples ({lengths[i]}) is empty", stacklevel=3)
    return counts
