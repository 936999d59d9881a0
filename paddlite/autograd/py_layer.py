"""Layers whose backward the user writes: `PyLayer`."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

from paddlite.core.errors import DTypeMismatch, InplaceOnLeaf, InvalidArgument, ShapeMismatch
from paddlite.core.handles import move_variable, refresh_variable
from paddlite.core.inplace import move
from paddlite.core.meta import Meta, same_sizes
from paddlite.core.mode import current, switched
from paddlite.core.node import Output, make_node, save, unsave
from paddlite.core.op import OPS
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor, TensorBase, refresh
from paddlite.ops.arithmetic import cast
from paddlite.ops.like import zeros_like


class PyLayerContext:
    """Carries what backward needs from `forward` to `backward` of a `PyLayer`; attributes may be set freely."""

    def __init__(self) -> None:
        self._given: tuple = ()
        self._kept: list[_Kept] | None = None
        self._new: tuple = ()  # outputs that are an input, but not changed in place
        self._constant: tuple = ()
        self._materialize = True

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep `tensors` (inputs, outputs or results of `forward`; other things as they are) for backward.

        Call it once, in `forward`.  Tensors of the graph must be kept this way, not as attributes, so that they are
        let go of after backward, and changes in place are noticed.
        """
        self._given = tensors

    def saved_tensor(self) -> tuple:
        """What `save_for_backward` was given.

        Raises:
            SavedValueChanged: one of the tensors was changed in place since.
        """
        if self._kept is None:
            return self._given
        return tuple([kept.get() for kept in self._kept])

    def mark_not_inplace(self, *tensors: Tensor) -> None:
        """Say that inputs which `forward` returns were not changed in place: the outputs are new tensors."""
        self._new = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say that no gradient flows through these outputs of `forward`."""
        self._constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (True, the default) or None for an output that got no gradient."""
        self._materialize = bool(value)

    def set_grad_in_dtype_consistent(self, flag: bool) -> None:
        """Accepted for compatibility: gradients always have the dtype of what they are the gradient of."""


