"""Pooling over one, two and three spatial axes: maxima, means, adaptive ones, and the way back by a mask."""

from __future__ import annotations

import functools
from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.nn.functional.windows import check_format, hashable, lowered, numbers, paddings
from paddlite.ops import adaptive_pool, lp_pool, pool
from paddlite.ops.shape import squeeze, unsqueeze

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "adaptive_max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "fractional_max_pool2d", "fractional_max_pool3d",
    "lp_pool1d", "lp_pool2d", "max_pool1d", "max_pool2d", "max_pool3d",

]  # fmt: skip


@functools.lru_cache(maxsize=1024)
def _windows(name: str, rank: int, kernel_size, stride, padding, ceil_mode: bool, data_format: str) -> dict:
    """The attributes that all windowed pools have; not to be changed by whoever gets them."""
    check_format(name, data_format, rank)
    kernel = numbers(name, "kernel_size", kernel_size, rank)
    pads = paddings(name, padding, rank, data_format)
    if pads == "VALID" and ceil_mode:
        raise InvalidArgument(f"{name}: padding='VALID' cannot be had with ceil_mode=True; use padding=0")
    return {
        "kernel_size": kernel,
        "stride": kernel if stride is None else numbers(name, "stride", stride, rank),
        "padding": pads,
        "ceil_mode": bool(ceil_mode),
    }


def _max_pool(name, rank, op, x, kernel_size, stride, padding, return_mask, ceil_mode, data_format) -> Any:
    attrs = _windows(name, rank, hashable(kernel_size), hashable(stride), hashable(padding), ceil_mode, data_format)
    if not return_mask:
        return pool.max_pool(x, data_format=data_format, **attrs)
    if data_format[1] != "C":
        raise InvalidArgument(f"{name}: return_mask=True needs data_format='NC...', got {data_format!r}")
    return op(x, **attrs)


def max_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """The largest element of each window: [N, C, H', W'].

    H' = (H + padding before and behind - kernel) // stride + 1, rounded up with `ceil_mode`; W' likewise.  The gradient
    goes to the first largest element of a window; padding is never the largest; NaN is.

    Args:
        x: [N, C, H, W], or [N, H, W, C] with `data_format="NHWC"`.
        kernel_size: an int or one an axis.
        stride: how far windows lie apart; the size of the window where it is None.
        padding: an int; an int an axis; [top, bottom, left, right]; a pair for each of the four axes; "SAME"; "VALID".
        return_mask: give also where each maximum was found: int32, counted over the flattened [H, W].
        ceil_mode: let a last window reach over the border.

    Raises:
        InvalidArgument: an option has a value that cannot be.
        ShapeMismatch: `x` has another number of axes, or the window does not fit.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[[[1.0, 2.0, 5.0, 0.0], [4.0, 3.0, 1.0, 2.0]]]])
    >>> paddle.nn.functional.max_pool2d(x, 2).tolist()
    [[[[4.0, 5.0]]]]
    """
    return _max_pool(
        "max_pool2d", 2, adaptive_pool.max_pool2d_with_index, x, kernel_size, stride, padding, return_mask, ceil_mode,
        data_format,
    )  # fmt: skip


def max_pool3d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """`max_pool2d` over three spatial axes: x [N, C, D, H, W], or "NDHWC"."""
    return _max_pool(
        "max_pool3d", 3, adaptive_pool.max_pool3d_with_index, x, kernel_size, stride, padding, return_mask, ceil_mode,
        data_format,
    )  # fmt: skip


def _flat(name: str, kernel_size: Any, stride: Any, padding: Any) -> tuple:
    """Kernel size, stride and padding of one axis as those of two, of which the first is not pooled."""
    kernel = (1, *numbers(name, "kernel_size", kernel_size, 1))
    step = kernel if stride is None else (1, *numbers(name, "stride", stride, 1))
    return kernel, step, lowered(name, hashable(padding), "NCL")


def _unlifted(result: Any) -> Any:
    """`result`, a tensor or several, without the axis that a pool of one axis was given."""
    if isinstance(result, tuple):
        return tuple([squeeze(r, axes=(2,)) for r in result])
    return squeeze(result, axes=(2,))


def max_pool1d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    name: str | None = None,
) -> Any:
    """`max_pool2d` over one spatial axis: x [N, C, L]."""
    kernel, step, pads = _flat("max_pool1d", kernel_size, stride, padding)
    return _unlifted(max_pool2d(unsqueeze(x, axes=(2,)), kernel, step, pads, return_mask, ceil_mode))


def _avg_pool(name, rank, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format) -> Any:
    attrs = _windows(name, rank, hashable(kernel_size), hashable(stride), hashable(padding), ceil_mode, data_format)
    return pool.avg_pool(
        x, exclusive=bool(exclusive), divisor_override=divisor_override, data_format=data_format, **attrs
    )


