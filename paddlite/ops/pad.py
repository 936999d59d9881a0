"""Padding: a constant, mirrored, repeated or wrapped border."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import like_second

Paddings = tuple[tuple[int, int], ...]


def _padded_shape(x: Meta, paddings: Paddings) -> tuple[int, ...]:
    if len(paddings) != len(x.shape):
        raise ShapeMismatch(f"pad: want a pair of widths an axis, got {list(paddings)} for shape {list(x.shape)}")
    sizes = tuple([-1 if size < 0 else size + before + after for size, (before, after) in zip(x.shape, paddings)])
    for size, old in zip(sizes, x.shape):
        if size < 0 <= old:
            raise InvalidArgument(f"pad: paddings {list(paddings)} take away more than shape {list(x.shape)} has")
    return sizes


def _constant_infer(x: Meta, *, paddings: Paddings, value: float = 0.0) -> Meta:
    return Meta(_padded_shape(x, paddings), x.dtype)


@defop(
    "pad",
    infer=_constant_infer,
    native_half=True,
    check=True,
    vjp={"x": lambda g, paddings: pad_constant(g, paddings=tuple([(-before, -after) for before, after in paddings]))},
)
def pad_constant(xp: Any, x: Any, *, paddings: Paddings, value: float = 0.0) -> Any:
    """`x` inside a border of `value`; negative widths cut off."""
    shape = _padded_shape(x, paddings)
    cut = x[tuple([slice(max(0, -b), size - max(0, -a)) for size, (b, a) in zip(x.shape, paddings)])]
    if all(b <= 0 and a <= 0 for b, a in paddings):
        return cut.copy()
    out = xp.full_like(x, value, shape=shape)  # laid out in memory as x is
    out[tuple([slice(max(0, b), size - max(0, a)) for size, (b, a) in zip(shape, paddings)])] = cut
    return out


def _source(xp: Any, size: int, before: int, after: int, mode: str) -> Any:
    """Which element of an axis of `size` each element of the padded axis shows."""
    places = xp.arange(-before, size + after)
    if mode == "replicate":
        return places.clip(0, size - 1)
    if mode == "circular":
        return places % size
    places = xp.abs(places)
    return xp.where(places >= size, 2 * (size - 1) - places, places)


def _border_infer(x: Meta, *, paddings: Paddings, mode: str) -> Meta:
    shape = _padded_shape(x, paddings)
    for size, pair in zip(x.shape, paddings):
        limit = {"reflect": size - 1, "circular": size}.get(mode, max(pair) if size else 0)
        if size >= 0 and not 0 <= min(pair) <= max(pair) <= limit:
            raise InvalidArgument(
                f"pad: mode {mode!r} pads an axis of size {size} by 0 to {limit} elements a side, got {pair}"
            )
    return Meta(shape, x.dtype)


@defop(
    "pad_border",
    infer=_border_infer,
    native_half=True,
    check=True,
    vjp={"x": lambda g, like_x, paddings, mode: pad_border_grad(g, like_x, paddings=paddings, mode=mode)},
)
def pad_border(xp: Any, x: Any, *, paddings: Paddings, mode: str) -> Any:
    """`x` with a border of its own elements: "reflect", "replicate" or "circular"."""
    out = x
    for axis, (before, after) in enumerate(paddings):
        if before or after:
            out = out.take(_source(xp, x.shape[axis], before, after, mode), axis)
    return out.copy() if out is x else out


@defop(
    "pad_border_grad",
    infer=like_second,
    wide=True,
    shape_only=("like",),
    vjp={"x": lambda g, paddings, mode: pad_border(g, paddings=paddings, mode=mode)},
)
def pad_border_grad(xp: Any, x: Any, like: Any, *, paddings: Paddings, mode: str) -> Any:
    """The gradient inside the border plus that of each border element, added where it came from."""
    out = x
    for axis, (before, after) in reversed(list(enumerate(paddings))):
        if not (before or after):
            continue
        size, along = like.shape[axis], (slice(None),) * axis
        inner = out[(*along, slice(before, before + size))].copy()
        for k, source in enumerate(_source(np, size, before, after, mode).tolist()):
            if not before <= k < before + size:
                inner[(*along, source)] += out[(*along, k)]
        out = inner
    return out.copy() if out is x else out
