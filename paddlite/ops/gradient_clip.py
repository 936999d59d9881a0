"""Norms of gradients over all parameters at once, and scaling by them: what gradient clipping is made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32, F64, HALF
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import same


def _squares(xp: Any, x: Any) -> Any:
    """The sum of the squares of `x`, 0-D, accumulated in float32 or better."""
    if xp is np:
        flat = x.reshape(-1)
        return np.dot(flat, flat)
    return xp.square(x.astype(F32) if x.dtype in HALF else x).sum(dtype=F64 if x.dtype == F64 else F32)


def _norm_infer(*xs: Meta) -> Meta:
    return Meta((), F64 if any(x.dtype == F64 for x in xs) else F32)


@defop("global_squared_norm", infer=_norm_infer, amp="never")
def global_squared_norm(xp: Any, *xs: Any) -> Any:
    """The sum of the squares of the elements of all `xs`, 0-D: float64 where one of them is, else float32."""
    dtype = F64 if any(x.dtype == F64 for x in xs) else F32
    parts = [_squares(xp, x) for x in xs]
    if xp is np:
        return np.array(parts, F64).sum().astype(dtype)
    return xp.stack([part.astype(dtype) for part in parts]).sum(dtype=dtype)


def _factor_infer(x: Meta, *, max_norm: float) -> Meta:
    return Meta((), x.dtype)


@defop("clip_factor", infer=_factor_infer, amp="never")
def clip_factor(xp: Any, x: Any, *, max_norm: float) -> Any:
    """What shortens a vector of squared length `x` to at most `max_norm`: 1 where it is short enough."""
    limit = x.dtype.type(max_norm)
    return limit / xp.maximum(xp.sqrt(x), limit)


@defop("scale_gradient", infer=same, amp="never", inplace=True)
def scale_gradient(xp: Any, x: Any, factor: Any, *, out: Any = None) -> Any:
    """`x` times the 0-D `factor`, in the dtype of `x`; halves are multiplied in float32."""
    if x.dtype in HALF:
        scaled = (x.astype(F32) * factor.astype(F32)).astype(x.dtype)
        if out is None:
            return scaled
        out[...] = scaled
        return out
    return xp.multiply(x, factor.astype(x.dtype), out=out)


@defop("clip_by_norm", infer=same, amp="never")
def clip_by_norm(xp: Any, x: Any, *, max_norm: float) -> Any:
    """`x` shortened to a Euclidean length of at most `max_norm`."""
    squared = global_squared_norm.op.kernel(xp, x)
    return scale_gradient.op.kernel(xp, x, clip_factor.op.kernel(xp, squared, max_norm=max_norm))
