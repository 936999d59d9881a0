"""Recurrent layers: a cell over sequences, in one direction or two, and stacks of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.nn import functional as F
from paddlite.nn.layer.container import LayerList
from paddlite.nn.layer.layers import Layer
from paddlite.nn.layer.rnn_cell import GRUCell, LSTMCell, SimpleRNNCell
from paddlite.ops import recurrent
from paddlite.ops.arithmetic import cast, elementwise_add, elementwise_mul, elementwise_sub
from paddlite.ops.compare import less_than
from paddlite.ops.join import concat, stack, unbind
from paddlite.ops.matmul import matmul
from paddlite.ops.shape import transpose, unsqueeze

__all__ = ["GRU", "LSTM", "RNN", "BiRNN", "SimpleRNN"]


def _each(function: Callable, *structures: Any) -> Any:
    """`function` of the tensors at the same place of `structures`, in the structure of the first."""
    first = structures[0]
    if isinstance(first, (list, tuple)):
        parts = [_each(function, *same) for same in zip(*structures, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    return function(*structures)


def _steps(inputs: Any, axis: int) -> list:
    """The inputs of each step, in the structure of `inputs`."""
    if isinstance(inputs, (list, tuple)):
        return [type(inputs)(parts) for parts in zip(*[_steps(part, axis) for part in inputs])]
    return list(unbind(inputs, axis=axis))


def _first(inputs: Any) -> Any:
    return _first(inputs[0]) if isinstance(inputs, (list, tuple)) else inputs


def _masks(lengths: Any, steps: int, like: Any) -> list:
    """For each step [batch, 1]: 1 where it counts, else 0."""
    from paddlite.tensor import arange

    counts = less_than(unsqueeze(arange(steps, dtype=lengths.dtype), axes=(1,)), unsqueeze(lengths, axes=(0,)))
    return list(unbind(unsqueeze(cast(counts, dtype=like._dtype), axes=(2,)), axis=0))


def _run(
    cell: Any, inputs: Any, states: Any, lengths: Any, reverse: bool, time_major: bool, kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    """Outputs of all steps and last states of `cell`."""
    axis = 0 if time_major else 1
    if states is None:
        states = cell.get_initial_states(inputs, batch_dim_idx=1 - axis)
    steps = _steps(inputs, axis)
    masks = None if lengths is None else _masks(lengths, len(steps), _first(inputs))
    outputs: list = [None] * len(steps)
    for t in range(len(steps) - 1, -1, -1) if reverse else range(len(steps)):
        outputs[t], new = cell(steps[t], states, **kwargs)
        if masks is None:
            states = new
        else:
            rest = elementwise_sub(1.0, masks[t])
            states = _each(
                lambda n, o, m=masks[t], r=rest: elementwise_add(elementwise_mul(n, m), elementwise_mul(o, r)),
                new,
                states,
            )
    return _each(lambda *all_steps: stack(*all_steps, axis=axis), *outputs), states


class RNN(Layer):
    """Runs a cell over sequences, step by step.

    Args:
        cell: called as cell(inputs, states), gives (outputs, new states).
        is_reverse: begin at the last step.
        time_major: sequences are [time, batch, ...] in place of [batch, time, ...].

    >>> import paddlite as paddle
    >>> net = paddle.nn.RNN(paddle.nn.GRUCell(4, 3))
    >>> outputs, state = net(paddle.ones([2, 5, 4]))
    >>> outputs.shape, state.shape
    (paddle.Size([2, 5, 3]), paddle.Size([2, 3]))
    """

    def __init__(self, cell: Layer, is_reverse: bool = False, time_major: bool = False):
        super().__init__()
        self.cell, self.is_reverse, self.time_major = cell, is_reverse, time_major

    def forward(
        self, inputs: Any, initial_states: Any = None, sequence_length: Any = None, **kwargs: Any
    ) -> tuple[Any, Any]:
        """(outputs of all steps, last states).

        Args:
            inputs: [batch, time, ...], or a structure of such; time comes first with `time_major`.
            initial_states: the cell's first states; left out, its zeros.
            sequence_length: steps that count, [batch]; states stay as they are beyond them.
            kwargs: handed on to the cell.
        """
        return _run(self.cell, inputs, initial_states, sequence_length, self.is_reverse, self.time_major, kwargs)


class BiRNN(Layer):
    """One cell over sequences forwards and one backwards; outputs lie side by side.

    Args:
        cell_fw: the cell that runs forwards.
        cell_bw: the cell that runs backwards.
        time_major: sequences are [time, batch, ...] in place of [batch, time, ...].
    """

    def __init__(self, cell_fw: Layer, cell_bw: Layer, time_major: bool = False):
        super().__init__()
        self.cell_fw, self.cell_bw, self.time_major = cell_fw, cell_bw, time_major

    def forward(
        self, inputs: Any, initial_states: Any = None, sequence_length: Any = None, **kwargs: Any
    ) -> tuple[Any, tuple[Any, Any]]:
        """(outputs of all steps, (last states forwards, last states backwards)); arguments as for `RNN.forward`."""
        forwards, backwards = (None, None) if initial_states is None else initial_states
        out, last = _run(self.cell_fw, inputs, forwards, sequence_length, False, self.time_major, kwargs)
        back_out, back_last = _run(self.cell_bw, inputs, backwards, sequence_length, True, self.time_major, kwargs)
        return _each(lambda a, b: concat(a, b, axis=-1), out, back_out), (last, back_last)


class RNNBase(LayerList):
    """Stacks of `RNN` or `BiRNN` of one kind of cell; each runs as one op where nothing of it was exchanged."""

    _cell: type
    _states = 1  # how many states the cell has

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        direction: str,
        time_major: bool,
        dropout: float,
        attrs: Sequence[Any],
        **settings: Any,
    ):
        super().__init__()
        if direction not in ("forward", "bidirect", "bidirectional"):
            raise InvalidArgument(
                f"{type(self).__name__}: direction must be 'forward', 'bidirect' or 'bidirectional', got {direction!r}"
            )
        if num_layers < 1:
            raise InvalidArgument(f"{type(self).__name__}: num_layers must be at least 1, got {num_layers}")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.dropout, self.time_major = dropout, time_major
        self.num_directions = 1 if direction == "forward" else 2
        self.proj_size = settings.get("proj_size", 0)
        names = ("weight_ih_attr", "weight_hh_attr", "bias_ih_attr", "bias_hh_attr")
        settings = {**settings, **dict(zip(names, attrs, strict=True))}
        size = input_size
        for _ in range(num_layers):
            cells = [self._cell(size, hidden_size, **settings) for _ in range(self.num_directions)]
            self.append(RNN(*cells, time_major=time_major) if len(cells) == 1 else BiRNN(*cells, time_major))
            size = (self.proj_size or hidden_size) * self.num_directions
        for i in range(num_layers):
            for cell, suffix in zip(self._cells(i), ("", "_reverse")):
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    setattr(self, f"{name}_l{i}{suffix}", getattr(cell, name))

    def _cells(self, i: int) -> list:
        layer = self[i]
        return [layer.cell] if isinstance(layer, RNN) else [layer.cell_fw, layer.cell_bw]

    def flatten_parameters(self) -> None:
        """Does nothing; there for compatibility."""

    def forward(self, inputs: Any, initial_states: Any = None, sequence_length: Any = None) -> tuple[Any, Any]:
        """(outputs of the last layer at all steps, last states of all layers).

        Args:
            inputs: [batch, time, input_size], or [time, batch, input_size] with `time_major`.
            initial_states: [layers * directions, batch, hidden_size] (a pair (h, c) of them for an LSTM); left out,
                zeros.  The last states come in the same form.
            sequence_length: steps that count, [batch]; outputs are 0 beyond them.
        """
        x = inputs if self.time_major else transpose(inputs, perm=(1, 0, 2))
        starts = self._starts(initial_states)
        ends = []
        for i in range(self.num_layers):
            if i and self.dropout:
                x = F.dropout(x, self.dropout, training=self.training)
            found = []
            for d, cell in enumerate(self._cells(i)):
                start = None if starts is None else starts[i * self.num_directions + d]
                out, end = self._layer(cell, x, start, sequence_length, d == 1)
                found.append(out)
                ends.append(end)
            x = found[0] if len(found) == 1 else concat(*found, axis=-1)
        states = tuple(stack(*parts, axis=0) for parts in zip(*ends))
        return x if self.time_major else transpose(x, perm=(1, 0, 2)), states if self._states > 1 else states[0]

    def _starts(self, initial_states: Any) -> list | None:
        """The first states of each layer and direction, as tuples."""
        if initial_states is None:
            return None
        given = tuple(initial_states) if self._states > 1 else (initial_states,)
        count = self.num_layers * self.num_directions
        if len(given) != self._states or any(state._shape[0] not in (-1, count) for state in given):
            raise ShapeMismatch(
                f"{type(self).__name__}: initial_states must be {self._states} tensor(s) [{count}, batch, hidden], got "
                f"{[list(state.shape) for state in given]}"
            )
        return list(zip(*[unbind(state, axis=0) for state in given]))

    def _layer(self, cell: Any, x: Any, start: Any, lengths: Any, reverse: bool) -> tuple[Any, tuple]:
        """Outputs and last states (a tuple) of one layer in one direction; time comes first."""
        plain = type(cell) is self._cell and not self.proj_size
        if not plain or cell._forward_pre_hooks or cell._forward_post_hooks:
            states = start if start is None or self._states > 1 else start[0]
            out, end = _run(cell, x, states, lengths, reverse, True, {})
            if lengths is not None:
                out = elementwise_mul(out, stack(*_masks(lengths, x._shape[0], x), axis=0))
            return out, end if self._states > 1 else (end,)
        if start is None:
            start = cell.get_initial_states(x, batch_dim_idx=1)
            start = start if self._states > 1 else (start,)
        return self._whole(cell, x, start, lengths, reverse)

    def _whole(self, cell: Any, x: Any, start: tuple, lengths: Any, reverse: bool) -> tuple[Any, tuple]:
        raise NotImplementedError

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.time_major:
            text += f", time_major={self.time_major}"
        return text + (f", dropout={self.dropout}" if self.dropout else "")


def _shares(cell: Any, x: Any, bias: Any) -> Any:
    """The inputs' share of all gates at all steps."""
    return elementwise_add(matmul(x, cell.weight_ih, transpose_y=True), bias)


