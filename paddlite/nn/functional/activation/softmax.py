"""Softmax, its logarithm, and samples of it."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import numpy_dtype
from paddlite.core.dispatch import cast_to
from paddlite.core.errors import InvalidArgument
from paddlite.ops import softmax as ops
from paddlite.ops.arithmetic import elementwise_add, elementwise_mul

__all__ = ["gumbel_softmax", "log_softmax"]


def log_softmax(x: Any, axis: int = -1, dtype: Any = None, name: str | None = None) -> Any:
    """log(softmax(x)) along `axis`, exact also where softmax rounds to 0.

    Args:
        x: a floating tensor.
        dtype: what `x` is cast to first.

    Raises:
        InvalidArgument: `axis` is out of range.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.log_softmax(paddle.to_tensor([0.0, -1000.0])).tolist()
    [0.0, -1000.0]
    """
    if dtype is not None:
        x = cast_to(x, numpy_dtype(dtype))
    return ops.log_softmax(x, axis=axis)


def gumbel_softmax(
    x: Any, temperature: float = 1.0, hard: bool = False, axis: int = -1, name: str | None = None
) -> Any:
    """A random sample of softmax(x) through which gradients flow (Jang et al., 2016).

    Args:
        x: logits.
        temperature: the smaller, the closer to one-hot; > 0.
        hard: give one-hot samples, whose gradient is that of the soft ones.

    Raises:
        InvalidArgument: `temperature` is not positive, or `axis` out of range.

    >>> import paddlite as paddle
    >>> sorted(paddle.nn.functional.gumbel_softmax(paddle.to_tensor([0.0, 1.0]), hard=True).tolist())
    [0.0, 1.0]
    """
    if temperature <= 0:
        raise InvalidArgument(f"gumbel_softmax: temperature must be > 0, got {temperature}")
    noisy = elementwise_add(x, ops.gumbel_noise(x))
    soft = ops.softmax(elementwise_mul(noisy, 1.0 / temperature), axis=axis)
    return ops.straight_through_max(soft, axis=axis) if hard else soft
