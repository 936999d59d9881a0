"""Sums and maps per channel, for the kernels of normalisation over a batch.

An array is looked at as [outer, channels, inner], or as [rows, channels] where the channels lie closest together in
memory (data format NHWC, and NCHW-shaped views of such memory), so that no kernel copies or strides.  What convolutions
give, memory of [channels, *spatial, batch], is [1, channels, inner].
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_CHUNK = 4096  # rows summed by one product; sums of chunks are added, which keeps float32 accurate
_WIDE = 2048  # elements of an inner loop that is long enough
_PIECE = 65536  # elements that are worked on at a time
_SKEWED = 30  # squared mean over variance from which differences of large numbers cost too many digits


def channels_last(x: Any, axis: int) -> bool:
    """True where the channels of `x` lie closest together in memory, or nothing lies inside of them."""
    if axis == x.ndim - 1:
        return True
    if x.flags.c_contiguous:
        return math.prod(x.shape[axis + 1 :]) == 1
    return _moved(x, axis).flags.c_contiguous


def _moved(x: Any, axis: int) -> Any:
    return x.transpose(*[i for i in range(x.ndim) if i != axis], axis)


def _batch_behind(x: Any, axis: int) -> tuple[int, ...] | None:
    """The order of axes [channels, *others, batch], where `x` lies in memory like that and in no plainer way."""
    if axis == 0 or x.flags.c_contiguous:
        return None
    order = (axis, *[i for i in range(1, x.ndim) if i != axis], 0)
    return order if x.transpose(order).flags.c_contiguous else None


class Channels:
    """How arrays of one shape are looked at; `view` and `back` are each other's inverse."""

    __slots__ = ("axis", "count", "last", "order", "shape")

    def __init__(self, x: Any, axis: int):
        self.shape, self.axis, self.last = x.shape, axis, channels_last(x, axis)
        self.order = None if self.last else _batch_behind(x, axis)
        self.count = math.prod(x.shape[:axis] + x.shape[axis + 1 :])  # elements of a channel

    def view(self, x: Any) -> Any:
        """`x` as [rows, channels] or [outer, channels, inner]; a copy where its memory is laid out otherwise."""
        if self.last:
            return _moved(x, self.axis).reshape(self.count, self.shape[self.axis])
        if self.order is not None:
            return x.transpose(self.order).reshape(1, self.shape[self.axis], self.count)
        outer = math.prod(self.shape[: self.axis])
        return x.reshape(outer, self.shape[self.axis], math.prod(self.shape[self.axis + 1 :]))

    def back(self, x: Any) -> Any:
        """The array that `x` is the view of."""
        if self.order is not None:
            inverse = sorted(range(len(self.order)), key=self.order.__getitem__)
            return x.reshape([self.shape[i] for i in self.order]).transpose(inverse)
        if not self.last:
            return x.reshape(self.shape)
        rank, axis = len(self.shape), self.axis
        moved = x.reshape(*self.shape[:axis], *self.shape[axis + 1 :], self.shape[axis])
        return moved.transpose(*range(axis), rank - 1, *range(axis, rank - 1))

    def beside(self, values: Any) -> Any:
        """One value a channel, in the shape that broadcasts with a view."""
        return values if self.last else values[:, None]


def channel_sum(xp: Any, x: Any) -> Any:
    """The sum of each channel of a view."""
    if xp is not np:
        return x.sum(axis=0 if x.ndim == 2 else (0, 2))
    if x.ndim == 2:
        return _column_sum(x)
    return np.add.reduce(x[0], 1) if len(x) == 1 else np.einsum("ncl->c", x)


def channel_dot(xp: Any, x: Any, y: Any) -> Any:
    """The sum over each channel of x * y."""
    if xp is not np:
        return (x * y).sum(axis=0 if x.ndim == 2 else (0, 2))
    return np.einsum("nc,nc->c", x, y) if x.ndim == 2 else np.vecdot(x, y).sum(axis=0)


def _column_sum(x: Any) -> Any:
    rows, columns = x.shape
    whole = rows // _CHUNK * _CHUNK
    total = np.ones(rows - whole, x.dtype) @ x[whole:]
    if whole:
        total += np.matmul(np.ones(_CHUNK, x.dtype), x[:whole].reshape(-1, _CHUNK, columns)).sum(axis=0)
    return total


def combine(xp: Any, terms: list[tuple[Any, Any]], shift: Any = None, out: Any = None) -> Any:
    """The sum of view * factor over `terms`, plus `shift`; factors and shift are one value a channel.

    On the host it is worked out in pieces that stay in the cache; `out` may be given there, contiguous.
    """
    first = terms[0][0]
    if first.size == 0:
        return xp.empty_like(first)
    if xp is not np:
        spread = (lambda v: v) if first.ndim == 2 else (lambda v: v[:, None])
        out = first * spread(terms[0][1])
        for view, factor in terms[1:]:
            out += view * spread(factor)
        return out if shift is None else xp.add(out, spread(shift), out=out)
    views, values = [view for view, _ in terms], [factor for _, factor in terms]
    views, values, along = _as_rows(views, values if shift is None else [*values, shift])
    out = np.empty_like(views[0]) if out is None else out.reshape(views[0].shape)
    rows = len(out)
    step = max(1, _PIECE * rows // max(1, out.size))
    buffer = np.empty_like(out[:step]) if len(views) > 1 else None
    for i in range(0, rows, step):
        part = slice(i, i + step)
        made = out[part]
        beside = [v[part] for v in values] if along else values
        np.multiply(views[0][part], beside[0], out=made)
        for view, factor in zip(views[1:], beside[1:]):
            made += np.multiply(view[part], factor, out=buffer[: len(made)])  # type: ignore[index]
        if shift is not None:
            made += beside[-1]
    return out.reshape(first.shape)


def _as_rows(views: list, values: list) -> tuple[list, list, bool]:
    """Views as matrices with long rows, values in shapes that broadcast with them, True where there is one a row."""
    first = views[0]
    if first.ndim == 3:
        rows = first.shape[0] * first.shape[1]
        return [v.reshape(rows, -1) for v in views], [np.tile(v, first.shape[0])[:, None] for v in values], True
    rows, columns = first.shape
    repeats = 1
    while columns * repeats * 2 <= _WIDE and rows and rows % (repeats * 2) == 0:
        repeats *= 2
    wide = [v.reshape(rows // repeats, columns * repeats) for v in views]
    return wide, [np.tile(v, repeats) for v in values], False


def skewed(xp: Any, mean: Any, variance: Any) -> bool:
    """True where a channel's mean is so far from 0 that it must be taken away first; always on a GPU, unread."""
    return xp is not np or bool((mean * mean > _SKEWED * variance).any())


def moments(xp: Any, x: Any, count: int) -> tuple[Any, Any, Any]:
    """(mean, variance) of each channel of a view, and the view less the mean where that had to be made, or None.

    Where it is accurate, the variance is the mean square less the squared mean, which takes one pass over memory.
    """
    share = 1 / max(count, 1)
    mean = channel_sum(xp, x) * x.dtype.type(share)
    if xp is np:
        variance = channel_dot(xp, x, x) * x.dtype.type(share)
        variance -= mean * mean
        if not skewed(xp, mean, variance):
            return mean, variance, None
    centred = combine(xp, [(x, xp.ones_like(mean))], -mean)
    return mean, channel_dot(xp, centred, centred) * x.dtype.type(share), centred
