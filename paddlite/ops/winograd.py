"""3x3 convolutions of stride 1 on the host, with 4 products in place of 9: Winograd's F(2x2, 3x3).

A tile of 2x2 results needs a patch d of 4x4: Y = A' [(G w G') * (B' d B)] A, where the product in the middle is
elementwise, and over channels and tiles a matrix product for each of the 16 elements.  B and A hold only 0 and +-1 and
G only 0, 1 and +-1/2, so the results are as exact as those of the direct way (Lavin and Gray, "Fast algorithms for
convolutional neural networks", 2016).  Arrays are [channels, height, width, batch].
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from paddlite.ops.window import Window

# Below these the transforms cost more than they save: channels, tiles, and images in a batch of more than one (whose
# number is the length of the runs that results are written in).
FEWEST_CHANNELS, FEWEST_TILES, FEWEST_IMAGES = 48, 96, 8


def applies(channels: int, outs: int, batch: int, window: Window) -> bool:
    """True where this way of computing is right and pays."""
    return (
        window.kernel == (3, 3)
        and window.stride == window.dilation == (1, 1)
        and min(channels, outs) >= FEWEST_CHANNELS
        and (batch == 1 or batch >= FEWEST_IMAGES)
        and -(-window.counts[0] // 2) * -(-window.counts[1] // 2) * batch >= FEWEST_TILES
    )


@functools.cache
def _filter_map(dtype: np.dtype, flipped: bool, signed: bool = False) -> np.ndarray:
    """[16, 9]: the filter's transform on flattened filters; of filters turned by 180 degrees where `flipped`.

    With `signed`, the sign that `_result_tiles` leaves out is put in.
    """
    g = np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]], dtype)
    if signed:
        g[3] = -g[3]
    if flipped:
        g = g[:, ::-1]
    return np.kron(g, g)


def _filters(weight: np.ndarray, flipped: bool) -> np.ndarray:
    """The transformed filters of `weight` [O, C, 3, 3]: [16, O, C]."""
    outs, channels = weight.shape[:2]
    return (_filter_map(weight.dtype, flipped) @ weight.reshape(-1, 9).T).reshape(16, outs, channels)


def _parted(x: np.ndarray, top: int, left: int, height: int, half: int) -> np.ndarray:
    """`x` [C, H, W, N] in zeros, its even columns apart from the odd ones: [C, height, 2, half, N].

    What the transforms take of a row is contiguous then, even for a single image.
    """
    rows, columns = x.shape[1:3]
    out = np.zeros((x.shape[0], height, 2, half, x.shape[-1]), x.dtype)
    for odd in (0, 1):
        first = (left - odd + 1) // 2  # the first column of this kind that is not padding
        begin = 2 * first + odd - left
        out[:, top : top + rows, odd, first : first + -(-(columns - begin) // 2)] = x[:, :, begin::2]
    return out


class _Tiles:
    """The tiles of 2x2 results, and the blocks in which they are worked on so that these stay in the cache."""

    def __init__(self, x: np.ndarray, window: Window):
        self.channels, self.batch = x.shape[0], x.shape[-1]
        self.rows, self.columns = -(-window.counts[0] // 2), -(-window.counts[1] // 2)
        (top, _), (left, _) = window.pads
        self.source = _parted(x, top, left, 2 * self.rows + 2, self.columns + 1)

    def blocks(self) -> Iterator[tuple[slice, slice, int]]:
        """Ranges of tile rows and tile columns, and how many tiles that makes."""
        most = max(256, (1 << 15) // self.channels)
        parts = -(-self.columns * self.batch // most)
        width = -(-self.columns // min(parts, self.columns))
        height = max(1, most // (self.columns * self.batch)) if width == self.columns else 1
        for i in range(0, self.rows, height):
            for j in range(0, self.columns, width):
                rows = slice(i, min(i + height, self.rows))
                columns = slice(j, min(j + width, self.columns))
                yield rows, columns, (rows.stop - i) * (columns.stop - j) * self.batch

    def patches(self, rows: slice, columns: slice, tiles: int) -> np.ndarray:
        """The transformed patches B' d B of a block: [16, C, tiles]."""
        first, last = 2 * rows.start, 2 * rows.stop
        a, b, c, d = [
            self.source[:, first + k : last + k - (k > 1) : 2, :, columns.start : columns.stop + 1] for k in range(4)
        ]
        shape = (4, 4, self.channels, rows.stop - rows.start, columns.stop - columns.start, self.batch)
        out = np.empty(shape, self.source.dtype)
        for line, target in zip((a - c, b + c, c - b, b - d), out):
            even, odd = line[:, :, 0], line[:, :, 1]
            np.subtract(even[:, :, :-1], even[:, :, 1:], out=target[0])
            np.add(odd[:, :, :-1], even[:, :, 1:], out=target[1])
            np.subtract(even[:, :, 1:], odd[:, :, :-1], out=target[2])
            np.subtract(odd[:, :, :-1], odd[:, :, 1:], out=target[3])
        return out.reshape(16, self.channels, tiles)


