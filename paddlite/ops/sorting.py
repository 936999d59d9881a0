"""Sorting, and picking by rank.  Equal elements keep their order; NaN counts as the largest."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import COMPLEX, F32, INT64
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import axis_in, reduced_shape
from paddlite.ops.scan import running
from paddlite.ops.shape import unsqueeze


def _require_order(x: Any, name: str) -> None:
    if x.dtype in COMPLEX:
        raise DTypeMismatch(f"{name}: complex numbers have no order")


def _require_rank(x: Any, k: int, axis: int, name: str) -> None:
    size = x.shape[axis] if x.shape else 1
    if k < 1 or 0 <= size < k:
        raise InvalidArgument(f"{name}: k must lie in [1, {size}], the size of axis {axis % max(x.ndim, 1)}; got {k}")


def _checked_axis(x: Meta, axis: int, name: str) -> int:
    _require_order(x, name)
    return axis_in(axis, len(x.shape), name)


def order(xp: Any, x: Any, axis: int, descending: bool = False) -> Any:
    """Indices (int64) that sort `x` along `axis`; equal elements keep their order."""
    if x.ndim == 0:
        return xp.zeros((), INT64)
    if xp is np and x.size >= _MANY and x.dtype in _PACKED:
        return _packed_order(x, axis, descending)
    if not descending:
        return _argsort(xp, x, axis)
    # counted from the back, so that equal elements keep their order in the turned result too
    size = x.shape[axis]
    backwards = (slice(None),) * (axis % x.ndim) + (slice(None, None, -1),)
    return (size - 1) - _argsort(xp, x[backwards], axis)[backwards]


def _argsort(xp: Any, x: Any, axis: int) -> Any:
    if xp is np:
        return np.argsort(x, axis=axis, kind="stable")
    return xp.argsort(x, axis=axis)  # always stable


_PACKED = frozenset(np.dtype(d) for d in ("float32", "int32", "int16", "int8", "uint16", "uint8"))
_MANY = 512  # elements from which on packing pays


def _packed_order(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """`order` by one sort of whole words, the element above and its index below: NumPy sorts them with SIMD."""
    key = _ordered_bits(x) if x.dtype == F32 else x.astype(np.int64)
    words = np.invert(key, dtype=np.int64) if descending else key.astype(np.int64, copy=False)
    words = words << 32
    place = np.arange(x.shape[axis]).reshape((-1,) + (1,) * (x.ndim - 1 - axis % x.ndim))
    words |= place
    words.sort(axis=axis)
    words &= 0xFFFFFFFF
    return words


def _ordered_bits(x: np.ndarray) -> np.ndarray:
    """int32 numbers in the order of the floats `x`: zeros of both signs equal, every NaN above infinity."""
    bits = (x + F32.type(0)).view(np.int32)
    bits ^= (bits >> 31) & np.int32(0x7FFFFFFF)
    nan = np.isnan(x)
    if nan.any():
        bits[nan] = 0x7FFFFFFF
    return bits


def pick(xp: Any, x: Any, index: Any, axis: int) -> Any:
    """The elements of `x` at `index` along `axis`."""
    if x.ndim < 2:
        return x[index] if x.ndim else x.copy()
    return xp.take_along_axis(x, index, axis)


@defop(
    "rank_take",
    infer=lambda x, index, axis: Meta(index.shape, x.dtype),
    native_half=True,
    vjp={"x": lambda g, index, like_x, axis: rank_put(g, index, like_x, axis=axis)},
)
def rank_take(xp: Any, x: Any, index: Any, *, axis: int) -> Any:
    """The elements of `x` at `index`, which names no place of `axis` twice."""
    return pick(xp, x, index, axis)


@defop(
    "rank_put",
    infer=lambda x, index, like, axis: Meta(like.shape, x.dtype),
    shape_only=("like",),
    native_half=True,
    vjp={"x": lambda g, index, axis: rank_take(g, index, axis=axis)},
)
def rank_put(xp: Any, x: Any, index: Any, like: Any, *, axis: int) -> Any:
    """`x` put back where `rank_take` took it from; 0 elsewhere."""
    if x.ndim == 0:
        return x.copy()
    out = xp.zeros(like.shape, x.dtype)
    xp.put_along_axis(out, index, x, axis)
    return out


def _argsort_infer(x: Meta, *, axis: int = -1, descending: bool = False) -> tuple[Meta, Meta]:
    _checked_axis(x, axis, "argsort")
    return Meta(x.shape, x.dtype), Meta(x.shape, INT64)


@defop(
    "argsort",
    infer=_argsort_infer,
    outputs=("out", "indices"),
    vjp={"x": lambda g_out, indices, like_x, axis: rank_put(g_out, indices, like_x, axis=axis)},
)
def argsort(xp: Any, x: Any, *, axis: int = -1, descending: bool = False) -> tuple:
    """The sorted elements and the indices where they were."""
    _require_order(x, "argsort")
    index = order(xp, x, axis, descending)
    return pick(xp, x, index, axis), index


def _sort_infer(x: Meta, *, axis: int = -1, descending: bool = False) -> Meta:
    _checked_axis(x, axis, "sort")
    return Meta(x.shape, x.dtype)


def _sort_rule(g: Any, x: Any, like_x: Any, axis: int, descending: bool) -> Any:
    return rank_put(g, argsort(x, axis=axis, descending=descending)[1], like_x, axis=axis)


@defop("sort", infer=_sort_infer, vjp={"x": _sort_rule})
def sort(xp: Any, x: Any, *, axis: int = -1, descending: bool = False) -> Any:
    """The elements in order: without the indices, which cost three times as much."""
    _require_order(x, "sort")
    if x.ndim == 0:
        return x.copy()
    out = xp.sort(x, axis=axis)
    return xp.flip(out, axis) if descending else out


def _topk_infer(x: Meta, *, k: int, axis: int = -1, largest: bool = True, ordered: bool = True) -> tuple[Meta, Meta]:
    axis = _checked_axis(x, axis, "topk")
    _require_rank(x, k, axis, "topk")
    shape = tuple([k if i == axis else s for i, s in enumerate(x.shape)])
    return Meta(shape, x.dtype), Meta(shape, INT64)


@defop(
    "top_k_v2",
    infer=_topk_infer,
    outputs=("out", "indices"),
    vjp={"x": lambda g_out, indices, like_x, axis: rank_put(g_out, indices, like_x, axis=axis)},
)
def topk(xp: Any, x: Any, *, k: int, axis: int = -1, largest: bool = True, ordered: bool = True) -> tuple:
    """The k largest (or smallest) elements along `axis`, sorted, and their indices."""
    _require_order(x, "topk")
    _require_rank(x, k, axis, "topk")
    if x.ndim == 0:
        return x.copy(), xp.zeros((), INT64)
    index = _extreme_index(xp, x, k, axis, largest)
    return pick(xp, x, index, axis), index


_MANY = 8  # from this many times k elements on, selecting before sorting pays


def _extreme_index(xp: Any, x: Any, k: int, axis: int, largest: bool) -> Any:
    size = x.shape[axis]
    if size < _MANY * k or xp is not np:
        return _head(xp, order(xp, x, axis, descending=largest), k, axis)
    ends = np.argpartition(x, size - k if largest else k - 1, axis)
    chosen = np.sort(_head(xp, np.flip(ends, axis) if largest else ends, k, axis), axis)
    within = order(xp, pick(xp, x, chosen, axis), axis, descending=largest)
    return pick(xp, chosen, within, axis)


def _head(xp: Any, index: Any, k: int, axis: int) -> Any:
    return index[(slice(None),) * (axis % index.ndim) + (slice(0, k),)]


def _one_infer(name: str) -> Any:
    def infer(x: Meta, *, axis: int = -1, keepdim: bool = False, k: int = 1) -> tuple[Meta, Meta]:
        axis = _checked_axis(x, axis, name)
        _require_rank(x, k, axis, name)
        shape = reduced_shape(x.shape, (axis,), keepdim)
        return Meta(shape, x.dtype), Meta(shape, INT64)

    return infer


def _one_rule(g_out: Any, indices: Any, like_x: Any, axis: int, keepdim: bool) -> Any:
    if not keepdim and len(like_x._shape):
        g_out, indices = unsqueeze(g_out, axes=(axis,)), unsqueeze(indices, axes=(axis,))
    return rank_put(g_out, indices, like_x, axis=axis)


def _one(xp: Any, x: Any, index: Any, axis: int, keepdim: bool) -> tuple:
    """Value and index for `index`, which has size 1 along `axis`."""
    value = pick(xp, x, index, axis)
    return (value, index) if keepdim or x.ndim == 0 else (value.squeeze(axis), index.squeeze(axis))


@defop("kthvalue", infer=_one_infer("kthvalue"), outputs=("out", "indices"), vjp={"x": _one_rule})
def kthvalue(xp: Any, x: Any, *, k: int, axis: int = -1, keepdim: bool = False) -> tuple:
    """The k-th smallest element along `axis`, counted from 1, and its index."""
    _require_order(x, "kthvalue")
    _require_rank(x, k, axis, "kthvalue")
    index = order(xp, x, axis)
    if x.ndim:
        index = index[(slice(None),) * (axis % x.ndim) + (slice(k - 1, k),)].copy()
    return _one(xp, x, index, axis, keepdim)


@defop("mode", infer=_one_infer("mode"), outputs=("out", "indices"), vjp={"x": _one_rule})
def mode(xp: Any, x: Any, *, axis: int = -1, keepdim: bool = False) -> tuple:
    """The most frequent element along `axis`, the smallest of several, and the index of its last occurrence."""
    if x.ndim == 0:
        return _one(xp, x, xp.zeros((), INT64), axis, keepdim)
    index = xp.moveaxis(order(xp, x, axis), axis, -1)
    ordered = xp.take_along_axis(xp.moveaxis(x, axis, -1), index, -1)
    place = xp.broadcast_to(xp.arange(ordered.shape[-1]), ordered.shape)
    begins = xp.ones(ordered.shape, bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    length = place - running(xp, "maximum", xp.where(begins, place, 0), -1)
    last = length.argmax(axis=-1)[..., None]  # of the first longest run: its last element
    return _one(xp, x, xp.moveaxis(xp.take_along_axis(index, last, -1), -1, axis), axis, keepdim)
