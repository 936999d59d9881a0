"""Rearranging images: shuffled channels, windows as columns, grids of points."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Tensor
from paddlite.nn.functional.windows import check_format, hashable, numbers, paddings
from paddlite.ops import grid_sample as grids
from paddlite.ops import shuffle

__all__ = [
    "affine_grid", "channel_shuffle", "fold", "grid_sample", "pixel_shuffle", "pixel_unshuffle", "temporal_shift",
    "unfold",
]  # fmt: skip


def _factor(name: str, argument: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name}: {argument} must be an int, got {value!r}")
    if value < 1:
        raise InvalidArgument(f"{name}: {argument} must be at least 1, got {value}")
    return value


def pixel_shuffle(x: Any, upscale_factor: int, data_format: str = "NCHW", name: str | None = None) -> Any:
    """Channels spread over space: [N, C * r * r, H, W] to [N, C, H * r, W * r] with r = `upscale_factor`.

    Raises:
        ShapeMismatch: the channels cannot be divided by r * r.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]])
    >>> paddle.nn.functional.pixel_shuffle(x, 2).tolist()
    [[[[1.0, 2.0], [3.0, 4.0]]]]
    """
    check_format("pixel_shuffle", data_format, 2)
    factor = _factor("pixel_shuffle", "upscale_factor", upscale_factor)
    return shuffle.pixel_shuffle(x, upscale_factor=factor, data_format=data_format)


def pixel_unshuffle(x: Any, downscale_factor: int, data_format: str = "NCHW", name: str | None = None) -> Any:
    """The inverse of `pixel_shuffle`: [N, C, H * r, W * r] to [N, C * r * r, H, W]."""
    check_format("pixel_unshuffle", data_format, 2)
    factor = _factor("pixel_unshuffle", "downscale_factor", downscale_factor)
    return shuffle.pixel_unshuffle(x, downscale_factor=factor, data_format=data_format)


def channel_shuffle(x: Any, groups: int, data_format: str = "NCHW", name: str | None = None) -> Any:
    """The channels, cut into `groups`, taken from each group in turn; shape and dtype stay.

    Raises:
        ShapeMismatch: the channels cannot be divided by `groups`.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]])
    >>> paddle.nn.functional.channel_shuffle(x, 2)[0, :, 0, 0].tolist()
    [1.0, 3.0, 2.0, 4.0]
    """
    check_format("channel_shuffle", data_format, 2)
    return shuffle.channel_shuffle(x, groups=_factor("channel_shuffle", "groups", groups), data_format=data_format)


def temporal_shift(
    x: Any, seg_num: int, shift_ratio: float = 0.25, name: str | None = None, data_format: str = "NCHW"
) -> Any:
    """Some channels moved in time: of [N * T, C, H, W] the first `shift_ratio` * C take the values of the step before,
    the next as many those of the step behind, the others stay; 0 comes in at the ends.

    Args:
        seg_num: the number T of steps.
        shift_ratio: from 0 to below 0.5.

    Raises:
        InvalidArgument: `shift_ratio` is out of range.
        ShapeMismatch: the batch cannot be divided by `seg_num`.
    """
    check_format("temporal_shift", data_format, 2)
    if not 0 <= shift_ratio < 0.5:
        raise InvalidArgument(f"temporal_shift: shift_ratio must lie in [0, 0.5), got {shift_ratio}")
    steps = _factor("temporal_shift", "seg_num", seg_num)
    return shuffle.temporal_shift(
        x, seg_num=steps, shift_ratio=float(shift_ratio), data_format=data_format, backward=False
    )


def _windows(name: str, kernel_sizes: Any, strides: Any, pads: Any, dilations: Any) -> dict[str, Any]:
    flat = hashable(pads)
    if isinstance(flat, tuple) and len(flat) == 4:
        top, left, bottom, right = numbers(name, "paddings", flat, 4)
        flat = (top, bottom, left, right)
    return {
        "kernel_sizes": numbers(name, "kernel_sizes", kernel_sizes, 2),
        "strides": numbers(name, "strides", strides, 2),
        "paddings": paddings(name, flat, 2, "NCHW"),
        "dilations": numbers(name, "dilations", dilations, 2),
    }


def unfold(
    x: Any,
    kernel_sizes: Any,
    strides: Any = 1,
    paddings: Any = 0,
    dilations: Any = 1,
    name: str | None = None,
) -> Any:
    """The windows of images laid out as columns: [N, C * kernel height * kernel width, number of windows].

    Args:
        x: [N, C, H, W].
        kernel_sizes, strides, dilations: an int or one an axis.
        paddings: an int, [height, width] or [top, left, bottom, right].

    Raises:
        ShapeMismatch: the window does not fit into the image.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.unfold(paddle.to_tensor([[[[1.0, 2.0, 3.0]]]]), [1, 2]).tolist()
    [[[1.0, 2.0], [2.0, 3.0]]]
    """
    return shuffle.unfold(x, **_windows("unfold", kernel_sizes, strides, paddings, dilations))


def fold(
    x: Any,
    output_sizes: Any,
    kernel_sizes: Any,
    strides: Any = 1,
    paddings: Any = 0,
    dilations: Any = 1,
    name: str | None = None,
) -> Any:
    """Columns added up where their windows lie in images [N, C, *output_sizes]: the transpose of `unfold`.

    Args:
        x: [N, C * kernel height * kernel width, number of windows].
        output_sizes: height and width of the images.
        kernel_sizes, strides, paddings, dilations: as for `unfold`.

    Raises:
        ShapeMismatch: an image of this size has another number of windows.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.fold(paddle.to_tensor([[[1.0, 2.0], [2.0, 3.0]]]), [1, 3], [1, 2]).tolist()
    [[[[1.0, 4.0, 3.0]]]]
    """
    sizes = numbers("fold", "output_sizes", output_sizes, 2)
    return shuffle.fold(x, output_sizes=sizes, **_windows("fold", kernel_sizes, strides, paddings, dilations))


def affine_grid(theta: Any, out_shape: Any, align_corners: bool = True, name: str | None = None) -> Any:
    """The points to sample an image at so that it is mapped by `theta`: for `grid_sample`.

    Args:
        theta: [N, 2, 3] or [N, 3, 4]: maps (x, y, 1) or (x, y, z, 1) of the result to the input, in [-1, 1].
        out_shape: [N, C, H, W] or [N, C, D, H, W] of the result, as ints or an integer tensor.
        align_corners: -1 and 1 are the centers of the outermost elements; False: their outer edges.

    Returns:
        [N, H, W, 2] or [N, D, H, W, 3].

    Raises:
        InvalidArgument: `out_shape` has another length.
        ShapeMismatch: `theta` has another shape.

    >>> import paddlite as paddle
    >>> theta = paddle.to_tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> paddle.nn.functional.affine_grid(theta, [1, 1, 1, 2])[0, 0, :, 0].tolist()
    [-1.0, 1.0]
    """
    if isinstance(out_shape, Tensor):
        out_shape = out_shape.tolist()
    shape = [s.item() if isinstance(s, Tensor) else s for s in out_shape]
    if len(shape) not in (4, 5):
        raise InvalidArgument(f"affine_grid: out_shape must have 4 or 5 entries, got {shape}")
    sizes = numbers("affine_grid", "out_shape", shape, len(shape))[2:]
    return grids.affine_grid(theta, sizes=sizes, align_corners=bool(align_corners))


def grid_sample(
    x: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = True,
    name: str | None = None,
) -> Any:
    """The values of images at the points of a grid: [N, C, *places].

    Args:
        x: [N, C, H, W] or [N, C, D, H, W].
        grid: [N, *places, 2] or [N, *places, 3], with as many axes of places as x has spatial ones: (x, y) or
            (x, y, z), from -1 at the left, top and front to 1.
        mode: "bilinear" (along three axes: trilinear) or "nearest".
        padding_mode: what lies outside: "zeros", "border" (the edge goes on) or "reflection" (the image is mirrored).
        align_corners: -1 and 1 are the centers of the outermost elements; False: their outer edges.

    Raises:
        InvalidArgument: no such mode.
        ShapeMismatch: x and grid do not fit together.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> paddle.nn.functional.grid_sample(x, paddle.to_tensor([[[[0.0, 0.0]]]])).item()
    2.5
    """
    if mode not in ("bilinear", "nearest"):
        raise InvalidArgument(f"grid_sample: mode must be 'bilinear' or 'nearest', got {mode!r}")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise InvalidArgument(
            f"grid_sample: padding_mode must be 'zeros', 'border' or 'reflection', got {padding_mode!r}"
        )
    return grids.grid_sampler(x, grid, mode=mode, padding_mode=padding_mode, align_corners=bool(align_corners))
