"""How the processes of a job exchange arrays: one process, or MPI.

A communicator works on arrays.  Halves are summed in float32: MPI has no half type that every library knows, and
float32 is faster on the host than either half.  GPU arrays go through host memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import BF16, BOOL, F16, F32
from paddlite.core.errors import InvalidArgument

OPERATIONS = ("sum", "max", "min", "prod", "avg")


class Request:
    """A reduction under way."""

    def test(self) -> bool:
        """Let it progress; True where it is done."""
        return True

    def wait(self) -> None:
        """Come back when it is done."""


class Communicator:
    """One process: every exchange gives back what went in."""

    rank = 0
    size = 1

    def all_reduce(self, array: Any, operation: str = "sum") -> Any:
        """The elementwise reduction of every process's `array`, on all of them."""
        return array.copy()

    def start_all_reduce(self, flat: np.ndarray) -> Request:
        """Begin to sum a flat array of floats on the host, in place."""
        return Request()

    def broadcast(self, array: Any, source: int) -> Any:
        """`array` of process `source`, on all; shapes and dtypes must agree."""
        return array

    def all_gather(self, array: Any) -> list:
        """The arrays of all processes, in order of rank; shapes must agree."""
        return [array.copy()]

    def reduce(self, array: Any, root: int, operation: str = "sum") -> Any:
        """The reduction on `root`; `array` itself elsewhere."""
        return array.copy()

    def scatter(self, arrays: Sequence[Any] | None, like: Any, source: int) -> Any:
        """Element `rank` of the list that `source` gives."""
        assert arrays is not None
        return arrays[0]

    def all_to_all(self, arrays: Sequence[Any]) -> list:
        """Element `rank` of every process's list."""
        return list(arrays)

    def send(self, array: Any, target: int) -> None:
        raise InvalidArgument(f"send: there is no process {target}; this job has one process")

    def receive(self, like: Any, source: int) -> Any:
        raise InvalidArgument(f"recv: there is no process {source}; this job has one process")

    def barrier(self) -> None:
        """Wait until all processes are here."""

    def broadcast_object(self, value: Any, source: int) -> Any:
        """A picklable object of `source`, on all."""
        return value

    def all_gather_object(self, value: Any) -> list:
        """The picklable objects of all processes."""
        return [value]

    def split(self, ranks: Sequence[int]) -> Communicator | None:
        """A communicator of the processes `ranks`; None for a process that is not among them.  All must call it."""
        return self if 0 in ranks else None


def wire(array: np.ndarray) -> np.ndarray:
    """A host array as MPI can add it up: halves as float32, bools as bytes."""
    if array.dtype in (F16, BF16):
        return array.astype(F32)
    if array.dtype == BOOL:
        return array.astype(np.uint8)
    return np.ascontiguousarray(array)


def bits(array: np.ndarray) -> np.ndarray:
    """A host array as MPI can move it: bytes."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def like(values: np.ndarray, model: Any) -> Any:
    """`values` in the dtype, shape and place of `model`."""
    result = values.reshape(model.shape).astype(model.dtype, copy=False)
    return result if isinstance(model, (np.ndarray, np.generic)) else device.to_place(result, device.place_of(model))
