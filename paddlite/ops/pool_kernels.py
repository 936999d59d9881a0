"""Pooling on arrays [channels, *spatial, batch], one axis after the other.

A maximum (or sum) over a window is that of the maxima over its columns, so a window of k x k costs 2k passes instead of
k * k, and no windows are copied out.  The last spatial axis is reduced first: the first maximum in row-major order then
lies in the first row whose maximum is the window's, at the first place where it is the row's.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import ml_dtypes

from paddlite.ops.window import Window


def _at(axis: int, first: int, last: int, step: int = 1) -> tuple[slice, ...]:
    """The index of elements [first, last) of spatial `axis`, every `step`-th of them."""
    return (*(slice(None),) * (axis + 1), slice(first, last, step))


class _Tap:
    """Where the windows' element number `tap` along one axis lies: in the input, and in which windows."""

    __slots__ = ("complete", "source", "target")

    def __init__(self, window: Window, axis: int, tap: int):
        lo, hi, start = window.span(axis, tap)
        stride = window.stride[axis]
        self.complete = lo == 0 and hi == window.counts[axis]  # every window has this element
        self.source = _at(axis, start, start + (hi - lo - 1) * stride + 1 if hi > lo else start, stride)
        self.target = _at(axis, lo, hi)


@functools.lru_cache(maxsize=512)
def _taps(window: Window, axis: int) -> tuple[_Tap, ...]:
    return tuple([_Tap(window, axis, tap) for tap in range(window.kernel[axis])])


def _trivial(window: Window, axis: int) -> bool:
    """True where the windows along `axis` are the elements themselves."""
    return window.kernel[axis] == window.stride[axis] == 1 and window.pads[axis] == (0, 0)


@functools.lru_cache(maxsize=256)
def _axes(window: Window) -> list[int]:
    """The axes to reduce, in order; not to be changed."""
    return [a for a in reversed(range(len(window.kernel))) if not _trivial(window, a)]


def _blank(xp: Any, g: Any, window: Window, axis: int, taps: tuple[_Tap, ...]) -> tuple[Any, bool]:
    """An array for what the windows along `axis` send back, and whether they share no element of it.

    What they share is added up and must begin as 0; what no two of them have is only written.
    """
    size, stride = window.sizes[axis], window.stride[axis]
    apart = window.kernel[axis] <= stride and all(t.complete for t in taps)
    filled = apart and window.kernel[axis] == stride and size == window.counts[axis] * stride
    return (xp.empty if filled else xp.zeros)(_resized(g, axis, size), g.dtype), apart


def _resized(x: Any, axis: int, size: int) -> tuple[int, ...]:
    return (*x.shape[: axis + 1], size, *x.shape[axis + 2 :])


def _lowest(x: Any) -> Any:
    """The maximum of a window that lies in the padding altogether."""
    return ml_dtypes.finfo(x.dtype).min


def _fold(xp: Any, method: str, x: Any, window: Window, axis: int) -> Any:
    """The `method` ("max" or "sum") of the windows along `axis`."""
    taps = _taps(window, axis)
    whole = [t for t in taps if t.complete]
    if window.counts[axis] == 1 and len(whole) > 2:
        first, last = whole[0].source[-1].start, whole[-1].source[-1].stop
        return getattr(x[_at(axis, first, last)], method)(axis=axis + 1, keepdims=True)
    combine, empty = (xp.maximum, _lowest(x)) if method == "max" else (xp.add, 0)
    if len(whole) > 1:
        out = combine(x[whole[0].source], x[whole[1].source])
    elif whole:
        out = x[whole[0].source].copy()
    else:
        out = xp.full(_resized(x, axis, window.counts[axis]), empty, x.dtype)
    done = whole[:2]
    for tap in taps:
        if tap not in done:
            part = out[tap.target]
            combine(part, x[tap.source], out=part)
    return out


def maxima(xp: Any, x: Any, window: Window) -> list[Any]:
    """`x` and its maxima over the windows along the last axis, the last two, and so on; the last is the pool."""
    levels = [x]
    for axis in _axes(window):
        levels.append(_fold(xp, "max", levels[-1], window, axis))
    return levels


def sums(xp: Any, x: Any, window: Window) -> Any:
    """The sums over the windows."""
    for axis in _axes(window):
        x = _fold(xp, "sum", x, window, axis)
    return x


def spread(xp: Any, g: Any, window: Window) -> Any:
    """The transpose of `sums`: `g` added to every element of each window."""
    for axis in reversed(_axes(window)):
        taps = _taps(window, axis)
        out, apart = _blank(xp, g, window, axis, taps)
        for tap in taps:
            if apart:
                out[tap.source] = g
            else:
                out[tap.source] += g[tap.target]
        g = out
    return g


def to_first_maximum(xp: Any, g: Any, levels: list[Any], window: Window) -> Any:
    """`g` sent to the first maximum of each window, whose `levels` `maxima` gives."""
    for level, axis in reversed(list(enumerate(_axes(window)))):
        g = _route(xp, g, levels[level], levels[level + 1], window, axis)
    return g


