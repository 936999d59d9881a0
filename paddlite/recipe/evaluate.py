"""Evaluation, each rank on its share of the samples, totals over all."""

from __future__ import annotations

import math
from typing import Any

import paddlite as paddle
from paddlite.backend.world import WORLD
from paddlite.io import DataLoader
from paddlite.recipe.build import auto_cast
from paddlite.recipe.check import accumulation
from paddlite.recipe.schema import Recipe
from paddlite.recipe.tasks import Sums


class _Share:
    """This rank's batches: every `size`-th of a fixed division of the samples."""

    def __init__(self, samples: int, batch: int):
        starts = range(0, samples, batch)[WORLD.rank :: WORLD.size]
        self._batches = [list(range(start, min(start + batch, samples))) for start in starts]

    def __iter__(self) -> Any:
        return iter(self._batches)

    def __len__(self) -> int:
        return len(self._batches)


def evaluate(recipe: Recipe, task: Any, model: Any, data: Any, on_batch: Any = None) -> dict[str, float]:
    """The metrics of `model` on `data`, the same on every rank, and for every number of ranks.

    Batches are those of a training part, and their totals are added up exactly, so that their order does not count.
    """
    batch = max(1, recipe.data.global_batch_size // (WORLD.size * accumulation(recipe, WORLD.size)))
    loader = DataLoader(data, batch_sampler=_Share(len(data), batch), num_workers=recipe.data.workers)
    training = model.training
    model.eval()
    totals = []
    with paddle.no_grad(), auto_cast(recipe):
        for item in loader:
            totals.append(tuple(task.sums(model, item)))
            if on_batch is not None:
                on_batch()
    if training:
        model.train()
    everyone = [t for rank in WORLD.communicator.all_gather_object(totals) for t in rank]
    loss, correct, count = (math.fsum(column) for column in zip(*everyone))
    return task.measured(Sums(loss, correct, int(count)))
