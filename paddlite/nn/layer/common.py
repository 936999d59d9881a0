"""Linear maps and what stands between layers."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.mode import current
from paddlite.nn import functional as F
from paddlite.nn.initializer import Assign
from paddlite.nn.layer.layers import Layer
from paddlite.ops.shape import flatten
from paddlite.tensor import unflatten

__all__ = ["Bilinear", "Embedding", "Flatten", "Identity", "Linear", "Unflatten"]


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


class Bilinear(Layer):
    """x1' W x2 + bias for each output; see `nn.functional.bilinear`.

    Args:
        in1_features: size of the last axis of x1.
        in2_features: size of the last axis of x2.
        out_features: size of the last axis of the result.
        weight_attr: of `weight` [out_features, in1_features, in2_features].
        bias_attr: of `bias` [1, out_features], zeros; False for none.
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ):
        super().__init__(dtype=current().default_dtype)
        self._in1_features, self._in2_features, self._out_features = in1_features, in2_features, out_features
        self._name = name
        self.weight = self.create_parameter([out_features, in1_features, in2_features], weight_attr)
        self.bias = self.create_parameter([1, out_features], bias_attr, is_bias=True)

    def forward(self, x1: Any, x2: Any) -> Any:
        return F.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        sizes = f"in1_features={self._in1_features}, in2_features={self._in2_features}"
        name = f", name={self._name}" if self._name else ""
        return f"{sizes}, out_features={self._out_features}, dtype={self._dtype}{name}"


class Embedding(Layer):
    """A table of vectors, looked up by whole numbers; see `nn.functional.embedding`.

    Args:
        num_embeddings: rows of the table.
        embedding_dim: size of each.
        padding_idx: the row that starts as zeros and is not trained, or None; counted from the end where negative.
        max_norm: rows that are looked up are first shortened to this norm, in place.
        norm_type: p of that norm.
        sparse: accepted; gradients are dense all the same.
        weight_attr: of `weight` [num_embeddings, embedding_dim]; XavierUniform where it says nothing.
        scale_grad_by_freq: divide each row's gradient by how often it occurs in the batch.
        _weight: the table's first values, a tensor.
        _freeze: do not train it.
        device: where the table lies.
        dtype: of the table; left out, the default dtype.

    Raises:
        ValueError: a size is not positive, or `padding_idx` out of range.

    >>> import paddlite as paddle
    >>> table = paddle.nn.Embedding(5, 3, padding_idx=0)
    >>> table(paddle.to_tensor([[0, 4]])).shape
    paddle.Size([1, 2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: Any = None,
        norm_type: Any = 2.0,
        sparse: bool = False,
        weight_attr: Any = None,
        name: str | None = None,
        *,
        scale_grad_by_freq: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__(dtype=dtype or current().default_dtype)
        if isinstance(max_norm, bool):  # older code gives (padding_idx, sparse, weight_attr) in place
            sparse, max_norm = max_norm, None
        if not isinstance(norm_type, (int, float)):
            weight_attr, norm_type = norm_type, 2.0
        if num_embeddings <= 0 or embedding_dim <= 0:
            raise InvalidArgument(
                f"Embedding: num_embeddings and embedding_dim must be above 0, got {num_embeddings} and {embedding_dim}"
            )
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise InvalidArgument(
                f"Embedding: padding_idx must lie in [{-num_embeddings}, {num_embeddings}), got {padding_idx}"
            )
        self._num_embeddings, self._embedding_dim, self._sparse = num_embeddings, embedding_dim, sparse
        self._given_padding = padding_idx
        self._padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self._max_norm, self._norm_type, self._scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self._name = name
        attr = weight_attr if _weight is None else Assign(_weight)
        self.weight = self.create_parameter([num_embeddings, embedding_dim], attr, dtype, device=device)
        if _freeze:
            self.weight.stop_gradient = True
        if self._padding_idx is not None:
            self.weight._data[self._padding_idx] = 0

    def forward(self, x: Any) -> Any:
        return F.embedding(
            x,
            self.weight,
            self._padding_idx,
            self._max_norm,
            self._norm_type,
            self._sparse,
            self._scale_grad_by_freq,
        )

    def extra_repr(self) -> str:
        text = f"{self._num_embeddings}, {self._embedding_dim}"
        if self._given_padding is not None:
            text += f", padding_idx={self._given_padding}"
        text += f", sparse={self._sparse}, scale_grad_by_freq={self._scale_grad_by_freq}"
        return text + (f", name={self._name}" if self._name else "")


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


class Unflatten(Layer):
    """Its input with axis `axis` made several axes of sizes `shape`, of which one may be -1.

    >>> import paddlite as paddle
    >>> paddle.nn.Unflatten(1, [2, -1])(paddle.to_tensor([[1, 2, 3, 4]])).tolist()
    [[[1, 2], [3, 4]]]
    """

    def __init__(self, axis: int, shape: Any, name: str | None = None):
        super().__init__()
        self.axis, self.shape, self.name = axis, shape, name

    def forward(self, input: Any) -> Any:
        return unflatten(input, self.axis, self.shape)

    def extra_repr(self) -> str:
        return f"axis={self.axis}, shape={self.shape}" + (f", name={self.name}" if self.name else "")
