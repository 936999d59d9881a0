"""Running combinations along an axis for kernels: what `ufunc.accumulate` does, on arrays of either module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def running(xp: Any, function: str, x: Any, axis: int) -> Any:
    """Element i of the result combines the elements 0 to i of `x` along `axis` by the associative ufunc `function`."""
    combine = getattr(xp, function)
    if xp is np:
        return combine.accumulate(x, axis=axis)
    out = x.copy()  # CuPy accumulates sums and products only
    for later, earlier in spans(x.ndim, x.shape[axis], axis):
        out[later] = combine(out[later], out[earlier])
    return out


def spans(rank: int, size: int, axis: int) -> Iterator[tuple[tuple, tuple]]:
    """Index expressions for the rounds of a scan: combine each element with the one 1, 2, 4, ... places before it."""
    lead, step = (slice(None),) * (axis % rank), 1
    while step < size:
        yield (*lead, slice(step, None)), (*lead, slice(None, -step))
        step *= 2
