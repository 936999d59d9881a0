"""Data sets that the tests of loaders share."""

import os

import numpy as np

from paddlite.io import Dataset, IterableDataset, get_worker_info


class Numbers(Dataset):
    """Sample i is what `make(i)` gives."""

    def __init__(self, size, make=np.array):
        self.size, self.make = size, make

    def __getitem__(self, index):
        return self.make(index)

    def __len__(self):
        return self.size


class Stream(IterableDataset):
    """0, 1, ..., size - 1; with `sharded` each worker gives every n-th."""

    def __init__(self, size, sharded=False):
        self.size, self.sharded = size, sharded

    def __iter__(self):
        info = get_worker_info()
        share = (info.id, self.size, info.num_workers) if self.sharded and info else (0, self.size)
        return iter(np.arange(*share))


def rows(loader):
    """The batches as lists of numbers."""
    return [batch.tolist() for batch in loader]


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
