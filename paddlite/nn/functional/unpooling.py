"""The way back from a maximum pool by its mask."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.nn.functional.windows import numbers
from paddlite.ops import adaptive_pool
from paddlite.ops.shape import squeeze, unsqueeze

__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]


def _sizes(name: str, x: Any, kernel: tuple, stride: tuple, padding: tuple, output_size: Any) -> tuple[int, ...]:
    """The spatial sizes of the result: the smallest that the pool can have had, or those that are asked for."""
    given = x._shape[2:]
    if output_size is not None:
        wanted = list(output_size)[-len(kernel) :]
        output_size = numbers(name, "output_size", wanted, len(kernel))
    if any(n < 0 for n in given):
        if output_size is None:
            raise InvalidArgument(f"{name}: x has unknown spatial sizes {list(given)}; give output_size")
        return output_size
    usual = tuple([(n - 1) * s + k - 2 * p for n, s, k, p in zip(given, stride, kernel, padding)])
    if output_size is None:
        return usual
    for axis, (n, u, s) in enumerate(zip(output_size, usual, stride)):
        if not u - s < n < u + s:
            raise InvalidArgument(
                f"{name}: output_size {list(output_size)} cannot be had; size {n} of spatial axis {axis} must lie "
                f"between {u - s} and {u + s}, both excluded"
            )
    return output_size


def _unpool(name, letters, x, indices, kernel_size, stride, padding, data_format, output_size) -> Any:
    if data_format != letters:
        raise InvalidArgument(f"{name}: data_format must be {letters!r}, got {data_format!r}")
    rank = len(letters) - 2
    if len(x._shape) != rank + 2:
        raise InvalidArgument(f"{name}: x must have {rank + 2} axes ({letters}), got shape {list(x._shape)}")
    kernel = numbers(name, "kernel_size", kernel_size, rank)
    step = kernel if stride is None else numbers(name, "stride", stride, rank)
    pads = numbers(name, "padding", padding, rank)
    return adaptive_pool.max_unpool(x, indices, output_size=_sizes(name, x, kernel, step, pads, output_size))


def max_unpool2d(
    x: Any,
    indices: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    data_format: str = "NCHW",
    output_size: Any = None,
    name: str | None = None,
) -> Any:
    """Zeros with the elements of `x` where `indices` says: the way back from `max_pool2d(..., return_mask=True)`.

    Args:
        x: [N, C, H, W], a pool.
        indices: the pool's mask, of the same shape: places counted over the flattened result.
        kernel_size, stride, padding: those of the pool (numbers only).
        output_size: [H', W'] or the whole shape; (H - 1) * stride + kernel - 2 * padding where it is None.

    Raises:
        InvalidArgument: `output_size` is not one that the pool can have had.
        ShapeMismatch: x and indices differ in shape.
        IndexOutOfRange: an index lies outside of the result.

    >>> import paddlite as paddle
    >>> F = paddle.nn.functional
    >>> pool, mask = F.max_pool2d(paddle.to_tensor([[[[1.0, 2.0], [4.0, 3.0]]]]), 2, return_mask=True)
    >>> F.max_unpool2d(pool, mask, 2).tolist()
    [[[[0.0, 0.0], [4.0, 0.0]]]]
    """
    return _unpool("max_unpool2d", "NCHW", x, indices, kernel_size, stride, padding, data_format, output_size)


def max_unpool3d(
    x: Any,
    indices: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    data_format: str = "NCDHW",
    output_size: Any = None,
    name: str | None = None,
) -> Any:
    """`max_unpool2d` over three spatial axes: x [N, C, D, H, W]."""
    return _unpool("max_unpool3d", "NCDHW", x, indices, kernel_size, stride, padding, data_format, output_size)


def max_unpool1d(
    x: Any,
    indices: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    data_format: str = "NCL",
    output_size: Any = None,
    name: str | None = None,
) -> Any:
    """`max_unpool2d` over one spatial axis: x [N, C, L]."""
    here = "max_unpool1d"
    if data_format != "NCL":
        raise InvalidArgument(f"{here}: data_format must be 'NCL', got {data_format!r}")
    kernel = (1, *numbers(here, "kernel_size", kernel_size, 1))
    step = kernel if stride is None else (1, *numbers(here, "stride", stride, 1))
    size = None if output_size is None else (1, *list(output_size)[-1:])
    out = _unpool(
        here, "NCHW", unsqueeze(x, axes=(2,)), unsqueeze(indices, axes=(2,)), kernel, step,
        (0, *numbers(here, "padding", padding, 1)), "NCHW", size,
    )  # fmt: skip
    return squeeze(out, axes=(2,))
