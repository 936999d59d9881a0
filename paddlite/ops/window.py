"""How the windows of convolutions and pools lie on the spatial axes of their input."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from paddlite.core.errors import InvalidArgument, ShapeMismatch

CHANNEL_LAST = frozenset(("NLC", "NHWC", "NDHWC"))

Pads = tuple[tuple[int, int], ...]


class Span(NamedTuple):
    """Where one tap of a window meets data rather than padding, along one axis.

    Windows `lo` to `hi` do; the first of them reads input element `start`.
    """

    lo: int
    hi: int
    start: int


class Window(NamedTuple):
    """The windows over spatial axes of `sizes`: one entry an axis in every field."""

    sizes: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pads: Pads
    counts: tuple[int, ...]  # how many windows there are: the output's sizes; -1 where the input's is unknown

    @property
    def padded(self) -> bool:
        return any(lo or hi for lo, hi in self.pads)

    @property
    def pointwise(self) -> bool:
        """True where every window is one element and every element has one: a 1x1 convolution."""
        return not self.padded and all(k == 1 and s == 1 for k, s in zip(self.kernel, self.stride))

    @property
    def whole(self) -> bool:
        """True where no window reaches over the input's border."""
        return all(
            lo == 0 and (count - 1) * s + d * (k - 1) < size
            for (lo, _), count, s, d, k, size in zip(
                self.pads, self.counts, self.stride, self.dilation, self.kernel, self.sizes
            )
        )

    def span(self, axis: int, tap: int) -> Span:
        size, stride, count = self.sizes[axis], self.stride[axis], self.counts[axis]
        offset = tap * self.dilation[axis] - self.pads[axis][0]  # what window 0 reads
        lo = min(count, max(0, -(offset // stride)))
        hi = max(lo, min(count, (size - 1 - offset) // stride + 1))
        return Span(lo, hi, lo * stride + offset)


def same_pads(sizes: tuple[int, ...], kernel: tuple[int, ...], stride: tuple[int, ...]) -> Pads:
    """The padding with which there are ceil(size / stride) windows, the odd element behind."""
    totals = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(sizes, kernel, stride)]
    return tuple([(t // 2, t - t // 2) for t in totals])


@functools.lru_cache(maxsize=4096)
def window(
    name: str,
    sizes: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: Any,
    dilation: tuple[int, ...] | None = None,
    ceil_mode: bool = False,
    overhang: bool = False,
) -> Window:
    """The windows of op `name` over axes of `sizes`, of which -1 is unknown.

    Args:
        padding: (before, behind) for each axis, or "SAME", or "VALID".
        ceil_mode: count a last window that reaches over the end.
        overhang: a window may be larger than the input by less than the stride, as in the reference's pools.

    Raises:
        InvalidArgument: a kernel size, stride or dilation is below 1.
        ShapeMismatch: the padded input is smaller than the window.
    """
    rank = len(sizes)
    dilation = dilation or (1,) * rank
    check_positive(name, kernel_size=kernel, stride=stride, dilation=dilation)
    if padding == "SAME":
        dilation = (1,) * rank  # as the reference has it; the public functions warn
        pads = same_pads(sizes, kernel, stride)
    else:
        pads = ((0, 0),) * rank if padding == "VALID" else padding
    counts = []
    for axis in range(rank):
        if sizes[axis] < 0:
            counts.append(-1)
            continue
        extent = dilation[axis] * (kernel[axis] - 1) + 1
        room = sizes[axis] + sum(pads[axis]) - extent
        if room < 0 and not (overhang and (ceil_mode or room > -stride[axis])):
            raise ShapeMismatch(
                f"{name}: a window of {extent} does not fit into spatial axis {axis} of size {sizes[axis]} padded by "
                f"{pads[axis]}; use a smaller kernel or more padding"
            )
        counts.append((room + stride[axis] - 1 if ceil_mode else max(room, 0)) // stride[axis] + 1)
    return Window(sizes, kernel, stride, dilation, pads, tuple(counts))


def spatial(shape: tuple[int, ...], data_format: str) -> tuple[int, ...]:
    """The spatial sizes of a batch of images of `shape`."""
    return shape[1:-1] if data_format in CHANNEL_LAST else shape[2:]


def channel_axis(data_format: str) -> int:
    return -1 if data_format in CHANNEL_LAST else 1


def image_shape(batch: int, channels: int, sizes: tuple[int, ...], data_format: str) -> tuple[int, ...]:
    return (batch, *sizes, channels) if data_format in CHANNEL_LAST else (batch, channels, *sizes)


def batch_last(x: Any, data_format: str) -> Any:
    """A view [channels, *spatial, batch] of a batch of images.

    This is how activations lie in memory here, whatever the logical format: the runs of contiguous elements that
    windows are cut from are then as long as width times batch, a matrix product needs neither the weight nor the result
    transposed, and every channel is one contiguous row.
    """
    rank = x.ndim
    if data_format in CHANNEL_LAST:
        return x.transpose(rank - 1, *range(1, rank - 1), 0)
    return x.transpose(*range(1, rank), 0)


def from_batch_last(x: Any, data_format: str) -> Any:
    """The view in `data_format` of an array [channels, *spatial, batch]."""
    rank = x.ndim
    if data_format in CHANNEL_LAST:
        return x.transpose(rank - 1, *range(1, rank - 1), 0)
    return x.transpose(rank - 1, *range(rank - 1))


def check_rank(name: str, shape: tuple[int, ...], data_format: str) -> None:
    """Raise ShapeMismatch where `shape` has not one axis for each letter of `data_format`."""
    if len(shape) != len(data_format):
        raise ShapeMismatch(
            f"{name}: x must have {len(data_format)} axes ({data_format}), got shape {list(shape)}; "
            "use unsqueeze to add a batch axis"
        )


def check_positive(name: str, **values: tuple[int, ...]) -> None:
    """Raise InvalidArgument where one of the values is not at least 1."""
    for argument, numbers in values.items():
        if any(n < 1 for n in numbers):
            raise InvalidArgument(f"{name}: {argument} must be at least 1, got {list(numbers)}")
