"""Batch samplers: which samples make up each batch, on one process or on each of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from paddlite.backend.world import rank_and_size
from paddlite.core.errors import RefusedArgument
from paddlite.io.dataloader.dataset import IterableDataset
from paddlite.io.dataloader.sampler import RandomSampler, Sampler, SequenceSampler


def _whole(who: str, name: str, value: Any, least: int) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise RefusedArgument(f"{who}: {name} must be a whole number >= {least}, got {value!r}")
    return int(value)


def _flag(who: str, name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise RefusedArgument(f"{who}: {name} must be True or False, got {value!r}")
    return value


class BatchSampler(Sampler[list[int]]):
    """Lists of sample numbers, one list a batch.

    Args:
        dataset: anything with a length; or give `sampler`.
        sampler: gives the sample numbers.
        shuffle: visit `dataset` in random order, a new one each time (see `RandomSampler`).
        batch_size: samples a batch.
        drop_last: leave the last batch out where it is not full.

    Raises:
        RefusedArgument: arguments are not of their kind or contradict each other (a ValueError and AssertionError).

    >>> import paddlite as paddle
    >>> list(paddle.io.BatchSampler(range(5), batch_size=2))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Any = None,
        sampler: Sampler[int] | Iterable[int] | None = None,
        shuffle: bool = False,
        batch_size: int = 1,
        drop_last: bool = False,
    ):
        self.shuffle = _flag("BatchSampler", "shuffle", shuffle)
        if (dataset is None) is (sampler is None):
            raise RefusedArgument("BatchSampler: want either dataset or sampler, and not both")
        if sampler is None:
            if isinstance(dataset, IterableDataset):
                raise RefusedArgument("BatchSampler: an IterableDataset has no numbered samples; want a Dataset")
            sampler = RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
        elif not hasattr(sampler, "__iter__"):
            raise RefusedArgument(f"BatchSampler: sampler must be a Sampler or iterable, got {type(sampler).__name__}")
        elif shuffle:
            raise RefusedArgument("BatchSampler: shuffle=True goes with dataset; give a sampler that shuffles itself")
        self.sampler = sampler
        self.batch_size = _whole("BatchSampler", "batch_size", batch_size, 1)
        self.drop_last = _flag("BatchSampler", "drop_last", drop_last)

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(islice(numbers, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        extra = 0 if self.drop_last else self.batch_size - 1
        return (len(self.sampler) + extra) // self.batch_size  # type: ignore[arg-type]


class DistributedBatchSampler(BatchSampler):
    """The batches of one process among several that share a data set.

    The processes take turns by batches, and every process gets the same number of batches and samples: where the
    samples do not divide evenly, some of them are given twice.  What is left for the end, less than a full batch for
    everyone, is divided evenly.

    Args:
        dataset: anything with a length.
        batch_size: samples a batch and process.
        num_replicas: the number of processes; left out, that of the running job.
        rank: this process's number among them; left out, its own.
        shuffle: a random order that depends on nothing but the epoch, so that all processes agree on it.
        drop_last: leave the last batch out where it is not full.

    Raises:
        RefusedArgument: an argument is not of its kind, or `rank` is not below `num_replicas`.

    >>> import paddlite as paddle
    >>> [list(paddle.io.DistributedBatchSampler(range(7), 2, num_replicas=2, rank=rank)) for rank in (0, 1)]
    [[[0, 1], [4, 5]], [[2, 3], [6, 0]]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = False,
        drop_last: bool = False,
    ):
        who = "DistributedBatchSampler"
        self.dataset = dataset
        self.batch_size = _whole(who, "batch_size", batch_size, 1)
        self.shuffle = _flag(who, "shuffle", shuffle)
        self.drop_last = _flag(who, "drop_last", drop_last)
        own_rank, size = rank_and_size()
        self.nranks = size if num_replicas is None else _whole(who, "num_replicas", num_replicas, 1)
        self.local_rank = own_rank if rank is None else _whole(who, "rank", rank, 0)
        if self.local_rank >= self.nranks:
            raise RefusedArgument(f"{who}: rank must be below num_replicas ({self.nranks}), got {self.local_rank}")
        self.epoch = 0
        self.num_samples = -(-len(dataset) // self.nranks)
        self.total_size = self.num_samples * self.nranks

    def __iter__(self) -> Iterator[list[int]]:
        order = np.resize(np.arange(len(self.dataset)), self.total_size)  # starts anew where samples run out
        if self.shuffle:
            np.random.RandomState(self.epoch).shuffle(order)
            self.epoch += 1
        whole = self.total_size - self.total_size % (self.batch_size * self.nranks)
        yield from order[:whole].reshape(-1, self.nranks, self.batch_size)[:, self.local_rank].tolist()
        if whole < self.total_size and not self.drop_last:
            yield order[whole:].reshape(self.nranks, -1)[self.local_rank].tolist()

    def __len__(self) -> int:
        extra = 0 if self.drop_last else self.batch_size - 1
        return (self.num_samples + extra) // self.batch_size

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the next iteration; each iteration with `shuffle=True` counts one up by itself."""
        self.epoch = epoch
