"""Who this process is among the processes of a job.

`distributed` fills the communicator in; samplers, the gradient scaler and norms read it from here, so that they need
nothing of a higher row.
"""

from __future__ import annotations

import os
from typing import Any

_RANK_VARIABLES = (
    "PADDLITE_RANK",
    "PMI_RANK",
    "PMIX_RANK",
    "OMPI_COMM_WORLD_RANK",
    "SLURM_PROCID",
    "PADDLE_TRAINER_ID",
)
_SIZE_VARIABLES = (
    "PADDLITE_WORLD_SIZE",
    "PMI_SIZE",
    "OMPI_COMM_WORLD_SIZE",
    "SLURM_STEP_NUM_TASKS",
    "PADDLE_TRAINERS_NUM",
)
_LOCAL_VARIABLES = ("PADDLITE_LOCAL_RANK", "MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID")


class World:
    """Rank and size of this process, and the communicator once `init_parallel_env` has run.

    `worker` is the `WorkerInfo` in a worker process of a DataLoader; `forked` is True where the GPU and MPI belong to
    the parent (see `backend.fork`).  `beats` counts signs of life: steps, batches, runs of a Program (see
    `recipe.watchdog`).
    """

    __slots__ = ("beats", "communicator", "forked", "local_rank", "rank", "size", "worker")

    def __init__(self) -> None:
        self.leave()
        self.worker: Any = None
        self.forked = False
        self.beats = 0

    def join(self, communicator: Any, local_rank: int) -> None:
        self.communicator = communicator
        self.rank, self.size, self.local_rank = communicator.rank, communicator.size, local_rank

    def leave(self) -> None:
        self.rank, self.size, self.local_rank = 0, 1, 0
        self.communicator: Any = None


WORLD = World()


def _first(names: tuple[str, ...]) -> int | None:
    for name in names:
        value = os.environ.get(name, "")
        if value.isdigit():
            return int(value)
    return None


def launched() -> tuple[int, int, int] | None:
    """Rank, size and local rank that a launcher (ours, MPI's, Slurm's) put into the environment, or None."""
    rank, size = _first(_RANK_VARIABLES), _first(_SIZE_VARIABLES)
    if rank is None or size is None:
        return None
    local = _first(_LOCAL_VARIABLES)
    return rank, size, rank if local is None else local


def rank_and_size() -> tuple[int, int]:
    """Rank and size as `init_parallel_env` found them; before it has run, as the launcher says; else (0, 1)."""
    found = None if WORLD.communicator is not None else launched()
    return (WORLD.rank, WORLD.size) if found is None else found[:2]
