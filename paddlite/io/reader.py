"""`DataLoader`: batches of a data set as tensors."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from multiprocessing.util import Finalize
from typing import Any

import numpy as np

from paddlite.backend.device import CPU, check_place
from paddlite.backend.place import Place, as_place
from paddlite.core.errors import DTypeMismatch, InvalidArgument, NoLength, RefusedArgument
from paddlite.core.mode import current
from paddlite.io.dataloader.batch_sampler import BatchSampler
from paddlite.io.dataloader.collate import collate, default_collate_fn, default_convert_fn, to_tensors
from paddlite.io.dataloader.dataset import IterableDataset
from paddlite.io.dataloader.fetch import FetchByIndex, FetchFromStream
from paddlite.io.dataloader.iterate import Pass, PassByWorkers, PassHere
from paddlite.io.dataloader.pool import Pool
from paddlite.io.dataloader.rng import worker_seed
from paddlite.io.dataloader.sampler import RandomSampler, SequenceSampler
from paddlite.io.dataloader.worker import Plan


class DataLoader:
    """Iterates over the batches of a data set, made ahead by worker processes where there are some.

    Each iteration is a pass (an epoch) over the data.  A batch has the structure of a sample: a tensor where a sample
    is an array or number, else a list or dict of them.

    Args:
        dataset: a `Dataset`, an `IterableDataset`, or anything with `__getitem__` and `__len__`.
        feed_list: variables that name the fields where `return_list=False`.
        places: where the tensors lie; left out, the current device.  Of a list the first one counts.
        return_list: False for `[{name: tensor}]`, to feed a Program.
        batch_sampler: gives lists of sample numbers; instead of batch_size, shuffle and drop_last.
        batch_size: samples a batch; None for single samples without a batch axis.
        shuffle: a new random order for each pass (see `RandomSampler`).
        drop_last: leave the last batch out where it is not full.
        collate_fn: makes a batch of a list of samples; left out, `default_collate_fn`.
        num_workers: worker processes; 0 makes the batches in this process.
        use_buffer_reader: accepted for Paddle's sake: the workers run ahead anyway.
        reader_buffer_size: the same.
        prefetch_factor: batches that each worker makes ahead.
        use_shared_memory: accepted for Paddle's sake: batches always come through shared memory, which has no name
            and so leaves nothing behind, nor is it bounded by the size of /dev/shm.
        timeout: seconds to wait for a batch of a worker before giving up; 0 to wait for ever.
        worker_init_fn: called with the worker's number as it starts, after its random numbers are seeded.
        persistent_workers: keep the workers for the next pass.

    Workers are forked, so that scripts need no main guard.  They draw different random numbers, and others in each
    pass, which follow `paddle.seed`.  They must not use the GPU or MPI: there, `paddle` makes CPU tensors.  An error
    of the data set is raised here as it is, with the worker's traceback as its cause.

    Raises:
        RefusedArgument: arguments are not of their kind or contradict each other (a ValueError and AssertionError).
        TypeError: `dataset` cannot be iterated this way.

    Differs: errors of the data set come out as they are, also without workers; text and numbers without arrays are no
    end of the pass; `len` of a loader of a stream is a TypeError too, so that `list(loader)` works.

    >>> import numpy as np, paddlite as paddle
    >>> class Squares(paddle.io.Dataset):
    ...     def __getitem__(self, index):
    ...         return np.float32([index, index * index]), index
    ...
    ...     def __len__(self):
    ...         return 3
    >>> for features, label in paddle.io.DataLoader(Squares(), batch_size=2, num_workers=2):
    ...     print(features.tolist(), label.tolist())
    [[0.0, 0.0], [1.0, 1.0]] [0, 1]
    [[2.0, 4.0]] [2]
    """

    def __init__(
        self,
        dataset: Any,
        feed_list: Sequence[Any] | None = None,
        places: Any = None,
        return_list: bool = True,
        batch_sampler: BatchSampler | Iterable[list[int]] | None = None,
        batch_size: int | None = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        num_workers: int = 0,
        use_buffer_reader: bool = True,
        reader_buffer_size: int = 2,
        prefetch_factor: int = 2,
        use_shared_memory: bool = True,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        persistent_workers: bool = False,
    ):
        self.dataset, self.feed_list, self.return_list = dataset, feed_list, return_list
        self.places = places
        self.use_buffer_reader, self.reader_buffer_size = use_buffer_reader, reader_buffer_size
        self.use_shared_memory, self.worker_init_fn = use_shared_memory, worker_init_fn
        self.prefetch_factor = _at_least(1, "prefetch_factor", prefetch_factor)
        self.timeout = _not_negative("timeout", timeout)
        self.num_workers = _usable_workers(_at_least(0, "num_workers", num_workers))
        self._persistent_workers = persistent_workers
        self._pool: Pool | None = None
        self._place = _place(places)
        self._streamed = isinstance(dataset, IterableDataset)
        if not return_list and not feed_list:
            raise RefusedArgument("DataLoader: return_list=False needs feed_list, which names the fields")
        if self._streamed:
            self._set_up_stream(batch_sampler, batch_size, shuffle, drop_last)
        else:
            self._set_up_numbered(batch_sampler, batch_size, shuffle, drop_last)
        self.auto_collate_batch = self.batch_sampler is not None or (self._streamed and self.batch_size is not None)
        own = default_collate_fn if self.auto_collate_batch else default_convert_fn
        self.collate_fn = own if collate_fn is None else collate_fn

    def _set_up_stream(self, batch_sampler: Any, batch_size: int | None, shuffle: bool, drop_last: bool) -> None:
        if shuffle or batch_sampler is not None:
            what = "batch_sampler" if batch_sampler is not None else "shuffle"
            raise InvalidArgument(
                f"DataLoader: {what} needs numbered samples, and an IterableDataset has none; choose the order in its "
                "__iter__, or use a Dataset"
            )
        self.batch_sampler = None
        self.batch_size = None if batch_size is None else _at_least(1, "batch_size", batch_size)
        self.drop_last = drop_last

    def _set_up_numbered(self, batch_sampler: Any, batch_size: int | None, shuffle: bool, drop_last: bool) -> None:
        if not hasattr(self.dataset, "__getitem__"):
            raise DTypeMismatch(
                f"DataLoader: dataset must be a Dataset or IterableDataset, got {type(self.dataset).__name__}"
            )
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or drop_last:
                raise RefusedArgument(
                    "DataLoader: batch_size, shuffle and drop_last belong to batch_sampler where one is given"
                )
            self.batch_sampler = batch_sampler
            self.batch_size, self.drop_last = getattr(batch_sampler, "batch_size", None), False
        elif batch_size is None:
            self.batch_sampler, self.batch_size, self.drop_last = None, None, drop_last
            self._sampler = RandomSampler(self.dataset) if shuffle else SequenceSampler(self.dataset)
        else:
            self.batch_sampler = BatchSampler(self.dataset, None, shuffle, batch_size, drop_last)
            self.batch_size, self.drop_last = self.batch_sampler.batch_size, drop_last

    def __len__(self) -> int:
        """The number of batches.

        Raises:
            NoLength: the data set is a stream, or the batch sampler has no length.
        """
        if self._streamed:
            raise NoLength("DataLoader: the length of an IterableDataset is not known")
        return len(self._sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]

    def __iter__(self) -> Pass:
        seed = worker_seed(self.num_workers)
        rest = (self._tasks(), self._finish, self.__len__)
        if not self.num_workers:
            return PassHere(self._open_fetcher(), *rest)
        pool = self._idle_pool()
        end = pool.end if pool is self._pool else pool.close
        return PassByWorkers(pool, seed, self.prefetch_factor, self.timeout, end, *rest)

    def __call__(self) -> Pass:
        return self.__iter__()

    def _tasks(self) -> Iterator[Any]:
        if self._streamed:
            return repeat(None)
        return iter(self._sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]

    def _open_fetcher(self) -> Any:
        make = self.collate_fn
        into = collate if make is default_collate_fn else lambda batch, new: make(batch)
        if self._streamed:
            return FetchFromStream(self.dataset, into, self.batch_size, self.drop_last)
        return FetchByIndex(self.dataset, into, self.auto_collate_batch)

    def _idle_pool(self) -> Pool:
        """The workers for a pass: the persistent ones where they are free, else new ones."""
        if self._pool is not None and not self._pool.busy and not self._pool.closed:
            return self._pool
        plan = Plan(self.num_workers, self.dataset, self._open_fetcher, self.worker_init_fn)
        pool = Pool(plan, self.prefetch_factor)
        if self._persistent_workers and (self._pool is None or self._pool.closed):
            self._pool = pool
            Finalize(self, pool.close, exitpriority=10)
        return pool

    def _finish(self, batch: Any) -> Any:
        fresh = self.num_workers > 0 or self.collate_fn is default_collate_fn
        batch = to_tensors(batch, current().place if self._place is None else self._place, fresh)
        if self.return_list:
            return batch
        fields = batch if isinstance(batch, (list, tuple)) else [batch]
        return [{variable.name: field for variable, field in zip(self.feed_list, fields, strict=True)}]


def _at_least(least: int, name: str, value: Any) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise RefusedArgument(f"DataLoader: {name} must be a whole number >= {least}, got {value!r}")
    return int(value)


def _not_negative(name: str, value: Any) -> float:
    if not isinstance(value, (int, float)) or not value >= 0:
        raise RefusedArgument(f"DataLoader: {name} must be a number of seconds >= 0, got {value!r}")
    return value


def _usable_workers(workers: int) -> int:
    if workers and not sys.platform.startswith("linux"):
        warnings.warn("DataLoader: worker processes need Linux; num_workers=0 is used", stacklevel=3)
        return 0
    return workers


def _place(places: Any) -> Place | None:
    if places is None:
        return None
    first = places[0] if isinstance(places, (list, tuple)) else places
    place = check_place(as_place(first))
    return place if place.kind == "gpu" else CPU
