"""Tensors made of nothing but numbers: `paddle.zeros`, `paddle.full` and their kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import COMPLEX, FROM_NUMPY, INTEGRAL, numpy_dtype
from paddlite.backend.place import as_place
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.mode import current
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor, TensorBase
from paddlite.ops import creation as ops
from paddlite.ops.arithmetic import cast
from paddlite.ops.expand import expand
from paddlite.ops.like import full_like as fill_like
from paddlite.tensor.convert import to_tensor
from paddlite.tensor.sizes import listed, sizes_argument

Shape = Any  # a list of ints and tensors, an integer tensor, or one int


def made(tensor: Any, out: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """`tensor` moved to `device`, written into `out`, or made to want a gradient, where that is asked for."""
    if device is not None and isinstance(tensor, Tensor):
        tensor = to_tensor(tensor, place=as_place(device))
    if out is not None:
        from paddlite.tensor.assigning import assign

        tensor = assign(tensor, out)
    if requires_grad:
        tensor.stop_gradient = False
    return tensor


def _filled(shape: Shape, more: tuple, value: Any, dtype: Any, function: str) -> Any:
    if type(dtype) is int:  # sizes one by one: zeros(2, 3)
        shape, more, dtype = (shape, dtype), more, None
        shape = (*shape, *more)
    items, held = sizes_argument(shape, function)
    target = current().default_dtype if dtype is None else numpy_dtype(dtype)
    return ops.fill_constant(*held, shape=items, value=value, dtype=target)


def zeros(
    shape: Shape,
    dtype: Any = None,
    *more: int,
    name: str | None = None,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A tensor of zeros.

    Args:
        shape: sizes: a list of ints (also with one-element tensors in it), an integer tensor, or one by one.
        dtype: element type; left out, the default dtype (float32).
        out: a tensor that takes the values.
        device: where it lies; left out, on the current device.
        requires_grad: True to compute gradients for it.
        name, pin_memory: not used; there for compatibility.

    Raises:
        ValueError: a size is negative.

    >>> import paddlite as paddle
    >>> paddle.zeros([2, 2], dtype="int32").tolist()
    [[0, 0], [0, 0]]
    """
    return made(_filled(shape, more, 0, dtype, "zeros"), out, device, requires_grad)


