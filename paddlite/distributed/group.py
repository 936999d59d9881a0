"""Groups of processes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from paddlite.backend.world import WORLD
from paddlite.core.errors import InvalidArgument
from paddlite.distributed.communicator import Communicator

_next_id = itertools.count(1).__next__


class Group:
    """Processes that exchange among themselves."""

    def __init__(self, id: int, ranks: Sequence[int], communicator: Communicator | None):
        self.id = id
        self.ranks = list(ranks)
        self.communicator = communicator  # None where this process is not a member

    @property
    def nranks(self) -> int:
        """The number of processes."""
        return len(self.ranks)

    world_size = nranks

    @property
    def rank(self) -> int:
        """The number of this process within the group, -1 where it is not a member."""
        return self.get_group_rank(WORLD.rank)

    def get_group_rank(self, rank: int) -> int:
        """The number within the group of the process that has number `rank` in the job, or -1."""
        return self.ranks.index(rank) if rank in self.ranks else -1

    def is_member(self) -> bool:
        """True where this process is in the group."""
        return self.rank >= 0

    @property
    def name(self) -> str:
        return f"group_{self.id}"

    def __repr__(self) -> str:
        return f"Group(id={self.id}, rank={self.rank}, nranks={self.nranks}, ranks={self.ranks})"


def world_group() -> Group:
    """The group of all processes."""
    return Group(0, range(WORLD.size), WORLD.communicator)


def new_group(ranks: Sequence[int] | None = None, backend: str | None = None, timeout: object = None) -> Group:
    """A group of the processes `ranks` (all where left out).  Every process of the job must call it, members or not.

    Raises:
        InvalidArgument: a rank is given twice or does not exist.
    """
    from paddlite.distributed.environment import init_parallel_env

    init_parallel_env()
    chosen = list(range(WORLD.size)) if ranks is None else list(ranks)
    if len(set(chosen)) != len(chosen) or any(not 0 <= r < WORLD.size for r in chosen):
        raise InvalidArgument(f"new_group: ranks must be distinct numbers of [0, {WORLD.size}), got {chosen}")
    return Group(_next_id(), chosen, WORLD.communicator.split(chosen))
