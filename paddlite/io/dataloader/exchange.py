"""Memory that a loader and its workers share, in slots: one slot carries a task to a worker and the batch back.

The memory is a file without a name (memfd), mapped once before the workers are forked.  It is sparse: a slot is as
large as any batch can be and takes as much as its largest batch has needed.  Nothing of it can be left behind, whoever
is killed, and it does not count against the size of /dev/shm.

Objects travel as pickles whose arrays lie beside them in the slot, so that the receiver's arrays are views of it.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import pickle
import resource
import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np

from paddlite.core.errors import WorkerFailed

_SLOT = 1 << 34  # bytes that a slot may grow to
_ALIGN = 64


def _nameless_file() -> int:
    try:
        return os.memfd_create("paddlite-loader")
    except (AttributeError, OSError):  # an old glibc or kernel
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryFile(dir=shared) as file:
            return os.dup(file.fileno())


def _slot_size(slots: int) -> int:
    """What a slot may grow to; where the address space is limited (`ulimit -v`), an eighth of it is for all slots."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return _SLOT
    return min(_SLOT, limit // 8 // slots // mmap.PAGESIZE * mmap.PAGESIZE)


def _map(size: int) -> mmap.mmap:
    file = _nameless_file()
    try:
        os.ftruncate(file, size)
        return mmap.mmap(file, size)
    finally:
        os.close(file)


class Slots:
    """`count` slots of shared memory."""

    def __init__(self, count: int):
        self._count, self.size = count, _slot_size(count)
        self._memory = _map(count * self.size)

    def bytes_of(self, slot: int) -> np.ndarray:
        """The bytes of a slot, as an array of its own: views of it keep it alive, and nothing else does."""
        return np.frombuffer(self._memory, np.uint8, self.size, slot * self.size)

    def keep_only(self, slots: Iterable[int]) -> None:
        """Give the memory of all other slots back to the system."""
        with contextlib.suppress(OSError):  # a file system may not be able to
            for slot in set(range(self._count)).difference(slots):
                self._memory.madvise(mmap.MADV_REMOVE, slot * self.size, self.size)

    def read(self, slot: int, start: int, length: int, copy: bool) -> tuple[Any, np.ndarray]:
        """The object that a `Writer` has put there, and the bytes that its arrays are views of, unless `copy`."""
        memory = self.bytes_of(slot)
        spans, stream = pickle.loads(memory[start : start + length])
        parts = [memory[begin : begin + size] for begin, size in spans]
        return pickle.loads(stream, buffers=[part.copy() for part in parts] if copy else parts), memory


def _aligned(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


class Writer:
    """Puts one object into a slot; arrays that were made with `new` are there already."""

    def __init__(self, slots: Slots, slot: int):
        self._memory = slots.bytes_of(slot)
        self._used = 0

    def new(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """An array in the slot, with undefined content; elsewhere where it holds Python objects."""
        if dtype.hasobject:
            return np.empty(shape, dtype)
        return np.ndarray(shape, dtype, self._reserve(math.prod(shape) * dtype.itemsize)[1])

    def _reserve(self, size: int) -> tuple[int, np.ndarray]:
        start = self._used
        if start + size > len(self._memory):
            raise WorkerFailed(
                f"a batch needs more than the {len(self._memory)} bytes that there are for it; use smaller batches, or "
                "num_workers=0"
            )
        self._used = start + _aligned(size)
        return start, self._memory[start : start + size]

    def write(self, value: Any) -> tuple[int, int]:
        """Write `value`; gives start and length for `Slots.read`.

        Raises:
            WorkerFailed: it holds something that cannot be pickled, or is too large.
        """
        buffers: list[pickle.PickleBuffer] = []
        try:
            stream = pickle.dumps(value, 5, buffer_callback=buffers.append)
        except Exception as error:
            raise WorkerFailed(
                f"cannot be sent to or from a worker process: {error}. Use arrays, tensors, numbers, text, dicts, "
                "lists and objects of classes at the top level of a module, or num_workers=0."
            ) from error
        spans = [self._place(np.frombuffer(buffer.raw(), np.uint8)) for buffer in buffers]
        tail = pickle.dumps((spans, stream), 5)
        start, room = self._reserve(len(tail))
        room[:] = np.frombuffer(tail, np.uint8)
        return start, len(tail)

    def _place(self, data: np.ndarray) -> tuple[int, int]:
        offset = _address(data) - _address(self._memory)
        if 0 <= offset < len(self._memory):
            return offset, len(data)
        start, room = self._reserve(len(data))
        room[:] = data
        return start, len(data)
