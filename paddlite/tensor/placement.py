"""Where a tensor's memory lies: moving it, naming it, sharing it."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.autograd.backward import HookHandle, add_ready_hook
from paddlite.backend import device
from paddlite.backend.dtypes import BY_NAME, DType, numpy_dtype
from paddlite.backend.place import CPUPlace, CUDAPlace, Place, as_place
from paddlite.core.errors import DTypeMismatch, InvalidArgument, NoGradient
from paddlite.core.inplace import replace
from paddlite.core.mode import current
from paddlite.core.node import Leaf
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor, TensorBase, np_shares, refresh
from paddlite.ops.arithmetic import assign, cast
from paddlite.ops.memcpy import memcpy
from paddlite.tensor.attach import attach

_TO_OPTIONS = ("device", "dtype", "blocking", "other", "copy", "copy_tensor")


def to(self: Any, *args: Any, **kwargs: Any) -> Any:
    """The values on another device or in another dtype; the tensor itself where nothing changes.

    Call it as `to(device, dtype=None)`, `to(dtype)` or `to(other)`, with the place and dtype of the tensor `other`.
    Gradients flow through it.

    Args:
        device: "cpu", "gpu", "gpu:1" or a place.
        dtype: an element type.
        blocking: accepted for compatibility; a copy is always complete before its first use.
        copy: True to make a copy in any case.

    Raises:
        ValueError: there is no such device.
        TypeError: nothing is asked for, or something unknown.

    >>> import paddlite as paddle
    >>> paddle.to_tensor([1, 2]).to("float64").dtype
    paddle.float64
    """
    unknown = sorted(set(kwargs) - set(_TO_OPTIONS))
    if unknown or len(args) > 4 or not (args or kwargs):
        what = f"got {', '.join(unknown)}" if unknown else f"got {len(args)} arguments"
        raise DTypeMismatch(f"to: want (device, dtype, blocking, copy), (dtype) or (other), {what}")
    given = dict(kwargs)
    copy = bool(given.pop("copy", False) or given.pop("copy_tensor", False))
    given.pop("blocking", None)
    if args and isinstance(args[0], TensorBase):
        given["other"] = args[0]
    elif args and _names_dtype(args[0]):
        given["dtype"] = args[0]
    elif args:
        given["device"] = args[0]
        given["dtype"] = args[1] if len(args) > 1 else given.get("dtype")
        copy = copy or (len(args) > 3 and bool(args[3]))
    other = given.get("other")
    place = given.get("device") if other is None else _place_of(other)
    dtype = given.get("dtype") if other is None else other._dtype
    return _moved(self, place, dtype, copy)


def _names_dtype(value: Any) -> bool:
    if isinstance(value, str):
        return value.removeprefix("paddle.") in BY_NAME
    return isinstance(value, (DType, np.dtype)) or (isinstance(value, type) and issubclass(value, np.generic))


def _place_of(x: Any) -> Place | None:
    return None if isinstance(x, Variable) else x.place


def _moved(x: Any, where: Any, dtype: Any, copy: bool) -> Any:
    result = x
    if dtype is not None and numpy_dtype(dtype) != x._dtype:
        result = cast(result, dtype=numpy_dtype(dtype))
    if where is not None and not isinstance(x, Variable):
        place = device.check_place(as_place(where))
        if place.kind == "gpu_pinned":
            place = CPUPlace()
        if place != x.place:
            result = memcpy(result, place=place, source=x.place)
    return assign(result) if copy and result is x else result


def cpu(self: Any) -> Any:
    """The values in main memory; the tensor itself where they are there already."""
    return _moved(self, CPUPlace(), None, False)


def cuda(self: Any, device_id: int | None = None, blocking: bool = True) -> Any:
    """The values on GPU `device_id` (left out: the current one, or the one where they are).

    Raises:
        ValueError: there is no such GPU; the text says what to do.
    """
    if device_id is not None:
        return _moved(self, CUDAPlace(device_id), None, False)
    places = (_place_of(self), current().place)
    return _moved(self, next((p for p in places if p is not None and p.kind == "gpu"), CUDAPlace(0)), None, False)


def pin_memory(self: Any, blocking: bool = True) -> Any:
    """The values in main memory.  Page-locked memory is what CuPy uses for its copies by itself."""
    return cpu(self)


def get_device(self: Tensor) -> int:
    """The number of the GPU where the memory lies, -1 on the CPU."""
    place = self.place
    return place.index if place.kind == "gpu" else -1


def data_ptr(self: Tensor) -> int:
    """The address of the first element."""
    array = self._data
    return array.__array_interface__["data"][0] if isinstance(array, np.ndarray) else array.data.ptr


def _offset(self: Tensor) -> int:
    """How many bytes after the start of its memory the first element lies."""
    root = self._data
    while isinstance(root.base, type(self._data)):
        root = root.base
    return data_ptr(self) - data_ptr(Tensor(root))


def value(self: Any) -> Any:
    """The tensor itself."""
    return self


def detach_(self: Any) -> Any:
    """Cut the tensor off from the graph that made it, in place; gives the tensor."""
    if not isinstance(self, Variable):
        refresh(self)
        self._edge = None
    self.stop_gradient = True
    return self


def apply(self: Tensor, func: Callable[[Any], Any]) -> Any:
    """`func` of the tensor.

    Raises:
        NoGradient: gradients are recorded for this tensor, which `func` need not know of.
    """
    if not self.stop_gradient:
        raise NoGradient("apply: gradients are recorded for this tensor; use x.detach() or call the function itself")
    return func(self)


def apply_(self: Tensor, func: Callable[[Any], Any]) -> Any:
    """Overwrite the tensor with `func` of it; gives the tensor.  See `apply`."""
    return replace(self, lambda: apply(self, func))


def is_dense(self: Any) -> bool:
    """True: there are no other tensors here."""
    return True


def is_sparse(self: Any) -> bool:
    """False: there are no sparse tensors here."""
    return False


is_sparse_coo = is_sparse_csr = is_selected_rows = is_dist = is_sparse


def _grad_fn(self: Any) -> Any:
    """The recorded call that made the tensor, or None for a leaf."""
    return None if self.is_leaf else getattr(self._edge, "node", None) or self._edge


class VarType(enum.Enum):
    """What kind of variable something is."""

    DENSE_TENSOR = 7


for _name, _property in {
    "device": property(lambda self: _device_name(self), doc='The device as text, such as "cpu" or "gpu:0".'),
    "offset": property(_offset),
    "grad_fn": property(_grad_fn),
    "layout": property(lambda self: "NCHW", doc="The order of axes of images."),
    "type": property(lambda self: VarType.DENSE_TENSOR, doc="The kind of variable."),
}.items():
    setattr(TensorBase, _name, _property)


def _device_name(x: Any) -> str:
    place = _place_of(x) or current().place
    return f"gpu:{place.index}" if place.kind == "gpu" else "cpu"


# -- what public code uses although its name begins with an underscore ------------------------------------------------


def _inplace_version(self: Any) -> int:
    return self._version[0]


def _bump_inplace_version(self: Tensor) -> None:
    """Say that the memory was changed by something that the framework did not see."""
    self._version[0] += 1


def _is_initialized(self: Any) -> bool:
    return True


def _numel(self: Any) -> int:
    return self.size


def _grad_ivar(self: Tensor) -> Tensor | None:
    return self.grad


def _zero_grads(self: Tensor) -> None:
    self.clear_gradient()  # type: ignore[attr-defined]


def _is_shared_buffer_with(self: Tensor, other: Tensor) -> bool:
    """True where both tensors' memory overlaps."""
    return np_shares(self._data, other._data)


