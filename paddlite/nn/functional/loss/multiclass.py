"""Focal and Dice losses, and margins between classes."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.nn.functional.loss.reduction import check_reduction, reduced
from paddlite.ops import loss as ops
from paddlite.ops.activation import logsigmoid, sigmoid, softplus
from paddlite.ops.arithmetic import (
    cast,
    elementwise_add,
    elementwise_div,
    elementwise_mul,
    elementwise_sub,
    negative,
)
from paddlite.ops.embedding import one_hot
from paddlite.ops.label import label_pick, label_weight, leading_labels
from paddlite.ops.power import elementwise_pow
from paddlite.ops.rectify import relu
from paddlite.ops.reduce import reduce_mean, reduce_sum
from paddlite.ops.shape import squeeze, unsqueeze

__all__ = [
    "dice_loss", "multi_label_margin_loss", "multi_label_soft_margin_loss", "multi_margin_loss", "sigmoid_focal_loss",
    "soft_margin_loss",
]  # fmt: skip


def sigmoid_focal_loss(
    logit: Any,
    label: Any,
    normalizer: Any = None,
    alpha: float = 0.25,
    gamma: float = 2.0,
    reduction: str = "sum",
    name: str | None = None,
) -> Any:
    """Binary cross entropy of sigmoid(logit) with little weight on what is classified well (Lin et al., 2017).

    Args:
        logit, label: one shape, labels 0 or 1.
        normalizer: a number, [1], that the losses are divided by: usually how many objects there are.
        alpha: weight of label 1, and 1 - alpha of label 0.
        gamma: how fast the weight falls.
        reduction: "mean", "sum" or "none".

    Raises:
        InvalidArgument: `reduction` is another word, or `normalizer` has more than one element.

    >>> import paddlite as paddle
    >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([1.0])
    >>> round(paddle.nn.functional.sigmoid_focal_loss(x, label).item(), 4)  # 0.25 * 0.5**2 * log(2)
    0.0433
    """
    check_reduction(reduction, "sigmoid_focal_loss")
    if normalizer is not None and normalizer.ndim > 1:
        raise InvalidArgument(f"sigmoid_focal_loss: normalizer must be one number, got shape {list(normalizer.shape)}")
    loss = ops.bce_with_logits(logit, label, None)
    p = sigmoid(logit)
    # 1 - p_t = p + label - 2 p label, the probability of the wrong answer
    wrong = elementwise_sub(elementwise_add(p, label), elementwise_mul(elementwise_mul(p, label), 2.0))
    balance = elementwise_add(elementwise_mul(label, 2 * alpha - 1), 1 - alpha)
    loss = elementwise_mul(loss, elementwise_mul(balance, elementwise_pow(wrong, float(gamma))))
    return reduced(loss if normalizer is None else elementwise_div(loss, normalizer), reduction)


def dice_loss(input: Any, label: Any, epsilon: float = 0.00001, name: str | None = None) -> Any:
    """1 - 2 * overlap / (size of input + size of label), averaged over samples.

    Args:
        input: probabilities [N, ..., classes].
        label: whole numbers [N, ..., 1].

    Raises:
        ShapeMismatch: `label` does not have the shape of `input` with size 1 at the end.

    >>> import paddlite as paddle
    >>> p, label = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[0]])
    >>> round(paddle.nn.functional.dice_loss(p, label).item(), 4)
    0.0
    """
    if label.ndim != input.ndim or input.ndim < 2 or label._shape[-1] != 1:
        raise ShapeMismatch(
            f"dice_loss: label must have the shape of input with size 1 at the end, got {list(input.shape)} and "
            f"{list(label.shape)}"
        )
    target = cast(one_hot(squeeze(label, axes=(-1,)), depth=input._shape[-1]), dtype=input._dtype)
    axis = tuple(range(1, input.ndim))
    overlap = elementwise_mul(reduce_sum(elementwise_mul(input, target), axis=axis), 2.0)
    sizes = elementwise_add(reduce_sum(input, axis=axis), reduce_sum(target, axis=axis))
    return reduce_mean(elementwise_sub(1.0, elementwise_div(overlap, elementwise_add(sizes, epsilon))))


def soft_margin_loss(input: Any, label: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """log(1 + exp(-label * input)), labels 1 or -1.

    Raises:
        ShapeMismatch: the shapes differ.
        InvalidArgument: `reduction` is none of "mean", "sum" and "none".

    >>> import paddlite as paddle
    >>> x, label = paddle.to_tensor([1000.0]), paddle.to_tensor([-1.0])
    >>> paddle.nn.functional.soft_margin_loss(x, label).item()
    1000.0
    """
    check_reduction(reduction, "soft_margin_loss")
    if tuple(input._shape) != tuple(label._shape):
        raise ShapeMismatch(f"soft_margin_loss: want one shape, got {list(input.shape)} and {list(label.shape)}")
    return reduced(softplus(negative(elementwise_mul(input, label))), reduction)


def multi_label_soft_margin_loss(
    input: Any, label: Any, weight: Any = None, reduction: str = "mean", name: str | None = None
) -> Any:
    """The mean over classes of -label * log(sigmoid(input)) - (1 - label) * log(sigmoid(-input)).

    Args:
        input, label: [N, C], labels 0 or 1.
        weight: one for each class, shape that broadcasts.
        reduction: "mean", "sum" or "none" (one loss a sample).

    Raises:
        ShapeMismatch: the shapes differ.
        InvalidArgument: `reduction` is another word.
    """
    check_reduction(reduction, "multi_label_soft_margin_loss")
    if tuple(input._shape) != tuple(label._shape):
        raise ShapeMismatch(
            f"multi_label_soft_margin_loss: want one shape, got {list(input.shape)} and {list(label.shape)}"
        )
    hit = elementwise_mul(label, logsigmoid(input))
    miss = elementwise_mul(elementwise_sub(1.0, label), logsigmoid(negative(input)))
    loss = negative(elementwise_add(hit, miss))
    loss = loss if weight is None else elementwise_mul(loss, weight)
    return reduced(reduce_mean(loss, axis=-1), reduction)


def multi_margin_loss(
    input: Any,
    label: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """The mean over classes i of max(0, margin - input[label] + input[i])**p, for i other than the label.

    Args:
        input: [N, C].
        label: [N], whole numbers.
        p: 1 or 2.
        weight: [C], multiplies the loss of each label.
        reduction: "mean", "sum" or "none" (one loss a sample).

    Raises:
        InvalidArgument: `p` is neither 1 nor 2, or `reduction` unknown.
        ShapeMismatch: the shapes do not fit.

    >>> import paddlite as paddle
    >>> x, label = paddle.to_tensor([[0.0, 1.0]]), paddle.to_tensor([0])
    >>> paddle.nn.functional.multi_margin_loss(x, label).item()
    1.0
    """
    check_reduction(reduction, "multi_margin_loss")
    if p not in (1, 2):
        raise InvalidArgument(f"multi_margin_loss: p must be 1 or 2, got {p}")
    classes = input._shape[-1]
    if input.ndim != 2 or label.ndim != 1:
        raise ShapeMismatch(
            f"multi_margin_loss: want input [N, C] and label [N], got {list(input.shape)} and {list(label.shape)}"
        )
    own = unsqueeze(label_pick(input, label, axis=1), axes=(1,))
    gap = relu(elementwise_add(elementwise_sub(input, own), float(margin)))
    gap = elementwise_mul(gap, gap) if p == 2 else gap
    others = elementwise_sub(1.0, cast(one_hot(label, depth=classes), dtype=input._dtype))
    loss = elementwise_mul(reduce_sum(elementwise_mul(gap, others), axis=1), 1.0 / classes)
    return reduced(loss if weight is None else elementwise_mul(loss, label_weight(weight, label)), reduction)


def multi_label_margin_loss(input: Any, label: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """The sum over labels y and other classes i of max(0, 1 - input[y] + input[i]), divided by the number of classes.

    Args:
        input: [N, C].
        label: [N, C], the classes of each sample first, then -1.

    Raises:
        ShapeMismatch: the shapes differ.
        InvalidArgument: `reduction` is none of "mean", "sum" and "none".
    """
    check_reduction(reduction, "multi_label_margin_loss")
    if input.ndim != 2 or tuple(input._shape) != tuple(label._shape):
        raise ShapeMismatch(
            f"multi_label_margin_loss: want input and label [N, C], got {list(input.shape)} and {list(label.shape)}"
        )
    own = leading_labels(label, dtype=input._dtype)
    gap = elementwise_sub(elementwise_add(unsqueeze(input, axes=(1,)), 1.0), unsqueeze(input, axes=(2,)))  # [N, y, i]
    other = unsqueeze(elementwise_sub(1.0, own), axes=(1,))
    loss = elementwise_mul(elementwise_mul(relu(gap), unsqueeze(own, axes=(2,))), other)
    return reduced(elementwise_mul(reduce_sum(loss, axis=(1, 2)), 1.0 / input._shape[1]), reduction)
