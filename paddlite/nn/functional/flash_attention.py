"""Attention under the names of its GPU libraries: packed, of many lengths in one batch, with masks by columns.

All of them are `scaled_dot_product_attention`; the functions bring their arguments into its form.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.tensor import Tensor
from paddlite.nn.functional.sdpa import attend, scaled_dot_product_attention
from paddlite.ops.arithmetic import elementwise_mul
from paddlite.ops.attention import causal_mask
from paddlite.ops.compare import greater_equal, less_than, logical_and, logical_not, logical_or, not_equal
from paddlite.ops.gather import gather
from paddlite.ops.index import basic_index
from paddlite.ops.join import concat
from paddlite.ops.label import csr_mask
from paddlite.ops.matmul import matmul
from paddlite.ops.select import where
from paddlite.ops.shape import reshape, transpose, unsqueeze
from paddlite.ops.softmax import softmax
from paddlite.tensor.arguments import ints_argument

__all__ = ["flash_attn_qkvpacked", "flash_attn_varlen_qkvpacked", "flashmask_attention", "sparse_attention"]


def flash_attention(
    query: Any,
    key: Any,
    value: Any,
    dropout: float = 0.0,
    causal: bool = False,
    return_softmax: bool = False,
    *,
    fixed_seed_offset: Any = None,
    rng_name: str = "",
    training: bool = True,
    name: str | None = None,
    softmax_scale: float | None = None,
) -> tuple[Any, Any]:
    """(attention, its weights [batch, heads, queries, keys] before dropout, or None without `return_softmax`).

    Args and errors as for `scaled_dot_product_attention`; `fixed_seed_offset` and `rng_name` are accepted.

    >>> import paddlite as paddle
    >>> x = paddle.ones([1, 2, 1, 4])
    >>> paddle.nn.functional.flash_attention.flash_attention(x, x, x, return_softmax=True)[1].tolist()
    [[[[0.5, 0.5], [0.5, 0.5]]]]
    """
    out = scaled_dot_product_attention(query, key, value, None, dropout, causal, training, scale=softmax_scale)
    return out, _weights(query, key, causal, softmax_scale) if return_softmax else None


def _weights(query: Any, key: Any, causal: bool, scale: float | None) -> Any:
    group = query._shape[2] // key._shape[2]
    q, k = (transpose(t, perm=(0, 2, 1, 3)) for t in (query, key))
    if group > 1:
        k = gather(k, Tensor(np.arange(query._shape[2]) // group), axis=1)
    scores = elementwise_mul(matmul(q, k, transpose_y=True), scale or 1 / math.sqrt(query._shape[3]))
    return softmax(where(causal_mask(scores), scores, -math.inf) if causal else scores)


def _unpacked(qkv: Any, rank: int, name: str) -> tuple[Any, Any, Any]:
    """Query, key and value of [..., group + 2, shared heads, width]."""
    if qkv.ndim != rank or qkv._shape[-3] < 3:
        raise ShapeMismatch(
            f"{name}: qkv must have {rank} axes, the third last of them heads / shared heads + 2; got {list(qkv.shape)}"
        )
    group, lead = qkv._shape[-3] - 2, (slice(None),) * (rank - 3)
    q = basic_index(qkv, index=(*lead, slice(0, group)))
    # head g of shared head s is number s * group + g
    order = (*range(rank - 3), rank - 2, rank - 3, rank - 1)
    q = reshape(transpose(q, perm=order), shape=(*(0,) * (rank - 3), group * qkv._shape[-2], qkv._shape[-1]))
    return q, *[basic_index(qkv, index=(*lead, group + i)) for i in (0, 1)]


def flash_attn_qkvpacked(
    qkv: Any,
    dropout: float = 0.0,
    causal: bool = False,
    return_softmax: bool = False,
    *,
    fixed_seed_offset: Any = None,
    rng_name: str = "",
    training: bool = True,
    name: str | None = None,
) -> tuple[Any, Any]:
    """`flash_attention` of query, key and value in one tensor.

    Args:
        qkv: [batch, length, heads / shared + 2, shared, width].

    Raises:
        ShapeMismatch: `qkv` has another form.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.flash_attn_qkvpacked(paddle.ones([1, 2, 3, 1, 4]))[0].shape
    paddle.Size([1, 2, 1, 4])
    """
    q, k, v = _unpacked(qkv, 5, "flash_attn_qkvpacked")
    return flash_attention(q, k, v, dropout, causal, return_softmax, training=training)


def flash_attn_unpadded(
    query: Any,
    key: Any,
    value: Any,
    cu_seqlens_q: Any,
    cu_seqlens_k: Any,
    max_seqlen_q: int,
    max_seqlen_k: int,
    scale: float,
    dropout: float = 0.0,
    causal: bool = False,
    return_softmax: bool = False,
    fixed_seed_offset: Any = None,
    rng_name: str = "",
    training: bool = True,
    name: str | None = None,
) -> tuple[Any, None]:
    """(attention within each sequence of a batch laid end to end, None).

    Args:
        query, key, value: [tokens, heads, width].
        cu_seqlens_q, cu_seqlens_k: where each sequence begins, and last the number of tokens.
        max_seqlen_q, max_seqlen_k, return_softmax: accepted.

    Raises:
        ShapeMismatch: the numbers of sequences differ, or the tokens do not end where they should.

    >>> import paddlite as paddle
    >>> x, ends = paddle.ones([3, 1, 4]), paddle.to_tensor([0, 1, 3])
    >>> unpadded = paddle.nn.functional.flash_attention.flash_attn_unpadded
    >>> unpadded(x, x, x, ends, ends, 2, 2, 0.5)[0].shape
    paddle.Size([3, 1, 4])
    """
    name = "flash_attn_unpadded"
    q_ends, k_ends = (ints_argument(c, name, "cu_seqlens") for c in (cu_seqlens_q, cu_seqlens_k))
    if len(q_ends) != len(k_ends) or q_ends[-1] != query._shape[0] or k_ends[-1] != key._shape[0]:
        raise ShapeMismatch(
            f"{name}: cu_seqlens_q {list(q_ends)} and cu_seqlens_k {list(k_ends)} must have one length and end at the "
            f"numbers of tokens, {query._shape[0]} and {key._shape[0]}"
        )
    parts = []
    for i in range(len(q_ends) - 1):
        of_q = slice(q_ends[i], q_ends[i + 1])
        of_k = slice(k_ends[i], k_ends[i + 1])
        q, k, v = (basic_index(t, index=(None, s)) for t, s in ((query, of_q), (key, of_k), (value, of_k)))
        parts.append(basic_index(attend(q, k, v, None, dropout, causal, training, scale), index=(0,)))
    return concat(*parts, axis=0), None


def flash_attn_varlen_qkvpacked(
    qkv: Any,
    cu_seqlens_q: Any,
    cu_seqlens_k: Any,
    max_seqlen_q: int,
    max_seqlen_k: int,
    scale: float,
    dropout: float = 0.0,
    causal: bool = False,
    return_softmax: bool = False,
    fixed_seed_offset: Any = None,
    rng_name: str = "",
    varlen_padded: bool = True,
    training: bool = True,
    name: str | None = None,
) -> tuple[Any, None]:
    """`flash_attn_unpadded` of query, key and value in one tensor [tokens, heads / shared + 2, shared, width]."""
    q, k, v = _unpacked(qkv, 4, "flash_attn_varlen_qkvpacked")
    return flash_attn_unpadded(
        q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, scale, dropout, causal, training=training
    )


def flashmask_attention(
    query: Any,
    key: Any,
    value: Any,
    startend_row_indices: Any = None,
    *,
    dropout: float = 0.0,
    causal: bool = False,
    window_size: int | tuple[int, int] | None = None,
    return_softmax_lse: bool = False,
    return_seed_offset: bool = False,
    fixed_seed_offset: Any = None,
    rng_name: str = "",
    training: bool = True,
    name: str | None = None,
    softmax_scale: float | None = None,
    block_mask: Any = None,
) -> Any:
    """Attention whose mask says for each key which rows of queries may not look at it (Wang et al., 2024).

    Args:
        startend_row_indices: [batch, 1 or heads of key, keys, n], whole numbers.  With `causal`, n = 1 hides a key from
            row s on, n = 2 in rows [s, e); without, n = 2 hides it from row s on and above row e, n = 4 in rows
            [s, e) and [s', e').
        window_size: how many keys before (and, without `causal`, behind) its own place a query may see.

    Raises:
        ShapeMismatch: `startend_row_indices` has another form.
        InvalidArgument: what has no meaning on this backend was asked for (log-sum-exp, seeds, block masks).

    >>> import paddlite as paddle
    >>> x = paddle.ones([1, 2, 1, 4])
    >>> paddle.nn.functional.flashmask_attention(x, x, x, causal=True).shape
    paddle.Size([1, 2, 1, 4])
    """
    if return_softmax_lse or return_seed_offset or block_mask is not None:
        raise InvalidArgument(
            "flashmask_attention: return_softmax_lse, return_seed_offset and block_mask are not supported"
        )
    allowed = None
    rows = Tensor(np.arange(query._shape[1])[:, None])
    if startend_row_indices is not None:
        allowed = logical_not(_hidden(startend_row_indices, rows, causal))
        if 1 < allowed._shape[1] < query._shape[2]:
            group = query._shape[2] // allowed._shape[1]
            allowed = gather(allowed, Tensor(np.arange(query._shape[2]) // group), axis=1)
    if window_size is not None:
        left, right = (window_size, window_size) if isinstance(window_size, int) else window_size
        distance = np.arange(query._shape[1])[:, None] - np.arange(key._shape[1])
        near = Tensor((distance <= left) & (distance >= (0 if causal else -right)))
        allowed = near if allowed is None else logical_and(allowed, near)
    return attend(query, key, value, allowed, dropout, causal, training, softmax_scale)


def _hidden(bounds: Any, rows: Any, causal: bool) -> Any:
    """True where a key may not be seen, [batch, heads, queries, keys]."""
    count = bounds._shape[-1] if bounds.ndim == 4 else 0
    if count not in ((1, 2) if causal else (2, 4)):
        raise ShapeMismatch(
            "flashmask_attention: startend_row_indices must be [batch, heads, keys, n] with n "
            f"{'1 or 2 with causal' if causal else '2 or 4 without causal'}, got {list(bounds.shape)}"
        )
    column = [unsqueeze(basic_index(bounds, index=(Ellipsis, i)), axes=(2,)) for i in range(count)]
    below = greater_equal(rows, column[0])
    if causal:
        return below if count == 1 else logical_and(below, less_than(rows, column[1]))
    if count == 2:
        return logical_or(below, less_than(rows, column[1]))
    upper = logical_and(greater_equal(rows, column[2]), less_than(rows, column[3]))
    return logical_or(logical_and(below, less_than(rows, column[1])), upper)


def sparse_attention(
    query: Any,
    key: Any,
    value: Any,
    sparse_csr_offset: Any,
    sparse_csr_columns: Any,
    key_padding_mask: Any = None,
    attn_mask: Any = None,
    name: str | None = None,
) -> Any:
    """Attention in which each query looks at the keys that a sparse matrix in CSR form names.

    Args:
        query, key, value: [batch, heads, length, width].
        sparse_csr_offset: [batch, heads, length + 1], where the keys of each query begin.
        sparse_csr_columns: [batch, heads, count], the keys.
        key_padding_mask: [batch, length], 0 where a key may not be seen.
        attn_mask: [length, length], 0 where a query may not see a key.

    >>> import paddlite as paddle
    >>> x = paddle.ones([1, 1, 2, 4])
    >>> offset, columns = paddle.to_tensor([[[0, 1, 2]]]), paddle.to_tensor([[[0, 1]]])
    >>> paddle.nn.functional.sparse_attention(x, x, x, offset, columns).shape
    paddle.Size([1, 1, 2, 4])
    """
    allowed = csr_mask(sparse_csr_offset, sparse_csr_columns, columns_count=key._shape[2])
    if key_padding_mask is not None:
        allowed = logical_and(allowed, unsqueeze(not_equal(key_padding_mask, 0), axes=(1, 2)))
    if attn_mask is not None:
        allowed = logical_and(allowed, not_equal(attn_mask, 0))
    q, k, v = (transpose(t, perm=(0, 2, 1, 3)) for t in (query, key, value))
    return transpose(attend(q, k, v, allowed, 0.0, False, False, None), perm=(0, 2, 1, 3))


@contextmanager
def sdp_kernel(
    enable_math: bool = False, enable_flash: bool = True, enable_mem_efficient: bool = True
) -> Iterator[None]:
    """Accepted; there is one implementation of attention."""
    yield
