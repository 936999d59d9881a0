"""Random numbers of a run: a function of its seed, the step, and the part of the batch alone.

So nothing of them is kept in a checkpoint, a resumed run draws what an uninterrupted one draws, and neither the number
of processes nor of loader workers changes anything.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from paddlite.backend.random import Generator
from paddlite.core.mode import current, switch

_MASK = (1 << 64) - 1


def mixed(*numbers: int) -> int:
    """One number of 64 bits made of several (the finaliser of SplitMix64, Steele et al. 2014, after each)."""
    x = 0
    for number in numbers:
        x = (x + number + 0x9E3779B97F4A7C15) & _MASK
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
        x ^= x >> 31
    return x


def start(seed: int) -> None:
    """Start Python's, NumPy's and Paddle's random numbers of this process anew."""
    random.seed(seed & 0xFFFFFFFF)  # a longer number takes it twice the time
    np.random.seed(seed & 0xFFFFFFFF)
    start_own(seed)


def start_own(seed: int) -> None:
    """Start Paddle's random numbers alone anew: all that networks of ours draw from, at a tenth of the time."""
    current().generator.renew(seed)


@contextlib.contextmanager
def kept(seed: int) -> Iterator[None]:
    """Inside, random numbers start from `seed`; behind it they go on as if nothing had been drawn."""
    python, numpy, paddle = random.getstate(), np.random.get_state(), current().generator
    switch(generator=Generator(seed))
    start(seed)
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
        switch(generator=paddle)


def draws(dataset: Any) -> bool:
    """True where samples may hold random numbers: where the data set does not say that it is `deterministic`."""
    return not getattr(dataset, "deterministic", False)


class Seeded:
    """A data set whose random numbers start anew at each sample number that comes with a seed, `(seed, number)`."""

    def __init__(self, dataset: Any):
        self.dataset = dataset

    def __getitem__(self, key: Any) -> Any:
        if type(key) is tuple:
            start(key[0])
            key = key[1]
        return self.dataset[key]

    def __len__(self) -> int:
        return len(self.dataset)


def seeding(dataset: Any) -> Any:
    """The data set as a loader is to have it: `Seeded` where it draws."""
    return Seeded(dataset) if draws(dataset) else dataset


def seeded(dataset: Any, numbers: list[int], *seed: int) -> list[Any]:
    """Sample numbers of a batch for which `seeding(dataset)` draws from `mixed(*seed)`."""
    return [(mixed(*seed), numbers[0]), *numbers[1:]] if draws(dataset) else numbers
