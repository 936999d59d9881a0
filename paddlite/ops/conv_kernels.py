"""Convolution on arrays [channels, *spatial, batch]: windows laid out as columns, then one matrix product.

A column buffer of a whole input is `kernel` times as large as the input, so on the host it is made and used in blocks
that stay in the cache.  Weights are [out, in / groups, *kernel].  `winograd` has a way of its own for 3x3 windows.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from paddlite.backend.dtypes import F32, HALF
from paddlite.ops import winograd
from paddlite.ops.matmul import product
from paddlite.ops.window import Span, Window

# Bytes of columns at a time.  To read them: half of a core's second-level cache.  To add them up: more, since each
# block costs a call for every tap.
READ_BLOCK, ADD_BLOCK, DEVICE_BLOCK = 1 << 19, 1 << 22, 1 << 28
FEWEST_COLUMNS = 256  # narrower products read the weight too often


class _Block(NamedTuple):
    """A contiguous part of the output [*counts, batch]: elements `start` to `stop`; slices of the axes; its shape."""

    start: int
    stop: int
    part: tuple[slice, ...]
    shape: tuple[int, ...]


@functools.lru_cache(maxsize=256)
def _blocks(window: Window, batch: int, column: int, limit: int) -> tuple[_Block, ...]:
    """The output in blocks whose columns, of `column` bytes each, take `limit` bytes or little more."""
    sizes = (*window.counts, batch)
    most = max(FEWEST_COLUMNS, limit // max(column, 1))
    inner = [math.prod(sizes[a + 1 :]) for a in range(len(sizes))]
    axis = next((a for a in range(len(sizes)) if inner[a] <= most), len(sizes) - 1)
    step = max(1, most // max(inner[axis], 1))
    rest = tuple([slice(0, size) for size in sizes[axis + 1 :]])
    found, start = [], 0
    for outer in itertools.product(*map(range, sizes[:axis])):
        lead = tuple([slice(i, i + 1) for i in outer])
        for first in range(0, sizes[axis], step):
            last = min(first + step, sizes[axis])
            stop = start + (last - first) * inner[axis]
            part = (*lead, slice(first, last), *rest)
            found.append(_Block(start, stop, part, tuple([s.stop - s.start for s in part])))
            start = stop
    return tuple(found)


def padded(xp: Any, x: Any, pads: Any) -> Any:
    """`x` [channels, *spatial, batch] with zeros around, contiguous."""
    shape = (x.shape[0], *[lo + n + hi for n, (lo, hi) in zip(x.shape[1:-1], pads)], x.shape[-1])
    out = xp.empty(shape, x.dtype)
    inside: tuple[slice, ...] = (slice(None),)
    for size, (lo, hi) in zip(x.shape[1:-1], pads):
        if lo:
            out[(*inside, slice(0, lo))] = 0
        if hi:
            out[(*inside, slice(lo + size, None))] = 0
        inside = (*inside, slice(lo, lo + size))
    out[inside] = x
    return out


def windows(xp: Any, x: Any, window: Window) -> Any:
    """A view [channels, *kernel, *counts, batch] of `x`, padded where need be; elements repeat."""
    x = padded(xp, x, window.pads) if window.padded else xp.ascontiguousarray(x)
    steps = x.strides[1:-1]
    shape = (x.shape[0], *window.kernel, *window.counts, x.shape[-1])
    taps = [step * d for step, d in zip(steps, window.dilation)]
    moves = [step * s for step, s in zip(steps, window.stride)]
    strides = (x.strides[0], *taps, *moves, x.strides[-1])
    if xp is np:
        return np.ndarray(shape, x.dtype, x, 0, strides)  # as_strided takes seven times as long
    return xp.lib.stride_tricks.as_strided(x, shape, strides)


def _columns(xp: Any, x: Any, window: Window) -> Iterator[tuple[int, int, Any]]:
    """Blocks of the columns [channels * taps, counts * batch] of `x`; each is overwritten by the next."""
    channels, batch = x.shape[0], x.shape[-1]
    if window.pointwise:
        x = _rows(x)
        yield 0, x.shape[1], x
        return
    view = windows(xp, x, window)
    rows = channels * math.prod(window.kernel)
    blocks = _blocks(window, batch, rows * x.itemsize, READ_BLOCK if xp is np else DEVICE_BLOCK)
    if len(blocks) == 1:
        yield 0, blocks[0].stop, view.reshape(rows, blocks[0].stop)
        return
    lead = (slice(None),) * (1 + len(window.kernel))
    buffer = xp.empty(rows * max([b.stop - b.start for b in blocks], default=0), x.dtype)
    for block in blocks:
        start, stop, part, shape = block
        columns = buffer[: rows * (stop - start)].reshape(*view.shape[: len(lead)], *shape)
        columns[...] = view[lead + part]
        yield start, stop, columns.reshape(rows, stop - start)


def _matmul(xp: Any, a: Any, b: Any, out: Any) -> None:
    """out[...] = a @ b, over a leading axis of groups where there is one."""
    if xp is np:
        np.matmul(a, b, out=out)
    else:
        out[...] = product(xp, a, b)


def _rows(x: Any) -> Any:
    """[channels, ...] as a matrix of one row a channel."""
    return x.reshape(x.shape[0], math.prod(x.shape[1:]))


def _grouped(matrix: Any, groups: int) -> Any:
    """[groups * rows, n] as [groups, rows, n]; one group as it is."""
    return matrix if groups == 1 else matrix.reshape(groups, matrix.shape[0] // groups, matrix.shape[-1])


def correlate(xp: Any, x: Any, weight: Any, bias: Any, window: Window, groups: int) -> Any:
    """The convolution of `x`: [out, *counts, batch], contiguous."""
    outs, batch = weight.shape[0], x.shape[-1]
    if xp is np and groups == 1 and winograd.applies(x.shape[0], outs, batch, window):
        return winograd.convolve(x, weight, bias, window)
    out = xp.empty((outs, *window.counts, batch), x.dtype)
    flat = _rows(out)
    target = _grouped(flat, groups)
    filters = _grouped(_rows(weight), groups)
    column = None if bias is None else bias.reshape(outs, 1)
    for start, stop, columns in _columns(xp, x, window):
        _matmul(xp, filters, _grouped(columns, groups), target[..., start:stop])
        if column is not None:
            flat[:, start:stop] += column
    return out


def weight_gradient(xp: Any, g: Any, x: Any, shape: tuple[int, ...], window: Window, groups: int) -> Any:
    """The gradient of `correlate` with respect to its weight of `shape`, from that of its result."""
    if xp is np and groups == 1 and winograd.applies(shape[1], shape[0], x.shape[-1], window):
        return winograd.weight_gradient(g, x, window)
    outs = shape[0] // groups
    g = _grouped(_rows(xp.ascontiguousarray(g)), groups)
    # BLAS is slow at few rows: columns @ g.T and a turn at the end, unless the turn costs more
    upright = outs >= math.prod(shape[1:]) or outs > 256
    total = None
    for start, stop, columns in _columns(xp, x, window):
        left, right = g[..., start:stop], _grouped(columns, groups)
        if not upright:
            left, right = right, left
        part = product(xp, left, right.swapaxes(-1, -2))
        if total is None:
            total = part.astype(F32, copy=False) if part.dtype in HALF else part
        else:
            total += part
    if total is None:
        return xp.zeros(shape, x.dtype)
    return (total if upright else total.swapaxes(-1, -2)).reshape(shape).astype(x.dtype, copy=False)


def input_gradient(xp: Any, g: Any, weight: Any, window: Window, groups: int, bias: Any = None) -> Any:
    """The gradient of `correlate` with respect to its input; as a map of its own, the transposed convolution.

    Args:
        g: [out, *counts, batch].
        bias: one number a channel of the result, added to it.
    """
    outs, batch = g.shape[0], g.shape[-1]
    channels = weight.shape[1] * groups
    mirrored = _mirrored(window)
    if mirrored is not None and xp is np and groups == 1 and winograd.applies(outs, channels, batch, mirrored):
        return winograd.convolve(g, weight, bias, mirrored, turned=True)
    if mirrored is not None and outs <= channels:
        return correlate(xp, g, _flipped(xp, weight, groups), bias, mirrored, groups)
    half = g.dtype in HALF
    filters = _grouped(_rows(weight), groups).swapaxes(-1, -2)
    g = _grouped(_rows(xp.ascontiguousarray(g)), groups)
    if window.pointwise:
        out = product(xp, filters, g).reshape(channels, *window.sizes, batch)
    else:
        out = xp.zeros((channels, *window.sizes, batch), F32 if half else g.dtype)
        limit = ADD_BLOCK if xp is np else DEVICE_BLOCK
        for block in _blocks(window, batch, channels * math.prod(window.kernel) * g.itemsize, limit):
            columns = product(xp, filters, g[..., block.start : block.stop])
            add_columns(out, columns.reshape(channels, *window.kernel, *block.shape), window, block.part)
    if bias is not None:
        out += bias.reshape(channels, *(1,) * (out.ndim - 1))
    return out.astype(g.dtype, copy=False)


def _mirrored(window: Window) -> Window | None:
    """The windows over the output whose convolution with the flipped weight is the input's gradient, if there are."""
    reach = [d * (k - 1) for d, k in zip(window.dilation, window.kernel)]
    pads = tuple([(r - lo, r - hi) for r, (lo, hi) in zip(reach, window.pads)])
    if any(s != 1 for s in window.stride) or any(lo < 0 or hi < 0 for lo, hi in pads):
        return None
    return Window(window.counts, window.kernel, window.stride, window.dilation, pads, window.sizes)


