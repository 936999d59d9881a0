"""Images made larger or smaller."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Tensor
from paddlite.nn.functional.windows import FORMATS
from paddlite.ops.adaptive_pool import adaptive_avg_pool
from paddlite.ops.resample import RESAMPLING, resampled_sizes
from paddlite.ops.shape import squeeze, unsqueeze
from paddlite.ops.window import CHANNEL_LAST, spatial

__all__ = ["interpolate", "upsample"]

_ALIASES = {"NCW": "NCL", "NWC": "NLC"}
_RANKS = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, (Tensor, np.generic)) else value


def _listed(value: Any, rank: int, what: str) -> list:
    """One number an axis, of a number, a sequence or a tensor of them."""
    if isinstance(value, (Tensor, np.ndarray)):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        return [_number(value)] * rank
    found = [_number(v) for v in value]
    if len(found) != rank:
        raise InvalidArgument(f"interpolate: {what} must have {rank} entries, one a spatial axis, got {found}")
    return found


def _format(data_format: str | None, rank: int) -> str:
    known = FORMATS[rank]
    found = known[0] if data_format is None else _ALIASES.get(data_format.upper(), data_format.upper())
    if found not in known:
        raise InvalidArgument(f"interpolate: data_format of {rank} spatial axes is one of {known}, got {data_format!r}")
    return found


def _sizes(size: Any, scale_factor: Any, rank: int) -> tuple[tuple[int, ...] | None, tuple[float, ...] | None]:
    if (size is None) == (scale_factor is None):
        raise InvalidArgument("interpolate: give size or scale_factor, and not both")
    if size is not None:
        sizes = _listed(size, rank, "size")
        if any(isinstance(n, bool) or n != int(n) or n < 1 for n in sizes):
            raise InvalidArgument(f"interpolate: size must hold ints of at least 1, got {sizes}")
        return tuple([int(n) for n in sizes]), None
    scales = _listed(scale_factor, rank, "scale_factor")
    if any(s <= 0 for s in scales):
        raise InvalidArgument(f"interpolate: scale_factor must be positive, got {scales}")
    return None, tuple([float(s) for s in scales])


def interpolate(
    x: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """`x` resampled to other spatial sizes.

    Args:
        x: [N, C, *spatial] with one to three spatial axes, or channels last by `data_format`.
        size: the wanted sizes: an int or one an axis; may be tensors.
        scale_factor: in place of `size`: factors, of which sizes follow by cutting off fractions.
        mode: "nearest"; "linear", "bilinear" or "trilinear" (one, two, three spatial axes); "bicubic" (two); "area"
            (means, for any number of axes).
        align_corners: the outermost elements keep their places; not for "nearest" and "area".
        align_mode: of linear modes without `align_corners`: 0 takes the centers of elements as their places, 1 their
            beginnings.
        data_format: "NCW", "NWC", "NCHW", "NHWC", "NCDHW" or "NDHWC"; channels come second where it is None.
        recompute_scale_factor: take places from the rounded sizes rather than from `scale_factor`.
        antialias: of "bilinear" and "bicubic": average what an element of a smaller result stands for.

    Raises:
        InvalidArgument: an option has a value that cannot be, or that the mode does not have.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[[[1.0, 2.0]]]])
    >>> paddle.nn.functional.interpolate(x, scale_factor=2).tolist()
    [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]
    """
    mode, rank = mode.lower(), len(x._shape) - 2
    if mode not in ("nearest", "area", *_RANKS):
        raise InvalidArgument(f"interpolate: mode must be 'nearest', 'area' or one of {tuple(_RANKS)}, got {mode!r}")
    if rank not in FORMATS:
        raise InvalidArgument(f"interpolate: x must have 3 to 5 axes, got shape {list(x._shape)}")
    if _RANKS.get(mode, rank) != rank:
        raise InvalidArgument(f"interpolate: mode {mode!r} is for {_RANKS[mode]} spatial axes, x has {rank}")
    if align_corners and mode in ("nearest", "area"):
        raise InvalidArgument(f"interpolate: align_corners=True is not for mode {mode!r}")
    if align_mode not in (0, 1):
        raise InvalidArgument(f"interpolate: align_mode must be 0 or 1, got {align_mode!r}")
    if antialias and mode not in ("bilinear", "bicubic"):
        raise InvalidArgument(f"interpolate: antialias=True is for 'bilinear' and 'bicubic', not {mode!r}")
    letters = _format(data_format, rank)
    size, scale = _sizes(size, scale_factor, rank)
    if mode == "area":
        return _area(x, size, scale, letters)
    options = {
        "exact_scale": not recompute_scale_factor, "align_corners": bool(align_corners),
        "align_mode": 0 if align_corners else align_mode, "antialias": bool(antialias),
    }  # fmt: skip
    if rank == 1 and mode == "nearest":
        axis = (1,) if letters in CHANNEL_LAST else (2,)
        flat = RESAMPLING["nearest"](
            unsqueeze(x, axes=axis), size=None if size is None else (1, *size), scale=scale and (1.0, *scale),
            data_format="NHWC" if letters in CHANNEL_LAST else "NCHW", **options,
        )  # fmt: skip
        return squeeze(flat, axes=axis)
    return RESAMPLING[mode](x, size=size, scale=scale, data_format=letters, **options)


def _area(x: Any, size: Any, scale: Any, letters: str) -> Any:
    if size is None:
        size = resampled_sizes("interpolate", spatial(x._shape, letters), None, scale)
        if -1 in size:
            raise InvalidArgument("interpolate: mode 'area' with scale_factor needs known sizes; give size")
    if len(size) > 1:
        return adaptive_avg_pool(x, output_size=size, data_format=letters)
    axis = (1,) if letters in CHANNEL_LAST else (2,)
    lifted = "NHWC" if letters in CHANNEL_LAST else "NCHW"
    return squeeze(adaptive_avg_pool(unsqueeze(x, axes=axis), output_size=(1, *size), data_format=lifted), axes=axis)


def upsample(
    x: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """`interpolate` under another name."""
    return interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format)
