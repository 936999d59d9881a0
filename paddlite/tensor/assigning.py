"""Copies of values, and tensors overwritten with values."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import FROM_NUMPY, numpy_dtype
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.core.inplace import become, replace
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor, TensorBase
from paddlite.ops import arithmetic
from paddlite.ops.like import full_like, zeros_like
from paddlite.ops.pad import pad_constant
from paddlite.ops.rearrange import diagonal
from paddlite.tensor.convert import to_array, to_tensor


def assign(x: Any, output: Any = None) -> Any:
    """A copy of `x`, through which gradients flow; with `output`, that tensor takes the values.

    Args:
        x: a tensor, an array, a nested list or a number (which gives shape [1]).  Python floats become float64.
        output: a tensor to overwrite; it takes the shape and dtype of `x` where these differ.

    >>> import paddlite as paddle
    >>> paddle.assign([1, 2]).tolist()
    [1, 2]
    """
    if not isinstance(x, TensorBase):
        array = x if isinstance(x, np.ndarray) else np.array(x)
        if array.dtype not in FROM_NUMPY:
            raise DTypeMismatch(f"assign: cannot make a tensor of {type(x).__name__} {x!r:.60}")
        x = to_tensor(array.reshape(1) if not array.shape and not isinstance(x, np.ndarray) else array)
    if output is None:
        return arithmetic.assign(x)
    if output._shape == x._shape and output._dtype == x._dtype:
        return replace(output, lambda: arithmetic.assign(x))
    return become(output, lambda _: arithmetic.assign(x))


def clone(x: Any, name: str | None = None) -> Any:
    """A copy of `x` with memory of its own, through which gradients flow."""
    return arithmetic.assign(x)


def tolist(x: Any) -> Any:
    """The values as nested lists of Python numbers; for a 0-D tensor a number.

    >>> import paddlite as paddle
    >>> paddle.tolist(paddle.to_tensor([[1, 2]]))
    [[1, 2]]
    """
    return x.tolist()


def as_tensor(
    data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Any:
    """`data` as a tensor; a tensor of the right dtype and place is given back as it is."""
    if isinstance(data, TensorBase) and device is None and (dtype is None or numpy_dtype(dtype) == data._dtype):
        return data
    return to_tensor(data, dtype, device, not requires_grad)


def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False
) -> Any:
    """`obj` as a tensor; `copy=True` makes a copy of what is a tensor already."""
    if copy:
        return to_tensor(obj, dtype, device, not requires_grad)
    return as_tensor(obj, dtype, device, requires_grad)


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor with a copy of the values of a NumPy array, and its dtype."""
    if not isinstance(ndarray, np.ndarray):
        raise DTypeMismatch(f"from_numpy: want a NumPy array, got {type(ndarray).__name__}")
    return to_tensor(ndarray)


def create_tensor(dtype: Any, name: str | None = None, persistable: bool = False) -> Any:
    """An empty tensor of `dtype`, to be filled by `assign(x, output=...)`."""
    tensor = to_tensor(np.zeros(0, numpy_dtype(dtype)))
    tensor.persistable = persistable
    if name is not None:
        tensor.name = name
    return tensor


def fill_(x: Any, value: Any) -> Any:
    """Set every element of `x` to `value`, in place; gives `x`."""
    if value is None or isinstance(value, (list, tuple)):  # NumPy would take them
        raise DTypeMismatch(f"fill_: value must be a number or a tensor, got {value!r:.40}")
    if isinstance(value, TensorBase):
        if isinstance(value, Variable):
            return replace(x, lambda: zeros_like(x) + arithmetic.cast(value, dtype=x._dtype))  # type: ignore[operator]
        value = value.item()  # type: ignore[attr-defined]
    return replace(x, lambda: full_like(x, value=value))


def zero_(x: Any) -> Any:
    """Set every element of `x` to 0, in place; gives `x`."""
    return replace(x, lambda: zeros_like(x))


def copy_(x: Any, other: Any, blocking: bool = True) -> Any:
    """Overwrite `x` with the values of `other` (of a shape that broadcasts to its own), in place; gives `x`."""
    x[...] = other if isinstance(other, TensorBase) else to_array(other)
    return x


