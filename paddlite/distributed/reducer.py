"""Averaging gradients over the processes while backward still runs.

Parameters are packed into buckets, last made first, since their gradients come in that order.  A bucket is reduced as
soon as all its gradients are there and the buckets before it are under way: so every process starts the same
reductions in the same order, whatever order its gradients come in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import F32, HALF
from paddlite.core.tensor import ZEROS, Tensor
from paddlite.distributed.communicator import Communicator, Request


def plan_buckets(sizes: Sequence[int], dtypes: Sequence[np.dtype], limit: int, first_limit: int) -> list[list[int]]:
    """Indices of parameters by bucket: from the last to the first, one dtype a bucket, each at most `limit` bytes.

    A parameter larger than the limit has a bucket of its own.  The first bucket is small, so that it starts early.
    """
    buckets: list[list[int]] = []
    room = 0
    for i in reversed(range(len(sizes))):
        size = sizes[i] * dtypes[i].itemsize
        if not buckets or dtypes[i] != dtypes[buckets[-1][-1]] or size > room:
            room = limit if buckets else first_limit
            buckets.append([])
        buckets[-1].append(i)
        room -= size
    return buckets


def gathered(parameter: Tensor) -> Tensor | None:
    """The gradient that a parameter has so far; None also where it was set to zeros."""
    found = getattr(parameter, "_grad", None)
    return None if found is ZEROS else found


class Bucket:
    """Parameters that are reduced together, in one flat array."""

    def __init__(self, parameters: list[Tensor]):
        self.parameters = parameters
        self.sizes = [int(np.prod(p._shape, dtype=np.int64)) for p in parameters]
        self.starts = list(np.cumsum([0, *self.sizes[:-1]]))
        dtype = parameters[0]._dtype
        self.dtype = F32 if dtype in HALF else dtype
        self.length = sum(self.sizes)
        self.flat: np.ndarray | None = None
        self.request: Request | None = None
        self.missing: set[int] = set()

    def begin(self) -> None:
        """Fresh memory for one backward: the gradients of the last one may still be in use."""
        # behind the gradients, one number a parameter says how many processes had one
        self.flat = np.empty(self.length + len(self.parameters), self.dtype)
        self.flat[self.length :] = 0
        self.request = None
        self.missing = set(range(len(self.parameters)))

    def put(self, index: int, gradient: Any, scale: float) -> None:
        """Take the gradient of parameter `index`, multiplied by `scale`."""
        assert self.flat is not None
        start, size = self.starts[index], self.sizes[index]
        into = self.flat[start : start + size].reshape(gradient.shape)
        np.multiply(device.to_host(gradient), self.dtype.type(scale), out=into, casting="same_kind")
        self.flat[self.length + index] = 1
        self.missing.discard(index)

    def fill_missing(self) -> None:
        """Absent gradients count as zeros."""
        assert self.flat is not None
        for index in self.missing:
            self.flat[self.starts[index] : self.starts[index] + self.sizes[index]] = 0
        self.missing = set()

    def gradients(self) -> list[tuple[Tensor, np.ndarray | None]]:
        """Each parameter with its averaged gradient; None where no process had one."""
        assert self.flat is not None
        found: list[tuple[Tensor, np.ndarray | None]] = []
        for i, (parameter, start, size) in enumerate(zip(self.parameters, self.starts, self.sizes)):
            used = self.flat[self.length + i] > 0
            part = self.flat[start : start + size].reshape(parameter._shape)
            found.append((parameter, part.astype(parameter._dtype, copy=False) if used else None))
        return found


class Reducer:
    """Takes the gradients of the parameters as backward delivers them, and gives back their mean over all processes."""

    def __init__(self, parameters: Sequence[Tensor], communicator: Communicator, limit: int, first_limit: int):
        self.communicator = communicator
        self.enabled = True
        ordered = list(parameters)
        plan = plan_buckets(
            [int(np.prod(p._shape, dtype=np.int64)) for p in ordered], [p._dtype for p in ordered], limit, first_limit
        )
        self.buckets = [Bucket([ordered[i] for i in indices]) for indices in plan]
        self._place = {id(p): (b, i) for b, bucket in enumerate(self.buckets) for i, p in enumerate(bucket.parameters)}
        self._launched = 0
        self._running = False
        self._unsynchronised: set[int] = set()

    def take(self, parameter: Tensor, gradient: Tensor, at_end: Callable[[Callable[[], None]], None]) -> bool:
        """Called by backward in place of adding to `.grad`; False leaves the gradient to backward.

        Args:
            at_end: registers what to do when the walk is over.
        """
        if not self.enabled:
            self._unsynchronised.add(id(parameter))
            return False
        if not self._running:
            self._begin()
            at_end(self._finish)
        b, i = self._place[id(parameter)]
        value = gradient._data
        if id(parameter) in self._unsynchronised:  # earlier parts of an accumulation, still local
            local = gathered(parameter)
            with np.errstate(all="ignore"):  # what overflows is the gradient scaler's affair
                value = value if local is None else value + local._data
            parameter._grad = None
            self._unsynchronised.discard(id(parameter))
        self.buckets[b].put(i, value, 1.0 / self.communicator.size)
        self._advance()
        return True

    def _begin(self) -> None:
        for bucket in self.buckets:
            bucket.begin()
        self._launched, self._running = 0, True

    def _advance(self) -> None:
        while self._launched < len(self.buckets) and not self.buckets[self._launched].missing:
            self._launch()
        for bucket in self.buckets[: self._launched]:
            if bucket.request is not None and not bucket.request.test():  # MPI progresses when it is called
                break

    def _launch(self) -> None:
        bucket = self.buckets[self._launched]
        assert bucket.flat is not None
        bucket.request = self.communicator.start_all_reduce(bucket.flat)
        self._launched += 1

    def _finish(self) -> None:
        self._take_leftovers()
        while self._launched < len(self.buckets):
            self.buckets[self._launched].fill_missing()
            self._launch()
        for bucket in self.buckets:
            assert bucket.request is not None
            bucket.request.wait()
            for parameter, mean in bucket.gradients():
                if mean is not None:
                    self._store(parameter, mean)
            bucket.request = bucket.flat = None
        self._running = False

    def _take_leftovers(self) -> None:
        """Parameters that had gradients in the local parts of an accumulation, but none in this last one."""
        for bucket in self.buckets:
            for index in sorted(bucket.missing):
                parameter = bucket.parameters[index]
                local = gathered(parameter)
                if id(parameter) in self._unsynchronised and local is not None:
                    bucket.put(index, local._data, 1.0 / self.communicator.size)
                    parameter._grad = None
                    self._unsynchronised.discard(id(parameter))

    @staticmethod
    def _store(parameter: Tensor, mean: np.ndarray) -> None:
        if not isinstance(parameter._data, np.ndarray):
            mean = device.to_place(mean, parameter.place)
        before = gathered(parameter)
        if before is None:
            parameter._grad = Tensor(mean, False)
        else:
            before._data += mean
            before._version[0] += 1