def avg_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: float | None = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """The mean of each window: [N, C, H', W'], sized as by `max_pool2d`.

    Args:
        x, kernel_size, stride, padding, ceil_mode, data_format: as for `max_pool2d`.
        exclusive: divide by the number of elements of the image in the window; False: count padding too.
        divisor_override: divide every window's sum by this.

    Raises:
        InvalidArgument: an option has a value that cannot be.
        ShapeMismatch: `x` has another number of axes, or the window does not fit.

    Differs: with `divisor_override`, Paddle divides the sum of a window at the border as if it were whole.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[[[1.0, 2.0, 5.0, 0.0], [4.0, 3.0, 1.0, 2.0]]]])
    >>> paddle.nn.functional.avg_pool2d(x, 2).tolist()
    [[[[2.5, 2.0]]]]
    """
    return _avg_pool(
        "avg_pool2d", 2, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format
    )


def avg_pool3d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: float | None = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """`avg_pool2d` over three spatial axes: x [N, C, D, H, W], or "NDHWC"."""
    return _avg_pool(
        "avg_pool3d", 3, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format
    )


def avg_pool1d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    exclusive: bool = True,
    ceil_mode: bool = False,
    name: str | None = None,
) -> Any:
    """`avg_pool2d` over one spatial axis: x [N, C, L]."""
    kernel, step, pads = _flat("avg_pool1d", kernel_size, stride, padding)
    return _unlifted(avg_pool2d(unsqueeze(x, axes=(2,)), kernel, step, pads, ceil_mode, exclusive))


def _output_size(name: str, output_size: Any, rank: int) -> tuple[int | None, ...]:
    """One int an axis, or None for the size that the axis has."""
    output_size = hashable(output_size)
    given = output_size if isinstance(output_size, tuple) else (output_size,) * rank
    if len(given) != rank or (rank == 1 and given[0] is None):
        raise InvalidArgument(f"{name}: output_size must be an int or {rank} of int or None, got {output_size}")
    sizes = tuple([None if n is None else numbers(name, "output_size", n, 1)[0] for n in given])
    if any(n is not None and n < 0 for n in sizes):
        raise InvalidArgument(f"{name}: output_size must not be negative, got {output_size}")
    return sizes


def _adaptive_avg_pool(name: str, rank: int, x: Any, output_size: Any, data_format: str) -> Any:
    check_format(name, data_format, rank)
    return adaptive_pool.adaptive_avg_pool(
        x, output_size=_output_size(name, output_size, rank), data_format=data_format
    )


def adaptive_avg_pool2d(x: Any, output_size: Any, data_format: str = "NCHW", name: str | None = None) -> Any:
    """Means over windows chosen so that the result is [N, C, *output_size].

    Bin i of n along an axis of size s holds the elements from floor(i * s / n) to ceil((i + 1) * s / n).

    Args:
        x: [N, C, H, W], or [N, H, W, C] with `data_format="NHWC"`.
        output_size: an int or one an axis, None for an axis that stays as it is.

    Raises:
        InvalidArgument: `output_size` has another length or a negative entry.
        ShapeMismatch: `x` has another number of axes.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[[[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]]]])
    >>> paddle.nn.functional.adaptive_avg_pool2d(x, [1, 2]).tolist()
    [[[[2.5, 3.5]]]]
    """
    return _adaptive_avg_pool("adaptive_avg_pool2d", 2, x, output_size, data_format)


def adaptive_avg_pool3d(x: Any, output_size: Any, data_format: str = "NCDHW", name: str | None = None) -> Any:
    """`adaptive_avg_pool2d` over three spatial axes: x [N, C, D, H, W], or "NDHWC"."""
    return _adaptive_avg_pool("adaptive_avg_pool3d", 3, x, output_size, data_format)


def adaptive_avg_pool1d(x: Any, output_size: Any, name: str | None = None) -> Any:
    """`adaptive_avg_pool2d` over one spatial axis: x [N, C, L]."""
    sizes = (1, *_output_size("adaptive_avg_pool1d", output_size, 1))
    return _unlifted(adaptive_avg_pool2d(unsqueeze(x, axes=(2,)), sizes))


def _adaptive_max_pool(x: Any, sizes: tuple, return_mask: bool) -> Any:
    out, mask = adaptive_pool.adaptive_max_pool_with_index(x, output_size=sizes)
    return (out, mask) if return_mask else out


def adaptive_max_pool2d(x: Any, output_size: Any, return_mask: bool = False, name: str | None = None) -> Any:
    """Maxima over windows chosen so that the result is [N, C, *output_size]; arguments as for `adaptive_avg_pool2d`.

    Args:
        return_mask: give also where each maximum was found: int32, counted over the flattened [H, W].
    """
    return _adaptive_max_pool(x, _output_size("adaptive_max_pool2d", output_size, 2), return_mask)


