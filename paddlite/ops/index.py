"""Indexing: views by ints and slices, copies by index tensors and masks, and assignment to either.

An index expression is stored as a tuple of items: an int, a `slice`, None, Ellipsis, or `At(k)` for the k-th of the
tensors that follow the data among the op's inputs.  The bounds of a slice may be `At(k)` too, for sizes that only a run
knows; such a slice copies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import BOOL, INTEGER
from paddlite.core.errors import DTypeMismatch, IndexOutOfRange, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.accumulate import add_at, add_rows
from paddlite.ops.dynamic import At, resolved
from paddlite.ops.gather import put_along
from paddlite.ops.infer import broadcast_shapes, fits_into, like_second
from paddlite.ops.like import unbroadcast, zeros_like
from paddlite.ops.masked import fill, put


def _slice_size(item: slice, size: int) -> int:
    """How many elements `item` takes of an axis of `size`; -1 where that is unknown."""
    if At in (type(item.start), type(item.stop), type(item.step)):
        return -1
    if size >= 0:
        return len(range(*item.indices(size)))
    return -1


def _expanded(items: tuple, rank: int, masks: dict[int, int]) -> list:
    """The items with the Ellipsis written out as full slices, one for each axis that is left."""
    used = sum(masks.get(i.k, 1) if isinstance(i, At) else 1 for i in items if i is not None and i is not Ellipsis)
    if used > rank:
        raise IndexOutOfRange(f"index: too many indices ({used}) for a tensor of {rank} axes")
    fill = [slice(None)] * (rank - used)
    if Ellipsis not in [i for i in items if not isinstance(i, At)]:
        return [*items, *fill]
    at = next(k for k, i in enumerate(items) if i is Ellipsis)
    return [*items[:at], *fill, *items[at + 1 :]]


def _basic_infer(x: Meta, *, index: tuple) -> Meta:
    shape, axis = [], 0
    for item in _expanded(index, len(x.shape), {}):
        if item is None:
            shape.append(1)
            continue
        size = x.shape[axis]
        if isinstance(item, slice):
            shape.append(_slice_size(item, size))
        elif size >= 0 and not -size <= item < size:
            raise IndexOutOfRange(
                f"index {item} is out of range for axis {axis} of size {size}; want [{-size}, {size})"
            )
        axis += 1
    return Meta(tuple(shape), x.dtype)


@defop(
    "slice",
    infer=_basic_infer,
    view=True,
    native_half=True,
    vjp={"x": lambda g, like_x, index: slice_grad(g, like_x, index=index)},
)
def basic_index(xp: Any, x: Any, *, index: tuple) -> Any:
    out = x[index]
    return out if isinstance(out, type(x)) else x[(*index, Ellipsis)]  # an array, not NumPy's scalar


@defop(
    "slice_grad",
    infer=like_second,
    shape_only=("like",),
    native_half=True,
    vjp={"x": lambda g, index: basic_index(g, index=index)},
)
def slice_grad(xp: Any, x: Any, like: Any, *, index: tuple) -> Any:
    out = xp.zeros(like.shape, x.dtype)
    out[index] = x
    return out


def _filled(index: tuple, tensors: tuple) -> tuple:
    """The index expression as array modules take it."""
    if not tensors:
        return index
    return tuple([tensors[i.k] if type(i) is At else resolved(i, tensors) if type(i) is slice else i for i in index])


def _advanced_shape(x: Meta, index: tuple, tensors: tuple[Meta, ...]) -> tuple[int, ...]:
    masks = {k: len(t.shape) for k, t in enumerate(tensors) if t.dtype == BOOL}
    for t in tensors:
        if t.dtype != BOOL and t.dtype not in INTEGER:
            raise DTypeMismatch(f"index: an index tensor must hold integers or bools, got {t.dtype}")
    broadcast: tuple[int, ...] = ()
    kept: list[int] = []
    first, apart, last_was_advanced, axis = None, False, False, 0
    for item in _expanded(index, len(x.shape), masks):
        advanced = isinstance(item, (At, int)) and not isinstance(item, bool)
        if item is None:
            kept.append(1)
        elif isinstance(item, slice):
            kept.append(_slice_size(item, x.shape[axis]))
            axis += 1
        else:
            if first is None:
                first = len(kept)
            elif not last_was_advanced:
                apart = True
            if isinstance(item, At):
                meta = tensors[item.k]
                span = masks.get(item.k, 1)
                if meta.dtype == BOOL:
                    _check_mask(x.shape[axis : axis + span], meta.shape, axis)
                    broadcast = broadcast_shapes(broadcast, (-1,), "index")
                else:
                    broadcast = broadcast_shapes(broadcast, meta.shape, "index")
                axis += span
            else:
                axis += 1
        last_was_advanced = advanced
    at = 0 if apart else (first or 0)
    return (*kept[:at], *broadcast, *kept[at:])


def _check_mask(sizes: tuple[int, ...], mask: tuple[int, ...], axis: int) -> None:
    if any(a != b and -1 not in (a, b) for a, b in zip(sizes, mask)):
        raise ShapeMismatch(
            f"index: a mask of shape {list(mask)} does not fit the sizes {list(sizes)} from axis {axis} on"
        )


def _advanced_infer(x: Meta, *tensors: Meta, index: tuple) -> Meta:
    return Meta(_advanced_shape(x, index, tensors), x.dtype)


def _check_bounds(x: Any, index: tuple, tensors: tuple) -> None:
    """Raise NumPy's error in our words where an index tensor points outside."""
    axis = 0
    masks = {k: t.ndim for k, t in enumerate(tensors) if t.dtype == np.bool_}
    for item in _expanded(index, x.ndim, masks):
        if item is None:
            continue
        if isinstance(item, At) and item.k not in masks:
            size, ids = x.shape[axis], tensors[item.k]
            if ids.size and (int(ids.max()) >= size or int(ids.min()) < -size):
                bad = int(ids.max()) if int(ids.max()) >= size else int(ids.min())
                raise IndexOutOfRange(
                    f"index {bad} is out of range for axis {axis} of size {size}; want [{-size}, {size})"
                )
        axis += masks.get(item.k, 1) if isinstance(item, At) else 1


