"""Recurrent cells: one step of a recurrent layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.nn import functional as F
from paddlite.nn.initializer import Constant, Uniform
from paddlite.nn.layer.layers import Layer
from paddlite.ops.arithmetic import elementwise_add, elementwise_mul, elementwise_sub
from paddlite.ops.join import split
from paddlite.ops.matmul import matmul
from paddlite.ops.power import tanh

__all__ = ["GRUCell", "LSTMCell", "RNNCellBase", "SimpleRNNCell"]


class RNNCellBase(Layer):
    """Base of recurrent cells, which are called with (inputs, states) and give (outputs, new states).

    A cell of your own says in `state_shape` what its states look like without the batch: a shape, or a tuple of shapes.
    """

    def get_initial_states(
        self,
        batch_ref: Any,
        shape: Any = None,
        dtype: Any = None,
        init_value: float = 0.0,
        batch_dim_idx: int = 0,
    ) -> Any:
        """States that hold `init_value`, for a batch of the size that `batch_ref` has along `batch_dim_idx`.

        Args:
            batch_ref: a tensor (or a tuple whose first one counts) with that batch size.
            shape: of one state without the batch, or a tuple of shapes; left out, `state_shape`.
            dtype: of the states; left out, that of `batch_ref`.
        """
        while isinstance(batch_ref, (list, tuple)):
            batch_ref = batch_ref[0]
        shape = self.state_shape if shape is None else shape
        return _filled(shape, batch_ref, dtype or batch_ref.dtype, init_value, batch_dim_idx)

    @property
    def state_shape(self) -> Any:
        """The shape of a state without the batch, or a tuple of shapes."""
        raise NotImplementedError(
            f"{type(self).__name__} must say in the property state_shape how large its states are"
        )

    @property
    def state_dtype(self) -> Any:
        """The dtype of the states."""
        return self._dtype

    def _make_weights(self, gates: int, sizes: tuple[int, int, int], attrs: tuple) -> None:
        """Weights and biases of `gates` gates, uniform in +-1/sqrt(hidden); sizes are (inputs, hidden, states)."""
        inputs, hidden, states = sizes
        if hidden <= 0:
            raise InvalidArgument(f"{type(self).__name__}: hidden_size must be above 0, got {hidden}")
        limit = 1.0 / math.sqrt(hidden)
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        for name, size, attr in zip(names, (inputs, states, None, None), attrs, strict=True):
            shape = [gates * hidden] if size is None else [gates * hidden, size]
            first = Constant(1.0 if size else 0.0) if attr is False else Uniform(-limit, limit)
            made = self.create_parameter(shape, None if attr is False else attr, None, size is None, first)
            if attr is False:  # there is always a value, but it is not trained
                made.stop_gradient = True  # type: ignore[union-attr]
            setattr(self, name, made)

    def _projected(self, inputs: Any, weight: Any, bias: Any) -> Any:
        return elementwise_add(matmul(inputs, weight, transpose_y=True), bias)

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}"


def _filled(shape: Any, batch_ref: Any, dtype: Any, value: float, batch_axis: int) -> Any:
    from paddlite.tensor import full

    if shape and isinstance(shape[0], (list, tuple)):
        return tuple(_filled(one, batch_ref, dtype, value, batch_axis) for one in shape)
    return full([batch_ref.shape[batch_axis], *[size for size in shape if size != -1]], value, dtype)


class SimpleRNNCell(RNNCellBase):
    """h' = activation(W_ih x + b_ih + W_hh h + b_hh).

    Args:
        input_size: size of x.
        hidden_size: size of h.
        activation: "tanh" or "relu".
        weight_ih_attr: of `weight_ih` [hidden_size, input_size].
        weight_hh_attr: of `weight_hh` [hidden_size, hidden_size].
        bias_ih_attr: of `bias_ih` [hidden_size]; False for zeros that are not trained.
        bias_hh_attr: of `bias_hh` [hidden_size], likewise.

    Raises:
        ValueError: another activation, or no hidden units.

    >>> import paddlite as paddle
    >>> cell = paddle.nn.SimpleRNNCell(4, 3)
    >>> out, state = cell(paddle.ones([2, 4]))
    >>> out.shape, out is state
    (paddle.Size([2, 3]), True)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        activation: str = "tanh",
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ):
        super().__init__()
        if activation not in ("tanh", "relu"):
            raise InvalidArgument(f"SimpleRNNCell: activation must be 'tanh' or 'relu', got {activation!r}")
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        self._make_weights(1, (input_size, hidden_size, hidden_size), attrs)
        self.input_size, self.hidden_size, self.activation = input_size, hidden_size, activation
        self._activation_fn: Callable = tanh if activation == "tanh" else F.relu

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, Any]:
        """(h', h') for inputs [batch, input_size] and states [batch, hidden_size], zeros where left out."""
        h = self.get_initial_states(inputs) if states is None else states
        shares = self._projected(inputs, self.weight_ih, self.bias_ih), self._projected(h, self.weight_hh, self.bias_hh)
        h = self._activation_fn(elementwise_add(*shares))
        return h, h

    @property
    def state_shape(self) -> tuple[int]:
        return (self.hidden_size,)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        return text if self.activation == "tanh" else f"{text}, activation={self.activation}"


