"""The array module behind a place: NumPy on the CPU, CuPy on a GPU.  The only module that imports CuPy."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from paddlite.backend.fork import on_fork, refuse
from paddlite.backend.place import CPUPlace, CUDAPlace, Place, require_gpu

CPU = CPUPlace()


@functools.cache
def cupy() -> Any:
    """The `cupy` module, imported on first use.

    Raises:
        ImportError: CuPy is not installed.
        RuntimeError: this is a forked process whose parent owns the GPU.
    """
    refuse("the GPU")
    import cupy

    return cupy


on_fork(cupy.cache_clear, lambda: cupy.cache_info().currsize > 0)


@functools.cache
def gpu_count() -> tuple[int, str]:
    """How many GPUs can be used, and why there are none where it is 0."""
    try:
        return cupy().cuda.runtime.getDeviceCount(), ""
    except ImportError as error:
        return 0, f"CuPy cannot be imported: {error}"
    except Exception as error:  # CuPy raises its own CUDARuntimeError, a class known only after the import
        return 0, f"{type(error).__name__}: {error}"


def check_place(place: Place) -> Place:
    """`place` itself, where it can be used here.

    Raises:
        ValueError: it names a GPU that is not there.
    """
    if place.kind == "gpu":
        require_gpu(place, *gpu_count())
    return place


def module_of(array: Any) -> Any:
    """The module (NumPy or CuPy) whose functions take `array`."""
    return np if isinstance(array, (np.ndarray, np.generic)) else cupy()


def module_for(place: Place) -> Any:
    """The module that makes arrays at `place`."""
    return cupy() if place.kind == "gpu" else np


def place_of(array: Any) -> Place:
    return CPU if isinstance(array, (np.ndarray, np.generic)) else CUDAPlace(array.device.id)


def to_host(array: Any) -> np.ndarray:
    """`array` as a NumPy array; the same object where it already is one."""
    return array if isinstance(array, np.ndarray) else cupy().asnumpy(array)


def to_place(array: Any, place: Place) -> Any:
    """`array` at `place`; the same object where it is there already."""
    if place.kind != "gpu":
        return to_host(array)
    with cupy().cuda.Device(place.index):
        return cupy().asarray(array)


def writable(array: Any) -> bool:
    """True where `array` may be changed in place: it is not read-only, and no element of it stands for several."""
    if isinstance(array, np.ndarray) and not array.flags.writeable:
        return False
    if array.flags.c_contiguous or 0 in array.shape:
        return True
    reach = 0  # bytes that the axes with smaller steps span
    for step, size in sorted((abs(step), size) for step, size in zip(array.strides, array.shape)):
        if size > 1:
            if step <= reach:
                return False
            reach += step * (size - 1)
    return True


def synchronize(place: Place | None = None) -> None:
    """Wait until all work queued on the GPU of `place` is done; nothing to do on the CPU."""
    if place is not None and place.kind == "gpu":
        cupy().cuda.Device(place.index).synchronize()


def is_device_array(value: Any) -> bool:
    """True for an array of another module that dispatch may wrap: a CuPy array, once CuPy is in use."""
    return cupy.cache_info().currsize > 0 and isinstance(value, cupy().ndarray)
