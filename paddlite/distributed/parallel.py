"""`DataParallel`: the same network on every process, gradients averaged over all."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from typing import Any

from paddlite.autograd.backward import take_gradients
from paddlite.core.errors import ProgramError
from paddlite.core.mode import switched
from paddlite.core.tensor import Tensor
from paddlite.distributed.environment import communicator
from paddlite.distributed.group import Group
from paddlite.distributed.reducer import Reducer
from paddlite.nn import Layer


class DataParallel(Layer):
    """Wraps a network so that backward averages its gradients over all processes.

    Parameters and buffers are those of process 0 from the start.  A parameter that has no gradient on one process
    counts as zero there; where no process has one, its `.grad` stays None.

    Args:
        layers: the network.
        strategy: not used; there for compatibility.
        comm_buffer_size: megabytes of a bucket of gradients.
        last_comm_buffer_size: megabytes of the bucket that is reduced first.
        find_unused_parameters: accepted; absent gradients are found without it.
        group: the processes that take part; all where left out.

    Raises:
        ProgramError: the networks of the processes differ in a parameter's name, shape or dtype.

    >>> import paddlite as paddle
    >>> net = paddle.DataParallel(paddle.nn.Linear(2, 1))
    >>> net(paddle.ones([3, 2])).shape
    paddle.Size([3, 1])
    """

    def __init__(
        self,
        layers: Layer,
        strategy: Any = None,
        comm_buffer_size: float = 25,
        last_comm_buffer_size: float = 1,
        find_unused_parameters: bool = False,
        group: Group | None = None,
    ):
        super().__init__(layers.full_name() + "_data_parallel")
        self._layers = layers
        self.find_unused_parameters = find_unused_parameters
        self.group = group
        comm = communicator(group)
        self._reducer: Reducer | None = None
        if comm.size == 1:
            return
        _check_equal(layers, comm)
        _synchronise(layers, comm)
        trained = [p for p in layers.parameters() if not p.stop_gradient]
        if trained:
            limits = int(comm_buffer_size * 2**20), int(last_comm_buffer_size * 2**20)
            self._reducer = Reducer(trained, comm, *limits)
            for parameter in trained:
                take_gradients(parameter, self._reducer.take)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self._layers(*inputs, **kwargs)

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """While entered, backward leaves gradients local; the first backward after it averages all that came."""
        reducer = self._reducer
        before = reducer.enabled if reducer is not None else True
        if reducer is not None:
            reducer.enabled = False
        try:
            yield
        finally:
            if reducer is not None:
                reducer.enabled = before

    def scale_loss(self, loss: Tensor) -> Tensor:
        """`loss` itself: gradients are averaged where they are reduced."""
        return loss

    def apply_collective_grads(self) -> None:
        """Nothing to do: gradients are averaged during backward."""

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """The state of the network, under its own names."""
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(self, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        """Load a state of the network (see `nn.Layer.set_state_dict`)."""
        return self._layers.set_state_dict(state_dict, *args, **kwargs)

    set_dict = load_dict = set_state_dict


def _described(layers: Layer) -> list[str]:
    return [f"{name} {p._dtype} {list(p._shape)}" for name, p in layers.named_parameters()]


def _check_equal(layers: Layer, comm: Any) -> None:
    mine = _described(layers)
    sums = comm.all_gather_object(zlib.crc32("\n".join(mine).encode()))
    if len(set(sums)) == 1:
        return
    everyone = comm.all_gather_object(mine)
    for rank, theirs in enumerate(everyone):
        for i in range(max(len(theirs), len(everyone[0]))):
            a = everyone[0][i] if i < len(everyone[0]) else "nothing"
            b = theirs[i] if i < len(theirs) else "nothing"
            if a != b:
                raise ProgramError(
                    f"DataParallel: the networks differ: parameter {i} is {a} on rank 0, {b} on rank {rank}"
                )


def _synchronise(layers: Layer, comm: Any) -> None:
    """Give every process the parameters and buffers of process 0."""
    with switched(grad=False, amp=None):
        for tensor in (*layers.parameters(), *layers.buffers()):
            if tensor is not None:
                tensor._data[...] = comm.broadcast(tensor._data, 0)
                tensor._version[0] += 1
