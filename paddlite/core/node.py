"""The tape: one `Node` a recorded eager call, and the edges that lead to it.

An edge says where a gradient goes: to a `Node` (the call that made a value, if it has one output), to an `Output` (one
of several), or to a `Leaf` (a tensor that the user made).  Edges never change; a tensor moves from one edge to another
when it is changed in place.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from paddlite.backend.dtypes import INEXACT
from paddlite.core.errors import DTypeMismatch, GraphFreed, SavedValueChanged, ShapeMismatch
from paddlite.core.meta import Like
from paddlite.core.mode import current, switched
from paddlite.core.op import ATTRIBUTE, GRADIENT, INPUT, LIKE_INPUT, LIKE_OUTPUT, NEEDS, OUTPUT, Plan

if TYPE_CHECKING:
    from paddlite.core.tensor import Tensor

_next_order = itertools.count(0, -1).__next__  # falling, so that a heap gives the newest call first


class _Packing:
    """How many `saved_tensors_hooks` are entered anywhere: the mode is asked for them only where there are some."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


packing = _Packing()
_tensor_class: Any = None  # filled by core.tensor, which imports this module


class Leaf:
    """Where the gradient of a leaf tensor is delivered."""

    __slots__ = ("__weakref__", "hooks", "ready_hooks", "taker", "tensor")
    node = None

    def __init__(self, tensor: Tensor):
        self.tensor = weakref.ref(tensor)
        self.hooks: dict[int, Callable] | None = None
        self.ready_hooks: dict[int, Callable] | None = None
        self.taker: Callable | None = None  # has the gradient in place of `.grad`: see `take_gradients`


class Output:
    """Output `index` of a call with several outputs."""

    __slots__ = ("index", "node")

    def __init__(self, node: Node, index: int):
        self.node = node
        self.index = index


class Watch:
    """Who wants to see the gradients of a call's outputs, by output index."""

    __slots__ = ("hooks", "retained")

    def __init__(self) -> None:
        self.hooks: dict[int, dict[int, Callable]] = {}
        self.retained: dict[int, weakref.ref] = {}  # tensors that keep their gradient


class Node:
    """One call on the tape: what backward needs of it, and nothing else."""

    __slots__ = ("__weakref__", "attrs", "edges", "metas", "order", "plan", "saved", "watch")

    def __init__(self, plan: Plan, attrs: dict[str, Any], edges: list, saved: list | None):
        self.plan = plan
        self.attrs: dict[str, Any] | None = attrs
        self.edges: list | None = edges  # one an input; None where no gradient is wanted
        self.saved = saved
        self.metas: tuple | None = None  # of the outputs, where there are several
        self.order = _next_order()
        self.watch: Watch | None = None

    @property
    def name(self) -> str:
        return self.plan.op.name

    @property
    def output_count(self) -> int:
        return 1 if self.metas is None else len(self.metas)

    def output_like(self, index: int) -> Any:
        """Shape and dtype of output `index`, to make zeros of."""
        return self.metas[index]  # type: ignore[index]

    def flow(self, grads: list) -> list[tuple[Any, Any]]:
        """Each edge that wants a gradient with its own (None where there is none), from those of the outputs."""
        edges = self.edges
        if edges is None:
            raise freed(self.name)
        plan = self.plan
        if plan.joint:
            _, rule, reads = plan.rules[0]
            found = rule(
                *[grads[key] if kind == GRADIENT else self._read(kind, key, slot) for kind, key, slot in reads]
            )
            return [(edge, gradient) for edge, gradient in zip(edges, found, strict=True) if edge is not None]
        result = []
        for i, rule, reads in plan.rules:
            arguments = []
            for kind, key, slot in reads:
                if kind == GRADIENT:
                    arguments.append(grads[key])
                elif kind == LIKE_INPUT:
                    arguments.append(self.saved[slot])  # type: ignore[index]
                else:
                    arguments.append(self._read(kind, key, slot))
            result.append((edges[i], rule(*arguments)))
        return result

    def _read(self, kind: int, key: Any, slot: int) -> Any:
        if kind == ATTRIBUTE:
            return self.attrs[key]  # type: ignore[index]
        if kind == NEEDS:
            return tuple([edge is not None for edge in self.edges])  # type: ignore[union-attr]
        saved = self.saved[slot]  # type: ignore[index]
        if kind in (LIKE_INPUT, LIKE_OUTPUT) or saved is None:
            return saved
        if kind == OUTPUT:
            op = self.plan.op
            edge = self if op.single else None if key in op.no_grad_outputs else Output(self, key)
            return unsave(saved, edge, self)
        if type(saved) is list:
            return [unsave(one, self.edges[key + i], self) for i, one in enumerate(saved)]  # type: ignore[index]
        return unsave(saved, self.edges[key], self)  # type: ignore[index]


