"""Reading and writing by masks.

CuPy counts a mask that stands as an index, and the host waits for the count.  Where the size of the result does not
depend on the mask, a GPU needs no count: each place finds the number of its element by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def fill(xp: Any, out: Any, mask: Any, value: Any) -> None:
    """out[mask] = value, in place, one value (of the axes that `mask` leaves) for all places."""
    if xp is np:
        out[mask] = value
    else:
        xp.copyto(out, value, where=mask.reshape(mask.shape + (1,) * (out.ndim - mask.ndim)))


def _numbers(xp: Any, mask: Any) -> Any:
    """How many places of the mask hold before each one, in its flat order."""
    flat = mask.reshape(-1)
    return xp.cumsum(flat, dtype=np.int64) - flat


def put(xp: Any, out: Any, mask: Any, rows: Any) -> None:
    """out[mask] = rows[:count], in place; `rows` [count or more, ...] has the axes that `mask` leaves."""
    if xp is np:
        out[mask] = rows[: int(np.count_nonzero(mask))]
    elif rows.size:
        numbers = xp.minimum(_numbers(xp, mask), rows.shape[0] - 1)
        inner = (1,) * (out.ndim - mask.ndim)
        xp.copyto(out, rows[numbers].reshape(out.shape), where=mask.reshape(mask.shape + inner))


def front(xp: Any, x: Any, mask: Any, size: int) -> Any:
    """The elements of `x` where `mask`, of its shape, holds, at the front of `size` zeros; those that fit."""
    if xp is np:
        out, chosen = np.zeros(size, x.dtype), x[mask][:size]
        out[: chosen.size] = chosen
        return out
    out = xp.zeros(size + 1, x.dtype)
    places = xp.where(mask.reshape(-1), _numbers(xp, mask), size)
    out[xp.minimum(places, size)] = x.reshape(-1)  # what is not wanted goes behind the end
    return out[:size].copy()