def _write(out: np.ndarray, combine: Any, a: np.ndarray, b: np.ndarray, at: tuple[slice, slice], shape: tuple) -> None:
    """`combine(a, b)` of a block of tiles to every second row and column of `out`; what lies outside is left away."""
    target = out[:, at[0], at[1]]
    inside = (slice(None), slice(target.shape[1]), slice(target.shape[2]))
    combine(a.reshape(shape)[inside], b.reshape(shape)[inside], out=target)


def convolve(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, window: Window, turned: bool = False
) -> np.ndarray:
    """The convolution of `x` with `weight` [O, C, 3, 3]: [O, *counts, N].

    With `turned`, that with `weight` [C, O, 3, 3] turned by 180 degrees: the gradient of the input.
    """
    tiles = _Tiles(x, window)
    filters = _filters(weight, turned)
    if turned:
        filters = filters.swapaxes(1, 2)
    outs = filters.shape[1]
    out = np.empty((outs, *window.counts, tiles.batch), x.dtype)
    for rows, columns, count in tiles.blocks():
        m = np.matmul(filters, tiles.patches(rows, columns, count)).reshape(4, 4, outs, count)
        if bias is not None:
            m[1, 1] += bias.reshape(outs, 1)  # the one element that every result adds
        upper = m[0] + m[1]
        upper += m[2]
        lower = m[1] - m[2]
        lower -= m[3]
        shape = (outs, rows.stop - rows.start, columns.stop - columns.start, tiles.batch)
        for half, line in enumerate((upper, lower)):
            across = slice(2 * rows.start + half, 2 * rows.stop, 2)
            part = line[0] + line[1]
            _write(out, np.add, part, line[2], (across, slice(2 * columns.start, 2 * columns.stop, 2)), shape)
            np.subtract(line[1], line[2], out=part)
            _write(out, np.subtract, part, line[3], (across, slice(2 * columns.start + 1, 2 * columns.stop, 2)), shape)
    return out


def _result_tiles(g: np.ndarray, rows: slice, columns: slice, tiles: int) -> np.ndarray:
    """[16, O, tiles]: A g A' of a block of `_parted` gradients, without the sign of the last row and column."""
    first, last = 2 * rows.start, 2 * rows.stop
    a, b = g[:, first:last:2, :, columns], g[:, first + 1 : last : 2, :, columns]
    out = np.empty((4, 4, *a.shape[:2], *a.shape[3:]), g.dtype)
    for line, target in zip((a, a + b, a - b, b), out):
        even, odd = line[:, :, 0], line[:, :, 1]
        target[0], target[3] = even, odd
        np.add(even, odd, out=target[1])
        np.subtract(even, odd, out=target[2])
    return out.reshape(16, len(g), tiles)


def weight_gradient(g: np.ndarray, x: np.ndarray, window: Window) -> np.ndarray:
    """The gradient [O, C, 3, 3] of the filters of `convolve`, where `g` is that of the result."""
    tiles = _Tiles(x, window)
    outs = len(g)
    g = _parted(g, 0, 0, 2 * tiles.rows, tiles.columns)
    total = np.zeros((16, outs, tiles.channels), g.dtype)
    part = np.empty_like(total)
    for rows, columns, count in tiles.blocks():
        patches = tiles.patches(rows, columns, count).swapaxes(1, 2)
        total += np.matmul(_result_tiles(g, rows, columns, count), patches, out=part)
    flat = total.reshape(16, -1).T @ _filter_map(g.dtype, False, True)
    return flat.reshape(outs, tiles.channels, 3, 3)
