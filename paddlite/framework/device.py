"""Choosing the device that new tensors are made on."""

from __future__ import annotations

from paddlite.backend.device import check_place
from paddlite.backend.place import Place, as_place
from paddlite.core.mode import current, switch


def set_device(device: str | Place) -> Place:
    """Make new tensors on `device` from now on ("cpu", "gpu", "gpu:1"); gives its place.

    Raises:
        ValueError: the name is unknown or there is no such GPU; the text says what to do.
    """
    place = check_place(as_place(device))
    switch(place=place)
    return place


def get_device() -> str:
    """The current device: "cpu" or "gpu:N"."""
    place = current().place
    return f"gpu:{place.index}" if place.kind == "gpu" else "cpu"


def is_compiled_with_cuda() -> bool:
    """True where a GPU can be used."""
    from paddlite.backend.device import gpu_count

    return gpu_count()[0] > 0


def use_pir_api() -> bool:
    """Always False: Programs are of Paddle's first form, with blocks and variables."""
    return False


def in_pir_mode() -> bool:
    """Always False, like `use_pir_api`."""
    return False


def is_compiled_with_xpu() -> bool:
    """Always False, like the four below: devices that there is no backend for."""
    return False


def is_compiled_with_rocm() -> bool:
    """Always False; see `is_compiled_with_xpu`."""
    return False


def is_compiled_with_ipu() -> bool:
    """Always False; see `is_compiled_with_xpu`."""
    return False


def is_compiled_with_cinn() -> bool:
    """Always False; see `is_compiled_with_xpu`."""
    return False


def is_compiled_with_custom_device(device_type: str) -> bool:
    """Always False; see `is_compiled_with_xpu`."""
    return False


def is_compiled_with_distribute() -> bool:
    """True: processes talk by MPI."""
    return True