def _route(xp: Any, g: Any, x: Any, top: Any, window: Window, axis: int) -> Any:
    """`g` sent to the first element along `axis` that equals the maximum `top` of its window."""
    taps = _taps(window, axis)
    out, apart = _blank(xp, g, window, axis, taps)
    rest = g.copy() if len(taps) > 1 else g  # what has not found its place yet
    for tap in taps[:-1]:
        left = rest[tap.target]
        if apart:
            part = xp.multiply(left, x[tap.source] == top, out=out[tap.source])
        else:
            part = left * (x[tap.source] == top[tap.target])
            out[tap.source] += part
        left -= part
    last = taps[-1]
    if apart:
        out[last.source] = rest
    else:
        out[last.source] += rest[last.target]
    return out


def at_first_maximum(xp: Any, v: Any, levels: list[Any], window: Window) -> Any:
    """The transpose of `to_first_maximum`: what `v` has at the first maximum of each window."""
    for level, (x, axis) in enumerate(zip(levels, _axes(window))):
        top = levels[level + 1]
        out = xp.zeros(top.shape, v.dtype)
        free = xp.ones(top.shape, bool)  # windows whose maximum has not been met yet
        for tap in _taps(window, axis):
            hit = x[tap.source] == top[tap.target]
            hit &= free[tap.target]
            free[tap.target] ^= hit
            out[tap.target] += v[tap.source] * hit
        v = out
    return v


def indexed_maxima(xp: Any, x: Any, window: Window) -> tuple[Any, Any]:
    """The maxima over the windows and where the first of each lies among the flattened spatial axes (int32)."""
    where = xp.zeros((), "int32")
    weight = 1  # how far neighbours along the axis lie apart among the flattened axes
    for axis in reversed(range(len(window.kernel))):
        shape = _resized(x, axis, window.counts[axis])
        best, place = xp.full(shape, _lowest(x), x.dtype), xp.full(shape, -1, "int32")
        along = [1] * x.ndim
        along[axis + 1] = -1
        steps = xp.arange(window.sizes[axis], dtype="int32").reshape(along) * xp.int32(weight)
        found = xp.broadcast_to(where + steps, x.shape)
        for tap in range(window.kernel[axis]):
            at = _Tap(window, axis, tap)
            old, new = best[at.target], x[at.source]
            better = (~(new <= old) & (old == old)) | (place[at.target] < 0)
            best[at.target] = xp.where(better, new, old)
            place[at.target] = xp.where(better, found[at.source], place[at.target])
        x, where = best, place
        weight *= window.sizes[axis]
    return x, where


Bins = tuple[tuple[int, int], ...]


def even_bins(size: int, count: int) -> Bins:
    """`size` elements in `count` bins that differ by at most one element, and overlap where they must."""
    return tuple([(i * size // count, -(-(i + 1) * size // count)) for i in range(count)])


def bin_means(xp: Any, x: Any, bins: list[Bins]) -> Any:
    """The means over boxes: one list of bins a spatial axis."""
    for axis, ranges in enumerate(bins):
        out = xp.empty(_resized(x, axis, len(ranges)), x.dtype)
        for i, (first, last) in enumerate(ranges):
            out[_at(axis, i, i + 1)] = x[_at(axis, first, last)].mean(axis=axis + 1, keepdims=True)
        x = out
    return x


def spread_bin_means(xp: Any, g: Any, bins: list[Bins], sizes: tuple[int, ...]) -> Any:
    """The transpose of `bin_means`, for an input of spatial `sizes`."""
    for axis, ranges in enumerate(bins):
        out = xp.zeros(_resized(g, axis, sizes[axis]), g.dtype)
        for i, (first, last) in enumerate(ranges):
            if last > first:
                out[_at(axis, first, last)] += g[_at(axis, i, i + 1)] * g.dtype.type(1.0 / (last - first))
        g = out
    return g


def indexed_bin_maxima(xp: Any, x: Any, bins: list[Bins]) -> tuple[Any, Any]:
    """The maxima over boxes and where the first of each lies among the flattened spatial axes (int32)."""
    sizes = x.shape[1:-1]
    shape = (x.shape[0], *map(len, bins), x.shape[-1])
    best, where = xp.empty(shape, x.dtype), xp.empty(shape, "int32")
    numbers = xp.arange(math.prod(sizes), dtype="int32").reshape(sizes)
    for at in itertools.product(*[range(len(b)) for b in bins]):
        box = tuple([slice(*bins[axis][i]) for axis, i in enumerate(at)])
        places = numbers[box].reshape(-1)
        values = x[(slice(None), *box)].reshape(shape[0], len(places), shape[-1])
        chosen = values.argmax(axis=1)
        best[(slice(None), *at)] = xp.take_along_axis(values, chosen[:, None], 1)[:, 0]
        where[(slice(None), *at)] = places[chosen]
    return best, where
