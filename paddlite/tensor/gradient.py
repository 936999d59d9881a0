"""Methods of tensors that concern gradients."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.autograd.backward import HookHandle
from paddlite.autograd.backward import backward as run_backward
from paddlite.backend import device
from paddlite.core.errors import InvalidArgument, NoGradient
from paddlite.core.node import Leaf, Node, Watch
from paddlite.core.tensor import ZEROS, Tensor
from paddlite.tensor.attach import method


@method
def backward(self: Tensor, grad_tensor: Tensor | None = None, retain_graph: bool = False) -> None:
    """Add the gradient of this tensor to `.grad` of every leaf tensor that it depends on.

    Args:
        grad_tensor: the gradient to start with, of this tensor's shape; ones where it is left out.
        retain_graph: keep what the forward calls saved, so that backward can run again.
    """
    run_backward([self], [grad_tensor], retain_graph)


@method
def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> HookHandle:
    """Call `hook(gradient)` whenever the gradient of this tensor is known; what it gives (not None) takes its place.

    Returns a handle whose `remove()` takes the hook away.

    Raises:
        NoGradient: `stop_gradient` is True.
    """
    if self.stop_gradient:
        raise NoGradient("register_hook: a tensor with stop_gradient=True gets no gradient, so no hook can see it")
    _refuse_variable(self, "register_hook")
    edge: Any = self._edge
    if type(edge) is Leaf:
        if edge.hooks is None:
            edge.hooks = {}
        return HookHandle(edge.hooks, hook)
    node, index = _place(edge)
    if node.watch is None:
        node.watch = Watch()
    return HookHandle(node.watch.hooks.setdefault(index, {}), hook)


def _refuse_variable(x: Any, what: str) -> None:
    if x._block is not None:
        raise InvalidArgument(
            f"{what}: variables of a Program have no .grad; use paddle.static.append_backward or paddle.grad"
        )


def _place(edge: Any) -> tuple[Any, int]:
    return (edge, 0) if type(edge) is Node else (edge.node, edge.index)


@method
def retain_grads(self: Tensor) -> None:
    """Keep the gradient of this tensor in `.grad` although it is no leaf."""
    _refuse_variable(self, "retain_grads")
    if self.stop_gradient or type(self._edge) is Leaf:
        return
    edge: Any = self._edge
    node, index = _place(edge)
    if node.watch is None:
        node.watch = Watch()
    node.watch.retained[index] = weakref.ref(self)


@method
def clear_gradient(self: Tensor, set_to_zero: bool = True) -> None:
    """Set the gradient to zeros, or remove it where `set_to_zero` is False."""
    if getattr(self, "_grad", None) is not None:
        self._grad = ZEROS if set_to_zero else None


@method
def clear_grad(self: Tensor, set_to_zero: bool = True) -> None:
    """The same as `clear_gradient`."""
    clear_gradient(self, set_to_zero)


@method
def gradient(self: Tensor) -> np.ndarray | None:
    """The gradient as a NumPy array, or None."""
    return None if self.grad is None else np.array(device.to_host(self.grad._data))
