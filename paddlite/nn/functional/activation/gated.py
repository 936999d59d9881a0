"""Activations of which one half opens the other."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import ShapeMismatch
from paddlite.ops.activation import sigmoid
from paddlite.ops.activation import swiglu as swiglu_op
from paddlite.ops.arithmetic import elementwise_mul
from paddlite.ops.index import basic_index
from paddlite.ops.infer import axis_in

__all__ = ["glu", "swiglu"]


def _halves(x: Any, axis: int, name: str) -> tuple[Any, Any]:
    at = axis_in(axis, x.ndim, name)
    size = x._shape[at]
    if size % 2:
        raise ShapeMismatch(f"{name}: the size of axis {axis} must be even, got {size} in shape {list(x._shape)}")
    lead = (slice(None),) * at
    return (
        basic_index(x, index=(*lead, slice(None, size // 2))),
        basic_index(x, index=(*lead, slice(size // 2, None))),
    )


def glu(x: Any, axis: int = -1, name: str | None = None) -> Any:
    """The first half of `x` along `axis` times the sigmoid of the second half (Dauphin et al., 2016).

    Raises:
        ShapeMismatch: the size of `axis` is odd.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.glu(paddle.to_tensor([[4.0, 0.0]])).tolist()
    [[2.0]]
    """
    value, gate = _halves(x, axis, "glu")
    return elementwise_mul(value, sigmoid(gate))


def swiglu(x: Any, y: Any = None, name: str | None = None) -> Any:
    """silu(x) * y; without `y` the last axis of `x` holds both halves (Shazeer, 2020).

    Raises:
        ShapeMismatch: there is no `y` and the last size of `x` is odd.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.swiglu(paddle.to_tensor([0.0, 3.0])).tolist()
    [0.0]
    """
    if y is None:
        x, y = _halves(x, -1, "swiglu")
    return swiglu_op(x, y)
