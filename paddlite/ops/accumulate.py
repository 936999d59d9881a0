"""Adding rows up by number: the gradient of every kind of gathering."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32, F64, HALF, INT32, INT64

_FEW = 512  # elements up to which `add.at` beats anything that sorts
_NARROW = 32  # rows up to this width are counted element by element
_OFTEN = 6  # repetitions up to which rows are added round by round
_ATOMIC = frozenset((INT32, INT64, F32, F64))  # what a GPU adds atomically


def add_rows(xp: Any, out: Any, ids: Any, rows: Any, fresh: bool = False) -> None:
    """out[ids[i]] += rows[i] for every i, in place; `ids` [n], `rows` [n, width], `out` [count, width].

    `add.at` costs about 1 us a row, whatever its width; the ways below take a fraction of it on the host, and sum in
    the order of `rows`.  `fresh` says that `out` is all zeros.
    """
    if xp is not np:
        add_at(xp, out, ids, rows)
        return
    width = out.shape[1]
    if rows.size <= _FEW or out.dtype.kind not in "fc":
        np.add.at(out, ids, rows)
    elif width <= _NARROW and out.dtype.kind == "f" and out.size <= 4 * rows.size:
        if width > 1:
            ids = (ids[:, None] * width + np.arange(width)).reshape(-1)
        out += np.bincount(ids.reshape(-1), rows.reshape(-1), out.size).reshape(out.shape)
    else:
        _add_sorted(out, ids, rows, fresh)


def sums_by_number(xp: Any, ids: Any, amounts: Any, count: int) -> Any:
    """The sum of the `amounts` [n] of each number 0 .. count - 1 in `ids` [n], all in range; float64."""
    if xp is np:
        return np.bincount(ids, amounts, count)
    out = xp.zeros(count, F64)
    xp.add.at(out, ids, amounts.astype(F64))  # CuPy's bincount would wait for the largest number
    return out


def _order(ids: np.ndarray, count: int) -> np.ndarray:
    """What sorts `ids`, equal ones in their order; 16 bits at a time, which NumPy does by radix."""
    if count > 1 << 32 or (ids.dtype.kind == "i" and ids.size and int(ids.min()) < 0):
        return np.argsort(ids, kind="stable")
    order = np.argsort(ids.astype(np.uint16), kind="stable")
    if count <= 1 << 16:
        return order
    return order[np.argsort((ids >> 16).astype(np.uint16)[order], kind="stable")]


def add_at(xp: Any, out: Any, index: Any, values: Any) -> None:
    """out[index] += values with repeated places summed, in place, for every dtype; CuPy's own takes only some."""
    if xp is np or out.dtype in _ATOMIC:
        xp.add.at(out, index, values)
    elif out.dtype.kind == "c":
        xp.add.at(out.real, index, values.real)
        xp.add.at(out.imag, index, values.imag)
    else:
        wide = out.astype(F32 if out.dtype in HALF else INT64)
        xp.add.at(wide, index, values.astype(wide.dtype))
        out[...] = wide.astype(out.dtype)


def _add_sorted(out: np.ndarray, ids: np.ndarray, rows: np.ndarray, fresh: bool) -> None:
    order = _order(ids, len(out))
    ids = ids[order]
    starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
    sums = rows[order[starts]]
    if len(starts) < len(ids):
        counts = np.diff(starts, append=len(ids))
        live, k = np.flatnonzero((counts > 1) & (counts <= _OFTEN)), 1
        while live.size:  # the second, third, ... of all numbers that occur so often
            sums[live] += rows[order[starts[live] + k]]
            k += 1
            live = live[counts[live] > k]
        for i in np.flatnonzero(counts > _OFTEN).tolist():
            np.add.reduce(rows[order[starts[i] : starts[i] + counts[i]]], axis=0, out=sums[i])
    if fresh:
        out[ids[starts]] = sums
    else:
        out[ids[starts]] += sums


def wrapped(ids: Any, size: int) -> Any:
    """`ids` with negative ones counted from the end of an axis of `size`."""
    negative = ids < 0
    return ids + negative * ids.dtype.type(size) if ids.dtype.kind == "i" else ids