@defop(
    "index_get",
    infer=_advanced_infer,
    native_half=True,
    vjp={"x": lambda g, like_x, tensors, index: index_add_grad(g, like_x, *tensors, index=index)},
)
def index_get(xp: Any, x: Any, *tensors: Any, index: tuple) -> Any:
    try:
        if len(index) == 1 and type(index[0]) is At and x.ndim and tensors[0].dtype.kind != "b":
            return x.take(tensors[0], 0)  # the same rows, faster
        out = x[_filled(index, tensors)]
        return out if At in map(type, index) else out.copy()
    except IndexError:
        _check_bounds(x, index, tensors)
        raise


def _rows(index: tuple, tensors: tuple) -> int | None:
    """The axis from which a single index tensor of integers picks whole slices; None for any other index."""
    if len(tensors) != 1 or tensors[0].dtype.kind == "b":
        return None
    for axis, item in enumerate(index):
        if isinstance(item, At):
            return axis
        if item != slice(None):
            return None
    return None


def _scatter_infer(x: Meta, like: Meta, *tensors: Meta, index: tuple) -> Meta:
    return Meta(like.shape, x.dtype)


@defop(
    "index_get_grad",
    infer=_scatter_infer,
    shape_only=("like",),
    vjp={"x": lambda g, tensors, index: index_get(g, *tensors, index=index)},
)
def index_add_grad(xp: Any, x: Any, like: Any, *tensors: Any, index: tuple) -> Any:
    """`x` added up at the places where `index` took it from; repeated places sum."""
    out = xp.zeros(like.shape, x.dtype)
    filled = _filled(index, tensors)
    if _is_mask(index, tensors):
        put(xp, out, tensors[0], x)
        return out
    if At not in map(type, index) or (len(tensors) == 1 and tensors[0].dtype == np.bool_):
        out[filled] = x  # slices and a single mask name each place once
        return out
    axis = _rows(index, tensors)
    if axis is not None and len(index) == axis + 1:
        put_along(xp, out, tensors[0], x, axis)
    elif xp is np and x.size > 64:
        places = np.arange(out.size).reshape(out.shape)[filled]
        add_rows(np, out.reshape(-1, 1), places.reshape(-1), x.reshape(-1, 1))
    else:
        add_at(xp, out, filled, x)
    return out


def _put_infer(x: Meta, value: Meta, *tensors: Meta, index: tuple) -> Meta:
    shape = _advanced_shape(x, index, tensors) if tensors else _basic_infer(x, index=index).shape
    if not fits_into(_trimmed(value.shape, len(shape)), shape):
        raise ShapeMismatch(
            f"setitem: a value of shape {list(value.shape)} does not fit the place of shape {list(shape)}"
        )
    return Meta(x.shape, x.dtype)


def _trimmed(shape: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """`shape` without leading ones beyond `rank`, which assignment ignores."""
    while len(shape) > rank and shape[0] == 1:
        shape = shape[1:]
    return shape


@defop(
    "index_put",
    infer=_put_infer,
    check=True,
    amp_inputs=("x", "value"),
    vjp={
        "x": lambda g: g,
        "value": lambda g, like_value, tensors, index: unbroadcast(index_get(g, *tensors, index=index), like_value),
    },
)
def index_put_add(xp: Any, x: Any, value: Any, *tensors: Any, index: tuple) -> Any:
    """`x` with `value` added at the places that `index` names; repeated places sum."""
    out = x.copy()
    if xp is np:
        _check_bounds(x, index, tensors)
    add_at(xp, out, _filled(index, tensors), value)
    return out


def _value_rule(g: Any, like_value: Any, tensors: Any, index: tuple) -> Any:
    taken = index_get(g, *tensors, index=index) if tensors else basic_index(g, index=index)
    return unbroadcast(taken, like_value)


@defop(
    "set_value",
    infer=_put_infer,
    native_half=True,
    inplace=True,
    check=True,
    vjp={
        "x": lambda g, like_value, tensors, index: set_item(g, zeros_like(like_value), *tensors, index=index),
        "value": _value_rule,
    },
)
def set_item(xp: Any, x: Any, value: Any, *tensors: Any, index: tuple, out: Any = None) -> Any:
    if out is None:
        out = x.copy()
    if xp is np and tensors:
        _check_bounds(x, index, tensors)
    if value.ndim > 0:
        rank = _place_rank(x, index, tensors)
        if value.ndim > rank:  # NumPy refuses leading ones that `infer` has allowed
            value = value.reshape(value.shape[value.ndim - rank :])
    if _is_mask(index, tensors) and (value.ndim <= x.ndim - tensors[0].ndim or value.shape[0] == 1):
        fill(xp, out, tensors[0], value)
    else:
        out[_filled(index, tensors)] = value
    return out


def _is_mask(index: tuple, tensors: tuple) -> bool:
    """True where the index is a mask over the leading axes, and nothing else."""
    return len(index) == len(tensors) == 1 and tensors[0].dtype == np.bool_


def _place_rank(x: Any, index: tuple, tensors: tuple) -> int:
    """How many axes the place has that `index` names."""
    if tensors:
        return len(_advanced_shape(x, index, tensors))
    return x.ndim - sum(type(i) is int for i in index) + sum(i is None for i in index)
