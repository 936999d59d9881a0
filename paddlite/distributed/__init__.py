"""Row 5: several processes as one: collectives and data parallelism over MPI."""

from __future__ import annotations

from paddlite.distributed.collective import (
    ReduceOp,
    all_gather,
    all_gather_object,
    all_reduce,
    alltoall,
    barrier,
    broadcast,
    broadcast_object_list,
    recv,
    reduce,
    reduce_scatter,
    scatter,
    send,
    wait,
)
from paddlite.distributed.environment import (
    ParallelEnv,
    destroy_process_group,
    get_rank,
    get_world_size,
    init_parallel_env,
    is_initialized,
)
from paddlite.distributed.group import Group, new_group
from paddlite.distributed.parallel import DataParallel
from paddlite.distributed.spawn import SpawnContext, SpawnError, spawn

__all__ = [
    "DataParallel",
    "Group",
    "ParallelEnv",
    "ReduceOp",
    "SpawnContext",
    "SpawnError",
    "all_gather",
    "all_gather_object",
    "all_reduce",
    "alltoall",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "destroy_process_group",
    "get_rank",
    "get_world_size",
    "init_parallel_env",
    "is_initialized",
    "new_group",
    "recv",
    "reduce",
    "reduce_scatter",
    "scatter",
    "send",
    "spawn",
    "wait",
]
