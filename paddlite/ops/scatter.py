"""Writing and adding at places that index tensors name."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.accumulate import add_rows, wrapped
from paddlite.ops.gather import add_nd, check_ids, gather, gather_nd
from paddlite.ops.infer import require_integer
from paddlite.ops.like import zeros_like


def _scatter_infer(x: Meta, index: Meta, updates: Meta, *, overwrite: bool = True) -> Meta:
    require_integer("scatter", index=index)
    if len(index.shape) > 1 or not x.shape:
        raise ShapeMismatch(
            f"scatter: x needs at least one axis and index at most one, got {list(x.shape)} and {list(index.shape)}"
        )
    want = (*index.shape, *x.shape[1:])
    if len(updates.shape) != len(want) or any(u != w and -1 not in (u, w) for u, w in zip(updates.shape, want)):
        raise ShapeMismatch(
            f"scatter: with x {list(x.shape)} and index {list(index.shape)}, updates must have shape {list(want)}, "
            f"got {list(updates.shape)}"
        )
    return Meta(x.shape, x.dtype)


@defop(
    "scatter",
    infer=_scatter_infer,
    check=True,
    inplace=True,
    amp_inputs=("x", "updates"),
    vjp={
        "x": lambda g, index, like_updates: scatter(g, index, zeros_like(like_updates)),
        "updates": lambda g, index: gather(g, index),
    },
)
def scatter(xp: Any, x: Any, index: Any, updates: Any, *, overwrite: bool = True, out: Any = None) -> Any:
    """`x` with the rows that `index` names replaced by `updates`, or, without `overwrite`, by their sums."""
    check_ids(xp, "scatter", index, x.shape[0], 0)
    if out is None:
        out = x.copy()
    if overwrite:
        out[index] = updates
        return out
    out[index] = out.dtype.type(0)
    width = int(np.prod(x.shape[1:], dtype=np.int64))
    sums = xp.zeros((out.shape[0], width), out.dtype)
    ids = wrapped(index.reshape(-1), out.shape[0])
    add_rows(xp, sums, ids, updates.reshape(ids.size, width))
    out += sums.reshape(out.shape)
    return out


def _nd_add_infer(x: Meta, index: Meta, updates: Meta) -> Meta:
    require_integer("scatter_nd_add", index=index)
    if not index.shape or index.shape[-1] > len(x.shape):
        raise ShapeMismatch(
            f"scatter_nd_add: the last size of index says how many axes of x it names, at most {len(x.shape)}; "
            f"got index {list(index.shape)} and x {list(x.shape)}"
        )
    want = (*index.shape[:-1], *x.shape[index.shape[-1] :])
    if len(updates.shape) != len(want) or any(u != w and -1 not in (u, w) for u, w in zip(updates.shape, want)):
        raise ShapeMismatch(
            f"scatter_nd_add: with x {list(x.shape)} and index {list(index.shape)}, updates must have shape "
            f"{list(want)}, got {list(updates.shape)}"
        )
    return Meta(x.shape, x.dtype)


@defop(
    "scatter_nd_add",
    infer=_nd_add_infer,
    check=True,
    amp_inputs=("x", "updates"),
    vjp={"x": lambda g: g, "updates": lambda g, index: gather_nd(g, index)},
)
def scatter_nd_add(xp: Any, x: Any, index: Any, updates: Any) -> Any:
    """`x` with `updates` added at the places that `gather_nd(x, index)` would take."""
    for axis in range(index.shape[-1]):
        check_ids(xp, "scatter_nd_add", index[..., axis], x.shape[axis], axis)
    out = xp.ascontiguousarray(x).copy().reshape(x.shape)
    add_nd(xp, out, index, updates)
    return out
