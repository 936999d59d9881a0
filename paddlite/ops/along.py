"""Picking elements along one axis by an index tensor, and putting them back."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import IndexOutOfRange, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import axis_in, merge_size, require_integer


def _along_shape(x: tuple[int, ...], index: tuple[int, ...], axis: int, name: str) -> tuple[int, ...]:
    """Shape of the picked elements: that of `index`, broadcast with `x` on the other axes."""
    if len(x) != len(index):
        raise ShapeMismatch(f"{name}: x and the index must have equally many axes, got {list(x)} and {list(index)}")
    axis = axis_in(axis, len(x), name)
    sizes = []
    for i, (a, b) in enumerate(zip(x, index)):
        if i == axis or a == 1:
            sizes.append(b)
        else:
            sizes.append(a if b == 1 else merge_size(a, b, name, f"the sizes of axis {i}"))
    return tuple(sizes)


def check_along(xp: Any, index: Any, size: int, axis: int, name: str) -> None:
    """Raise on the host where `index` points beyond an axis of `size`."""
    if xp is not np or not index.size:
        return
    low, high = int(index.min()), int(index.max())
    if low < -size or high >= size:
        raise IndexOutOfRange(
            f"{name}: index {high if high >= size else low} is out of range for axis {axis} of size {size}; "
            f"want [{-size}, {size})"
        )


def _take_infer(x: Meta, index: Meta, *, axis: int) -> Meta:
    require_integer("take_along_axis", index=index)
    return Meta(_along_shape(x.shape, index.shape, axis, "take_along_axis"), x.dtype)


@defop(
    "take_along_axis",
    infer=_take_infer,
    native_half=True,
    vjp={"x": lambda g, index, like_x, axis: take_along_axis_grad(g, index, like_x, axis=axis)},
)
def take_along_axis(xp: Any, x: Any, index: Any, *, axis: int) -> Any:
    """x[..., index[..., i, ...], ...]: the element of `x` that `index` names along `axis`."""
    if x.ndim == 0:
        return x.reshape(1)[index]
    check_along(xp, index, x.shape[axis], axis, "take_along_axis")
    return xp.take_along_axis(x, index, axis)


def _put_infer(g: Meta, index: Meta, like: Meta, *, axis: int, distinct: bool = False) -> Meta:
    return Meta(like.shape, g.dtype)


def _grid(xp: Any, shape: tuple[int, ...], index: Any, like: tuple[int, ...], axis: int) -> tuple:
    """An index expression: `index` along `axis`, every place along the others, 0 along those that were broadcast."""
    rank = len(shape)
    axis %= rank
    places = [xp.arange(s).reshape((1,) * i + (s,) + (1,) * (rank - i - 1)) for i, s in enumerate(shape)]
    return tuple([index if i == axis else 0 if like[i] == 1 else places[i] for i in range(rank)])


@defop(
    "take_along_axis_grad",
    infer=_put_infer,
    shape_only=("like",),
    vjp={"g": lambda g, index, axis: take_along_axis(g, index, axis=axis)},
)
def take_along_axis_grad(xp: Any, g: Any, index: Any, like: Any, *, axis: int, distinct: bool = False) -> Any:
    """`g` added up at the places of zeros that `index` names along `axis`; `distinct`: each is named at most once."""
    if not like.shape:
        return g.reshape(-1).sum()
    out = xp.zeros(like.shape, g.dtype)
    if distinct:
        xp.put_along_axis(out, index, g, axis)
    else:
        xp.add.at(out, _grid(xp, g.shape, index, like.shape, axis), g)
    return out
