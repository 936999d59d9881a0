"""Movable handles of a Program: what an in-place change of a variable does to it and to the variables around it.

Values never change; the handle moves.  Variables that share memory in the eager world (views, `detach`) follow: an
in-place change of a view is put back into what it is a view of, and a view is taken anew once that has moved.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.dispatch import dispatch
from paddlite.core.mode import current, switched
from paddlite.core.op import OPS, Op
from paddlite.core.tensor import View, parent_of


def link_variable(out: Any, parent: Any, op: Op, attrs: dict[str, Any]) -> None:
    """Make `out` a view of `parent`, where the eager call would share memory."""
    if parent._block is None:  # a captured tensor: no parent, and not to be changed
        out._view = View(None, op, attrs, out._version, True)
        return
    if parent_of(parent) is not None and _copies(parent, op, attrs):
        return
    out._version = parent._version
    data_only = op.name == "share_data" or not current().grad
    out._view = View(parent, op, attrs, out._version, data_only)


def refresh_variable(variable: Any) -> None:
    """Record a view anew where the variable that it looks at has moved since."""
    view = variable._view
    if view is None or view.version == variable._version[0]:
        return
    view.version = variable._version[0]
    apart, parent = view.data_only or view.cut, parent_of(variable)
    if parent is None:
        return
    if apart:
        parent = _current(parent)
    else:
        refresh_variable(parent)
        apart = parent._stop
    with switched(grad=not apart, amp=None):
        moved = parent._block.append(view.op, (parent,), view.attrs)
    variable._value = (_with_data(variable, moved) if apart and not variable._stop else moved)._value


def _current(variable: Any) -> Any:
    """What `variable` stands for once it is refreshed, without doing so."""
    view, parent = variable._view, parent_of(variable)
    if parent is None or view.version == variable._version[0]:
        return variable
    with switched(grad=False, amp=None):
        return variable._block.append(view.op, (_current(parent),), view.attrs)


def move_variable(x: Any, result: Any) -> None:
    """Let the (refreshed) handle `x` stand for the value of `result`; what `x` is a view of moves with it."""
    apart = not current().grad  # only values change, gradients flow as before
    x._value = (_with_data(x, result) if apart and not x._stop else result)._value
    current_views = [x._view]  # those that need not be taken anew
    part = x
    while (parent := parent_of(x)) is not None:
        view = x._view
        apart = apart or view.data_only
        with switched(grad=not apart, amp=None):
            part = dispatch(OPS["view_put"], (parent, part), {"op": view.op.name, "attrs": view.attrs})
        if not apart:
            view.cut = view.cut and x._stop
            parent._value = part._value
            current_views.append(parent._view)
        elif parent_of(parent) is None:
            parent._value = (part if parent._stop else _with_data(parent, part))._value
        x = parent
    x._version[0] += 1
    for view in current_views:
        if view is not None:
            view.version = x._version[0]


def _with_data(x: Any, result: Any) -> Any:
    with switched(grad=True, amp=None):
        return dispatch(OPS["with_data"], (x, result), {})


def stop_here(variable: Any) -> None:
    """Let the variable stand for its value without gradient; what was computed from it before keeps its own."""
    value = variable._value
    if not value.leaf and value.block.uses(value):
        with switched(grad=False, amp=None):
            variable._value = value.block.append(OPS["assign"], (variable,), {})._value
    variable._value.stop_gradient = True


class _Ghost(np.ndarray):
    """An array without contents that refuses to be copied."""

    def reshape(self, *shape: Any, **options: Any) -> Any:
        return super().reshape(*shape, **{**options, "copy": False})


_UNKNOWN = 4  # stands for sizes known only at run time


def _copies(parent: Any, op: Op, attrs: dict[str, Any]) -> bool:
    """True where the view op copies since the view `parent` is not laid out one element after the other."""
    chain = []
    root = parent
    while (above := parent_of(root)) is not None:
        chain.append(root._view)
        root = above
    try:
        array = np.empty([_UNKNOWN if size < 0 else size for size in root._shape], np.int8).view(_Ghost)
        for view in reversed(chain):
            array = view.op.kernel(np, array, **view.attrs)
    except (ValueError, IndexError, TypeError, MemoryError):
        return False  # the sizes that stand for unknown ones do not fit
    try:
        op.kernel(np, array, **attrs)
    except ValueError as error:
        return "copy" in str(error)
    except (IndexError, TypeError):
        pass
    return False
