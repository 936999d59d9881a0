"""What a tensor says about itself, and small views of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import FROM_NUMPY, numpy_dtype
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor, TensorBase
from paddlite.ops import arithmetic, creation
from paddlite.tensor.manipulation import cast, matrix_transpose, transpose


def is_tensor(x: Any) -> bool:
    """True for tensors and static variables."""
    return isinstance(x, TensorBase)


def is_floating_point(x: Any) -> bool:
    """True where the elements are float16, bfloat16, float32 or float64."""
    return FROM_NUMPY[x._dtype].is_floating


def is_integer(x: Any) -> bool:
    """True where the elements are whole numbers (bool is not counted)."""
    return FROM_NUMPY[x._dtype].category == "integer"


def is_complex(x: Any) -> bool:
    """True where the elements are complex."""
    return FROM_NUMPY[x._dtype].is_complex


def rank(input: Any) -> Any:
    """The number of axes, as a 0-D int32 tensor."""
    return creation.rank_of(input)


def shape(input: Any) -> Any:
    """The sizes of the axes as a 1-D int64 tensor; while recording, those that only a run knows too.

    >>> import paddlite as paddle
    >>> paddle.shape(paddle.zeros([2, 3])).tolist()
    [2, 3]
    """
    return creation.shape_of(input)


def numel(x: Any, name: str | None = None) -> Any:
    """The number of elements, as a 0-D int64 tensor.

    >>> import paddlite as paddle
    >>> paddle.numel(paddle.zeros([2, 3])).item()
    6
    """
    return creation.size_of(x)


def is_empty(x: Any, name: str | None = None) -> Any:
    """A 0-D bool tensor, True where `x` has no elements."""
    return creation.size_of(x) == 0


def dim(self: Any) -> int:
    """The number of axes."""
    return len(self._shape)


def ndimension(self: Any) -> int:
    """The number of axes."""
    return len(self._shape)


def element_size(self: Any) -> int:
    """The bytes of one element."""
    return self._dtype.itemsize


def is_contiguous(self: Any) -> bool:
    """True where the elements lie in memory one after another in row-major order."""
    return isinstance(self, Variable) or bool(self._data.flags.c_contiguous)


def contiguous(self: Any) -> Any:
    """The tensor itself where it `is_contiguous`, else a copy that is."""
    return self if is_contiguous(self) else arithmetic.assign(self)


def get_strides(self: Tensor) -> list[int]:
    """How many elements apart neighbours along each axis lie in memory."""
    return [step // self._dtype.itemsize for step in self._data.strides]


def stride(self: Tensor, dim: int | None = None) -> Any:
    """`strides`, or the one of axis `dim`."""
    return get_strides(self) if dim is None else get_strides(self)[dim]


def is_same_shape(self: Any, other: Any) -> bool:
    """True where both have one shape."""
    return self._shape == other._shape


def type_as(self: Any, other: Any) -> Any:
    """The values in the dtype of `other`."""
    return cast(self, FROM_NUMPY[other._dtype])


def requires_grad_(self: Any, requires_grad: bool = True) -> Any:
    """Set whether gradients are computed for this tensor; gives the tensor."""
    self.stop_gradient = not requires_grad
    return self


def _size(self: Any) -> int:
    """The number of elements (-1 while recording, where a size is unknown)."""
    shape = self._shape
    return -1 if -1 in shape else int(np.prod(shape, dtype=np.int64))


def _reversed(self: Any) -> Any:
    """A view with the axes in the opposite order."""
    return transpose(self, list(range(len(self._shape)))[::-1])


def _set_requires_grad(self: Any, value: bool) -> None:
    self.stop_gradient = not value


for _name, _property in {
    "size": property(_size),
    "T": property(_reversed),
    "mT": property(matrix_transpose, doc="A view with the last two axes swapped."),
    "itemsize": property(element_size),
    "nbytes": property(lambda self: _size(self) * self._dtype.itemsize, doc="The bytes of all elements."),
    "strides": property(get_strides),
    "requires_grad": property(
        lambda self: not self.stop_gradient, _set_requires_grad, doc="The opposite of `stop_gradient`."
    ),
    "is_cuda": property(lambda self: self.place.kind == "gpu", doc="True where the memory lies on a GPU."),
}.items():
    setattr(TensorBase, _name, _property)


def _cast_method(name: str, dtype: str) -> Any:
    target = numpy_dtype(dtype)

    def method(self: Any) -> Any:
        return cast(self, target)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"The values as {dtype}."
    return method


for _name, _dtype in {
    "bfloat16": "bfloat16", "bool": "bool", "byte": "uint8", "cdouble": "complex128", "cfloat": "complex64",
    "char": "int8", "complex128": "complex128", "complex64": "complex64", "double": "float64", "float": "float32",
    "float16": "float16", "float32": "float32", "float64": "float64", "half": "float16", "int": "int32",
    "int16": "int16", "int32": "int32", "int64": "int64", "int8": "int8", "long": "int64", "short": "int16",
    "uint8": "uint8",
}.items():  # fmt: skip
    setattr(TensorBase, _name, _cast_method(_name, _dtype))

__all__ = [
    "is_complex", "is_empty", "is_floating_point", "is_integer", "is_tensor", "numel", "rank", "shape",
]  # fmt: skip
METHODS = [name for name in __all__ if name != "shape"] + [
    "contiguous", "dim", "element_size", "get_strides", "is_contiguous", "is_same_shape", "ndimension",
    "requires_grad_", "stride", "type_as",
]  # fmt: skip
