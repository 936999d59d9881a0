"""Exchange with NumPy and other array libraries: their functions on tensors, and memory shared through DLPack."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor, TensorBase

# NumPy's reductions that are taken over by the tensor's own, so that they give tensors and gradients flow.
_OWN = {
    np.sum: "sum", np.mean: "mean", np.prod: "prod", np.max: "max", np.min: "min", np.amax: "max", np.amin: "min",
    np.any: "any", np.all: "all",
}  # fmt: skip
_SHAPES: dict[Callable, Callable] = {np.shape: lambda x: x._shape, np.ndim: lambda x: len(x._shape)}


def _as_arrays(value: Any) -> Any:
    if isinstance(value, TensorBase):
        return value.numpy()  # type: ignore[attr-defined]
    if isinstance(value, (list, tuple)):
        return type(value)([_as_arrays(v) for v in value])
    return value


def _array_function(self: Any, function: Callable, types: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """NumPy's functions on tensors: reductions give tensors, all others work on copies of the values."""
    if function in _SHAPES and not kwargs:
        return _SHAPES[function](*args)
    if function in _OWN and isinstance(args[0], TensorBase) and len(args) < 3 and set(kwargs) <= {"axis", "keepdims"}:
        axis = args[1] if len(args) > 1 else kwargs.get("axis")
        axis = list(axis) if isinstance(axis, tuple) else axis
        return getattr(args[0], _OWN[function])(axis=axis, keepdim=bool(kwargs.get("keepdims", False)))
    return function(*_as_arrays(args), **{k: _as_arrays(v) for k, v in kwargs.items()})


def _array(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """The values for `numpy.asarray`, with memory of their own unless `copy` is False."""
    if copy is not False:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)
    if isinstance(self, Variable) or not isinstance(self._data, np.ndarray) or dtype not in (None, self._dtype):
        raise ValueError("numpy.asarray(tensor, copy=False): the values must be copied to get this array")
    return self._data


def _dlpack_device(self: Tensor) -> tuple[int, int]:
    """The kind and number of the device, in DLPack's terms."""
    _require_exchangeable(self)
    return self._data.__dlpack_device__()


def _dlpack(self: Tensor, **options: Any) -> Any:
    """The memory of the tensor, for `from_dlpack` of another library.

    Raises:
        BufferError: gradients are recorded for this tensor, or no other library has its dtype.
    """
    _require_exchangeable(self)
    if not self.stop_gradient:
        raise BufferError(
            "__dlpack__: gradients are recorded for this tensor and would not know of changes made elsewhere; "
            "give x.detach()"
        )
    return _export(self, options)


def _export(x: Tensor, options: dict[str, Any]) -> Any:
    try:
        return x._data.__dlpack__(**options)
    except BufferError as error:
        raise BufferError(f"a tensor of dtype {x.dtype.name} cannot be given through DLPack: {error}") from None


def _require_exchangeable(x: Any) -> None:
    if isinstance(x, Variable):
        raise InvalidArgument(f"variable '{x.name}' has no memory to share while a Program is recorded")


class _Capsule:
    """A DLPack capsule as an object that array libraries take."""

    def __init__(self, capsule: Any):
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        """What the capsule says: (kind, number) behind the pointer to the data."""
        for name, offset in ((b"dltensor", 8), (b"dltensor_versioned", 40)):
            if _is_capsule(self._capsule, name):
                return tuple((ctypes.c_int32 * 2).from_address(_address(self._capsule, name) + offset))
        return (1, 0)


_is_capsule = ctypes.pythonapi.PyCapsule_IsValid
_is_capsule.argtypes, _is_capsule.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int
_address = ctypes.pythonapi.PyCapsule_GetPointer
_address.argtypes, _address.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p


class _Writable:
    """The memory of an array that NumPy took for read-only since an old capsule does not say."""

    def __init__(self, array: np.ndarray):
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}


def to_dlpack(x: Tensor) -> Any:
    """A DLPack capsule over the memory of `x`; it can be taken once.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> paddle.utils.dlpack.from_dlpack(paddle.utils.dlpack.to_dlpack(x)).tolist()
    [1.0, 2.0]
    """
    if not isinstance(x, Tensor):
        raise DTypeMismatch(f"to_dlpack: x must be a Tensor, got {type(x).__name__}")
    return _export(x, {})


def from_dlpack(dlpack: Any) -> Tensor:
    """A tensor over the memory of another library's array: changes are seen on both sides.

    Args:
        dlpack: an object with `__dlpack__` (a NumPy or CuPy array, another framework's tensor), or a capsule that
            such an object gave.

    Raises:
        DTypeMismatch: it is neither, or holds a dtype that tensors do not have.

    >>> import numpy, paddlite as paddle
    >>> array = numpy.zeros(2)
    >>> paddle.from_dlpack(array)[0] = 5.0
    >>> array.tolist()
    [5.0, 0.0]
    """
    source = dlpack
    if type(dlpack).__name__ == "PyCapsule":
        source = _Capsule(dlpack)
    elif not hasattr(dlpack, "__dlpack__"):
        raise DTypeMismatch(
            f"from_dlpack: want an object with __dlpack__ or a DLPack capsule, got {type(dlpack).__name__}"
        )
    kind = source.__dlpack_device__()[0]
    try:
        array = np.from_dlpack(source) if kind != 2 else device.cupy().from_dlpack(source)
    except (BufferError, RuntimeError, ValueError) as error:
        raise DTypeMismatch(f"from_dlpack: this array cannot be taken: {error}") from None
    if source is not dlpack and isinstance(array, np.ndarray):
        array = np.asarray(_Writable(array))
    return Tensor(array)


TensorBase.__array_function__ = _array_function  # type: ignore[attr-defined]
TensorBase.__array__ = _array  # type: ignore[attr-defined]
TensorBase.__dlpack__ = _dlpack  # type: ignore[attr-defined]
TensorBase.__dlpack_device__ = _dlpack_device  # type: ignore[attr-defined]
TensorBase.__cuda_array_interface__ = property(  # type: ignore[attr-defined]
    lambda self: self._data.__cuda_array_interface__, doc="How CUDA libraries find the memory; on a GPU only."
)

__all__ = ["from_dlpack", "to_dlpack"]
