"""Which samples each rank sees in each step: a function of seed, epoch and step alone.

One process and many see the same global batches.  Each rank takes a slice of a global batch, in equal parts where
gradients are accumulated.  Since nothing is drawn while going on, resuming at a step skips nothing and draws nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from paddlite.recipe.randomness import mixed, seeded


class Part(NamedTuple):
    """What one rank puts through the model at once: indices, and its share of the global batch."""

    indices: list[int]
    share: float


class GlobalBatches:
    """The steps of an epoch, as parts for one rank."""

    def __init__(
        self, samples: int, batch: int, *, rank: int, ranks: int, parts: int, seed: int, shuffle: bool, drop_last: bool
    ):
        self.samples, self.batch = samples, batch
        self.rank, self.ranks, self.parts = rank, ranks, parts
        self.seed, self.shuffle = seed, shuffle
        self.steps = samples // batch if drop_last else -(-samples // batch)

    def order(self, epoch: int) -> np.ndarray:
        """The order of the samples in an epoch."""
        if not self.shuffle:
            return np.arange(self.samples)
        return np.random.default_rng([self.seed, epoch]).permutation(self.samples)

    def epoch(self, epoch: int, first_step: int = 0) -> Iterator[Part]:
        """The parts of all steps from `first_step` on, `parts` for each step."""
        order = self.order(epoch)
        for step in range(first_step, self.steps):
            yield from self.split(order[step * self.batch : (step + 1) * self.batch])

    def split(self, whole: np.ndarray) -> list[Part]:
        """This rank's parts of one global batch, as even as can be.

        A rank that gets nothing of a last small batch takes part with one sample that counts nothing, since all ranks
        must run the same reductions.
        """
        indices, count = whole.tolist(), self.ranks * self.parts
        least, more = divmod(len(indices), count)  # the first `more` pieces have one sample more
        parts = []
        for i in range(self.rank * self.parts, (self.rank + 1) * self.parts):
            start = i * least + min(i, more)
            piece = indices[start : start + least + (i < more)]
            parts.append(Part(piece, len(piece) / len(indices)) if piece else Part(indices[:1], 0.0))
        return parts


class PartSampler:
    """A batch sampler for `io.DataLoader` over the parts of one epoch of `randomness.seeding(dataset)`."""

    def __init__(self, batches: GlobalBatches, dataset: Any, epoch: int, first_step: int):
        self._dataset = dataset
        self._parts = list(batches.epoch(epoch, first_step))
        self._batches, self._epoch, self._first = batches, epoch, first_step

    @property
    def shares(self) -> list[float]:
        """The share of each part in its global batch, in order."""
        return [part.share for part in self._parts]

    def __iter__(self) -> Iterator[list]:
        count, seed = self._batches.parts, mixed(self._batches.seed, self._epoch)
        for i, part in enumerate(self._parts):
            number = self._batches.rank * count + i % count
            yield seeded(self._dataset, part.indices, seed, self._first + i // count, number)

    def __len__(self) -> int:
        return len(self._parts)
