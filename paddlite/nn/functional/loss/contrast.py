"""Losses that compare rankings, similarities and distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.nn.functional.distance import cosine_similarity, pairwise_distance
from paddlite.nn.functional.loss.reduction import check_one_shape, check_reduction, reduced
from paddlite.ops.arithmetic import (
    cast,
    elementwise_add,
    elementwise_div,
    elementwise_mul,
    elementwise_sub,
    square,
)
from paddlite.ops.compare import equal
from paddlite.ops.cross_entropy import softmax_with_cross_entropy
from paddlite.ops.matmul import matmul
from paddlite.ops.power import elementwise_min
from paddlite.ops.rectify import relu
from paddlite.ops.reduce import reduce_mean, reduce_sum
from paddlite.ops.select import where
from paddlite.ops.shape import reshape, transpose

__all__ = [
    "cosine_embedding_loss", "hinge_embedding_loss", "margin_ranking_loss", "npair_loss", "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]  # fmt: skip


def margin_ranking_loss(
    input: Any, other: Any, label: Any, margin: float = 0.0, reduction: str = "mean", name: str | None = None
) -> Any:
    """max(0, -label * (input - other) + margin): `input` should rank higher where label is 1, lower where it is -1.

    Args:
        input, other, label: shapes that broadcast.
        reduction: "mean", "sum" or "none".

    Raises:
        InvalidArgument: `reduction` is another word.

    >>> import paddlite as paddle
    >>> a, b, label = paddle.to_tensor([1.0]), paddle.to_tensor([3.0]), paddle.to_tensor([1.0])
    >>> paddle.nn.functional.margin_ranking_loss(a, b, label).item()
    2.0
    """
    check_reduction(reduction, "margin_ranking_loss")
    out = elementwise_mul(elementwise_sub(other, input), label)
    return reduced(relu(elementwise_add(out, margin) if margin else out), reduction)


def hinge_embedding_loss(
    input: Any, label: Any, margin: float = 1.0, reduction: str = "mean", name: str | None = None
) -> Any:
    """`input` where label is 1, max(0, margin - input) where it is -1; arguments as for `margin_ranking_loss`.

    >>> import paddlite as paddle
    >>> x, label = paddle.to_tensor([0.25, 0.25]), paddle.to_tensor([1.0, -1.0])
    >>> paddle.nn.functional.hinge_embedding_loss(x, label, reduction="none").tolist()
    [0.25, 0.75]
    """
    check_reduction(reduction, "hinge_embedding_loss")
    near = where(equal(label, 1), input, 0.0)
    far = where(equal(label, -1), relu(elementwise_sub(float(margin), input)), 0.0)
    return reduced(elementwise_add(near, far), reduction)


def cosine_embedding_loss(
    input1: Any, input2: Any, label: Any, margin: float = 0, reduction: str = "mean", name: str | None = None
) -> Any:
    """1 - cos(input1, input2) where label is 1, max(0, cos - margin) where it is -1.

    Args:
        input1, input2: [N, D] or [D].
        label: [N] or [], of 1 and -1.
        margin: in [-1, 1].

    Raises:
        ShapeMismatch: the shapes do not fit.
        InvalidArgument: `margin` is out of range, or `reduction` unknown.

    >>> import paddlite as paddle
    >>> a, b = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[0.0, 2.0]])
    >>> paddle.nn.functional.cosine_embedding_loss(a, b, paddle.to_tensor([1])).item()
    1.0
    """
    check_reduction(reduction, "cosine_embedding_loss")
    if not -1 <= margin <= 1:
        raise InvalidArgument(f"cosine_embedding_loss: margin must be in [-1, 1], got {margin}")
    labelled = label.ndim == input1.ndim - 1 or (input1.ndim == 1 and list(label.shape) == [1])
    if input1.ndim not in (1, 2) or input1.ndim != input2.ndim or not labelled:
        raise ShapeMismatch(
            f"cosine_embedding_loss: want input1 and input2 [N, D] and label [N], got {list(input1.shape)}, "
            f"{list(input2.shape)} and {list(label.shape)}"
        )
    cosine = cosine_similarity(input1, input2, axis=-1)
    near = where(equal(label, 1), elementwise_sub(1.0, cosine), 0.0)
    far = where(equal(label, -1), relu(elementwise_sub(cosine, float(margin))), 0.0)
    return reduced(elementwise_add(near, far), reduction)


def triplet_margin_loss(
    input: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    epsilon: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """max(0, d(input, positive) - d(input, negative) + margin) for the p-norm distance d.

    Args:
        input, positive, negative: [N, D].
        epsilon: added to each difference.
        swap: take the nearer of input and positive to negative (Balntas et al., 2016).

    Raises:
        InvalidArgument: `margin` is negative, or `reduction` unknown.

    >>> import paddlite as paddle
    >>> a, b, c = (paddle.to_tensor([[v]]) for v in (0.0, 1.0, 3.0))
    >>> paddle.nn.functional.triplet_margin_loss(a, b, c, margin=5.0, epsilon=0.0).item()
    3.0
    """
    if margin < 0:
        raise InvalidArgument(f"triplet_margin_loss: margin must be >= 0, got {margin}")

    def distance(a: Any, b: Any) -> Any:
        return pairwise_distance(a, b, p, epsilon)

    return _triplet(input, positive, negative, distance, margin, swap, reduction, "triplet_margin_loss")


def triplet_margin_with_distance_loss(
    input: Any,
    positive: Any,
    negative: Any,
    distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """`triplet_margin_loss` for any distance; `distance_function(x, y)` gives [N], None stands for the 2-norm."""
    if margin < 0:
        raise InvalidArgument(f"triplet_margin_with_distance_loss: margin must be >= 0, got {margin}")
    return _triplet(
        input,
        positive,
        negative,
        distance_function or pairwise_distance,
        margin,
        swap,
        reduction,
        "triplet_margin_with_distance_loss",
    )


def _triplet(
    anchor: Any, positive: Any, negative: Any, distance: Callable, margin: float, swap: bool, reduction: str, name: str
) -> Any:
    check_reduction(reduction, name)
    check_one_shape(name, input=anchor, positive=positive, negative=negative)
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = elementwise_min(far, distance(positive, negative))
    return reduced(relu(elementwise_add(elementwise_sub(near, far), float(margin))), reduction)


def npair_loss(anchor: Any, positive: Any, labels: Any, l2_reg: float = 0.002) -> Any:
    """Cross entropy of the similarities of all pairs of anchors and positives (Sohn, 2016), plus a penalty of length.

    Args:
        anchor, positive: [N, D].
        labels: [N]; pairs of equal labels belong together.
        l2_reg: weight of the mean squared length, divided by 4.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[0.0], [0.0]])
    >>> round(paddle.nn.functional.npair_loss(x, x, paddle.to_tensor([0.0, 1.0])).item(), 4)
    0.6931
    """
    labels = reshape(labels, shape=(-1, 1))
    together = cast(equal(labels, transpose(labels, perm=(1, 0))), dtype=anchor._dtype)
    together = elementwise_div(together, reduce_sum(together, axis=1, keepdim=True))
    squares = elementwise_add(reduce_sum(square(anchor), axis=1), reduce_sum(square(positive), axis=1))
    similarity = matmul(anchor, positive, transpose_y=True)
    entropy = softmax_with_cross_entropy(similarity, together, soft_label=True)[1]
    weighted = reduce_mean(reduce_sum(elementwise_mul(together, entropy), axis=0))
    return elementwise_add(weighted, elementwise_mul(reduce_mean(squares), 0.25 * l2_reg))