def set_(
    x: Any, source: Any = None, shape: Any = None, stride: Any = None, offset: int = 0, name: str | None = None
) -> Any:
    """Let `x` stand for the memory of `source`, seen with `shape` and `stride`; gives `x`.

    Raises:
        TypeError: `source` has another dtype.
    """
    if source is None:
        source = to_tensor(np.zeros(0, x._dtype))
    if source._dtype != x._dtype:
        raise DTypeMismatch(f"set_: the source has dtype {source._dtype}, but the tensor has {x._dtype}")
    if shape is None and stride is None and not offset:
        return become(x, lambda _: source)
    return become(x, lambda _: source.as_strided(shape if shape is not None else source.shape, stride, offset))


def resize_(x: Any, shape: Any, fill_zero: bool = False, name: str | None = None) -> Any:
    """Give `x` another shape in place, keeping its first elements in row-major order; new ones are 0.

    Raises:
        ValueError: a size is negative.
    """
    sizes = [int(s) for s in shape]
    if any(s < 0 for s in sizes):
        raise InvalidArgument(f"resize_: sizes must be >= 0, got {sizes}")
    count = int(np.prod(sizes, dtype=np.int64))

    def resized(old: Any) -> Any:
        flat = old.reshape([-1])
        if count > old._data.size:
            flat = pad_constant(flat, paddings=((0, count - old._data.size),))
        return flat[:count].reshape(sizes)

    return become(x, resized)


def fill_diagonal_(x: Any, value: float, offset: int = 0, wrap: bool = False, name: str | None = None) -> Any:
    """Set the diagonal of `x` to `value`, in place; of a tensor of more than 2 (equal) axes, the elements [i, i, ...].

    Args:
        offset: which diagonal of a matrix, above (> 0) or below (< 0) the main one.
        wrap: begin anew below the square at the top of a tall matrix.

    >>> import paddlite as paddle
    >>> paddle.zeros([2, 3]).fill_diagonal_(1.0).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    shape = x._shape
    rank = len(shape)
    if rank < 2 or (rank > 2 and (len(set(shape)) > 1 or offset)):
        raise ShapeMismatch(
            f"fill_diagonal_: want a matrix, or equal sizes and no offset, got shape {list(shape)} and offset {offset}"
        )
    if rank > 2:
        index = tuple([np.arange(shape[0])] * rank)
    else:
        rows, columns = np.arange(shape[0]), np.arange(shape[0]) + offset
        if wrap and shape[0] > shape[1]:
            columns = np.arange(shape[0]) % (shape[1] + 1) + offset
        inside = (columns >= 0) & (columns < shape[1])
        index = (rows[inside], columns[inside])
    x[index] = value
    return x


def fill_diagonal_tensor(x: Any, y: Any, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None) -> Any:
    """A copy of `x` whose diagonal over the axes `dim1` and `dim2` is `y`; see `diagonal` for the shape of `y`."""
    return fill_diagonal_tensor_(arithmetic.assign(x), y, offset, dim1, dim2)


def fill_diagonal_tensor_(
    x: Any, y: Any, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None
) -> Any:
    """`fill_diagonal_tensor` in place; gives `x`."""
    place = diagonal(x, offset=offset, axis1=dim1, axis2=dim2)
    if tuple(y._shape) != place._shape:
        raise ShapeMismatch(
            f"fill_diagonal_tensor: the diagonal has shape {list(place._shape)}, but y has {list(y._shape)}"
        )
    place[...] = y
    return x


def diagonal_scatter(x: Any, y: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None) -> Any:
    """A copy of `x` whose diagonal over the axes `axis1` and `axis2` is `y`.

    >>> import paddlite as paddle
    >>> paddle.diagonal_scatter(paddle.zeros([2, 2]), paddle.ones([2])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return fill_diagonal_tensor(x, y, offset, axis1, axis2)


__all__ = [
    "as_tensor", "asarray", "assign", "clone", "create_tensor", "diagonal_scatter", "from_numpy", "tolist",
]  # fmt: skip
METHODS = (
    "copy_", "diagonal_scatter", "fill_", "fill_diagonal_", "fill_diagonal_tensor", "fill_diagonal_tensor_", "resize_",
    "set_", "zero_",
)  # fmt: skip
