"""The MPI communicator.  Imports mpi4py when it is made, and initialises MPI then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.core.errors import InvalidArgument
from paddlite.distributed.communicator import OPERATIONS, Communicator, Request, bits, like, wire


class MpiRequest(Request):
    """A non-blocking MPI reduction."""

    def __init__(self, request: Any, buffer: np.ndarray):
        self._request = request
        self._buffer = buffer  # MPI writes to it: it must live as long

    def test(self) -> bool:
        return self._request.Test()

    def wait(self) -> None:
        self._request.Wait()


class MpiCommunicator(Communicator):
    """Exchange over an mpi4py communicator."""

    def __init__(self, comm: Any):
        self.comm = comm
        self.rank, self.size = comm.rank, comm.size

    @classmethod
    def world(cls) -> MpiCommunicator:
        """All processes that mpiexec started, on a communicator of our own.

        Raises:
            ImportError: mpi4py is not installed; the text gives the cure.
        """
        try:
            from mpi4py import MPI
        except ImportError as error:
            raise ImportError(
                "several processes need mpi4py, which cannot be imported here "
                f"({error}); pip install 'paddlite[mpi]' installs it with MPICH"
            ) from error
        return cls(MPI.COMM_WORLD.Dup())

    def _operation(self, name: str) -> Any:
        from mpi4py import MPI

        if name not in OPERATIONS:
            raise InvalidArgument(f"the operation must be one of {', '.join(OPERATIONS)}, got {name!r}")
        return {"sum": MPI.SUM, "avg": MPI.SUM, "max": MPI.MAX, "min": MPI.MIN, "prod": MPI.PROD}[name]

    def all_reduce(self, array: Any, operation: str = "sum") -> Any:
        from mpi4py import MPI

        values = wire(device.to_host(array)).copy()
        self.comm.Allreduce(MPI.IN_PLACE, values, self._operation(operation))
        if operation == "avg":
            values = values / self.size
        return like(values, array)

    def start_all_reduce(self, flat: np.ndarray) -> Request:
        from mpi4py import MPI

        return MpiRequest(self.comm.Iallreduce(MPI.IN_PLACE, flat), flat)

    def broadcast(self, array: Any, source: int) -> Any:
        host = np.array(device.to_host(array), order="C")
        moved = bits(host)
        self.comm.Bcast(moved, root=source)
        return like(moved.view(host.dtype), array)

    def all_gather(self, array: Any) -> list:
        host = device.to_host(array)
        moved = bits(host)
        into = np.empty((self.size, moved.size), np.uint8)
        self.comm.Allgather(moved, into)
        return [like(row.view(host.dtype), array) for row in into]

    def reduce(self, array: Any, root: int, operation: str = "sum") -> Any:
        values = wire(device.to_host(array)).copy()
        into = np.empty_like(values) if self.rank == root else None
        self.comm.Reduce(values, into, self._operation(operation), root)
        if into is None:
            return array
        return like(into / self.size if operation == "avg" else into, array)

    def scatter(self, arrays: Sequence[Any] | None, like_: Any, source: int) -> Any:
        into = bits(np.empty(like_.shape, like_.dtype))
        given = None
        if self.rank == source:
            assert arrays is not None
            given = np.stack([bits(device.to_host(a)) for a in arrays])
        self.comm.Scatter(given, into, source)
        return like(into.view(like_.dtype), like_)

    def all_to_all(self, arrays: Sequence[Any]) -> list:
        hosts = [np.ascontiguousarray(device.to_host(a)) for a in arrays]
        found = self.comm.alltoall(hosts)
        return [like(host, array) for host, array in zip(found, arrays)]

    def send(self, array: Any, target: int) -> None:
        self.comm.Send(bits(device.to_host(array)), dest=target)

    def receive(self, like_: Any, source: int) -> Any:
        into = bits(np.empty(like_.shape, like_.dtype))
        self.comm.Recv(into, source=source)
        return like(into.view(like_.dtype), like_)

    def barrier(self) -> None:
        self.comm.Barrier()

    def broadcast_object(self, value: Any, source: int) -> Any:
        return self.comm.bcast(value, root=source)

    def all_gather_object(self, value: Any) -> list:
        return self.comm.allgather(value)

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        from mpi4py import MPI

        color = 0 if self.rank in ranks else MPI.UNDEFINED
        key = list(ranks).index(self.rank) if self.rank in ranks else 0
        comm = self.comm.Split(color, key)
        return None if comm == MPI.COMM_NULL else MpiCommunicator(comm)
