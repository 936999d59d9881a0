"""Clipping the gradients that parameters hold, in place."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import F32, F64, HALF
from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Tensor


def _gradients(parameters: Iterable[Tensor] | Tensor) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in given if p.grad is not None]


def clip_grad_norm_(
    parameters: Iterable[Tensor] | Tensor,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """The norm of all gradients of `parameters` together, 0-D; they are scaled in place so that it is `max_norm`.

    Gradients with a smaller norm are left as they are.

    Args:
        parameters: tensors; those without a gradient are left out.
        max_norm: the largest norm.
        norm_type: p of the p-norm: any number above 0, infinity, or 0 (how many gradients are not all zeros).
        error_if_nonfinite: raise where the norm is infinite or NaN; nothing has been scaled then.

    Raises:
        ValueError: `norm_type` is negative.
        RuntimeError: see `error_if_nonfinite`.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
    >>> (x * x / 2).backward(paddle.to_tensor([1.0, 1.0]))
    >>> paddle.nn.utils.clip_grad_norm_(x, 1.0).item()
    5.0
    >>> [round(g, 4) for g in x.grad.tolist()]
    [0.6, 0.8]
    """
    order = float(norm_type)
    if math.isnan(order) or order < 0:
        raise InvalidArgument(f"clip_grad_norm_: norm_type must be 0, above 0 or infinity, got {norm_type!r}")
    gradients = _gradients(parameters)
    if not gradients:
        return Tensor(np.zeros((), F32))
    xp = device.module_of(gradients[0]._data)
    total = _norm(xp, xp.stack([_norm(xp, g._data, order) for g in gradients]), order)
    if error_if_nonfinite and not math.isfinite(float(total)):
        raise RuntimeError(
            f"clip_grad_norm_: the norm of the gradients is {float(total)}; look for what made it so, or pass "
            "error_if_nonfinite=False to go on"
        )
    with np.errstate(all="ignore"):
        factor = xp.minimum(total.dtype.type(max_norm) / (total + total.dtype.type(1e-6)), total.dtype.type(1))
        for gradient in gradients:
            data = gradient._data
            data[...] = (data.astype(factor.dtype, copy=False) * factor).astype(data.dtype, copy=False)
            gradient._version[0] += 1
    return Tensor(xp.asarray(total))


def _norm(xp: Any, array: Any, order: float) -> Any:
    """The p-norm of all elements of `array`, 0-D, in float32 (float64 for float64)."""
    dtype = F64 if array.dtype == F64 else F32
    size = xp.abs(array.astype(dtype) if array.dtype in HALF else array).reshape(-1)
    with np.errstate(all="ignore"):
        if order == math.inf:
            return xp.asarray(size.max() if size.size else dtype.type(0))
        if order == 0:
            return (size != 0).sum().astype(dtype)
        if order == 2:
            return xp.sqrt((size * size).sum(dtype=dtype))
        return (size ** dtype.type(order)).sum(dtype=dtype) ** dtype.type(1 / order)


def clip_grad_value_(parameters: Iterable[Tensor] | Tensor, clip_value: float) -> None:
    """Bring each element of the gradients of `parameters` into [-clip_value, clip_value], in place.

    Raises:
        ValueError: `clip_value` is negative.
    """
    limit = float(clip_value)
    if not limit >= 0:
        raise InvalidArgument(f"clip_grad_value_: clip_value must be 0 or more, got {clip_value}")
    for gradient in _gradients(parameters):
        data = gradient._data
        data[...] = data.clip(data.dtype.type(-limit), data.dtype.type(limit))
        gradient._version[0] += 1
