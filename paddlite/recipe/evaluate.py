"""Evaluation, each rank on its share of the samples, totals over all."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import paddlite as paddle
from paddlite.backend.world import WORLD
from paddlite.io import DataLoader
from paddlite.recipe.buffers import of_first_rank
from paddlite.recipe.build import auto_cast
from paddlite.recipe.check import accumulation
from paddlite.recipe.randomness import kept, seeded, seeding
from paddlite.recipe.schema import Recipe
from paddlite.recipe.tasks import Sums


class _Share:
    """This rank's batches: every `size`-th of a fixed division of the samples."""

    def __init__(self, data: Any, batch: int, seed: int):
        samples = len(data)
        starts = range(0, samples, batch)
        self.rounds = -(-len(starts) // WORLD.size)  # the most batches that a rank has
        self._batches = [
            seeded(data, list(range(start, min(start + batch, samples))), seed, start)
            for start in starts[WORLD.rank :: WORLD.size]
        ]

    def __iter__(self) -> Any:
        return iter(self._batches)

    def __len__(self) -> int:
        return len(self._batches)


def evaluate(
    recipe: Recipe, task: Any, model: Any, data: Any, go_on: Callable[[], bool] = lambda: True
) -> dict[str, float] | None:
    """The metrics of `model` on `data`, the same on every rank, and for every number of ranks.

    Batches are those of a training part, and their totals are added up exactly, so that their order does not count.
    Random numbers that data set or model draw are the same each time, and training's are left alone.

    Args:
        go_on: asked after each batch, equally often on all ranks; where it says no, the evaluation is given up.
    """
    batch = max(1, recipe.data.global_batch_size // (WORLD.size * accumulation(recipe, WORLD.size)))
    share = _Share(data, batch, recipe.seed)
    training = model.training
    model.eval()
    totals = []
    try:
        with of_first_rank(model, WORLD.communicator), kept(recipe.seed), paddle.no_grad(), auto_cast(recipe):
            items = iter(DataLoader(seeding(data), batch_sampler=share, num_workers=recipe.data.workers))
            for _ in range(share.rounds):
                item = next(items, None)
                if item is not None:
                    totals.append(tuple(task.sums(model, item)))
                if not go_on():
                    return None
    finally:
        if training:
            model.train()
    everyone = [t for rank in WORLD.communicator.all_gather_object(totals) for t in rank]
    loss, correct, count = (math.fsum(column) for column in zip(*everyone))
    return task.measured(Sums(loss, correct, int(count)))