def adaptive_max_pool3d(x: Any, output_size: Any, return_mask: bool = False, name: str | None = None) -> Any:
    """`adaptive_max_pool2d` over three spatial axes: x [N, C, D, H, W]."""
    return _adaptive_max_pool(x, _output_size("adaptive_max_pool3d", output_size, 3), return_mask)


def adaptive_max_pool1d(x: Any, output_size: Any, return_mask: bool = False, name: str | None = None) -> Any:
    """`adaptive_max_pool2d` over one spatial axis: x [N, C, L]."""
    sizes = (1, *_output_size("adaptive_max_pool1d", output_size, 1))
    return _unlifted(_adaptive_max_pool(unsqueeze(x, axes=(2,)), sizes, return_mask))


def _fractional(
    name: str, rank: int, x: Any, output_size: Any, kernel_size: Any, random_u: Any, return_mask: bool
) -> Any:
    if random_u is not None and not (isinstance(random_u, float) and 0 < random_u < 1):
        raise InvalidArgument(f"{name}: random_u must be a float between 0 and 1, both excluded, got {random_u!r}")
    kernel = None if kernel_size is None else numbers(name, "kernel_size", kernel_size, rank)
    sizes = _output_size(name, output_size, rank)
    out, mask = adaptive_pool.fractional_max_pool_with_index(x, output_size=sizes, kernel_size=kernel, u=random_u)
    return (out, mask) if return_mask else out


def fractional_max_pool2d(
    x: Any,
    output_size: Any,
    kernel_size: Any = None,
    random_u: float | None = None,
    return_mask: bool = False,
    name: str | None = None,
) -> Any:
    """Maxima over windows spread at random so that the result is [N, C, *output_size].

    Windows lie apart by one of two neighbouring whole numbers (Graham, "Fractional max-pooling", 2014).

    Args:
        x: [N, C, H, W].
        output_size: an int or one an axis, None for an axis that stays as it is.
        kernel_size: sizes of overlapping windows; None: the windows cover the image and each other nowhere.
        random_u: a float between 0 and 1 in place of the random shift.
        return_mask: give also where each maximum was found: int32, counted over the flattened [H, W].

    Raises:
        InvalidArgument: an option has a value that cannot be.
        ShapeMismatch: the windows do not fit into the image.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]]]])
    >>> paddle.nn.functional.fractional_max_pool2d(x, [1, 5], random_u=0.3).tolist()
    [[[[1.0, 3.0, 4.0, 6.0, 7.0]]]]
    """
    return _fractional("fractional_max_pool2d", 2, x, output_size, kernel_size, random_u, return_mask)


def fractional_max_pool3d(
    x: Any,
    output_size: Any,
    kernel_size: Any = None,
    random_u: float | None = None,
    return_mask: bool = False,
    name: str | None = None,
) -> Any:
    """`fractional_max_pool2d` over three spatial axes: x [N, C, D, H, W]."""
    return _fractional("fractional_max_pool3d", 3, x, output_size, kernel_size, random_u, return_mask)


def lp_pool2d(
    x: Any,
    norm_type: float,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """(the sum of x ** p over each window) ** (1 / p) with p = `norm_type`; the maximum where p is infinite.

    Args:
        x, kernel_size, stride, padding, ceil_mode, data_format: as for `max_pool2d`.
        norm_type: the power, not 0.

    Raises:
        InvalidArgument: an option has a value that cannot be.
        ShapeMismatch: `x` has another number of axes, or the window does not fit.

    Differs: where a window sums to 0 the gradient is 0; it is NaN in Paddle.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.lp_pool2d(paddle.to_tensor([[[[3.0, 4.0]]]]), 2, [1, 2]).item()
    5.0
    """
    here = "lp_pool2d"
    attrs = _windows(here, 2, hashable(kernel_size), hashable(stride), hashable(padding), ceil_mode, data_format)
    if norm_type == float("inf"):
        return pool.max_pool(x, data_format=data_format, **attrs)
    return lp_pool.lp_pool2d(x, norm_type=float(norm_type), data_format=data_format, **attrs)


def lp_pool1d(
    x: Any,
    norm_type: float,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    data_format: str = "NCL",
    name: str | None = None,
) -> Any:
    """`lp_pool2d` over one spatial axis: x [N, C, L], or "NLC"."""
    check_format("lp_pool1d", data_format, 1)
    axis = (1,) if data_format == "NLC" else (2,)
    kernel, step, pads = _flat("lp_pool1d", kernel_size, stride, padding)
    lifted = "NHWC" if data_format == "NLC" else "NCHW"
    return squeeze(lp_pool2d(unsqueeze(x, axes=axis), norm_type, kernel, step, pads, ceil_mode, lifted), axes=axis)
