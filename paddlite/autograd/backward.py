"""`backward` and `grad` for eager tensors: seeds, delivery into `.grad`, hooks."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from paddlite.autograd.walk import reverse_walk
from paddlite.backend import device
from paddlite.core.errors import InvalidArgument, NoGradient, ShapeMismatch
from paddlite.core.mode import switched
from paddlite.core.node import Leaf
from paddlite.core.tensor import Tensor
from paddlite.ops.arithmetic import elementwise_add


def _as_list(value: Any) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _seed(tensor: Tensor, given: Tensor | None) -> Tensor:
    if given is None:
        xp = device.module_of(tensor._data)
        return Tensor(xp.ones(tensor._shape, tensor._dtype))
    if given._shape != tensor._shape:
        raise ShapeMismatch(
            f"backward: the gradient given for a tensor of shape {tensor.shape} has shape {given.shape}"
        )
    return given


class _Delivery:
    """Puts gradients into `.grad` of leaf tensors, each with memory of its own."""

    def __init__(self, seeds: Sequence[Tensor], create_graph: bool):
        self.create_graph = create_graph
        self.owned_elsewhere = {id(seed._data) for seed in seeds}

    def __call__(self, leaf: Leaf, gradient: Tensor) -> None:
        for hook in list((leaf.hooks or {}).values()):
            changed = hook(gradient)
            if changed is not None:
                gradient = changed
        tensor = leaf.tensor()
        if tensor is not None:
            self._store(tensor, gradient)
        for hook in list((leaf.ready_hooks or {}).values()):
            hook(tensor)

    def _store(self, tensor: Tensor, gradient: Tensor) -> None:
        before = tensor.grad
        if self.create_graph:
            tensor._grad = gradient if before is None else elementwise_add(before, gradient)
        elif before is None:
            tensor._grad = Tensor(self._own(gradient._data), False)
        elif before._stop or before.is_leaf:
            before._data += gradient._data
        else:
            tensor._grad = elementwise_add(before, gradient)

    def _own(self, array: Any) -> Any:
        """`array`, copied where something else may hold its memory."""
        shared = id(array) in self.owned_elsewhere or array.base is not None
        self.owned_elsewhere.add(id(array))
        return array.copy() if shared or not getattr(array.flags, "writeable", True) else array


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool = False, create_graph: bool = False) -> None:
    """Add the gradients of the sum of `tensors` to `.grad` of every leaf tensor that they depend on.

    Args:
        tensors: a tensor or a list of tensors to start from.
        grad_tensors: the gradient that each starts with, of its shape; None stands for ones.
        retain_graph: keep what the forward calls saved, so that backward can run again.
        create_graph: record the backward calls too, for gradients of gradients.

    Raises:
        ShapeMismatch: a given gradient has another shape than its tensor.
        GraphFreed: a backward without `retain_graph` has been here before.
        SavedValueChanged: a tensor that backward needs was changed in place.
    """
    roots = _as_list(tensors)
    given = _as_list(grad_tensors) if grad_tensors is not None else [None] * len(roots)
    if len(given) != len(roots):
        raise InvalidArgument(f"backward: {len(roots)} tensors but {len(given)} gradients; give one each, or None")
    pairs = [(t, g) for t, g in zip(roots, given) if not t.stop_gradient]
    if not pairs:
        warnings.warn(
            "backward() does nothing: no tensor that it starts from depends on one with stop_gradient=False",
            RuntimeWarning,
            stacklevel=2,
        )
        return
    seeds = [_seed(t, g) for t, g in pairs]
    with switched(grad=create_graph, amp=None):
        reverse_walk(
            [t._edge for t, _ in pairs],
            seeds,
            _Delivery(seeds, create_graph),
            retain=retain_graph or create_graph,
            early=_ready_hook_count[0] > 0,
        )


_ready_hook_count = [0]


def add_ready_hook(tensor: Tensor, hook: Any) -> Any:
    """Call `hook(tensor)` as soon as the last gradient of a leaf has come; gives a handle with `remove()`."""
    leaf = tensor._edge
    if leaf.ready_hooks is None:
        leaf.ready_hooks = {}
    _ready_hook_count[0] += 1
    return HookHandle(leaf.ready_hooks, hook, _ready_hook_count)


class HookHandle:
    """Removes a hook."""

    _next = 0

    def __init__(self, hooks: dict[int, Any], hook: Any, count: list[int] | None = None):
        HookHandle._next += 1
        self._hooks, self._key, self._count = hooks, HookHandle._next, count
        hooks[self._key] = hook

    def remove(self) -> bool:
        """Take the hook away; False where it is gone already."""
        found = self._hooks.pop(self._key, None) is not None
        if found and self._count is not None:
            self._count[0] -= 1
        return found


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Any = None,
) -> list[Tensor | None]:
    """The gradients of the sum of `outputs` with respect to `inputs`; `.grad` of tensors is left alone.

    Args:
        outputs: a tensor or list of tensors to start from.
        inputs: a tensor or list of tensors, leaves or results of ops.
        grad_outputs: the gradient that each output starts with; None stands for ones.
        retain_graph: keep what the forward calls saved (default: as `create_graph`).
        create_graph: record the backward calls too, for gradients of gradients.
        only_inputs: must be True, as in the reference.
        allow_unused: give None for an input that the outputs do not depend on, instead of raising.
        no_grad_vars: tensors through which no gradient flows.

    Raises:
        NoGradient: an input has no gradient and `allow_unused` is False.
    """
    if not only_inputs:
        raise InvalidArgument("grad: only_inputs=False is not supported; call backward() to fill .grad of all leaves")
    roots, wanted = _as_list(outputs), _as_list(inputs)
    given = _as_list(grad_outputs) if grad_outputs is not None else [None] * len(roots)
    if len(given) != len(roots):
        raise InvalidArgument(f"grad: {len(roots)} outputs but {len(given)} grad_outputs; give one each, or None")
    pairs = [(t, g) for t, g in zip(roots, given) if not t.stop_gradient]
    targets = [t._edge for t in wanted if not t.stop_gradient]
    found: dict[Any, Tensor] = {}
    if pairs and targets:
        seeds = [_seed(t, g) for t, g in pairs]
        blocked = [t._edge for t in _as_list(no_grad_vars or []) if not t.stop_gradient]
        with switched(grad=create_graph, amp=None):
            reverse_walk(
                [t._edge for t, _ in pairs],
                seeds,
                lambda edge, gradient: found.__setitem__(_identity(edge), gradient),
                targets=targets,
                stop_at=blocked,
                retain=create_graph if retain_graph is None else retain_graph,
            )
    result: list[Tensor | None] = []
    for i, t in enumerate(wanted):
        gradient = found.get(_identity(t._edge)) if not t.stop_gradient else None
        if gradient is None and not allow_unused:
            raise NoGradient(
                f"grad: input {i} (shape {t.shape}) has no gradient: the outputs do not depend on it, or its "
                "stop_gradient is True. Pass allow_unused=True to get None for it."
            )
        result.append(gradient)
    return result


def _identity(edge: Any) -> Any:
    node = getattr(edge, "node", None)
    return edge if node is None else (node, edge.index)
