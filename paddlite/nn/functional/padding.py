"""Borders around tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Tensor
from paddlite.ops.pad import pad_border, pad_constant
from paddlite.ops.window import CHANNEL_LAST

__all__ = ["pad", "zeropad2d"]

_FORMATS = {3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}
_MODES = ("constant", "reflect", "replicate", "circular")

Pairs = tuple[tuple[int, int], ...]


def _widths(pad: Any, rank: int) -> list[int]:
    """The widths as a flat list; one number stands for every side of the spatial axes."""
    if isinstance(pad, Tensor):
        pad = pad.tolist()
    if not isinstance(pad, (list, tuple)):
        pad = [pad] * (2 * (rank - 2))
    found = []
    for width in pad:
        width = width.item() if isinstance(width, Tensor) else width
        if isinstance(width, bool) or not isinstance(width, (int, np.integer)):
            raise InvalidArgument(f"pad: widths must be ints, got {width!r}")
        found.append(int(width))
    if len(found) % 2 or len(found) > 2 * rank or not found:
        raise InvalidArgument(f"pad: want 2 widths an axis, at most {2 * rank} in all, got {found}")
    return found


def _from_the_last(widths: list[int], axes: list[int], rank: int) -> Pairs:
    """Pairs for `rank` axes, where `widths` begin with the last of `axes`."""
    pairs = [(0, 0)] * rank
    for axis, before, after in zip(reversed(axes), widths[::2], widths[1::2]):
        pairs[axis] = (before, after)
    return tuple(pairs)


def _spatial_axes(data_format: str | None, rank: int) -> list[int]:
    if data_format is not None and data_format not in _FORMATS[rank]:
        raise InvalidArgument(
            f"pad: data_format of a tensor of {rank} axes is one of {_FORMATS[rank]}, got {data_format!r}"
        )
    return list(range(1, rank - 1)) if data_format in CHANNEL_LAST else list(range(2, rank))


def pad(
    x: Any,
    pad: Any,
    mode: str = "constant",
    value: float = 0.0,
    data_format: str | None = None,
    pad_from_left_axis: bool = True,
    name: str | None = None,
) -> Any:
    """`x` inside a border.

    Args:
        x: a tensor; with a mode other than "constant", one of 3 to 5 axes.
        pad: widths before and behind each axis, in pairs; negative ones cut off.  With two widths for each spatial axis
            of 3 to 5 axes: [left, right, top, bottom, front, back], so the last spatial axis comes first.  With two for
            each axis: in the order of the axes, or the last first if `pad_from_left_axis` is False.  With fewer: of the
            last axes, the last first.  An int: all sides of the spatial axes.
        mode: "constant"; "reflect", mirrored without the edge; "replicate", the edge; "circular", wrapped around.
        value: what a constant border holds.
        data_format: which axes are spatial; channels come second where it is None.

    Raises:
        InvalidArgument: the widths do not fit the axes, or are too large for the mode.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.pad(paddle.to_tensor([[[1, 2, 3]]]), [1, 2], mode="reflect").tolist()
    [[[2, 1, 2, 3, 2, 1]]]
    """
    if mode not in _MODES:
        raise InvalidArgument(f"pad: mode must be one of {_MODES}, got {mode!r}")
    rank = len(x._shape)
    widths = _widths(pad, rank)
    if rank in _FORMATS and len(widths) == 2 * (rank - 2):
        pairs = _from_the_last(widths, _spatial_axes(data_format, rank), rank)
    elif mode != "constant":
        raise InvalidArgument(
            f"pad: mode {mode!r} takes a tensor of 3 to 5 axes and 2 widths for each spatial axis, got {rank} axes and "
            f"{len(widths)} widths"
        )
    elif len(widths) == 2 * rank and pad_from_left_axis:
        pairs = tuple(zip(widths[::2], widths[1::2]))
    else:
        pairs = _from_the_last(widths, list(range(rank)), rank)
    if mode == "constant":
        return pad_constant(x, paddings=pairs, value=value)
    if any(w < 0 for w in widths):
        x = pad_constant(x, paddings=tuple([(min(b, 0), min(a, 0)) for b, a in pairs]))
        pairs = tuple([(max(b, 0), max(a, 0)) for b, a in pairs])
    return pad_border(x, paddings=pairs, mode=mode)


def zeropad2d(x: Any, padding: Any, data_format: str = "NCHW", name: str | None = None) -> Any:
    """Images with zeros around: `pad` with widths [left, right, top, bottom], or one for all sides."""
    return pad(x, padding, data_format=data_format)
