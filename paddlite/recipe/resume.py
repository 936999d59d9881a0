"""Going on from a checkpoint: which one, and whether it is of this run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paddlite.recipe.checkpoint import Checkpoint, Store, damaged, newest_of, read
from paddlite.recipe.components import SCHEDULE, open_lengths
from paddlite.recipe.errors import RecipeError, StorageError, writing_to
from paddlite.recipe.schema import Recipe

# What may differ between the run that wrote a checkpoint and the one that goes on: it changes no number of the run.
_FREE = (
    "output_dir", "launch", "metrics", "checkpoint", "target", "description", "data.workers",
    "train.max_seconds", "train.max_steps", "train.log_every",
)  # fmt: skip
_LENGTH = ("train.epochs", "train.steps")  # may grow, unless the schedule is as long as the run


def newest(store: Store, communicator: Any) -> Checkpoint | None:
    """The newest checkpoint that every rank can read, the same on all; None where none was written.

    Rank 0 lists them and checks their sums; what it or another rank cannot read is passed over with a warning.

    Raises:
        StorageError: none can be used.
    """
    main = communicator.rank == 0
    paths: list[Path] = []
    if main:
        with writing_to(store.folder.parent):
            store.tidy()
        paths = store.all()
    paths = communicator.broadcast_object(paths, 0)
    taken: list[Checkpoint] = []

    def damage_of(path: Path) -> str | None:
        damage = communicator.broadcast_object(damaged(path) if main else None, 0)
        if damage is not None:
            return damage
        try:
            taken[:] = [read(path)]
        except StorageError as error:
            damage = f"rank {communicator.rank}: {error}" if communicator.size > 1 else str(error)
        return next((d for d in communicator.all_gather_object(damage) if d is not None), None)

    def tell(text: str) -> None:
        if main:
            print(text, file=sys.stderr, flush=True)

    return taken[0] if newest_of(paths, damage_of, tell) is not None else None


def check_same_recipe(saved: dict[str, Any], recipe: Recipe, allowed: Sequence[str] = ()) -> None:
    """See that `recipe` is the one that was `saved`, but for what makes no difference and the keys `allowed` to differ.

    Raises:
        RecipeError: it lists the keys that differ.
    """
    free = (*_FREE, *allowed, *(() if _schedule_follows_length(recipe) else _LENGTH))
    told = [
        f"{key}: {was!r} then, {now!r} now"
        for key, was, now in differences(saved, recipe.model_dump(mode="json"))
        if not any(key == f or key.startswith(f"{f}.") for f in free)
    ]
    if told:
        raise RecipeError(
            [
                "the checkpoint is of another recipe, so the run would not go on as it began:",
                *told,
                "start anew without --resume, or let a key differ by --allow-change KEY",
            ]
        )


def _schedule_follows_length(recipe: Recipe) -> bool:
    """True where another number of steps would change the learning rate of those that are done."""
    schedule = recipe.optimizer.schedule
    return schedule is not None and bool(open_lengths(SCHEDULE, schedule.name, schedule.args))


def differences(was: Any, now: Any, key: str = "") -> list[tuple[str, Any, Any]]:
    """Dotted key, old value and new value of everything in which two recipes differ."""
    if not (isinstance(was, dict) and isinstance(now, dict)):
        return [(key, was, now)] if was != now else []
    found = []
    for name in {**was, **now}:
        found += differences(was.get(name), now.get(name), f"{key}.{name}" if key else name)
    return found
