"""`x[...]` and `x[...] = value`: from Python's index expressions to ops."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.core.errors import DTypeMismatch, IndexOutOfRange
from paddlite.core.inplace import in_place
from paddlite.core.op import OPS
from paddlite.core.program import Variable
from paddlite.core.promote import NUMBERS
from paddlite.core.tensor import Tensor, TensorBase
from paddlite.ops.arithmetic import cast
from paddlite.ops.index import At, basic_index, index_get
from paddlite.tensor.convert import to_array


def _bound(value: Any, tensors: list) -> Any:
    """A bound of a slice: None, an int, or `At` for a variable."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, Variable):
        tensors.append(value)
        return At(len(tensors) - 1)
    return operator.index(value)


def _sliced(item: slice, tensors: list) -> slice:
    start, stop, step = (_bound(value, tensors) for value in (item.start, item.stop, item.step))
    if step == 0:
        raise IndexOutOfRange("index: a slice step must not be 0")
    return slice(start, stop, step)


def _parse(x: Any, index: Any) -> tuple[tuple, list]:
    """The stored form of an index expression, and the tensors that its `At`s stand for."""
    items, tensors = [], []
    for item in index if type(index) is tuple else (index,):
        kind = type(item)
        if kind is int or item is None or item is Ellipsis:
            items.append(item)
        elif kind is slice:
            items.append(_sliced(item, tensors))
        elif isinstance(item, (int, np.integer)) and not isinstance(item, (bool, np.bool_)):
            items.append(int(item))
        elif isinstance(item, Tensor) and not item._shape and item._dtype.kind in "iu" and x._block is None:
            items.append(int(item))  # type: ignore[call-overload]  # a view, as in the reference
        else:
            items.append(At(len(tensors)))
            tensors.append(index_tensor(item))
    return tuple(items), tensors


def index_tensor(item: Any) -> Any:
    if isinstance(item, TensorBase):
        return item
    if isinstance(item, (bool, np.bool_)):
        return Tensor(np.array(item))
    if isinstance(item, (list, range, np.ndarray)) or hasattr(item, "__array__"):
        array = to_array(list(item) if isinstance(item, range) else item)
        if not array.size and array.dtype.kind == "f":
            array = array.astype(np.int64)
        return Tensor(array)
    raise DTypeMismatch(
        f"index: {type(item).__name__} {item!r:.40} is no index; use ints, slices, None, ..., or int or bool tensors"
    )


def _here(x: Any, tensors: list) -> list:
    """Index tensors on the device of `x`."""
    if isinstance(x, Variable) or isinstance(x._data, np.ndarray):
        return tensors
    return [
        Tensor(device.to_place(t._data, x.place)) if isinstance(t, Tensor) and isinstance(t._data, np.ndarray) else t
        for t in tensors
    ]


def getitem(x: Any, index: Any) -> Any:
    """The part of `x` that `index` names: a view for ints and slices, a copy for index tensors and masks."""
    items, tensors = _parse(x, index)
    return index_get(x, *_here(x, tensors), index=items) if tensors else basic_index(x, index=items)


def setitem(x: Any, index: Any, value: Any) -> None:
    """Overwrite the part of `x` that `index` names; `value` is broadcast and cast to the dtype of `x`."""
    items, tensors = _parse(x, index)
    if not isinstance(value, TensorBase):
        array = (np.asarray(value) if isinstance(value, NUMBERS) else to_array(value)).astype(x._dtype, copy=False)
        value = Tensor(
            array if x._block is not None or type(x._data) is np.ndarray else device.to_place(array, x.place)
        )
    elif value._dtype != x._dtype:
        value = cast(value, dtype=x._dtype)
    in_place(OPS["set_value"], (x, value, *_here(x, tensors)), {"index": items})


TensorBase.__getitem__ = getitem  # type: ignore[attr-defined]
TensorBase.__setitem__ = setitem  # type: ignore[attr-defined]
