"""Looking rows up by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32
from paddlite.core.errors import IndexOutOfRange, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.accumulate import add_rows
from paddlite.ops.arithmetic import elementwise_mul
from paddlite.ops.infer import require_integer
from paddlite.ops.masked import fill
from paddlite.ops.shape import unsqueeze


def checked_rows(xp: Any, name: str, ids: Any, count: int) -> Any:
    """`ids` as int64.

    Raises:
        IndexOutOfRange: one is not in [0, count), on the host.
    """
    ids = ids.astype(np.int64, copy=False)
    if xp is np and ids.size and int(ids.view(np.uint64).max()) >= count:
        bad = int(ids[(ids < 0) | (ids >= count)][0])
        raise IndexOutOfRange(f"{name}: id {bad} is out of range for {count} rows; want [0, {count})")
    return ids


def _lookup_infer(ids: Meta, weight: Meta, *, padding_idx: int | None = None, scale_grad_by_freq: bool = False) -> Meta:
    require_integer("embedding", x=ids)
    if len(weight.shape) != 2:
        raise ShapeMismatch(f"embedding: weight must have shape [rows, width], got {list(weight.shape)}")
    return Meta((*ids.shape, weight.shape[1]), weight.dtype)


def _weight_rule(g: Any, ids: Any, like_weight: Any, padding_idx: int | None, scale_grad_by_freq: bool) -> Any:
    if scale_grad_by_freq:
        g = elementwise_mul(g, unsqueeze(inverse_frequency(g, ids), axes=(-1,)))
    return lookup_grad(g, ids, like_weight, padding_idx=padding_idx)


@defop(
    "lookup_table_v2",
    infer=_lookup_infer,
    amp="keep32",
    native_half=True,
    check=True,
    vjp={"weight": _weight_rule},
)
def lookup(xp: Any, ids: Any, weight: Any, *, padding_idx: int | None = None, scale_grad_by_freq: bool = False) -> Any:
    """The rows of `weight` that `ids` (of any shape) name; zeros for `padding_idx`."""
    out = weight[checked_rows(xp, "embedding", ids, weight.shape[0])]
    if padding_idx is not None:
        fill(xp, out, ids == padding_idx, 0)
    return out


def _lookup_grad_infer(dy: Meta, ids: Meta, like: Meta, *, padding_idx: int | None) -> Meta:
    return Meta(like.shape, dy.dtype)


@defop(
    "lookup_table_v2_grad",
    infer=_lookup_grad_infer,
    shape_only=("like",),
    vjp={"dy": lambda g, ids, padding_idx: lookup(ids, g, padding_idx=padding_idx)},
)
def lookup_grad(xp: Any, dy: Any, ids: Any, like: Any, *, padding_idx: int | None) -> Any:
    """The rows of `dy` summed by id; none for `padding_idx`."""
    out = xp.zeros(like.shape, dy.dtype)
    rows = checked_rows(xp, "embedding", ids, like.shape[0]).reshape(-1)
    add_rows(xp, out, rows, dy.reshape(-1, like.shape[1]), fresh=True)
    if padding_idx is not None:
        out[padding_idx] = 0
    return out


def _frequency_infer(dy: Meta, ids: Meta) -> Meta:
    return Meta(ids.shape, dy.dtype)


@defop("inverse_frequency", infer=_frequency_infer, shape_only=("dy",))
def inverse_frequency(xp: Any, dy: Any, ids: Any) -> Any:
    """One over how often each of `ids` occurs, in the dtype of `dy`."""
    ordered = xp.sort(ids.reshape(-1))
    counts = xp.searchsorted(ordered, ids, side="right") - xp.searchsorted(ordered, ids, side="left")
    return (1 / counts.astype(F32)).astype(dy.dtype)


def _renorm_infer(weight: Meta, ids: Meta, *, max_norm: float, norm_type: float) -> Meta:
    return Meta(weight.shape, weight.dtype)


@defop("embedding_renorm", infer=_renorm_infer, amp="never", wide=True)
def renorm(xp: Any, weight: Any, ids: Any, *, max_norm: float, norm_type: float = 2.0) -> Any:
    """`weight` with the rows that `ids` name shortened to a norm of at most `max_norm`."""
    out = weight.copy()
    ids = checked_rows(xp, "embedding", ids, weight.shape[0])  # repeated ones write the same
    rows = weight[ids]
    norms = xp.linalg.norm(rows, ord=norm_type, axis=-1, keepdims=True)
    out[ids] = xp.where(norms > max_norm, rows * (max_norm / (norms + 1e-7)), rows)
    return out


def _one_hot_infer(x: Meta, *, depth: int) -> Meta:
    require_integer("one_hot", x=x)
    return Meta((*x.shape, depth), F32)


@defop("one_hot_v2", infer=_one_hot_infer, amp="never", check=True)
def one_hot(xp: Any, x: Any, *, depth: int) -> Any:
    """1 at the place along a new last axis that each number names, 0 elsewhere; float32."""
    ids = checked_rows(xp, "one_hot", x, depth)
    return (ids[..., None] == xp.arange(depth)).astype(F32)
