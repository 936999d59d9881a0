"""The activations that are methods of tensors too."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import numpy_dtype
from paddlite.core.dispatch import cast_to
from paddlite.ops import activation
from paddlite.ops import softmax as softmax_ops

__all__ = ["sigmoid", "softmax"]
METHODS = __all__
INPLACE = ("sigmoid",)


def sigmoid(x: Any, name: str | None = None) -> Any:
    """1 / (1 + exp(-x)), elementwise; integers become float32.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.sigmoid(paddle.to_tensor([0.0, -1000.0])).tolist()
    [0.5, 0.0]
    """
    return activation.sigmoid(x)


def softmax(x: Any, axis: int = -1, dtype: Any = None, name: str | None = None) -> Any:
    """exp(x) divided by its sum along `axis`; computed so that no exponential overflows.

    Args:
        x: a floating tensor.
        axis: the axis along which the results sum to 1.
        dtype: what `x` is cast to first.

    Raises:
        InvalidArgument: `axis` is out of range.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.softmax(paddle.to_tensor([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    if dtype is not None:
        x = cast_to(x, numpy_dtype(dtype))
    return softmax_ops.softmax(x, axis=axis)
