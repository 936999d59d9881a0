"""From a data set to batches: what a worker does for each task, or the training process itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from paddlite.io.dataloader.collate import New

END = object()  # a stream has no further batch

Collate = Callable[[Any, New], Any]


class FetchByIndex:
    """Batches of a Dataset.  A task is a list of sample numbers; without batching, one number."""

    def __init__(self, dataset: Any, collate: Collate, batched: bool):
        self._dataset, self._collate, self._batched = dataset, collate, batched

    def __call__(self, task: Any, new: New, check: Callable[[], None]) -> Any:
        dataset = self._dataset
        if not self._batched:
            return self._collate(dataset[task], new)
        samples = []
        for index in task:
            check()
            samples.append(dataset[index])
        return self._collate(samples, new)


class FetchFromStream:
    """Batches of an IterableDataset, which is opened anew for each epoch.  Tasks say nothing but "the next"."""

    def __init__(self, dataset: Iterable[Any], collate: Collate, batch_size: int | None, drop_last: bool):
        self._samples, self._collate = iter(dataset), collate
        self._batch_size, self._drop_last = batch_size, drop_last

    def __call__(self, task: Any, new: New, check: Callable[[], None]) -> Any:
        size = self._batch_size
        if size is None:
            sample = next(self._samples, END)
            return END if sample is END else self._collate(sample, new)
        batch = []
        for sample in islice(self._samples, size):
            batch.append(sample)
            check()
        if not batch or (len(batch) < size and self._drop_last):
            return END
        return self._collate(batch, new)


def fetch(fetcher: Any, task: Any, new: New, check: Callable[[], None]) -> Any:
    """The batch for `task`, or END.  A StopIteration of the data set, which would end the epoch, becomes an error.

    Raises:
        RuntimeError: the data set or collate_fn let a StopIteration out.
    """
    try:
        return fetcher(task, new, check)
    except StopIteration as error:
        raise RuntimeError("the data set or collate_fn raised StopIteration, which would end the epoch") from error