class PyLayer(PyLayerContext):
    """A differentiable function with a backward of one's own.

    Write a subclass with the static methods `forward(ctx, *args, **kwargs)` and `backward(ctx, *gradients)`, and call
    it by `apply`.  `backward` gets one gradient for each tensor that `forward` returned, and gives one (or None) for
    each tensor among the arguments of `forward`, in their order.  If it is written with differentiable functions,
    gradients of gradients work.

    >>> import paddlite as paddle
    >>> class Cube(paddle.autograd.PyLayer):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensor()
    ...         return grad * 3 * x * x
    >>> x = paddle.to_tensor([2.0], stop_gradient=False)
    >>> Cube.apply(x).backward()
    >>> x.grad.item()
    12.0
    """

    @staticmethod
    def forward(ctx: PyLayerContext, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs: tensors, and other things that pass through.  No gradients are recorded here."""
        raise NotImplementedError("a PyLayer needs a static method forward(ctx, ...)")

    @staticmethod
    def backward(ctx: PyLayerContext, *args: Any) -> Any:
        """Compute the gradients of the tensors that `forward` was given from those of its outputs."""
        raise NotImplementedError("a PyLayer needs a static method backward(ctx, ...)")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` with these arguments, and let backward go through `backward`.

        Raises:
            InvalidArgument: `forward` gives no tensor.
            InplaceOnLeaf: `forward` gives back a leaf whose gradient is wanted (see `mark_not_inplace`).
        """
        inputs = _tensors_in((*args, *kwargs.values()))
        for x in inputs:
            refresh_variable(x) if isinstance(x, Variable) else refresh(x)
        ctx = PyLayerContext()
        with switched(grad=False):
            made = cls.forward(ctx, *args, **kwargs)
        sequence = made if isinstance(made, (tuple, list)) else (made,)
        outputs = _tensors_in(sequence)
        if not outputs:
            raise InvalidArgument(f"{cls.__name__}.forward must give at least one Tensor, got {type(made).__name__}")
        if not current().grad or all(x._stop for x in inputs):
            return made
        results = _Call(cls, ctx, inputs, outputs).attach()
        replaced = [_replaced(item, results) for item in sequence]
        if not isinstance(made, (tuple, list)):
            return replaced[0]
        return replaced if isinstance(made, list) else tuple(replaced)


Function = PyLayer


def once_differentiable(backward: Callable) -> Callable:
    """Decorates a `backward` that is not to be differentiated itself: its gradients are constants."""

    @functools.wraps(backward)
    def run(ctx: PyLayerContext, *args: Any) -> Any:
        with switched(grad=False):
            return backward(ctx, *args)

    return run


def _tensors_in(items: Any) -> list:
    """The tensors among `items` and in the lists and tuples among them, in order."""
    found: list = []
    for item in items:
        if isinstance(item, TensorBase):
            found.append(item)
        elif isinstance(item, (list, tuple)):
            found.extend(x for x in item if isinstance(x, TensorBase))
    return found


def _replaced(item: Any, results: list) -> Any:
    """`item` with the next of `results` in place of each tensor; takes them off the front."""
    if isinstance(item, TensorBase):
        return results.pop(0)
    if type(item) in (list, tuple):
        return type(item)([results.pop(0) if isinstance(x, TensorBase) else x for x in item])
    return item


class _Kept:
    """One thing that `save_for_backward` was given: a tensor of the tape, a value of a Program, or anything else."""

    __slots__ = ("edge", "kind", "name", "value")

    def __init__(self, given: Any, edge: Any, name: str):
        self.kind, self.value = "other", given
        if isinstance(given, Variable):
            self.kind, self.value = "variable", given._value
        elif isinstance(given, Tensor):
            self.kind, self.value = "tensor", save(given)
        # an output's edge leads to the very call that keeps it: held weakly, or the two would keep each other alive
        self.edge = (weakref.ref(edge.node), edge.index) if type(edge) is Output else edge
        self.name = name

    def get(self) -> Any:
        if self.kind == "other":
            return self.value
        if self.kind == "variable":
            return Variable(self.value)
        edge = self.edge
        if type(edge) is tuple:
            edge = Output(edge[0](), edge[1])  # type: ignore[arg-type]
        return unsave(self.value, edge, self)


class _Call:
    """One use of a `PyLayer`: attribute `call` of the op `py_layer`."""

    def __init__(self, layer: type[PyLayer], ctx: PyLayerContext, inputs: list, outputs: list):
        self.layer, self.ctx, self.inputs, self.outputs = layer, ctx, inputs, outputs
        self.count = len(inputs)
        self.name = layer.__name__
        self.input_metas = [Meta(x._shape, x._dtype) for x in inputs]
        self.likes: list = []

    def __repr__(self) -> str:
        return self.name

    def attach(self) -> list:
        """The outputs as part of the graph; keeps what backward needs."""
        inputs, outputs, ctx = self.inputs, self.outputs, self.ctx
        changed = [self._changed_in_place(i) for i in range(len(outputs))]
        for x in changed:
            if x is not None and x.is_leaf and not x.stop_gradient:
                raise InplaceOnLeaf(
                    f"{self.name}.forward gives back a leaf tensor whose gradient is wanted ('{x.name}'), as if it had "
                    "been changed in place. Give back x.clone(), or say ctx.mark_not_inplace(x)."
                )
        record = current().block is not None or any(isinstance(x, Variable) for x in (*inputs, *outputs))
        results = self._record() if record else self._put_on_tape()
        constant = [id(x) for x in ctx._constant]
        for i, x in enumerate(outputs):
            if id(x) in constant:
                results[i].stop_gradient = True
            if changed[i] is not None:
                move_variable(x, results[i]) if record else move(x, results[i]._edge, results[i]._stop)
                results[i] = x
        places = {id(x): results[i] for i, x in enumerate(outputs)}
        ctx._kept = [self._keep(places.get(id(x), x)) for x in ctx._given]
        ctx._given = ctx._new = ctx._constant = ()
        self.inputs = self.outputs = []
        return results

    def _changed_in_place(self, index: int) -> Any:
        """Output `index` where it is one of the inputs (the first time), else None."""
        x = self.outputs[index]
        same = [y for y in (*self.ctx._new, *self.outputs[:index]) if y is x]
        return x if not same and any(y is x for y in self.inputs) else None

    def _keep(self, given: Any) -> _Kept:
        return _Kept(given, given._edge if isinstance(given, Tensor) and not given._stop else None, self.name)

    def _record(self) -> list:
        values = (*self.inputs, *self.outputs)
        block = current().block or next(x._block for x in values if isinstance(x, Variable))
        results = block.append(OPS["py_layer"], values, {"call": self})
        self.likes = list(results)
        return list(results)

    def _put_on_tape(self) -> list:
        needs = sum(1 << i for i, x in enumerate(self.inputs) if not x._stop)
        results = []
        for x in self.outputs:
            result = Tensor(x._data)
            result._version = x._version
            results.append(result)
        plan = OPS["py_layer"].plan(needs)
        assert plan is not None
        make_node(plan, {"call": self}, tuple(self.inputs), tuple(results))
        edge = next((r._edge for r in results if type(r._edge) is Output), None)
        self.likes = list(edge.node.metas or ()) if edge is not None else []
        return results

    def input_gradients(self, grads: list, needs: tuple[bool, ...]) -> list:
        """The gradient of each input by the layer's `backward`; extra None for the outputs that `_record` passes."""
        if self.ctx._materialize:
            grads = [zeros_like(like) if g is None else g for g, like in zip(grads, self.likes)]
        given = self.layer.backward(self.ctx, *grads)
        found = list(given) if isinstance(given, (tuple, list)) else [given]
        if len(found) > self.count or any(needs[len(found) : self.count]):
            raise InvalidArgument(
                f"{self.name}.backward must give one gradient (or None) for each of the {self.count} tensors that "
                f"forward was given, got {len(found)}"
            )
        found += [None] * (self.count - len(found))
        checked = [self._checked(i, g) if needs[i] else None for i, g in enumerate(found)]
        return checked + [None] * (len(needs) - self.count)

    def _checked(self, index: int, gradient: Any) -> Any:
        if gradient is None:
            return None
        want = self.input_metas[index]
        if not isinstance(gradient, TensorBase):
            raise DTypeMismatch(
                f"{self.name}.backward must give Tensors or None, got {type(gradient).__name__} for input {index}"
            )
        known = -1 not in gradient._shape and want.known
        if known and not same_sizes(gradient._shape, want.shape):
            raise ShapeMismatch(
                f"{self.name}.backward gave shape {list(gradient._shape)} for the gradient of input {index}, which has "
                f"shape {list(want.shape)}"
            )
        if gradient._dtype != want.dtype:
            return cast(gradient, dtype=want.dtype)
        if isinstance(gradient, Tensor) and gradient._stop:  # the user may hold it: a view is copied before it is owned
            return Tensor(gradient._data.view())
        return gradient
