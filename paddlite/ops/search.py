"""Finding places: of extremes, of what is not zero, in sorted sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import COMPLEX, INT32, INT64
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import axis_in, merge_size, reduced_shape


def _refuse_complex(dtype: np.dtype, name: str) -> None:
    if dtype in COMPLEX:
        raise DTypeMismatch(f"{name}: complex numbers have no order")


def _place_infer(name: str) -> Any:
    def infer(x: Meta, *, axis: int | None = None, keepdim: bool = False, dtype: np.dtype = INT64) -> Meta:
        _refuse_complex(x.dtype, name)
        axes = tuple(range(len(x.shape))) if axis is None else (axis_in(axis, len(x.shape), name),)
        if x.shape and any(x.shape[a] == 0 for a in axes):
            raise InvalidArgument(f"{name}: a tensor of shape {list(x.shape)} has no element to choose along {axis}")
        return Meta(reduced_shape(x.shape, axes, keepdim), dtype)

    return infer


def _place(name: str, method: str) -> Any:
    @defop(name, infer=_place_infer(method))
    def place(xp: Any, x: Any, *, axis: int | None = None, keepdim: bool = False, dtype: np.dtype = INT64) -> Any:
        _refuse_complex(x.dtype, method)
        found = getattr(x if x.ndim else x.reshape(1), method)(axis=axis)  # CuPy's 0-D arrays have no axis 0
        if keepdim and x.ndim:
            found = found.reshape((1,) * x.ndim) if axis is None else xp.expand_dims(found, axis)
        return found if found.dtype == dtype else found.astype(dtype)

    return place


argmax = _place("arg_max", "argmax")
argmin = _place("arg_min", "argmin")


@defop("where_index", infer=lambda x: Meta((-1, len(x.shape)), INT64), native_half=True)
def nonzero(xp: Any, x: Any) -> Any:
    """Indices of the elements that are not 0, one row each, in row-major order."""
    return xp.argwhere(x)


def _search_infer(x: Meta, values: Meta, *, out_int32: bool = False, right: bool = False) -> Meta:
    if not x.shape:
        raise ShapeMismatch("searchsorted: the sorted sequence needs at least one axis")
    if len(x.shape) > 1:
        if len(x.shape) != len(values.shape):
            raise ShapeMismatch(
                f"searchsorted: a sequence of shape {list(x.shape)} wants values with the same leading sizes, got "
                f"{list(values.shape)}"
            )
        for a, b in zip(x.shape[:-1], values.shape[:-1]):
            merge_size(a, b, "searchsorted", "the leading sizes of sequence and values")
    return Meta(values.shape, INT32 if out_int32 else INT64)


@defop("searchsorted", infer=_search_infer, promote=("x", "values"), check=True)
def searchsorted(xp: Any, x: Any, values: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """Where `values` would have to be inserted into the last axis of `x` so that it stays sorted."""
    side = "right" if right else "left"
    dtype = INT32 if out_int32 else INT64
    if x.ndim == 1:
        return xp.searchsorted(x, values, side=side).astype(dtype)
    rows, wanted = x.reshape(-1, x.shape[-1]), values.reshape(-1, values.shape[-1])
    out = xp.empty(wanted.shape, dtype)
    for i in range(rows.shape[0]):
        out[i] = xp.searchsorted(rows[i], wanted[i], side=side)
    return out.reshape(values.shape)
