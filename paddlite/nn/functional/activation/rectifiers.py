"""Piecewise linear activations."""

from __future__ import annotations

from typing import Any

from paddlite.ops import activation

__all__ = ["relu"]


def relu(x: Any, name: str | None = None) -> Any:
    """max(x, 0), elementwise; NaN stays NaN.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.relu(paddle.to_tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return activation.relu(x)