def ones(
    shape: Shape,
    dtype: Any = None,
    *more: int,
    name: str | None = None,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A tensor of ones; arguments as for `zeros`."""
    return made(_filled(shape, more, 1, dtype, "ones"), out, device, requires_grad)


def empty(
    shape: Shape,
    dtype: Any = None,
    *more: int,
    name: str | None = None,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A tensor to be filled by the caller; arguments as for `zeros`.

    Differs: it holds zeros, which cost nothing more here, so that a run never depends on what lay in memory.
    """
    return made(_filled(shape, more, 0, dtype, "empty"), out, device, requires_grad)


def full(
    shape: Shape,
    fill_value: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A tensor whose elements are all `fill_value` (a number or a one-element tensor, whose gradient flows).

    Args:
        shape: see `zeros`.
        fill_value: the number.
        dtype: element type; left out, bool for a bool, complex128 for a complex number, else the default dtype.

    >>> import paddlite as paddle
    >>> paddle.full([2], 1.5).tolist()
    [1.5, 1.5]
    """
    _check_fill(fill_value, "full")
    items, held = sizes_argument(shape, "full")
    target = _fill_dtype(fill_value) if dtype is None else numpy_dtype(dtype)
    if isinstance(fill_value, TensorBase):
        if not isinstance(fill_value, Variable) and fill_value._data.size != 1:
            raise InvalidArgument(f"full: fill_value must be one number, got a tensor of shape {fill_value.shape}")
        value = fill_value if fill_value._dtype == target else cast(fill_value, dtype=target)
        if not items and value._shape:
            value = value.reshape([])  # type: ignore[attr-defined]
        return made(expand(value, *held, shape=items or ()), out, device, requires_grad)
    if isinstance(fill_value, str):
        fill_value = float(fill_value)
    return made(
        ops.fill_constant(*held, shape=items, value=as_kind(fill_value, target), dtype=target),
        out,
        device,
        requires_grad,
    )


def _fill_dtype(value: Any) -> np.dtype:
    if isinstance(value, (bool, np.bool_)):
        return np.dtype(np.bool_)
    return np.dtype(np.complex128) if isinstance(value, complex) else current().default_dtype


def as_kind(value: Any, dtype: np.dtype) -> Any:
    """The number as Python has it for `dtype`, so that 2.7 becomes 2 in an integer tensor."""
    if isinstance(value, np.generic):
        value = value.item()
    if dtype in INTEGRAL and isinstance(value, float) and np.isfinite(value):
        return int(value) if dtype != np.bool_ else bool(value)
    if isinstance(value, complex) and dtype not in COMPLEX:
        raise DTypeMismatch(f"full: the complex number {value} does not fit into {dtype}")
    return value


def _check_fill(value: Any, function: str) -> None:
    if value is None or isinstance(value, (list, tuple)):  # NumPy would take them
        raise DTypeMismatch(f"{function}: fill_value must be a number or a tensor, got {value!r:.40}")


def full_like(
    x: Any,
    fill_value: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A tensor of the shape of `x`, and of its dtype unless `dtype` is given, filled with `fill_value`."""
    _check_fill(fill_value, "full_like")
    target = x._dtype if dtype is None else numpy_dtype(dtype)
    if isinstance(fill_value, Variable):
        filled = cast(fill_value, dtype=target) + fill_like(x, value=0, dtype=target)  # type: ignore[operator]
        return made(filled, None, device, requires_grad)
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()  # type: ignore[attr-defined]
    return made(fill_like(x, value=as_kind(fill_value, target), dtype=target), None, device, requires_grad)


def zeros_like(
    x: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """Zeros of the shape of `x`, and of its dtype unless `dtype` is given.

    >>> import paddlite as paddle
    >>> paddle.zeros_like(paddle.to_tensor([1.5, 2.5])).tolist()
    [0.0, 0.0]
    """
    return full_like(x, 0, dtype, device=device, requires_grad=requires_grad)


def ones_like(
    x: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """Ones of the shape of `x`, and of its dtype unless `dtype` is given."""
    return full_like(x, 1, dtype, device=device, requires_grad=requires_grad)


def empty_like(
    x: Any,
    dtype: Any = None,
    name: str | None = None,
    *,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A tensor of the shape of `x` to be filled by the caller; see `empty`."""
    return full_like(x, 0, dtype, device=device, requires_grad=requires_grad)


def eye(
    num_rows: Any,
    num_columns: Any = None,
    dtype: Any = None,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """The identity matrix, [num_rows, num_columns] (as many columns as rows, if left out).

    >>> import paddlite as paddle
    >>> paddle.eye(2, dtype="int64").tolist()
    [[1, 0], [0, 1]]
    """
    items, held = sizes_argument([num_rows, num_rows if num_columns is None else num_columns], "eye")
    target = current().default_dtype if dtype is None else numpy_dtype(dtype)
    return made(ops.eye(*held, shape=items, dtype=target), out, device, requires_grad)


def new_zeros(self: Any, *size: Any, dtype: Any = None, **options: Any) -> Any:
    """Zeros of shape `size` (a list, or one by one) in the dtype of this tensor unless `dtype` is given."""
    return zeros(listed(size[0], size[1:]), dtype or FROM_NUMPY[self._dtype], **options)


def new_ones(self: Any, *size: Any, dtype: Any = None, **options: Any) -> Any:
    """Ones; arguments as for `new_zeros`."""
    return ones(listed(size[0], size[1:]), dtype or FROM_NUMPY[self._dtype], **options)


def new_empty(self: Any, *size: Any, dtype: Any = None, **options: Any) -> Any:
    """A tensor to be filled by the caller; arguments as for `new_zeros`."""
    return empty(listed(size[0], size[1:]), dtype or FROM_NUMPY[self._dtype], **options)


def new_full(self: Any, size: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    """A tensor filled with `fill_value`; arguments as for `new_zeros`."""
    return full(size, fill_value, dtype or FROM_NUMPY[self._dtype], **options)


__all__ = [
    "empty", "empty_like", "eye", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like",
]  # fmt: skip
METHODS = ("new_empty", "new_full", "new_ones", "new_zeros")
