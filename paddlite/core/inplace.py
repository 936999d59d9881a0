"""Changing a tensor in place: the data change, the version moves, and the handle moves to the new value.

A value on the tape or in a Program never changes; `x.add_(y)` makes the handle `x` stand for the new value.  Where `x`
is a view, the tensors that it looks at move too, so that their gradients know of the change.  Under `no_grad` only the
data change: gradients flow as before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import HALF
from paddlite.core.dispatch import _module, cast_to, dispatch, explained, input_arrays, prepare
from paddlite.core.errors import InplaceOnLeaf, InvalidArgument, NoGradient, ProgramError, ShapeMismatch
from paddlite.core.handles import move_variable, refresh_variable
from paddlite.core.kernel import meta_of, run_kernel
from paddlite.core.mode import current, switched
from paddlite.core.node import make_node, save
from paddlite.core.op import OPS, OUTPUT, Op
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor, View, np_shares, parent_of, refresh


def in_place(op: Op, inputs: tuple, attrs: dict[str, Any]) -> Any:
    """Run `op` so that its result replaces its first input; gives that input.

    Raises:
        InplaceOnLeaf: the tensor (or the one that it is a view of) is a leaf whose gradient is wanted.
        ShapeMismatch: the result would have another shape.
        ProgramError: an eager tensor, while a Program is recorded.
    """
    x = inputs[0]
    _refuse_captured(x)
    if isinstance(x, Variable):
        refresh_variable(x)
        check_writable(x)
        with switched(amp=None):
            result = dispatch(op, inputs, attrs)
        return _variable_becomes(x, result, f"{op.name}_")
    mode = current()
    if mode.amp is not None:
        with switched(amp=None):
            return in_place(op, inputs, attrs)
    return _in_place_tensor(x, op, inputs, attrs)


def replace(x: Any, compute: Callable[[], Any]) -> Any:
    """Let `x` stand for `compute()`: the in-place form of any function, also one made of several ops.

    Raises:
        InplaceOnLeaf, ShapeMismatch, ProgramError: see `in_place`; `x` is unchanged then.
    """
    _refuse_captured(x)
    if isinstance(x, Variable):
        refresh_variable(x)
    else:
        refresh(x)
    check_writable(x)
    with switched(amp=None):
        result = compute()
    if isinstance(x, Variable):
        return _variable_becomes(x, result, "in place")
    if result._shape != x._shape:
        raise ShapeMismatch(
            f"in place: the result has shape {list(result._shape)}, but the tensor to change has {list(x._shape)}"
        )
    _overwrite(x, result)
    return x


def check_writable(x: Any) -> None:
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
        root = None if root._view is None or root._view.data_only else parent_of(root)


def _refuse_captured(x: Any) -> None:
    """Raise where a Program that is being recorded would not learn of the change."""
    if isinstance(x, Variable):
        root = x
        while (parent := parent_of(root)) is not None:
            root = parent
        if root._view is None or root._view.parent is not None:
            return
        what = "a view of an eager tensor"
    elif current().block is None:
        return
    else:
        what = f"the eager tensor '{x.name}'"
    raise ProgramError(
        f"{what} cannot be changed in place while a Program is recorded, since the Program refers to it. Compute a new "
        "variable, change a copy (x.clone()), or change the tensor outside of the recording."
    )


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
    if meta.dtype != x._dtype or prepared[0] is not x:
        _overwrite(x, dispatch(op, prepared, attrs))
        return x
    plan = _plan(op, prepared)
    _check_link(x, plan is not None)
    if _own_memory(x):
        arrays[0] = x._data
    pending = _Pending(x._data)
    node = make_node(plan, attrs, prepared, (pending,)) if plan is not None else None
    if op.inplace and (op.native_half or meta.dtype not in HALF):
        if xp is not np:
            arrays[1:] = [_apart(a, x._data) for a in arrays[1:]]
        run_kernel(xp, op, arrays, {**attrs, "out": x._data})
    else:
        _write(x._data, run_kernel(xp, op, arrays, attrs))
    move(x, node, node is None)
    if current().watch is not None:
        current().watch(op.name, [x._data])
    if node is not None:
        written = Tensor(x._data)
        written._version = x._version
        for slot, (kind, _) in enumerate(plan.saves):  # type: ignore[union-attr]
            if kind == OUTPUT:
                node.saved[slot] = save(written)  # type: ignore[index]
    return x


class _Pending:
    """Stands for a result that is still to be written: the tape reads its dtype, and saves nothing of it."""

    __slots__ = ("_data", "_edge", "_stop")

    def __init__(self, data: Any):
        self._data = data


def _overwrite(x: Tensor, result: Tensor) -> None:
    """Copy `result`, which has the shape of `x`, into the memory of `x`; the dtype stays."""
    if result._dtype != x._dtype:
        with switched(amp=None):
            result = cast_to(result, x._dtype)
    _check_link(x, current().grad and not result.stop_gradient)
    _own_memory(x)
    _write(x._data, result._data)
    move(x, result._edge, result._stop)


def _check_link(x: Any, tracked: bool) -> None:
    """Raise where a gradient would be lost on its way to the tensor that `x` is a view of."""
    root = x
    while tracked and root is not None and root._view is not None:
        if root._view.op is OPS["share_data"]:
            return  # a detached tensor is meant to be on its own
        if root._view.data_only:
            raise NoGradient(
                "a view made under no_grad was changed in place by something whose gradient is wanted; the tensor "
                "it looks at cannot learn of it. Make the view with gradients on, or change it under no_grad."
            )
        root = parent_of(root)


def _own_memory(x: Tensor) -> bool:
    """Give `x` memory that may be written; True where it had none."""
    if device.writable(x._data):
        return False
    if parent_of(x) is not None:
        raise InvalidArgument(
            f"the memory of this tensor of shape {list(x._shape)} cannot be changed in place: it is read-only, or one "
            "element of it stands for several. Change a copy (x.clone())."
        )
    x._data, x._version = x._data.copy(), [x._version[0]]
    return True


def _write(target: Any, values: Any) -> None:
    target[...] = values if type(values) is np.ndarray else _apart(values, target)


def _apart(array: Any, target: Any) -> Any:
    """`array`, copied where it overlaps `target`: kernels on a GPU read and write in no fixed order."""
    if not hasattr(array, "strides") or array is target or not np_shares(array, target):
        return array
    same = array.data.ptr == target.data.ptr and array.strides == target.strides and array.shape == target.shape
    return array if same else array.copy()


def _plan(op: Op, inputs: tuple) -> Any:
    """What backward of the call does; None where no gradient flows."""
    needs = 0
    for i, value in enumerate(inputs):
        if isinstance(value, Tensor):
            refresh(value)
            if not value._stop:
                needs |= 1 << i
    return op.plan(needs) if needs and current().grad else None


def move(x: Tensor, edge: Any, stop: bool) -> None:
    """`x` now stands for the value behind `edge`; tell the tensors that it is a view of."""
    x._version[0] += 1
    if not current().grad:
        if x._view is not None:
            x._view.version = x._version[0]
        return
    x._edge, x._stop = edge, stop
    while (parent := parent_of(x)) is not None:
        view: Any = x._view
        view.version = x._version[0]
        view.cut = view.cut and x._stop
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


def _variable_becomes(x: Variable, result: Variable, what: str) -> Variable:
    if result._shape != x._shape:
        raise ShapeMismatch(f"{what}: the result has shape {result.shape}, but the variable has {x.shape}")
    if result._dtype != x._dtype:
        with switched(amp=None):
            result = cast_to(result, x._dtype)
    _check_link(x, current().grad and not result._stop)
    move_variable(x, result)
    return x


def become(x: Any, compute: Callable[[Any], Any]) -> Any:
    """Let `x` stand for `compute(x)`, which may have another shape or dtype (`reshape_`, `cast_` and their kin).

    Raises:
        InplaceOnLeaf, ProgramError: see `in_place`.
    """
    static = isinstance(x, Variable)
    if static:
        refresh_variable(x)
    else:
        _refuse_captured(x)
        refresh(x)
    check_writable(x)
    before = Variable(x._value) if static else Tensor(x._data, x._stop, x._edge)
    before._version, before._view = x._version, x._view
    result = compute(before)
    if static:
        x._value = result._value
    else:
        x._data = result._data
        if current().grad or x._stop or not x.is_leaf:
            x._edge, x._stop = result._edge, result._stop
    x._version, x._view = result._version, result._view
    if x._view is None and len(before._version) > 1:
        x._view = View(before, None, {}, before._version)  # leads the views of `x` to what they look at
    x._version[0] += 1
    if x._view is not None:
        x._view.version = x._version[0]
    return x
