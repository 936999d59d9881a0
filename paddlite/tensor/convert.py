"""From Python and NumPy to tensors and back."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import BF16, F32, FLOATING, FROM_NUMPY, numpy_dtype
from paddlite.backend.place import as_place
from paddlite.core.errors import DTypeMismatch, InvalidArgument, NoValue
from paddlite.core.mode import current
from paddlite.core.program import Variable
from paddlite.core.tensor import Parameter, Tensor, TensorBase, refresh
from paddlite.ops.arithmetic import assign, cast
from paddlite.ops.join import unbind
from paddlite.ops.share import share_data
from paddlite.tensor.attach import method


def to_array(data: Any, dtype: Any = None) -> np.ndarray:
    """`data` (numbers, nested lists, arrays, tensors) as a NumPy array with memory of its own.

    Python floats become float32 (the default dtype), ints int64, complex numbers complex64; arrays keep their dtype.

    Raises:
        TypeError: `data` is text or some other thing that no tensor can hold.
    """
    wanted = None if dtype is None else numpy_dtype(dtype)
    if isinstance(data, (np.ndarray, np.generic)):
        array = np.array(data)
        natural = array.dtype
    elif isinstance(data, (bool, int, float, complex, list, tuple)):
        array, natural = _from_python(data)
    elif hasattr(data, "__array__"):
        array = np.array(data)
        natural = array.dtype
    else:
        raise DTypeMismatch(f"to_tensor: cannot make a tensor of {type(data).__name__} {data!r:.60}")
    target = wanted or natural
    if target not in FROM_NUMPY:
        raise DTypeMismatch(f"to_tensor: arrays of dtype {array.dtype} cannot be tensors")
    return array.astype(target, copy=False)


def _from_python(data: Any) -> tuple[np.ndarray, np.dtype]:
    if isinstance(data, (list, tuple)):
        data = _without_tensors(data)
    try:
        array = np.array(data)
    except ValueError:
        raise InvalidArgument(f"to_tensor: the rows of the nested list differ in length: {data!r:.80}") from None
    if array.dtype.kind not in "biufcV":
        raise DTypeMismatch(f"to_tensor: a list with {array.dtype} elements cannot be a tensor: {data!r:.80}")
    default = current().default_dtype
    natural = {"f": default, "c": np.dtype(np.complex64 if default == F32 else np.complex128)}.get(array.dtype.kind)
    if not array.size and isinstance(data, (list, tuple)):
        natural = default
    return array, natural or array.dtype


def _without_tensors(data: Any) -> Any:
    if isinstance(data, TensorBase):
        return data.numpy()  # type: ignore[attr-defined]
    if isinstance(data, (list, tuple)):
        return [_without_tensors(item) for item in data]
    return data


def to_tensor(data: Any, dtype: Any = None, place: Any = None, stop_gradient: bool = True) -> Tensor:
    """A tensor that holds a copy of `data`.

    Args:
        data: a number, a nested list or tuple, an array or a tensor.
        dtype: element type; left out, Python floats become the default dtype and arrays keep theirs.
        place: where the memory lies ("cpu", "gpu:0", a `Place`); left out, the current device.
        stop_gradient: False to compute gradients for it.

    Raises:
        TypeError: `data` is no number or array.
        ValueError: rows of a nested list differ in length, or there is no such device.

    >>> import paddlite as paddle
    >>> paddle.to_tensor([[1, 2], [3, 4]]).shape
    paddle.Size([2, 2])
    """
    where = device.check_place(as_place(place)) if place is not None else current().place
    if isinstance(data, TensorBase):
        if isinstance(data, Variable):
            return data if dtype is None else cast(data, dtype=numpy_dtype(dtype))  # type: ignore[return-value]
        array = data._data.copy() if dtype is None else data._data.astype(numpy_dtype(dtype))
        return Tensor(device.to_place(array, where), stop_gradient)
    if device.is_device_array(data):
        return Tensor(device.to_place(data.astype(numpy_dtype(dtype or data.dtype)), where), stop_gradient)
    return Tensor(device.to_place(to_array(data, dtype), where), stop_gradient)


@method
def numpy(self: Tensor, blocking: bool = True) -> np.ndarray:
    """The values as a NumPy array with memory of its own.

    Args:
        blocking: taken for compatibility; the values are always complete.
    """
    _require_data(self, "numpy()")
    return np.array(device.to_host(self._data))


def _require_data(x: Any, what: str) -> None:
    if isinstance(x, Variable):
        raise NoValue(f"{what}: variable '{x.name}' has no value while a Program is recorded; fetch it by Executor.run")


@method
def item(self: Tensor, *args: int) -> Any:
    """The only element (or the one at `args`) as a Python number.

    Raises:
        ValueError: there is more than one element and no index is given.
    """
    _require_data(self, "item()")
    array = device.to_host(self._data)
    if not args and array.size != 1:
        raise InvalidArgument(f"item(): only a tensor of one element gives a number; this one has shape {self.shape}")
    value = array.item(*args)
    return float(value) if FROM_NUMPY[array.dtype].is_floating else value


@method
def tolist(self: Tensor) -> Any:
    """The values as nested lists."""
    _require_data(self, "tolist()")
    array = device.to_host(self._data)
    return array.astype(F32).tolist() if array.dtype.kind == "V" else array.tolist()


def _single(self: Any, kind: type) -> Any:
    _require_data(self, f"{kind.__name__}(tensor)")
    if self._data.size != 1:
        raise InvalidArgument(
            f"{kind.__name__}(tensor): only a tensor of one element can be converted; this one has shape {self.shape}"
        )
    return self.item()


def _index(self: Any) -> int:
    value = _single(self, int)
    if not isinstance(value, int):
        raise DTypeMismatch(f"an index must be an integer tensor, got dtype {self.dtype}")
    return int(value)


def _len(self: Any) -> int:
    if not self._shape:
        raise TypeError("len() of a 0-D tensor")
    if self._shape[0] < 0:
        raise NoValue(f"len(): the first size of variable '{self.name}' is known only when its Program runs")
    return self._shape[0]


def _format(self: Any, spec: str) -> str:
    if not isinstance(self, Variable) and (not self._shape or (spec and self._data.size == 1)):
        return format(self.item(), spec)
    return object.__format__(self, spec) if not spec else format(str(self), spec)


def _iterate(self: Any) -> Any:
    if not self._shape:
        raise TypeError("iteration over a 0-D tensor")
    return iter(unbind(self))


for _name, _function in {
    "__float__": lambda self: float(_single(self, float)),
    "__int__": lambda self: int(_single(self, int)),
    "__bool__": lambda self: bool(_single(self, bool)),
    "__complex__": lambda self: complex(_single(self, complex)),
    "__index__": _index,
    "__len__": _len,
    "__format__": _format,
    "__iter__": _iterate,
}.items():
    setattr(TensorBase, _name, _function)


@method
def detach(self: Any) -> Any:
    """A tensor over the same memory that is cut off from the gradient graph."""
    if isinstance(self, Variable):
        return share_data(self)
    refresh(self)
    out = Tensor(self._data)
    out._version = self._version
    return out


@method
def clone(self: Any) -> Any:
    """A copy with memory of its own; gradients flow through it."""
    return assign(self)


@method
def astype(self: Any, dtype: Any) -> Any:
    """The values in another dtype; gradients come back in the dtype of `self`."""
    target = numpy_dtype(dtype)
    return self if target == self._dtype and not isinstance(self, Variable) else cast(self, dtype=target)


@method
def set_value(self: Tensor, value: Any) -> None:
    """Overwrite the values in place; shape and dtype stay.  A uint16 array is taken as the bits of bfloat16.

    Raises:
        ValueError: `value` has another shape.
    """
    array = value._data if isinstance(value, Tensor) else to_array(value)
    if array.dtype == np.uint16 and self._dtype in FLOATING and not isinstance(value, Tensor):
        array = array.view(BF16)  # how checkpoints hold it
    if array.shape != self._shape:
        raise InvalidArgument(
            f"set_value: the tensor has shape {self.shape}, but the value has shape {list(array.shape)}"
        )
    if isinstance(array, np.ndarray) and not isinstance(self._data, np.ndarray):
        array = device.to_place(array, self.place)
    self._data[...] = array.astype(self._dtype)
    self._version[0] += 1
    if self._view is not None:
        self._view.version = self._version[0]


def _deepcopy(self: Tensor, memo: dict) -> Tensor:
    """A leaf with memory and a name of its own; attributes are copied deeply, the gradient and hooks are not."""
    copied = memo[id(self)] = type(self).__new__(type(self))
    Tensor.__init__(copied, self._data.copy(), self.stop_gradient)
    if hasattr(self, "_name"):  # a name of its own, since optimizers keep their state by name
        copied._name = self._name + current().names.new("_deepcopy")
    if hasattr(self, "_persistable"):
        copied._persistable = self._persistable
    copied.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return copied


def _copy(self: Tensor) -> Tensor:
    """Another leaf over the same memory."""
    copied = type(self).__new__(type(self))
    Tensor.__init__(copied, self._data, self.stop_gradient)
    copied._version = self._version
    for slot in ("_name", "_persistable"):
        if hasattr(self, slot):
            setattr(copied, slot, getattr(self, slot))
    copied.__dict__.update(self.__dict__)
    return copied


def _rebuild(kind: type, array: np.ndarray, stop: bool, name: str | None, extra: dict) -> Tensor:
    tensor = kind.__new__(kind)
    Tensor.__init__(tensor, array, stop)
    if name is not None:
        tensor._name = name
    if kind is Parameter:
        tensor._persistable = True
    tensor.__dict__.update(extra)
    return tensor


def _reduce(self: Tensor) -> tuple:
    name = getattr(self, "_name", None)
    return (_rebuild, (type(self), device.to_host(self._data), self.stop_gradient, name, dict(self.__dict__)))


Tensor.__copy__ = _copy  # type: ignore[attr-defined]
Tensor.__deepcopy__ = _deepcopy  # type: ignore[attr-defined]
Tensor.__reduce__ = _reduce  # type: ignore[method-assign,assignment]

__all__ = ["to_tensor"]
