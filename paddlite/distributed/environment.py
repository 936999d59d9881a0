"""Joining the job: rank, size, `init_parallel_env`."""

from __future__ import annotations

from typing import Any

from paddlite.backend import fork
from paddlite.backend.world import WORLD, launched, rank_and_size
from paddlite.distributed.communicator import Communicator
from paddlite.distributed.group import Group, world_group


def init_parallel_env() -> Group:
    """Join the other processes of the job; gives the group of all.

    In a process that no launcher started this is a job of one.  Safe to call again.

    Raises:
        ImportError: several processes were started but mpi4py is missing; the text gives the cure.

    >>> import paddlite as paddle
    >>> paddle.distributed.init_parallel_env().nranks
    1
    """
    if WORLD.communicator is None:
        found = launched()
        if found is not None and found[1] > 1:
            from paddlite.distributed.mpi import MpiCommunicator

            WORLD.join(MpiCommunicator.world(), found[2])
        else:
            WORLD.join(Communicator(), 0)
    return world_group()


def is_initialized() -> bool:
    """True after `init_parallel_env`."""
    return WORLD.communicator is not None


def destroy_process_group(group: Group | None = None) -> None:
    """Leave the job (all of it, or one group made by `new_group`)."""
    if group is None or group.id == 0:
        WORLD.leave()


def get_rank(group: Group | None = None) -> int:
    """The number of this process in the job, or in `group` (-1 where it is not in it)."""
    if group is not None:
        return group.rank
    return rank_and_size()[0]


def get_world_size(group: Group | None = None) -> int:
    """The number of processes of the job, or of `group`."""
    if group is not None:
        return group.nranks
    return rank_and_size()[1]


class ParallelEnv:
    """Rank, size and device of this process, as attributes."""

    @property
    def rank(self) -> int:
        return get_rank()

    @property
    def world_size(self) -> int:
        return get_world_size()

    @property
    def local_rank(self) -> int:
        found = launched()
        return found[2] if found is not None else 0

    @property
    def device_id(self) -> int:
        """The number of the GPU that this process uses, 0 on the CPU."""
        from paddlite.core.mode import current

        return current().place.index

    dev_id = device_id
    nranks = world_size

    @property
    def device_type(self) -> str:
        from paddlite.core.mode import current

        return current().place.kind

    @property
    def current_endpoint(self) -> str:
        """Always empty: MPI needs no addresses."""
        return ""

    @property
    def trainer_endpoints(self) -> list[str]:
        return []

    def __repr__(self) -> str:
        return f"ParallelEnv(rank={self.rank}, world_size={self.world_size}, local_rank={self.local_rank})"


def communicator(group: Any = None) -> Communicator:
    """The communicator of `group`, or of the whole job, which is joined where that has not been done."""
    if WORLD.forked:
        fork.refuse("MPI")
    if group is not None and group.communicator is not None:
        return group.communicator
    if WORLD.communicator is None:
        init_parallel_env()
    assert WORLD.communicator is not None
    return WORLD.communicator
