"""Attention over several heads."""

from __future__ import annotations

from typing import Any, NamedTuple

from paddlite.backend.dtypes import INTEGRAL, numpy_dtype
from paddlite.core.errors import InvalidArgument
from paddlite.nn import functional as F
from paddlite.nn.layer.common import Linear
from paddlite.nn.layer.layers import Layer
from paddlite.ops.arithmetic import cast, elementwise_add, elementwise_mul, elementwise_sub
from paddlite.ops.join import concat
from paddlite.ops.matmul import matmul
from paddlite.ops.shape import reshape, transpose

__all__ = ["MultiHeadAttention"]

_HIDDEN = 1e9  # subtracted from the scores of what a mask hides


class Cache(NamedTuple):
    """Keys and values so far [batch, heads, length, size], to which each call adds its own."""

    k: Any
    v: Any


class StaticCache(NamedTuple):
    """Keys and values [batch, heads, length, size] that stay as they are, such as those of an encoder's output."""

    k: Any
    v: Any


def _convert_attention_mask(attn_mask: Any, dtype: Any) -> Any:
    """What is added to the scores: a floating mask itself, -1e9 where bools or integers are 0, None for None."""
    if attn_mask is None or attn_mask._dtype not in INTEGRAL:
        return attn_mask
    shown = cast(attn_mask, dtype=numpy_dtype(dtype))
    return elementwise_mul(elementwise_sub(shown, 1.0), _HIDDEN)


def _turned(x: Any) -> Any:
    """`x` with its second and third axes exchanged."""
    return transpose(x, perm=(0, 2, 1, 3))


class MultiHeadAttention(Layer):
    """Each head looks with its own projections of the queries for values by their keys.

    Vaswani et al., "Attention is all you need" (2017).

    Args:
        embed_dim: size of the queries and of the result.
        num_heads: how many heads; they divide `embed_dim`.
        dropout: of the attention weights.
        kdim: size of the keys; left out, `embed_dim`.
        vdim: size of the values; left out, `embed_dim`.
        need_weights: give the attention weights [batch, heads, queries, keys] too.
        weight_attr: of the four projections.
        bias_attr: of the four projections; False for none.

    Raises:
        ValueError: `num_heads` does not divide `embed_dim`, or a size is not positive.

    >>> import paddlite as paddle
    >>> attention = paddle.nn.MultiHeadAttention(8, 2)
    >>> attention(paddle.ones([2, 5, 8])).shape
    paddle.Size([2, 5, 8])
    """

    Cache = Cache
    StaticCache = StaticCache

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        kdim: int | None = None,
        vdim: int | None = None,
        need_weights: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ):
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise InvalidArgument(
                f"MultiHeadAttention: num_heads must be positive and divide embed_dim, got embed_dim={embed_dim} and "
                f"num_heads={num_heads}"
            )
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout, self.need_weights = dropout, need_weights
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(self.kdim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(self.vdim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def forward(self, query: Any, key: Any = None, value: Any = None, attn_mask: Any = None, cache: Any = None) -> Any:
        """The result [batch, queries, embed_dim]; a tuple with weights and cache behind it where those are wanted.

        Args:
            query: [batch, queries, embed_dim].
            key: [batch, keys, kdim]; left out, `query`.
            value: [batch, keys, vdim]; left out, `query`.
            attn_mask: broadcasts to [batch, heads, queries, keys]; bools and integers hide where they are 0, floats
                are added to the scores.
            cache: from `gen_cache`: a `Cache` grows by the keys and values of this call, a `StaticCache` takes the
                place of `key` and `value`.
        """
        key = query if key is None else key
        value = query if value is None else value
        q = self._heads(self.q_proj(query))
        if isinstance(cache, StaticCache):
            k, v = _turned(cache.k), _turned(cache.v)
        else:
            k, v = self._heads(self.k_proj(key)), self._heads(self.v_proj(value))
            if isinstance(cache, Cache):
                cache = Cache(concat(cache.k, _turned(k), axis=2), concat(cache.v, _turned(v), axis=2))
                k, v = _turned(cache.k), _turned(cache.v)
        mask = _convert_attention_mask(attn_mask, q.dtype)
        weights = None
        if self.need_weights:
            out, weights = self._with_weights(q, k, v, mask)
        else:
            out = F.scaled_dot_product_attention(q, k, v, mask, self.dropout, training=self.training)
        out = self.out_proj(reshape(out, shape=(0, 0, self.embed_dim)))
        outputs = [out, *([] if weights is None else [weights]), *([] if cache is None else [cache])]
        return out if len(outputs) == 1 else tuple(outputs)

    def _with_weights(self, q: Any, k: Any, v: Any, mask: Any) -> tuple[Any, Any]:
        """The mixed values [batch, queries, heads, head_dim] and the weights, step by step."""
        scores = matmul(elementwise_mul(_turned(q), self.head_dim**-0.5), _turned(k), transpose_y=True)
        weights = F.softmax(scores if mask is None else elementwise_add(scores, mask))
        if self.dropout:
            weights = F.dropout(weights, self.dropout, training=self.training)
        return _turned(matmul(weights, _turned(v))), weights

    def _heads(self, x: Any) -> Any:
        """[batch, length, embed_dim] as [batch, length, heads, head_dim]."""
        return reshape(x, shape=(0, 0, self.num_heads, self.head_dim))

    def compute_kv(self, key: Any, value: Any) -> tuple[Any, Any]:
        """The projected keys and values, each [batch, heads, keys, head_dim]."""
        return _turned(self._heads(self.k_proj(key))), _turned(self._heads(self.v_proj(value)))

    def gen_cache(self, key: Any, value: Any = None, type: Any = Cache) -> Any:
        """A cache for `forward`.

        Args:
            key: with `StaticCache` what the keys are made of; with `Cache` a tensor with the batch size, or keys that
                are projected already.
            value: with `StaticCache` what the values are made of (left out, `key`); with `Cache` values that are
                projected already, or None to start with nothing.
            type: `MultiHeadAttention.Cache` or `MultiHeadAttention.StaticCache`.
        """
        if type is StaticCache:
            return StaticCache(*self.compute_kv(key, key if value is None else value))
        if value is not None:
            return Cache(key, value)
        from paddlite.tensor import full_like, zeros

        if key._shape[0] == -1:
            empty = _turned(self._heads(self.k_proj(key)))[:, :, :0]
            return Cache(empty, full_like(empty, 0.0))
        shape = [key._shape[0], self.num_heads, 0, self.head_dim]
        return Cache(zeros(shape, key.dtype), zeros(shape, key.dtype))
