"""NVIDIA GPUs: how many there are, what they are called, and the memory that is held on them."""

from __future__ import annotations

from typing import Any

from paddlite.backend import device as _backend
from paddlite.backend.place import CUDAPlace, Place, as_place
from paddlite.core.mode import current

__all__ = [
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "memory_allocated",
    "memory_reserved",
    "synchronize",
]


def device_count() -> int:
    """How many GPUs can be used; 0 where CuPy or the driver is missing."""
    return _backend.gpu_count()[0]


def synchronize(device: int | str | Place | None = None) -> None:
    """Wait until all work that was given to a GPU is done.

    Args:
        device: a number, a name such as "gpu:0", or a place; left out, the current one.

    Raises:
        ValueError: there is no such GPU; the text says what to do.
    """
    _backend.synchronize(_gpu(device))


def empty_cache() -> None:
    """Give memory that no tensor uses back to the GPU's driver; nothing to do where there is no GPU."""
    if device_count():
        _backend.cupy().get_default_memory_pool().free_all_blocks()


def memory_allocated(device: int | str | Place | None = None) -> int:
    """Bytes of a GPU's memory that tensors use now.  Takes and raises what `synchronize` does."""
    return _pool(device, "used_bytes")


def memory_reserved(device: int | str | Place | None = None) -> int:
    """Bytes of a GPU's memory that are held for tensors, in use or not.  Takes and raises what `synchronize` does."""
    return _pool(device, "total_bytes")


def get_device_name(device: int | str | Place | None = None) -> str:
    """The name of a GPU, such as "NVIDIA H200".  Takes and raises what `synchronize` does."""
    name = _properties(device)["name"]
    return name.decode() if isinstance(name, bytes) else str(name)


def get_device_capability(device: int | str | Place | None = None) -> tuple[int, int]:
    """The compute capability of a GPU, such as (9, 0).  Takes and raises what `synchronize` does."""
    found = _properties(device)
    return int(found["major"]), int(found["minor"])


def _properties(device: int | str | Place | None) -> dict[str, Any]:
    index = _gpu(device).index
    return _backend.cupy().cuda.runtime.getDeviceProperties(index)


def _gpu(device: int | str | Place | None) -> Place:
    if device is None:
        place = current().place
        place = place if place.kind == "gpu" else CUDAPlace(0)
    else:
        place = CUDAPlace(device) if isinstance(device, int) else as_place(device)
    if place.kind != "gpu":
        raise ValueError(f"device must be a GPU, got {place}")
    return _backend.check_place(place)


def _pool(device: int | str | Place | None, what: str) -> int:
    place = _gpu(device)
    with _backend.cupy().cuda.Device(place.index):
        return int(getattr(_backend.cupy().get_default_memory_pool(), what)())