class LSTMCell(RNNCellBase):
    """c' = f * c + i * g and h' = o * tanh(c'), with gates i, f, g, o from x and h.

    i, f and o are sigmoids and g is a tanh of W_ih x + b_ih + W_hh h + b_hh.  Hochreiter and Schmidhuber, "Long
    short-term memory" (1997).

    Args:
        input_size: size of x.
        hidden_size: size of c.
        weight_ih_attr: of `weight_ih` [4 * hidden_size, input_size].
        weight_hh_attr: of `weight_hh` [4 * hidden_size, size of h].
        bias_ih_attr: of `bias_ih` [4 * hidden_size]; False for zeros that are not trained.
        bias_hh_attr: of `bias_hh` [4 * hidden_size], likewise.
        proj_size: where it is above 0, h is multiplied by `weight_ho` [hidden_size, proj_size].

    Raises:
        ValueError: no hidden units, or `proj_size` not below `hidden_size`.

    >>> import paddlite as paddle
    >>> out, (h, c) = paddle.nn.LSTMCell(4, 3)(paddle.ones([2, 4]))
    >>> out.shape, c.shape
    (paddle.Size([2, 3]), paddle.Size([2, 3]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        proj_size: int = 0,
        name: str | None = None,
    ):
        super().__init__()
        if not 0 <= proj_size < max(hidden_size, 1):
            raise InvalidArgument(f"LSTMCell: proj_size must be below hidden_size={hidden_size}, got {proj_size}")
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        self._make_weights(4, (input_size, hidden_size, proj_size or hidden_size), attrs)
        if proj_size:
            limit = 1.0 / math.sqrt(hidden_size)
            shape = [hidden_size, proj_size]
            self.weight_ho = self.create_parameter(shape, weight_hh_attr, default_initializer=Uniform(-limit, limit))
        self.input_size, self.hidden_size, self.proj_size = input_size, hidden_size, proj_size

    def forward(self, inputs: Any, states: Sequence | None = None) -> tuple[Any, tuple[Any, Any]]:
        """(h', (h', c')) for inputs [batch, input_size] and states (h, c), zeros where left out."""
        h, c = self.get_initial_states(inputs) if states is None else states
        gates = elementwise_add(
            self._projected(inputs, self.weight_ih, self.bias_ih), self._projected(h, self.weight_hh, self.bias_hh)
        )
        i, f, g, o = split(gates, sections=4, axis=-1)
        c = elementwise_add(elementwise_mul(F.sigmoid(f), c), elementwise_mul(F.sigmoid(i), tanh(g)))
        h = elementwise_mul(F.sigmoid(o), tanh(c))
        if self.proj_size:
            h = matmul(h, self.weight_ho)
        return h, (h, c)

    @property
    def state_shape(self) -> tuple[tuple[int], tuple[int]]:
        return ((self.proj_size or self.hidden_size,), (self.hidden_size,))


class GRUCell(RNNCellBase):
    """h' = z * h + (1 - z) * c, with gates r, z and the candidate c from x and h.

    r and z are sigmoids of W_ih x + b_ih + W_hh h + b_hh; c = tanh(W_ih x + b_ih + r * (W_hh h + b_hh)).  Cho et al.,
    "Learning phrase representations using RNN encoder-decoder" (2014).

    Arguments as for `LSTMCell`, with 3 in place of 4.

    >>> import paddlite as paddle
    >>> out, state = paddle.nn.GRUCell(4, 3)(paddle.ones([2, 4]))
    >>> out.shape
    paddle.Size([2, 3])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ):
        super().__init__()
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        self._make_weights(3, (input_size, hidden_size, hidden_size), attrs)
        self.input_size, self.hidden_size = input_size, hidden_size

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, Any]:
        """(h', h') for inputs [batch, input_size] and states [batch, hidden_size], zeros where left out."""
        h = self.get_initial_states(inputs) if states is None else states
        x_r, x_z, x_c = split(self._projected(inputs, self.weight_ih, self.bias_ih), sections=3, axis=-1)
        h_r, h_z, h_c = split(self._projected(h, self.weight_hh, self.bias_hh), sections=3, axis=-1)
        r, z = F.sigmoid(elementwise_add(x_r, h_r)), F.sigmoid(elementwise_add(x_z, h_z))
        candidate = tanh(elementwise_add(x_c, elementwise_mul(r, h_c)))
        h = elementwise_add(candidate, elementwise_mul(z, elementwise_sub(h, candidate)))
        return h, h

    @property
    def state_shape(self) -> tuple[int]:
        return (self.hidden_size,)