def _share_buffer_to(self: Tensor, other: Tensor) -> None:
    """Let `other` lie in the memory of this tensor."""
    _lay_in(other, self)


def _register_backward_hook(self: Tensor, hook: Callable[[], Any]) -> HookHandle:
    """Call `hook()` whenever the gradient of this leaf has been stored."""
    if self.stop_gradient or type(self._edge) is not Leaf:
        raise NoGradient("_register_backward_hook: want a leaf tensor whose gradient is wanted")
    return add_ready_hook(self, lambda _: hook())


def _lay_in(x: Tensor, source: Tensor) -> None:
    x._data, x._version, x._view = source._data, source._version, None


def _data(self: Any) -> Any:
    """The values without their gradient, in the same memory."""
    return self.detach()


def _set_data(self: Any, source: Any) -> None:
    """Let the tensor lie in the memory of `source`, which may have another shape."""
    if isinstance(self, Variable) or not isinstance(source, Tensor):
        raise InvalidArgument(f"data: want an eager Tensor, got {type(source).__name__}")
    _lay_in(self, source)


TensorBase.data = property(_data, _set_data)  # type: ignore[attr-defined]
attach(
    (
        _bump_inplace_version, _grad_ivar, _inplace_version, _is_initialized, _is_shared_buffer_with, _numel,
        _register_backward_hook, _share_buffer_to, _zero_grads,
    )
)  # fmt: skip
_KIND_TESTS = ("is_dense", "is_dist", "is_selected_rows", "is_sparse", "is_sparse_coo", "is_sparse_csr")

__all__: list[str] = []
METHODS = [
    "apply", "apply_", "cpu", "cuda", "data_ptr", "detach_", "get_device", "pin_memory", "to", "value", *_KIND_TESTS,
]  # fmt: skip