class SimpleRNN(RNNBase):
    """Layers of `SimpleRNNCell` over sequences.

    Args:
        input_size: size of the inputs.
        hidden_size: size of the states.
        num_layers: how many layers lie upon each other.
        direction: "forward", or "bidirect" for a second row of layers that run backwards.
        time_major: sequences are [time, batch, size] in place of [batch, time, size].
        dropout: of the outputs between layers.
        activation: "tanh" or "relu".
        weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr: see the cell.

    Raises:
        ValueError: an unknown direction or activation.
    """

    _cell = SimpleRNNCell

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        activation: str = "tanh",
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ):
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        super().__init__(
            input_size, hidden_size, num_layers, direction, time_major, dropout, attrs, activation=activation
        )
        self.activation = activation

    def _whole(self, cell: Any, x: Any, start: tuple, lengths: Any, reverse: bool) -> tuple[Any, tuple]:
        x = _shares(cell, x, elementwise_add(cell.bias_ih, cell.bias_hh))
        out, h = recurrent.simple_rnn(x, *start, cell.weight_hh, lengths, activation=cell.activation, reverse=reverse)
        return out, (h,)


class LSTM(RNNBase):
    """Layers of `LSTMCell` over sequences.

    Arguments as for `SimpleRNN`, with `proj_size` (see the cell) and without `activation`.

    >>> import paddlite as paddle
    >>> net = paddle.nn.LSTM(4, 3, num_layers=2, direction="bidirect")
    >>> outputs, (h, c) = net(paddle.ones([2, 5, 4]))
    >>> outputs.shape, h.shape
    (paddle.Size([2, 5, 6]), paddle.Size([4, 2, 3]))
    """

    _cell, _states = LSTMCell, 2

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        proj_size: int = 0,
        name: str | None = None,
    ):
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        super().__init__(
            input_size, hidden_size, num_layers, direction, time_major, dropout, attrs, proj_size=proj_size
        )

    def _whole(self, cell: Any, x: Any, start: tuple, lengths: Any, reverse: bool) -> tuple[Any, tuple]:
        x = _shares(cell, x, elementwise_add(cell.bias_ih, cell.bias_hh))
        out, h, c, _ = recurrent.lstm(x, *start, cell.weight_hh, lengths, reverse=reverse)
        return out, (h, c)


class GRU(RNNBase):
    """Layers of `GRUCell` over sequences; arguments as for `SimpleRNN`, without `activation`."""

    _cell = GRUCell

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ):
        attrs = (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        super().__init__(input_size, hidden_size, num_layers, direction, time_major, dropout, attrs)

    def _whole(self, cell: Any, x: Any, start: tuple, lengths: Any, reverse: bool) -> tuple[Any, tuple]:
        x = _shares(cell, x, cell.bias_ih)
        out, h, _ = recurrent.gru(x, *start, cell.weight_hh, cell.bias_hh, lengths, reverse=reverse)
        return out, (h,)
