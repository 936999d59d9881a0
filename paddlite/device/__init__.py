"""Row 5: devices: choosing one, counting them, waiting for them."""

from __future__ import annotations

from paddlite.backend import device as _backend
from paddlite.backend.place import Place, as_place
from paddlite.core.mode import current
from paddlite.device import cuda
from paddlite.framework.device import (
    get_device,
    is_compiled_with_cinn,
    is_compiled_with_cuda,
    is_compiled_with_custom_device,
    is_compiled_with_distribute,
    is_compiled_with_ipu,
    is_compiled_with_rocm,
    is_compiled_with_xpu,
    set_device,
)

__all__ = [
    "cuda",
    "device_count",
    "get_all_custom_device_type",
    "get_all_device_type",
    "get_available_custom_device",
    "get_available_device",
    "get_device",
    "is_compiled_with_cinn",
    "is_compiled_with_cuda",
    "is_compiled_with_custom_device",
    "is_compiled_with_distribute",
    "is_compiled_with_ipu",
    "is_compiled_with_rocm",
    "is_compiled_with_xpu",
    "set_device",
    "synchronize",
]


def get_all_device_type() -> list[str]:
    """The kinds of devices that tensors can be made on here: "cpu", and "gpu" where a GPU can be used."""
    return ["cpu", "gpu"] if is_compiled_with_cuda() else ["cpu"]


def get_available_device() -> list[str]:
    """The names that `set_device` takes here: "cpu" and one "gpu:N" for each GPU.

    >>> import paddlite as paddle
    >>> "cpu" in paddle.device.get_available_device()
    True
    """
    return ["cpu", *(f"gpu:{index}" for index in range(cuda.device_count()))]


def get_all_custom_device_type() -> list[str]:
    """The kinds of plug-in devices: none."""
    return []


def get_available_custom_device() -> list[str]:
    """The plug-in devices: none."""
    return []


def device_count() -> int:
    """How many GPUs can be used."""
    return cuda.device_count()


def synchronize(device: str | Place | None = None) -> None:
    """Wait until all work that was given to `device` is done; on the CPU there is never any left.

    Args:
        device: a name such as "gpu:0", or a place; left out, the current device.

    Raises:
        ValueError: there is no such device.
    """
    place = current().place if device is None else _backend.check_place(as_place(device))
    _backend.synchronize(place)
