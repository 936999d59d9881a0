"""Moving values from one device to another, with gradients moving back."""

from __future__ import annotations

from typing import Any

from paddlite.backend import device
from paddlite.backend.place import Place
from paddlite.core.op import defop
from paddlite.ops.infer import same


@defop(
    "memcpy",
    infer=same,
    amp="never",
    native_half=True,
    check=True,
    vjp={"x": lambda g, place, source: memcpy(g, place=source, source=place)},
)
def memcpy(xp: Any, x: Any, *, place: Place, source: Place) -> Any:
    """A copy of `x`, which lies at `source`, at `place`."""
    moved = device.to_place(x, place)
    return moved.copy() if moved is x else moved
