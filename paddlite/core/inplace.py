"""Changing a tensor in place: the data change, the version moves, and the handle moves to the new value.

A value on the tape or in a Program never changes; `x.add_(y)` makes the handle `x` stand for the new value.  Where `x`
is a view, the tensors that it looks at move too, so that their gradients know of the change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import HALF
from paddlite.core.dispatch import _module, cast_to, dispatch, explained, input_arrays, prepare
from paddlite.core.errors import InplaceOnLeaf, NoGradient, ShapeMismatch
from paddlite.core.kernel import meta_of, run_kernel
from paddlite.core.mode import current, switched
from paddlite.core.node import make_node
from paddlite.core.op import OPS, OUTPUT, Op
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor, refresh


def in_place(op: Op, inputs: tuple, attrs: dict[str, Any]) -> Any:
    """Run `op` so that its result replaces its first input; gives that input.

    Raises:
        InplaceOnLeaf: the tensor (or the one that it is a view of) is a leaf whose gradient is wanted.
        ShapeMismatch: the result would have another shape.
    """
    x = inputs[0]
    if isinstance(x, Variable):
        return _in_place_variable(x, op, inputs, attrs)
    mode = current()
    if mode.amp is not None:
        with switched(amp=None):
            return in_place(op, inputs, attrs)
    if mode.block is not None:
        mode.block.append(op, inputs, attrs)  # raises: an eager tensor cannot be moved to a recorded value
    return _in_place_tensor(x, op, inputs, attrs)


def check_writable(x: Tensor) -> None:
    """Raise where an in-place change of `x` would destroy a leaf that backward still needs as it is."""
    if not current().grad:
        return
    root = x
    while root is not None:
        if not root._stop and root.is_leaf:
            what = "a leaf tensor" if root is x else "a view of a leaf tensor"
            raise InplaceOnLeaf(
                f"{what} ('{root.name}') whose gradient is wanted cannot be changed in place. Change a copy "
                "(x.clone()), or do it under paddle.no_grad()."
            )
        root = root._view.parent if root._view is not None else None


def _in_place_tensor(x: Tensor, op: Op, inputs: tuple, attrs: dict[str, Any]) -> Tensor:
    refresh(x)
    check_writable(x)
    prepared = prepare(op, inputs)
    if op.random and "stream" not in attrs:
        attrs = {**attrs, "stream": current().generator.take()}
    arrays = input_arrays(op, prepared)
    xp = _module(current(), op, arrays)
    try:
        meta = op.infer(*[meta_of(a) for a in arrays], **attrs)
    except Exception as error:
        raise explained(op, arrays, attrs, error) from error
    if meta.shape != x._shape:
        raise ShapeMismatch(
            f"{op.name}_: the result has shape {list(meta.shape)}, but the tensor changed in place has {list(x._shape)}"
        )
    if not getattr(x._data.flags, "writeable", True):
        x._data = x._data.copy()
    if meta.dtype != x._dtype or prepared[0] is not x:
        result = cast_to(dispatch(op, prepared, attrs), x._dtype)
        x._data[...] = result._data
        _move(x, result._edge, result._stop)
        return x
    plan = _plan(op, prepared) if current().grad else None
    holder = Tensor(x._data)
    holder._version = x._version
    node = make_node(plan, attrs, prepared, (holder,)) if plan is not None else None
    if op.inplace and xp is np and (op.native_half or meta.dtype not in HALF):
        run_kernel(xp, op, arrays, {**attrs, "out": x._data})
    else:
        x._data[...] = run_kernel(xp, op, arrays, attrs)
    _move(x, holder._edge, node is None)
    if node is not None:
        for slot, (kind, _) in enumerate(plan.saves):  # type: ignore[union-attr]
            if kind == OUTPUT:
                node.saved[slot] = (x._data, x._version, x._version[0])  # type: ignore[index]
    return x


def _plan(op: Op, inputs: tuple) -> Any:
    needs = 0
    for i, value in enumerate(inputs):
        if isinstance(value, Tensor):
            refresh(value)
            if not value._stop:
                needs |= 1 << i
    return op.plan(needs) if needs else None


def _move(x: Tensor, edge: Any, stop: bool) -> None:
    """`x` now stands for the value behind `edge`; tell the tensors that it is a view of."""
    x._version[0] += 1
    if not current().grad:
        if x._view is not None:
            x._view.version = x._version[0]
        return
    x._edge, x._stop = edge, stop
    while x._view is not None:
        view, parent = x._view, x._view.parent
        view.version = x._version[0]
        if parent is None:
            if not x._stop:
                raise NoGradient(
                    "a view made under no_grad was changed in place by something whose gradient is wanted; the tensor "
                    "it looks at cannot learn of it. Make the view with gradients on, or change it under no_grad."
                )
            return
        put = OPS["view_put"]
        plan = _plan_of_flags(put, parent, x)
        if plan is None:
            parent._edge, parent._stop = None, True
        else:
            holder = Tensor(parent._data)
            make_node(plan, {"op": view.op.name, "attrs": view.attrs}, (parent, x), (holder,))
            parent._edge, parent._stop = holder._edge, False
        x = parent


def _plan_of_flags(op: Op, *tensors: Tensor) -> Any:
    needs = sum(1 << i for i, t in enumerate(tensors) if not t._stop)
    return op.plan(needs) if needs else None


def _in_place_variable(x: Variable, op: Op, inputs: tuple, attrs: dict[str, Any]) -> Variable:
    result = dispatch(op, inputs, attrs)
    if result._shape != x._shape:
        raise ShapeMismatch(f"{op.name}_: the result has shape {result.shape}, but the variable has {x.shape}")
    if result._dtype != x._dtype:
        result = cast_to(result, x._dtype)
    _move_variable(x, result)
    return inputs[0]


def _move_variable(x: Variable, result: Variable) -> None:
    x._value = result._value
    x._version[0] += 1
    while x._view is not None:
        view = x._view
        view.version = x._version[0]
        put = dispatch(OPS["view_put"], (view.parent, x), {"op": view.op.name, "attrs": view.attrs})
        x = view.parent
        x._value = put._value


def replace(x: Any, compute: Any) -> Any:
    """Let `x` stand for `compute()`: the in-place form of any function, also one made of several ops.

    Raises:
        InplaceOnLeaf, ShapeMismatch: see `in_place`; `x` is unchanged then.
    """
    if not isinstance(x, Variable):
        refresh(x)
        check_writable(x)
    with switched(amp=None):
        result = compute()
        if result._shape != x._shape:
            raise ShapeMismatch(
                f"in place: the result has shape {list(result._shape)}, but the tensor to change has {list(x._shape)}"
            )
        if result._dtype != x._dtype:
            result = cast_to(result, x._dtype)
    if isinstance(x, Variable):
        _move_variable(x, result)
        return x
    if not getattr(x._data.flags, "writeable", True):
        x._data = x._data.copy()
    x._data[...] = result._data
    _move(x, result._edge, result._stop)
    return x
