"""Distances and similarities between vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddlite.core.tensor import Tensor
from paddlite.ops.arithmetic import (
    absolute,
    cast,
    elementwise_add,
    elementwise_div,
    elementwise_mul,
    elementwise_sub,
    square,
)
from paddlite.ops.compare import not_equal
from paddlite.ops.gather import gather
from paddlite.ops.power import elementwise_max, elementwise_pow, sqrt
from paddlite.ops.reduce import reduce_max, reduce_min, reduce_sum

__all__ = ["cosine_similarity", "pairwise_distance", "pdist"]


def norm_at_least(x: Any, p: float, axis: Any, least: float, keepdim: bool = True) -> Any:
    """The p-norm along `axis`, at least `least`; no gradient flows where that is taken, so that 0 gives no NaN."""
    if p == 2:
        total = reduce_sum(square(x), axis=axis, keepdim=keepdim)
        return sqrt(elementwise_max(total, least * least) if least else total)
    if p == 0:
        size = reduce_sum(cast(not_equal(x, 0.0), dtype=x._dtype), axis=axis, keepdim=keepdim)
    elif p == 1:
        size = reduce_sum(absolute(x), axis=axis, keepdim=keepdim)
    elif math.isinf(p):
        size = (reduce_max if p > 0 else reduce_min)(absolute(x), axis=axis, keepdim=keepdim)
    else:
        total = reduce_sum(elementwise_pow(absolute(x), p), axis=axis, keepdim=keepdim)
        return elementwise_pow(elementwise_max(total, least**p) if least else total, 1.0 / p)
    return elementwise_max(size, least) if least else size


def cosine_similarity(x1: Any, x2: Any, axis: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between `x1` and `x2` along `axis`; 0 where either is 0.

    Args:
        x1, x2: tensors whose shapes broadcast.
        eps: the least value of the product of the lengths.

    Raises:
        InvalidArgument: `axis` is out of range.

    >>> import paddlite as paddle
    >>> a, b = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[2.0, 0.0]])
    >>> paddle.nn.functional.cosine_similarity(a, b).tolist()
    [1.0]
    """
    inner = reduce_sum(elementwise_mul(x1, x2), axis=axis)
    lengths = elementwise_mul(reduce_sum(square(x1), axis=axis), reduce_sum(square(x2), axis=axis))
    return elementwise_div(inner, sqrt(elementwise_max(lengths, eps * eps)))


def pairwise_distance(
    x: Any, y: Any, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False, name: str | None = None
) -> Any:
    """The p-norm of x - y + epsilon along the last axis.

    Args:
        x, y: [..., D], shapes that broadcast.

    >>> import paddlite as paddle
    >>> x, y = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
    >>> paddle.nn.functional.pairwise_distance(x, y, epsilon=0.0).tolist()
    [5.0]
    """
    difference = elementwise_sub(x, y)
    if epsilon:
        difference = elementwise_add(difference, float(epsilon))
    return norm_at_least(difference, float(p), -1, 0.0, keepdim)


def pdist(x: Any, p: float = 2.0, name: str | None = None) -> Any:
    """The p-norm distances of all pairs of rows of `x` [N, D]: N (N - 1) / 2 numbers, (0, 1), (0, 2), ... first.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.pdist(paddle.to_tensor([[0.0], [1.0], [3.0]])).tolist()
    [1.0, 3.0, 2.0]
    """
    first, second = np.triu_indices(x._shape[0], 1)
    difference = elementwise_sub(gather(x, Tensor(first), axis=0), gather(x, Tensor(second), axis=0))
    return norm_at_least(difference, float(p), -1, 0.0, False)
