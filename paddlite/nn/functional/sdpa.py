"""Scaled dot-product attention."""

from __future__ import annotations

import math
from typing import Any

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.ops.attention import attention
from paddlite.ops.shape import squeeze, unsqueeze

__all__ = ["scaled_dot_product_attention"]


def attend(
    query: Any, key: Any, value: Any, mask: Any, p: float, causal: bool, training: bool, scale: float | None
) -> Any:
    """Attention over [batch, length, heads, width]; one op."""
    attrs: dict[str, Any] = {"scale": 1 / math.sqrt(query._shape[3]) if scale is None else float(scale)}
    attrs |= {"causal": bool(causal), "p": float(p), "training": bool(training)}
    if not (p and training):
        attrs["stream"] = None  # nothing random: no slot is taken
    return attention(query, key, value, mask, **attrs)[0]


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    training: bool = True,
    backend: str | None = None,
    scale: float | None = None,
    enable_gqa: bool = True,
    name: str | None = None,
) -> Any:
    """softmax(scale * query key' + attn_mask) value, for each head (Vaswani et al., 2017).

    Args:
        query: [batch, queries, heads, width], or without the batch axis.
        key: [batch, keys, shared, width]; `shared` divides `heads`, and each head of key and value serves as many
            neighbouring heads of query.
        value: [batch, keys, shared, width of the result].
        attn_mask: broadcasts to [batch, heads, queries, keys]; bool says where to look, numbers are added.
        dropout_p: the share of weights that are set to 0 in training.
        is_causal: let query i look at the keys 0 to i only; together with `attn_mask` both hold.
        backend: accepted; there is one.
        scale: 1 / sqrt(width) where it is None.
        enable_gqa: False wants as many heads of key and value as of query.

    Raises:
        ShapeMismatch: the shapes do not fit.
        InvalidArgument: `dropout_p` is not in [0, 1].
        DTypeMismatch: `attn_mask` is neither bool nor floating point.

    Differs: a query that may look nowhere gets zeros, where Paddle gives NaN.

    >>> import paddlite as paddle
    >>> q = paddle.zeros([1, 1, 1, 4])
    >>> k = paddle.zeros([1, 2, 1, 4])
    >>> v = paddle.to_tensor([[[[1.0]], [[3.0]]]])
    >>> paddle.nn.functional.scaled_dot_product_attention(q, k, v).tolist()
    [[[[2.0]]]]
    """
    if not 0 <= dropout_p <= 1:
        raise InvalidArgument(f"scaled_dot_product_attention: dropout_p must be in [0, 1], got {dropout_p}")
    if query.ndim == 3 and key.ndim == 3 and value.ndim == 3:
        q, k, v = (unsqueeze(t, axes=(0,)) for t in (query, key, value))
        out = scaled_dot_product_attention(
            q, k, v, attn_mask, dropout_p, is_causal, training, backend, scale, enable_gqa
        )
        return squeeze(out, axes=(0,))
    if query.ndim != 4 or (not enable_gqa and query._shape[2] != key._shape[2]):
        raise ShapeMismatch(
            "scaled_dot_product_attention: query, key and value must be [batch, length, heads, width]"
            f"{'' if enable_gqa else ' with as many heads each'}, got {list(query.shape)}, {list(key.shape)} and "
            f"{list(value.shape)}"
        )
    return attend(query, key, value, attn_mask, dropout_p, is_causal, training, scale)
