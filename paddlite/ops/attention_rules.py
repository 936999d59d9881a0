"""Second gradients of attention, and the gradient of its mask, composed of ops.

Everything is [batch, shared heads, group, length, width] here, so that shared heads of key and value broadcast.
With P the weights, W the dropout multiplier, S the scores and dP, dS their gradients:
dV = (P W)' g,  dP = (g V') W,  dS = P (dP - sum(dP P)),  dQ = scale dS K,  dK = scale dS' Q.
"""

from __future__ import annotations

import math
from typing import Any

from paddlite.backend.dtypes import BOOL
from paddlite.ops.arithmetic import cast, elementwise_add, elementwise_mul
from paddlite.ops.compare import logical_and
from paddlite.ops.like import reshape_like, unbroadcast
from paddlite.ops.matmul import matmul
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.select import where
from paddlite.ops.shape import reshape, transpose, unsqueeze
from paddlite.ops.softmax import softmax, softmax_grad, softmax_grad_slope


class _Call:
    """The tensors of one call, spread out."""

    def __init__(self, query: Any, key: Any, value: Any, mask: Any, keep: Any, scale: float, causal: bool, p: float):
        from paddlite.ops.attention import causal_mask

        self.shared = key._shape[2]
        self.group = query._shape[2] // self.shared
        self.scale = scale
        self.q, self.k, self.v = self.queries(query), self.keys(key), self.keys(value)
        scores = elementwise_mul(matmul(self.q, self.k, transpose_y=True), scale)
        allowed, spread = None, self.mask(mask)
        if mask is not None and mask._dtype == BOOL:
            allowed = spread
        elif mask is not None:
            scores = elementwise_add(scores, cast(spread, dtype=scores._dtype))
        if causal:
            lower = causal_mask(scores)
            allowed = lower if allowed is None else logical_and(allowed, lower)
        if allowed is None:
            self.weights = softmax(scores)
        else:  # a row without allowed keys has no softmax
            self.weights = where(allowed, softmax(where(allowed, scores, -math.inf)), 0.0)
        self.dropout = None
        if p and keep is not None:
            self.dropout = elementwise_mul(self.mask(cast(keep, dtype=scores._dtype)), 1 / (1 - p) if p < 1 else 0.0)

    def queries(self, x: Any) -> Any:
        parted = reshape(x, shape=(0, 0, self.shared, self.group, x._shape[3]))
        return transpose(parted, perm=(0, 2, 3, 1, 4))

    def keys(self, x: Any) -> Any:
        return unsqueeze(transpose(x, perm=(0, 2, 1, 3)), axes=(2,))

    def mask(self, mask: Any) -> Any:
        if mask is None:
            return None
        if len(mask._shape) < 4:
            mask = unsqueeze(mask, axes=tuple(range(4 - len(mask._shape))))
        if mask._shape[1] == 1 or self.group == 1:
            return unsqueeze(mask, axes=(2,))
        parted = reshape(transpose(mask, perm=(0, 2, 3, 1)), shape=(0, 0, 0, self.shared, self.group))
        return transpose(parted, perm=(0, 3, 4, 1, 2))

    def dropped(self, t: Any) -> Any:
        return t if self.dropout is None else elementwise_mul(t, self.dropout)

    @staticmethod
    def back_queries(x: Any, like: Any) -> Any:
        return None if x is None else reshape_like(transpose(x, perm=(0, 3, 1, 2, 4)), like)

    @staticmethod
    def back_keys(x: Any) -> Any:
        return None if x is None else transpose(reduce_sum(x, axis=2), perm=(0, 2, 1, 3))

    def back_mask(self, x: Any, mask: Any) -> Any:
        """The gradient of the scores as one of the mask."""
        whole = (
            reshape(x, shape=(0, self.shared * self.group, *x._shape[3:])) if self.group > 1 else reduce_sum(x, axis=2)
        )
        return cast(unbroadcast(whole, mask), dtype=mask._dtype)

    def scores_gradient(self, up: Any) -> tuple[Any, Any]:
        """(dP, dS) for the output gradient `up`."""
        dp = self.dropped(matmul(up, self.v, transpose_y=True))
        return dp, softmax_grad(self.weights, dp)

    def scaled(self, x: Any) -> Any:
        return elementwise_mul(x, self.scale)


def mask_gradient(
    query: Any, key: Any, value: Any, mask: Any, keep: Any, dy: Any, *, scale: float, causal: bool, p: float
) -> Any:
    """The gradient of an additive mask."""
    call = _Call(query, key, value, mask, keep, scale, causal, p)
    return call.back_mask(call.scores_gradient(call.queries(dy))[1], mask)


def _sum(*terms: Any) -> Any:
    found = None
    for term in terms:
        if term is not None:
            found = term if found is None else elementwise_add(found, term)
    return found


def gradients(
    given: tuple, query: Any, key: Any, value: Any, mask: Any, keep: Any, dy: Any, *, scale: float, causal: bool,
    p: float, for_mask: bool,
) -> tuple[Any, Any, Any, Any, Any]:  # fmt: skip
    """Gradients for (query, key, value, mask, dy), given those for dQ, dK and dV (or None)."""
    call = _Call(query, key, value, mask, keep, scale, causal, p)
    a = None if given[0] is None else call.queries(given[0])
    b, c = (None if t is None else call.keys(t) for t in given[1:])
    up, weights = call.queries(dy), call.weights
    dp, ds = call.scores_gradient(up)
    of_q = of_k = of_v = of_up = of_weights = None
    if a is not None or b is not None:
        # the gradient that comes for dS
        left = None if a is None else matmul(a, call.k, transpose_y=True)
        right = None if b is None else matmul(call.q, b, transpose_y=True)
        e = call.scaled(_sum(left, right))
        of_k = None if a is None else call.scaled(matmul(ds, a, transpose_x=True))
        of_q = None if b is None else call.scaled(matmul(ds, b))
        of_weights = softmax_grad_slope(e, weights, dp, -1)
        of_product = call.dropped(softmax_grad(weights, e))
        of_up = matmul(of_product, call.v)
        of_v = matmul(of_product, up, transpose_x=True)
    if c is not None:
        of_up = _sum(of_up, matmul(call.dropped(weights), c))
        of_weights = _sum(of_weights, call.dropped(matmul(up, c, transpose_y=True)))
    of_scores = softmax_grad(weights, of_weights)
    of_q = _sum(of_q, call.scaled(matmul(of_scores, call.k)))
    of_k = _sum(of_k, call.scaled(matmul(of_scores, call.q, transpose_x=True)))
    return (
        call.back_queries(of_q, query),
        call.back_keys(of_k),
        call.back_keys(of_v),
        call.back_mask(of_scores, mask) if for_mask else None,
        call.back_queries(of_up, dy),
    )
