"""Hooks on what the tape keeps for backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddlite.core.mode import current, switch
from paddlite.core.node import packing


class saved_tensors_hooks:
    """While entered, each tensor that backward will need is kept in the form that `pack_hook` gives.

    Use it to keep activations elsewhere (on the host, on disk, compressed).  Backward calls `unpack_hook` with what
    `pack_hook` gave, which must give a tensor of the shape and dtype of the original.  The innermost pair counts.

    Args:
        pack_hook: called with each tensor when the forward call is recorded.
        unpack_hook: called when backward needs the tensor.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> with paddle.autograd.saved_tensors_hooks(lambda t: t.numpy(), paddle.to_tensor):
    ...     y = x * x
    >>> y.backward()
    >>> x.grad.tolist()
    [2.0, 4.0]
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook
        self._before: list[Any] = []

    def __enter__(self) -> saved_tensors_hooks:
        self._before.append(current().saved_hooks)
        switch(saved_hooks=(self.pack_hook, self.unpack_hook))
        packing.count += 1
        return self

    def __exit__(self, *error: object) -> None:
        packing.count -= 1
        switch(saved_hooks=self._before.pop())
