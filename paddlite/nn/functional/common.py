"""Linear maps and other functions of common use."""

from __future__ import annotations

from typing import Any

from paddlite.ops import matmul

__all__ = ["linear"]


def linear(x: Any, weight: Any, bias: Any = None, name: str | None = None) -> Any:
    """x @ weight + bias, as one op.

    Args:
        x: [..., in_features].
        weight: [in_features, out_features].
        bias: [out_features] or None.

    Raises:
        ShapeMismatch: the shapes do not fit; the text says how.

    >>> import paddlite as paddle
    >>> x, weight = paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[1.0], [10.0]])
    >>> paddle.nn.functional.linear(x, weight, paddle.to_tensor([0.5])).tolist()
    [[21.5]]
    """
    return matmul.linear(x, weight, bias)
