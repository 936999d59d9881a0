"""Linear maps and what stands between layers."""

from __future__ import annotations

from typing import Any

from paddlite.core.mode import current
from paddlite.nn import functional as F
from paddlite.nn.layer.layers import Layer
from paddlite.ops.shape import flatten

__all__ = ["Flatten", "Identity", "Linear"]


class Identity(Layer):
    """Gives its input back; all arguments are ignored.

    >>> import paddlite as paddle
    >>> paddle.nn.Identity()(paddle.to_tensor([1.0])).tolist()
    [1.0]
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


class Linear(Layer):
    """x @ weight + bias.

    Args:
        in_features: size of the last axis of x.
        out_features: size of the last axis of the result.
        weight_attr: of `weight` [in_features, out_features]; XavierUniform where it says nothing.
        bias_attr: of `bias` [out_features], zeros; False for none.

    Raises:
        ValueError: a size is negative.

    >>> import paddlite as paddle
    >>> paddle.nn.Linear(3, 2)(paddle.to_tensor([[1.0, 2.0, 3.0]])).shape
    paddle.Size([1, 2])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ):
        super().__init__(dtype=current().default_dtype)
        self.in_features, self.out_features, self.name = in_features, out_features, name
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        name = f", name={self.name}" if self.name else ""
        return f"in_features={self.in_features}, out_features={self.out_features}, dtype={self._dtype}{name}"


class Flatten(Layer):
    """Its input with the axes `start_axis` to `stop_axis` made one.

    >>> import paddlite as paddle
    >>> paddle.nn.Flatten()(paddle.to_tensor([[[1, 2], [3, 4]]])).tolist()
    [[1, 2, 3, 4]]
    """

    def __init__(self, start_axis: int = 1, stop_axis: int = -1):
        super().__init__()
        self.start_axis, self.stop_axis = start_axis, stop_axis

    def forward(self, input: Any) -> Any:
        return flatten(input, start_axis=self.start_axis, stop_axis=self.stop_axis)