def unsave(saved: Any, edge: Any, node: Any) -> Any:
    """What `save` was given, with `edge` as its place in the graph.

    Raises:
        SavedValueChanged: its memory was changed in place since.
    """
    if type(saved) is not tuple:  # a number, or what a pack hook made of the tensor
        return saved.unpack(edge) if type(saved) is Packed else saved
    array, version, count = saved
    if version[0] != count:
        raise SavedValueChanged(
            f"backward of op '{node.name}' needs a tensor of shape {list(array.shape)} that was changed in place after "
            f"the forward call (version {version[0]}, saved at version {count}). Change a copy (x.clone()), or use the "
            "op that is not in place."
        )
    return _tensor_class(array, edge is None, edge)


def freed(name: str) -> GraphFreed:
    """The error for a backward that comes to op `name` after another has freed it."""
    return GraphFreed(
        f"backward came to op '{name}' a second time, but the first backward has let go of what it needs. Call "
        "backward(retain_graph=True) the first time, or run the forward pass again."
    )


class Packed:
    """A saved tensor in the form that a user's pack hook gave it."""

    __slots__ = ("like", "packed", "unpack_hook")

    def __init__(self, tensor: Tensor, hooks: tuple[Callable, Callable]):
        self.like = Like(tensor._shape, tensor._dtype)
        self.packed, self.unpack_hook = hooks[0](tensor), hooks[1]

    def unpack(self, edge: Any) -> Tensor:
        tensor = self.unpack_hook(self.packed)
        if not isinstance(tensor, _tensor_class):
            raise DTypeMismatch(f"saved_tensors_hooks: unpack_hook must give a Tensor, got {type(tensor).__name__}")
        if tensor._shape != self.like.shape or tensor._dtype != self.like.dtype:
            raise ShapeMismatch(
                f"saved_tensors_hooks: unpack_hook gave {tensor._dtype}{list(tensor._shape)} for a tensor saved as "
                f"{self.like!r}"
            )
        return _tensor_class(tensor._data, edge is None, edge)


def save(value: Any) -> Any:
    """What the tape keeps of a value that backward needs."""
    try:
        version = value._version
    except AttributeError:  # None, a number, a Like
        return value
    if packing.count:
        hooks = current().saved_hooks
        if hooks is not None:
            with switched(saved_hooks=None, grad=False):
                return Packed(_tensor_class(value._data, value._stop, value._edge), hooks)
    return (value._data, version, version[0])


def _like(value: Any) -> Any:
    try:
        data = value._data
    except AttributeError:
        return value
    return Like(data.shape, data.dtype)


def _save_one(kind: int, key: int, inputs: tuple, outputs: tuple) -> Any:
    if kind == INPUT:
        value = inputs[key]
        return value if type(value) is float or type(value) is int else save(value)
    if kind == OUTPUT:
        return save(outputs[key])
    return _like(inputs[key] if kind == LIKE_INPUT else outputs[key])


def _save_one_of_many(plan: Plan, kind: int, key: int, inputs: tuple, outputs: tuple) -> Any:
    """The same for an op whose last input is a list."""
    if kind in (INPUT, LIKE_INPUT) and key == len(plan.op.inputs) - 1:
        return [_save_one(kind, i, inputs, outputs) for i in range(key, len(inputs))]
    return _save_one(kind, key, inputs, outputs)


def make_node(plan: Plan, attrs: dict[str, Any], inputs: tuple, outputs: tuple) -> Node | None:
    """Put a call on the tape and attach its outputs to it.

    `inputs` are the values of the call (tensors, numbers, None); `outputs` its result tensors, without an edge yet.
    Gives None, and attaches nothing, where the output is not floating point.
    """
    if plan.single and outputs[0]._data.dtype not in INEXACT:
        return None  # no gradient flows through whole numbers
    saved: list | None = None
    if plan.variadic:
        saved = [_save_one_of_many(plan, kind, key, inputs, outputs) for kind, key in plan.saves]
    elif plan.saves:
        saved = []
        for kind, key in plan.saves:
            if kind == LIKE_INPUT and type(inputs[key]) is _tensor_class:
                data = inputs[key]._data
                saved.append(Like(data.shape, data.dtype))
            else:
                saved.append(_save_one(kind, key, inputs, outputs))
    edges = [None] * len(inputs)
    for i in plan.wanted:
        edges[i] = inputs[i]._edge
    op = plan.op
    node = Node(plan, op.full_attrs(attrs) if op.attributes else attrs, edges, saved)
    if plan.single:
        out = outputs[0]
        out._edge = node
        out._stop = False
    else:
        node.metas = tuple([_like(out) for out in outputs])
        for i, out in enumerate(outputs):
            if out is not None and op.carries(i, out._data.dtype):
                out._edge = Output(node, i)
                out._stop = False
    return node
