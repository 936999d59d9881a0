"""From whole numbers to vectors."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.inplace import replace
from paddlite.core.mode import switched
from paddlite.ops import embedding as ops
from paddlite.tensor.arguments import int_argument

__all__ = ["embedding", "embedding_renorm_", "one_hot"]


def embedding(
    x: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    sparse: bool = False,
    scale_grad_by_freq: bool = False,
    name: str | None = None,
) -> Any:
    """The rows of `weight` that the numbers `x` name.

    Args:
        x: whole numbers of any shape.
        weight: [rows, width].
        padding_idx: the row that stands for no word: zeros are given for it and it gets no gradient; counted from the
            end where negative.
        max_norm: shorten the rows that are named, in place, to a `norm_type`-norm of at most this.
        sparse: accepted; gradients are dense.
        scale_grad_by_freq: divide the gradient of each row by how often it is named.

    Raises:
        InvalidArgument: `padding_idx` is out of range.
        IndexOutOfRange: a number of `x` is not in [0, rows).
        DTypeMismatch: `x` holds no whole numbers.

    Differs: Paddle gives zeros for a number of -1.

    >>> import paddlite as paddle
    >>> weight = paddle.to_tensor([[0.0, 1.0], [2.0, 3.0]])
    >>> paddle.nn.functional.embedding(paddle.to_tensor([1, 0, 1]), weight).tolist()
    [[2.0, 3.0], [0.0, 1.0], [2.0, 3.0]]
    """
    if padding_idx is not None:
        rows = weight._shape[0]
        if not -rows <= padding_idx < rows:
            raise InvalidArgument(f"embedding: padding_idx must be in [{-rows}, {rows}), got {padding_idx}")
        padding_idx = int(padding_idx) % rows
    if max_norm is not None:
        embedding_renorm_(x, weight, max_norm, norm_type)
    return ops.lookup(x, weight, padding_idx=padding_idx, scale_grad_by_freq=bool(scale_grad_by_freq))


def embedding_renorm_(x: Any, weight: Any, max_norm: float, norm_type: float = 2.0) -> Any:
    """Shorten the rows of `weight` that `x` names to a norm of at most `max_norm`, in place; gives `weight`."""
    with switched(grad=False, amp=None):
        return replace(weight, lambda: ops.renorm(weight, x, max_norm=float(max_norm), norm_type=float(norm_type)))


def one_hot(x: Any, num_classes: Any = -1, name: str | None = None) -> Any:
    """float32 vectors of `num_classes` elements that are 1 where the numbers `x` say and 0 elsewhere.

    Args:
        x: whole numbers of [0, num_classes), of any shape.
        num_classes: how many; -1 takes one more than the largest number.

    Raises:
        IndexOutOfRange: a number is out of range.
        DTypeMismatch: `x` holds no whole numbers.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.one_hot(paddle.to_tensor([0, 2]), 3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    depth = int_argument(num_classes, "one_hot", "num_classes")
    if depth == -1:
        if not hasattr(x, "_data"):
            raise InvalidArgument("one_hot: num_classes must be given while a Program is recorded")
        depth = int(x._data.max()) + 1 if x._data.size else 0
    if depth < 1:
        raise InvalidArgument(f"one_hot: num_classes must be positive, or -1, got {depth}")
    return ops.one_hot(x, depth=depth)
