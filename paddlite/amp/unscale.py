"""Dividing gradients by the loss scale, and looking for infinities, on arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from paddlite.backend import device
from paddlite.backend.dtypes import F32, HALF
from paddlite.core.kernel import quiet_run
from paddlite.core.tensor import Tensor


def unscale(gradients: Iterable[Tensor], scale: float) -> bool:
    """Divide `gradients` by `scale` in place; True where one of them holds an infinity or NaN.

    The scale is a power of two unless the user chose otherwise, so that dividing by it is exact.  A float16 gradient is
    divided in float32 and rounded once.
    """
    factor = 1.0 / scale
    overflow: Any = False
    run = quiet_run()
    for gradient in gradients:
        overflow = run(_unscale, gradient._data, factor) | overflow
        gradient._version[0] += 1
    return bool(overflow)  # one wait for the device, however many gradients there are


def _unscale(array: Any, factor: float) -> Any:
    """Multiply `array` by `factor` in place; whether it held anything that is not finite, a 0-D bool."""
    xp = device.module_of(array)
    if array.dtype in HALF:
        finite = xp.isfinite(array.astype(F32)).all()
        array[...] = (array.astype(F32) * F32.type(factor)).astype(array.dtype)
    else:
        array *= array.dtype.type(factor)
        finite = xp.isfinite(array).all()
    return ~finite
