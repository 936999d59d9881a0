"""Places: where a tensor's memory lies."""

from __future__ import annotations

import re

_CURE = (
    "Run on the CPU with set_device('cpu'), or install the GPU extra (pip install 'paddlite[gpu]') on a machine "
    "with an NVIDIA GPU and its driver."
)


class Place:
    """Base of all places.  Two places are equal where they name the same memory."""

    __slots__ = ("index", "kind")
    kind: str
    index: int

    def __init__(self, kind: str = "cpu", index: int = 0):
        self.kind = kind
        self.index = index

    def is_cpu_place(self) -> bool:
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        return self.kind == "gpu"

    def is_cuda_pinned_place(self) -> bool:
        return self.kind == "gpu_pinned"

    def gpu_device_id(self) -> int:
        return self.index

    def get_device_id(self) -> int:
        return self.index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Place):
            return NotImplemented
        return self.kind == other.kind and (self.kind != "gpu" or self.index == other.index)

    def __hash__(self) -> int:
        return hash((self.kind, self.index if self.kind == "gpu" else 0))

    def __repr__(self) -> str:
        return f"Place({self.kind}:{self.index})" if self.kind == "gpu" else f"Place({self.kind})"


class CPUPlace(Place):
    """Main memory; arrays are NumPy's."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("cpu")


class CUDAPlace(Place):
    """Memory of the NVIDIA GPU number `device_id`; arrays are CuPy's."""

    __slots__ = ()

    def __init__(self, device_id: int = 0):
        if not isinstance(device_id, int) or isinstance(device_id, bool) or device_id < 0:
            raise ValueError(f"CUDAPlace: device_id must be a whole number >= 0, got {device_id!r}")
        super().__init__("gpu", device_id)


class CUDAPinnedPlace(Place):
    """Page-locked main memory.  Named for compatibility; arrays are NumPy's."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("gpu_pinned")


_NAME = re.compile(r"(cpu|gpu|cuda)(?::(\d+))?", re.IGNORECASE)


def as_place(spec: object) -> Place:
    """The place that `spec` names: a `Place`, "cpu", "gpu" or "gpu:N".

    Raises:
        ValueError: the name is unknown.
    """
    if isinstance(spec, Place):
        return spec
    found = _NAME.fullmatch(spec) if isinstance(spec, str) else None
    if found is None:
        raise ValueError(f"device must be 'cpu', 'gpu' or 'gpu:N', got {spec!r}")
    kind, index = found.groups()
    if kind.lower() == "cpu":
        if index not in (None, "0"):
            raise ValueError(f"there is one CPU place, 'cpu'; got {spec!r}")
        return CPUPlace()
    return CUDAPlace(int(index or 0))


def require_gpu(place: Place, found: int, why: str) -> None:
    """Raise where `place` names a GPU that is not among the `found` ones.

    Raises:
        ValueError: no such GPU here; the text gives the cure.
    """
    if place.kind == "gpu" and place.index >= found:
        asked = f"device 'gpu:{place.index}' was asked for, but"
        if found:
            seen = "only 'gpu:0' is" if found == 1 else f"only 'gpu:0' to 'gpu:{found - 1}' are"
            raise ValueError(f"{asked} {seen} here. Name one of them; CUDA_VISIBLE_DEVICES can hide others.")
        raise ValueError(f"{asked} no GPU can be used here ({why}). {_CURE}")
