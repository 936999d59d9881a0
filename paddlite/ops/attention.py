"""Scaled dot-product attention (Vaswani et al., 2017) as one op, in the layout [batch, length, heads, width].

With s = scale q k' + mask, e = exp(s - m) and t the sum of its rows, P = e / t are the weights.  The forward op keeps e
and t: dividing the output (or its gradient) by t costs less than dividing e, which has a column for each key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import BOOL
from paddlite.backend.random import Stream, keep_mask
from paddlite.core.errors import DTypeMismatch, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop, joint
from paddlite.ops.infer import merge_size
from paddlite.ops.rows import row_dot, row_max, row_sum
from paddlite.ops.standardize import statistics_dtype

_NAME = "scaled_dot_product_attention"
_SAFE = 60.0  # exp of this and of its negative, and sums of such, are normal float32 numbers
_PIECE = 1 << 18  # scores that are worked on at a time


def _infer(
    q: Meta, k: Meta, v: Meta, mask: Meta | None, *, scale: float, causal: bool = False, p: float = 0.0,
    training: bool = True, stream: Any = None,
) -> tuple[Meta, Meta, Meta, Meta]:  # fmt: skip
    if not len(q.shape) == len(k.shape) == len(v.shape) == 4:
        raise ShapeMismatch(
            f"{_NAME}: query, key and value must be [batch, length, heads, width], got {list(q.shape)}, "
            f"{list(k.shape)} and {list(v.shape)}"
        )
    batch = merge_size(merge_size(q.shape[0], k.shape[0], _NAME, "batch sizes"), v.shape[0], _NAME, "batch sizes")
    keys = merge_size(k.shape[1], v.shape[1], _NAME, "lengths of key and value")
    merge_size(q.shape[3], k.shape[3], _NAME, "widths of query and key")
    shared = merge_size(k.shape[2], v.shape[2], _NAME, "heads of key and value")
    if -1 not in (q.shape[2], shared) and (shared == 0 or q.shape[2] % shared):
        raise ShapeMismatch(f"{_NAME}: {q.shape[2]} heads of query do not divide into {shared} heads of key and value")
    scores = (batch, q.shape[2], q.shape[1], keys)
    if mask is not None:
        if mask.dtype != BOOL and mask.dtype.kind not in "fV":
            raise DTypeMismatch(f"{_NAME}: attn_mask must be bool or floating point, got {mask.dtype}")
        pairs = zip(scores[::-1], mask.shape[::-1])
        if len(mask.shape) > 4 or any(m not in (1, s) and -1 not in (s, m) for s, m in pairs):
            raise ShapeMismatch(f"{_NAME}: attn_mask {list(mask.shape)} does not broadcast to {list(scores)}")
    exact = statistics_dtype(q.dtype)
    out = Meta((batch, q.shape[1], q.shape[2], v.shape[3]), q.dtype)
    return out, Meta(scores, exact), Meta((*scores[:3], 1), exact), Meta(scores, BOOL)


class Heads:
    """How the inputs of one call are looked at: [batch, shared heads, queries for each, width] and the like."""

    __slots__ = ("group", "shared")

    def __init__(self, q: Any, k: Any):
        self.shared = k.shape[2]
        self.group = q.shape[2] // self.shared if self.shared else 1

    def queries(self, x: Any) -> Any:
        """[batch, length, heads, width] as [batch, shared, group * length, width]; a view where there are no groups."""
        if self.group == 1:
            return x.swapaxes(1, 2)
        batch, length, _, width = x.shape
        turned = x.reshape(batch, length, self.shared, self.group, width).transpose(0, 2, 3, 1, 4)
        return turned.reshape(batch, self.shared, self.group * length, width)

    def rows(self, x: Any) -> Any:
        """[batch, heads, queries, n] as [batch, shared, group * queries, n]; a view."""
        return x.reshape(x.shape[0], self.shared, self.group * x.shape[2], x.shape[3])

    def put(self, rows: Any, out: Any) -> None:
        """Write [batch, shared, group * length, width] into `out` [batch, length, heads, width]."""
        batch, length, heads, width = out.shape
        out[...] = rows.reshape(batch, heads, length, width).swapaxes(1, 2)


def _pieces(xp: Any, batch: int, shared: int, rows: int, columns: int) -> list[tuple[slice, slice]]:
    """Slices of the batch and the shared heads whose scores stay in the cache."""
    if xp is not np or not batch * shared:
        return [(slice(None), slice(None))]
    each = max(1, rows * columns)
    heads = max(1, min(shared, _PIECE // each))
    samples = max(1, _PIECE // (each * shared))
    return [
        (slice(b, b + samples), slice(h, h + heads)) for b in range(0, batch, samples) for h in range(0, shared, heads)
    ]


def _exponentials(xp: Any, scores: Any, mask: Any, allowed: Any) -> Any:
    """exp(scores + mask - m), 0 where not `allowed`, in the memory of `scores`.

    Where nothing can over- or underflow m is 0, else the maximum of each row.  A row without allowed keys gives zeros.
    """
    if mask is not None:
        scores += mask
    if xp is np and scores.size and scores.max() < _SAFE and scores.min() > -_SAFE:
        np.exp(scores, out=scores)
    else:
        if allowed is not None:
            xp.copyto(scores, scores.dtype.type(-np.inf), where=~allowed)
        most = row_max(xp, scores)
        scores -= xp.where(xp.isneginf(most), scores.dtype.type(0), most)
        xp.exp(scores, out=scores)
    if allowed is not None:
        scores *= allowed
    return scores


def _allowed(xp: Any, mask: Any, causal: bool, queries: int, keys: int) -> Any:
    """Where a query may look at a key, or None for everywhere."""
    found = mask if mask is not None and mask.dtype == BOOL else None
    if causal:
        lower = xp.tri(queries, keys, dtype=np.bool_)
        found = lower if found is None else found & lower
    return found


def _part(mask: Any, piece: tuple[slice, slice], group: int) -> Any:
    """What of `mask` (of up to 4 axes) belongs to a piece of the scores."""
    if mask is None or mask.ndim < 3:
        return mask
    mask = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
    samples, heads = piece
    if heads.start is not None:
        heads = slice(heads.start * group, heads.stop * group)
    everything = slice(None)
    return mask[samples if mask.shape[0] > 1 else everything, heads if mask.shape[1] > 1 else everything]


def _rule(
    g_out: Any, query: Any, key: Any, value: Any, mask: Any, out: Any, weights: Any, total: Any, keep: Any,
    scale: float, causal: bool, p: float, training: bool, needs: tuple,
) -> tuple:  # fmt: skip
    attrs = {"scale": scale, "causal": causal, "p": p if training else 0.0}
    found = attention_grad(query, key, value, mask, out, weights, total, keep, g_out, **attrs)
    for_mask = second.mask_gradient(query, key, value, mask, keep, g_out, **attrs) if needs[3] else None
    return (*found, for_mask)


@defop(
    "scaled_dot_product_attention",
    infer=_infer,
    outputs=("out", "weights", "total", "keep"),
    amp="low",
    amp_inputs=("query", "key", "value"),
    wide=True,
    random=True,
    partial_grads=True,
    no_grad_outputs=("weights", "total"),
    vjp=joint(_rule),
)
def attention(
    xp: Any, query: Any, key: Any, value: Any, mask: Any, *, scale: float, causal: bool = False, p: float = 0.0,
    training: bool = True, stream: Stream | None,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """(softmax(scale query key' + mask), in training with dropout `p`, times value; e; t; what was kept or None).

    `mask` is added, or, if bool, says where to look; `causal` lets no query look at a later key.  Fewer heads of key
    and value than of query are shared by groups of neighbouring ones.
    """
    _infer(query, key, value, mask, scale=scale)
    p = p if training else 0.0
    heads, dtype = Heads(query, key), query.dtype
    (batch, queries, count, _), keys = query.shape, key.shape[1]
    out = xp.empty((batch, queries, count, value.shape[3]), dtype)
    weights, total = xp.empty((batch, count, queries, keys), dtype), xp.empty((batch, count, queries, 1), dtype)
    keep = keep_mask(xp, stream, weights.shape, p) if p else None  # type: ignore[arg-type]
    additive = mask if mask is not None and mask.dtype != BOOL else None
    allowed = _allowed(xp, mask, causal, queries, keys)
    q, k, v = heads.queries(query) * dtype.type(scale), key.transpose(0, 2, 3, 1), value.swapaxes(1, 2)
    rows, sums, kept = (None if t is None else heads.rows(t) for t in (weights, total, keep))
    result = xp.empty((batch, heads.shared, heads.group * queries, value.shape[3]), dtype) if heads.group > 1 else None
    result = out.swapaxes(1, 2) if result is None else result
    for piece in _pieces(xp, batch, heads.shared, heads.group * queries, keys):
        e = rows[piece]
        _product(xp, q[piece], k[piece], e)
        whole = e.reshape(e.shape[0], -1, queries, keys) if heads.group > 1 else e
        _exponentials(xp, whole, _part(additive, piece, heads.group), _part(allowed, piece, heads.group))
        t = row_sum(xp, e)
        t += t == 0
        sums[piece] = t
        made = result[piece]
        _product(xp, e if kept is None else e * kept[piece], v[piece], made)
        made *= (1 / (1 - p) if p < 1 else 0) / t
    if heads.group > 1:
        heads.put(result, out)
    return out, weights, total, keep


def _product(xp: Any, a: Any, b: Any, out: Any) -> None:
    if xp is np:
        np.matmul(a, b, out=out)
    else:
        out[...] = xp.matmul(a, b)


def _grad_infer(
    query: Meta, key: Meta, value: Meta, mask: Meta | None, out: Meta, weights: Meta, total: Meta, keep: Meta | None,
    dy: Meta, **_: Any,
) -> tuple[Meta, Meta, Meta]:  # fmt: skip
    return Meta(query.shape, query.dtype), Meta(key.shape, key.dtype), Meta(value.shape, value.dtype)


def _grad_rule(
    g_dq: Any, g_dk: Any, g_dv: Any, query: Any, key: Any, value: Any, mask: Any, keep: Any, dy: Any, scale: float,
    causal: bool, p: float, needs: tuple,
) -> tuple:  # fmt: skip
    found = second.gradients(
        (g_dq, g_dk, g_dv), query, key, value, mask, keep, dy, scale=scale, causal=causal, p=p, for_mask=needs[3]
    )
    for_q, for_k, for_v, for_mask, for_dy = found
    return for_q, for_k, for_v, for_mask, None, None, None, None, for_dy


@defop(
    "scaled_dot_product_attention_grad",
    infer=_grad_infer,
    outputs=("dq", "dk", "dv"),
    amp="never",
    wide=True,
    partial_grads=True,
    vjp=joint(_grad_rule),
)
def attention_grad(
    xp: Any, query: Any, key: Any, value: Any, mask: Any, out: Any, weights: Any, total: Any, keep: Any, dy: Any, *,
    scale: float, causal: bool, p: float,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The gradients for query, key and value."""
    heads, dtype = Heads(query, key), query.dtype
    (batch, queries, _, width), keys = query.shape, key.shape[1]
    rows, sums, kept = (None if t is None else heads.rows(t) for t in (weights, total, keep))
    up = heads.queries(dy)
    level = row_dot(xp, up, heads.queries(out))
    level /= sums  # sum(dP P) of each row, over t
    up = up * ((1 / (1 - p) if p < 1 else 0) / sums)
    q, k, v = heads.queries(query) * dtype.type(scale), key.swapaxes(1, 2), value.transpose(0, 2, 3, 1)
    dq, dk, dv = xp.empty(query.shape, dtype), xp.empty(key.shape, dtype), xp.empty(value.shape, dtype)
    result = dq.swapaxes(1, 2)
    if heads.group > 1:
        result = xp.empty((batch, heads.shared, heads.group * queries, width), dtype)
    for_k, for_v = dk.swapaxes(1, 2), dv.swapaxes(1, 2)
    for piece in _pieces(xp, batch, heads.shared, heads.group * queries, keys):
        e, g = rows[piece], up[piece]
        ds = xp.matmul(g, v[piece])
        seen = e
        if kept is not None:
            seen = e * kept[piece]
            ds *= kept[piece]
        _product(xp, seen.swapaxes(-1, -2), g, for_v[piece])
        ds -= level[piece]
        ds *= e
        _product(xp, ds, k[piece], result[piece])
        _product(xp, ds.swapaxes(-1, -2), q[piece], for_k[piece])
    result *= dtype.type(scale)
    if heads.group > 1:
        heads.put(result, dq)
    return dq, dk, dv


def _causal_infer(like: Meta) -> Meta:
    return Meta(like.shape[-2:], BOOL)


@defop("causal_mask", infer=_causal_infer, amp="never", shape_only=("like",))
def causal_mask(xp: Any, like: Any) -> Any:
    """True on and below the diagonal: [queries, keys] of scores like `like`."""
    return xp.tri(like.shape[-2], like.shape[-1], dtype=np.bool_)


from paddlite.ops import attention_rules as second  # noqa: E402 - its rules call the ops above