def _flipped(xp: Any, weight: Any, groups: int) -> Any:
    """`weight` with every axis of the kernel reversed, and inputs and outputs exchanged within each group."""
    kernel = weight.shape[2:]
    split = weight.reshape(groups, -1, *weight.shape[1:])
    turned = split.swapaxes(1, 2)[(..., *[slice(None, None, -1)] * len(kernel))]
    return xp.ascontiguousarray(turned).reshape(groups * weight.shape[1], -1, *kernel)


@functools.lru_cache(maxsize=256)
def _spans(window: Window) -> tuple[tuple[tuple[int, ...], tuple[Span, ...]], ...]:
    """Every tap of the window, and where it meets the input along each axis."""
    axes = range(len(window.kernel))
    return tuple(
        [
            (taps, tuple([window.span(axis, taps[axis]) for axis in axes]))
            for taps in itertools.product(*map(range, window.kernel))
        ]
    )


def add_columns(out: Any, columns: Any, window: Window, part: tuple[slice, ...]) -> None:
    """Add `columns` [channels, *kernel, *part] at the elements of `out` that they were cut from."""
    for taps, spans in _spans(window):
        sources, targets = [slice(None), *taps], [slice(None)]
        for (lo, hi, start), block, stride in zip(spans, part, window.stride):
            first, last = max(lo, block.start), min(hi, block.stop)
            if first >= last:
                break
            begin = start + (first - lo) * stride
            sources.append(slice(first - block.start, last - block.start))
            targets.append(slice(begin, begin + (last - first - 1) * stride + 1, stride))
        else:
            place = out[(*targets, part[-1])]
            place += columns[tuple(sources)]
