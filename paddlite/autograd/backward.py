"""`backward` and `grad` for eager tensors: seeds, delivery into `.grad`, hooks."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from paddlite.autograd.program import append_gradients, value_of
from paddlite.autograd.walk import reverse_walk, run_hooks
from paddlite.backend import device
from paddlite.core.errors import DTypeMismatch, InvalidArgument, NoGradient, ShapeMismatch
from paddlite.core.kernel import quiet_run
from paddlite.core.mode import current, switched
from paddlite.core.node import Leaf
from paddlite.core.program import Value, Variable
from paddlite.core.tensor import ZEROS, Tensor, TensorBase
from paddlite.ops.arithmetic import assign, cast, elementwise_add


def _as_list(value: Any) -> list:
    return list(value) if isinstance(value, (list, tuple, set)) else [value]


def _tensors(value: Any, call: str, argument: str) -> list:
    found = _as_list(value)
    for item in found:
        if not isinstance(item, TensorBase):
            raise DTypeMismatch(f"{call}: {argument} must be a Tensor or a list of them, got {type(item).__name__}")
    if not found:
        raise InvalidArgument(f"{call}: {argument} is empty; give at least one Tensor")
    return found


def _paired(roots: list, given: Any, call: str, argument: str) -> list[tuple[Any, Any]]:
    """Each root that wants a gradient, with the gradient that it starts with or None."""
    grads = [None] * len(roots) if given is None else _as_list(given)
    if len(grads) != len(roots):
        raise InvalidArgument(f"{call}: {len(roots)} tensors but {len(grads)} {argument}; give one each, or None")
    for root, grad in zip(roots, grads):
        if grad is None:
            continue
        if not isinstance(grad, TensorBase):
            raise DTypeMismatch(f"{call}: {argument} must be Tensors or None, got {type(grad).__name__}")
        if grad._shape != root._shape:
            raise ShapeMismatch(
                f"{call}: the gradient given for a tensor of shape {list(root._shape)} has shape {list(grad._shape)}"
            )
    return [(t, g) for t, g in zip(roots, grads) if not t.stop_gradient]


def _seed(tensor: Tensor, given: Tensor | None) -> Tensor:
    if given is None:
        xp = device.module_of(tensor._data)
        return Tensor(xp.ones(tensor._shape, tensor._dtype))
    return given if given._dtype == tensor._dtype else cast(given, dtype=tensor._dtype)


class _Owners:
    """Gives each gradient that leaves the walk memory of its own, copying only where another may hold it."""

    __slots__ = ("create_graph", "known")

    def __init__(self, seeds: Sequence[Tensor], create_graph: bool):
        self.create_graph = create_graph
        self.known = {id(seed._data): seed._data for seed in seeds}  # holding the arrays keeps the ids from reuse

    def settle(self, gradient: Tensor, stop: bool) -> Tensor:
        """`gradient` for the user: with its graph where one is wanted."""
        array = self.own(gradient._data)
        if not self.create_graph:
            return Tensor(array, stop)
        return gradient if array is gradient._data else assign(gradient)

    def own(self, array: Any) -> Any:
        if id(array) in self.known or array.base is not None or not device.writable(array):
            array = array.copy()
        self.known[id(array)] = array
        return array


class _Delivery:
    """Puts gradients into `.grad` of leaf tensors."""

    __slots__ = ("at_end", "owners")

    def __init__(self, owners: _Owners):
        self.owners = owners
        self.at_end: list[Callable[[], None]] = []  # to be called when the walk is over

    def __call__(self, leaf: Leaf, gradient: Tensor) -> None:
        if leaf.hooks:
            gradient = run_hooks(leaf.hooks, gradient)
            self.owners.known[id(gradient._data)] = gradient._data  # a hook may have kept it
        tensor = leaf.tensor()
        if tensor is None or (leaf.taker is not None and leaf.taker(tensor, gradient, self.at_end.append)):
            return
        self._store(tensor, gradient)
        for hook in list((leaf.ready_hooks or {}).values()):
            hook(tensor)

    def _store(self, tensor: Tensor, gradient: Tensor) -> None:
        before = getattr(tensor, "_grad", None)
        if before is None or before is ZEROS:
            tensor._grad = self.owners.settle(gradient, False)
        elif self.owners.create_graph or before._dtype != gradient._dtype or not (before._stop or before.is_leaf):
            tensor._grad = elementwise_add(before, gradient)
        else:  # gradients of many steps add up in one piece of memory
            quiet_run()(operator.iadd, before._data, gradient._data)
            before._version[0] += 1


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool = False, create_graph: bool = False) -> None:
    """Add the gradients of the sum of `tensors` to `.grad` of every leaf tensor that they depend on.

    What a leaf already has in `.grad` is added to in place, so a gradient taken as `g = x.grad` changes with the next
    `backward`; keep `x.grad.clone()` where it must not.

    Args:
        tensors: a tensor or a list of tensors to start from.
        grad_tensors: the gradient that each starts with, of its shape; None stands for ones.
        retain_graph: keep what the forward calls saved, so that backward can run again.
        create_graph: record the backward calls too, for gradients of gradients.

    Raises:
        ShapeMismatch: a given gradient has another shape than its tensor.
        GraphFreed: a backward without `retain_graph` has been here before.
        SavedValueChanged: a tensor that backward needs was changed in place.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> paddle.autograd.backward([x * 2, x * 3], [None, paddle.to_tensor([1.0, 10.0])])
    >>> x.grad.tolist()
    [5.0, 32.0]
    """
    roots = _tensors(tensors, "backward", "tensors")
    pairs = _paired(roots, grad_tensors, "backward", "grad_tensors")
    if any(isinstance(root, Variable) for root in roots):
        raise InvalidArgument(
            "backward: variables of a Program have no .grad; use paddle.static.append_backward, paddle.grad, or "
            "optimizer.minimize"
        )
    if not pairs:
        warnings.warn(
            "backward() does nothing: no tensor that it starts from depends on one with stop_gradient=False",
            RuntimeWarning,
            stacklevel=2,
        )
        return
    seeds = [_seed(t, g) for t, g in pairs]
    delivery = _Delivery(_Owners(seeds, create_graph))
    watch = current().watch
    with switched(grad=create_graph, amp=None, block=None, watch=None):
        reverse_walk(
            [t._edge for t, _ in pairs],
            seeds,
            delivery,
            retain=retain_graph or create_graph,
            watch=watch,
            early=_EARLY in current().session,
        )
        for call in delivery.at_end:
            call()


_EARLY = "gradients are wanted early"  # in the session: somebody waits for the last use of a leaf


def add_ready_hook(tensor: Tensor, hook: Callable[[Tensor], Any]) -> HookHandle:
    """Call `hook(tensor)` as soon as the whole gradient of a leaf is in `.grad`; gives a handle with `remove()`."""
    leaf = tensor._edge
    if leaf.ready_hooks is None:
        leaf.ready_hooks = {}
    current().session[_EARLY] = True
    return HookHandle(leaf.ready_hooks, hook)


def take_gradients(tensor: Tensor, take: Callable[[Tensor, Tensor, Callable], bool]) -> None:
    """Offer each gradient of a leaf to `take(tensor, gradient, at_end)` as soon as its last part has come.

    Where it gives True, the gradient is not added to `.grad`.  `at_end(function)` registers what is called when the
    backward is over.  From then on every backward of the session looks for last uses.
    """
    tensor._edge.taker = take
    current().session[_EARLY] = True


class HookHandle:
    """Removes a hook."""

    _next = 0

    def __init__(self, hooks: dict[int, Any], hook: Any):
        HookHandle._next += 1
        self._hooks, self._key = hooks, HookHandle._next
        hooks[self._key] = hook

    def remove(self) -> bool:
        """Take the hook away; False where it is gone already."""
        return self._hooks.pop(self._key, None) is not None


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

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor(3.0, stop_gradient=False)
    >>> [slope] = paddle.grad(x**3, x, create_graph=True)
    >>> [bend] = paddle.grad(slope, x)
    >>> slope.item(), bend.item()
    (27.0, 18.0)
    """
    if not only_inputs:
        raise InvalidArgument("grad: only_inputs=False is not supported; call backward() to fill .grad of all leaves")
    roots, wanted = _tensors(outputs, "grad", "outputs"), _tensors(inputs, "grad", "inputs")
    pairs = _paired(roots, grad_outputs, "grad", "grad_outputs")
    live = [t for t in wanted if not t.stop_gradient]
    blocked = [] if no_grad_vars is None else [t for t in _as_list(no_grad_vars) if not t.stop_gradient]
    found: dict[Any, Any] = {}
    if pairs and live:
        if any(isinstance(t, Variable) for t in (*roots, *wanted)):
            program = pairs[0][0].block.program
            with switched(grad=create_graph):
                recorded = append_gradients([t for t, _ in pairs], live, [g for _, g in pairs], blocked)
            found = {value: Variable(gradient._value) for value, gradient in recorded.items()}
            found.update({_identity(t._edge): found.get(value_of(program, t)) for t in live})
        else:
            keep = create_graph if retain_graph is None else retain_graph
            found = _eager_gradients(pairs, live, blocked, keep, create_graph)
    result: list[Tensor | None] = []
    for i, t in enumerate(wanted):
        gradient = found.get(_identity(t._edge)) if not t.stop_gradient else None
        if gradient is None and not allow_unused:
            raise NoGradient(
                f"grad: input {i} (shape {list(t._shape)}) has no gradient: the outputs do not depend on it, or its "
                "stop_gradient is True. Pass allow_unused=True to get None for it."
            )
        result.append(gradient)
    return result


def _eager_gradients(pairs: list, wanted: list, blocked: list, retain: bool, create_graph: bool) -> dict[Any, Tensor]:
    seeds = [_seed(t, g) for t, g in pairs]
    owners = _Owners(seeds, create_graph)
    found: dict[Any, Tensor] = {}

    def deliver(edge: Any, gradient: Tensor) -> None:
        found[_identity(edge)] = owners.settle(gradient, True)

    watch = current().watch
    with switched(grad=create_graph, amp=None, block=None, watch=None):
        reverse_walk(
            [t._edge for t, _ in pairs],
            seeds,
            deliver,
            targets=[t._edge for t in wanted],
            stop_at=[t._edge for t in blocked],
            retain=retain,
            watch=watch,
        )
    return found


def _identity(edge: Any) -> Any:
    if type(edge) is Value:
        return edge
    node = getattr(edge, "node", None)
    return edge if node is None else (node, edge.index)
