"""A forked child leaves its parent's GPU and MPI alone: neither a CUDA context nor an MPI library survives a fork.

Used there all the same, they hang or corrupt the parent's work; here the attempt raises.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from typing import Any

from paddlite.backend.world import WORLD

_LIBRARIES = {"cupy": "the GPU (CuPy)", "mpi4py": "MPI"}


def refuse(what: str) -> None:
    """Raise where this process must not use `what`.

    Raises:
        RuntimeError: this is a worker of a DataLoader, or was forked from a process that uses the GPU or MPI.
    """
    if WORLD.forked:
        info = WORLD.worker
        who = "a process forked from one that uses it" if info is None else f"DataLoader worker {info.id}"
        raise RuntimeError(
            f"{what} cannot be used in {who}: it belongs to the parent process. Make NumPy arrays or CPU tensors in "
            "the data set and move or share them in the training loop, or use num_workers=0."
        )


class _Refuser(MetaPathFinder):
    """Refuses the import of libraries that the child must not load."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name in _LIBRARIES and WORLD.forked:
            try:
                refuse(_LIBRARIES[name])
            except RuntimeError as error:
                raise ImportError(str(error), name=name) from None


def forbid() -> None:
    """From now on `refuse` raises in this process."""
    if not WORLD.forked:
        WORLD.forked = True
        sys.meta_path.insert(0, _Refuser())


def on_fork(forget: Callable[[], Any], in_use: Callable[[], bool]) -> None:
    """In every child forked while `in_use()`: forbid, and drop with `forget` what would bypass `refuse`."""

    def in_child() -> None:
        if in_use():
            forbid()
        if WORLD.forked:
            forget()

    os.register_at_fork(after_in_child=in_child)


on_fork(lambda: None, lambda: WORLD.communicator is not None)
