"""Elementwise arithmetic: `paddle.add`, `paddle.exp` and their kin."""

from __future__ import annotations

from typing import Any

from paddlite.ops import arithmetic, power

__all__ = ["add", "divide", "exp", "multiply", "subtract"]
METHODS = __all__
INPLACE = ("add", "divide", "exp", "multiply", "subtract")


def add(x: Any, y: Any, name: str | None = None) -> Any:
    """x + y, elementwise with broadcasting.

    Args:
        x: a tensor of any dtype.
        y: a tensor whose shape broadcasts with that of `x`, or a number.
        name: not used; there for compatibility.

    Raises:
        ShapeMismatch: the shapes do not broadcast.

    >>> import paddlite as paddle
    >>> paddle.add(paddle.to_tensor([1, 2]), paddle.to_tensor([10, 20])).tolist()
    [11, 22]
    """
    return arithmetic.elementwise_add(x, y)


def subtract(x: Any, y: Any, name: str | None = None) -> Any:
    """x - y, elementwise with broadcasting; arguments as for `add`."""
    return arithmetic.elementwise_sub(x, y)


def multiply(x: Any, y: Any, name: str | None = None) -> Any:
    """x * y, elementwise with broadcasting; arguments as for `add`."""
    return arithmetic.elementwise_mul(x, y)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, elementwise with broadcasting; integers are divided as float32.  Arguments as for `add`."""
    return arithmetic.elementwise_div(x, y)


def exp(x: Any, name: str | None = None) -> Any:
    """e to the power of each element; integers become float32."""
    return power.exp(x)
