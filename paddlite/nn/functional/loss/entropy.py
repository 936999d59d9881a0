"""Cross entropy between logits or probabilities and labels."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import FLOATING, INT64
from paddlite.core.dispatch import cast_to
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.nn.functional.loss.reduction import check_reduction, reduced
from paddlite.ops import cross_entropy as ops
from paddlite.ops import loss as loss_ops
from paddlite.ops.arithmetic import elementwise_add, elementwise_div, elementwise_mul, negative
from paddlite.ops.label import label_pick, label_weight
from paddlite.ops.power import elementwise_max, log
from paddlite.ops.reduce import reduce_mean, reduce_sum
from paddlite.ops.shape import reshape, unsqueeze

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "nll_loss",
    "softmax_with_cross_entropy",
]  # fmt: skip


def _whole(label: Any) -> Any:
    """Labels as whole numbers, which Paddle takes as floats too."""
    return cast_to(label, INT64) if label._dtype in FLOATING else label


def _check_weight(name: str, weight: Any, classes: int) -> None:
    if weight._shape != (classes,) and -1 not in (classes, *weight._shape):
        raise ShapeMismatch(f"{name}: weight must have shape [{classes}], one for each class, got {list(weight.shape)}")


def cross_entropy(
    input: Any,
    label: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    soft_label: bool = False,
    axis: int = -1,
    use_softmax: bool = True,
    label_smoothing: float = 0.0,
    name: str | None = None,
) -> Any:
    """The cross entropy between softmax(input) and `label`.

    Args:
        input: logits, classes along `axis`; probabilities without `use_softmax`.
        label: whole numbers, shape of `input` without the class axis or with size 1 there; or with `soft_label`
            probabilities of the shape of `input`.
        weight: [classes], the weight of each class.
        ignore_index: the label of what takes no part.
        reduction: "mean" divides the sum by the number (or with `weight` the weight) of the labels that take part,
            and gives 0 where none does; "sum"; or "none".
        label_smoothing: the share of the even distribution mixed into the labels, in [0, 1).

    Raises:
        InvalidArgument: an option has no meaning; the text says which.
        ShapeMismatch: the shapes do not fit.
        IndexOutOfRange: a label is neither a class nor `ignore_index`.

    Differs: Paddle counts ignored labels in the mean where `label_smoothing` is used.

    >>> import paddlite as paddle
    >>> logits, label = paddle.to_tensor([[0.0, 0.0], [0.0, 0.0]]), paddle.to_tensor([1, -100])
    >>> round(paddle.nn.functional.cross_entropy(logits, label).item(), 4)
    0.6931
    """
    check_reduction(reduction, "cross_entropy")
    if label_smoothing and not soft_label and label.ndim == input.ndim:
        soft_label = label._shape[axis] == input._shape[axis] != 1  # smoothed labels may be distributions
    if label_smoothing or soft_label:
        _check_soft(soft_label, ignore_index, label_smoothing)
    if not soft_label:
        label = _whole(label)
    if use_softmax:
        loss = ops.softmax_with_cross_entropy(
            input,
            label,
            soft_label=bool(soft_label),
            ignore_index=ignore_index,
            axis=axis,
            smoothing=float(label_smoothing),
        )[1]
    else:
        loss = _of_probabilities(input, label, soft_label, axis, ignore_index, float(label_smoothing))
    if weight is None:
        if reduction == "mean" and not soft_label:
            return ops.labelled_mean(loss, label, ignore_index=ignore_index)
        loss = reduced(loss, reduction)
    else:
        _check_weight("cross_entropy", weight, input._shape[axis])
        weights = _weights(label, weight, input, soft_label, axis, ignore_index, label_smoothing)
        loss = _weighted(loss, weights, reduction)
    if label_smoothing and reduction == "none" and loss.ndim < input.ndim:
        return unsqueeze(loss, axes=(axis % input.ndim,))  # smoothed labels are soft ones, whose losses keep the axis
    return loss


def _check_soft(soft_label: bool, ignore_index: int, label_smoothing: float) -> None:
    if soft_label and ignore_index != -100:
        raise InvalidArgument(f"cross_entropy: soft labels know no ignore_index, got {ignore_index}")
    if not 0 <= label_smoothing < 1:
        raise InvalidArgument(f"cross_entropy: label_smoothing must be in [0, 1), got {label_smoothing}")


def _of_probabilities(p: Any, label: Any, soft_label: bool, axis: int, ignore_index: int, smoothing: float) -> Any:
    if soft_label:
        share = smoothing / p._shape[axis]
        if smoothing:
            label = elementwise_add(elementwise_mul(label, 1.0 - smoothing), share)
        return negative(reduce_sum(elementwise_mul(label, log(p)), axis=axis, keepdim=True))
    if smoothing:
        raise InvalidArgument("cross_entropy: label_smoothing without use_softmax needs soft labels")
    return negative(label_pick(log(p), label, axis=axis, ignore_index=ignore_index))


def _weights(
    label: Any, weight: Any, input: Any, soft_label: bool, axis: int, ignore_index: int, smoothing: float
) -> Any:
    """The weight of each label: that of its class, the mean weight under a soft or smoothed label."""
    if soft_label:
        rank, at = len(input._shape), axis % len(input._shape)
        beside = reshape(weight, shape=(1,) * at + (-1,) + (1,) * (rank - at - 1))
        found = reduce_sum(elementwise_mul(label, beside), axis=axis, keepdim=True)
    else:
        found = label_weight(weight, label, ignore_index=ignore_index)
    if not smoothing:
        return found
    mixed = elementwise_add(elementwise_mul(found, 1.0 - smoothing), elementwise_mul(reduce_mean(weight), smoothing))
    if soft_label:
        return mixed
    ones = label_weight(elementwise_add(elementwise_mul(weight, 0.0), 1.0), label, ignore_index=ignore_index)
    return elementwise_mul(mixed, ones)


def _weighted(loss: Any, weights: Any, reduction: str) -> Any:
    weighted = elementwise_mul(loss, weights)
    if reduction != "mean":
        return reduced(weighted, reduction)
    total = reduce_sum(weights)
    return elementwise_div(reduce_sum(weighted), elementwise_max(total, _TINY))


_TINY = 1e-30  # a total weight of 0 gives a mean of 0


def softmax_with_cross_entropy(
    logits: Any,
    label: Any,
    soft_label: bool = False,
    ignore_index: int = -100,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    """The cross entropy of each label, with the class axis kept at size 1, and softmax(logits) with `return_softmax`.

    Arguments and errors as for `cross_entropy`; it is always computed in the stable way.

    >>> import paddlite as paddle
    >>> logits, label = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[1]])
    >>> paddle.nn.functional.softmax_with_cross_entropy(logits, label).shape
    paddle.Size([1, 1])
    """
    if not soft_label:
        label = _whole(label)
    found, loss = ops.softmax_with_cross_entropy(
        logits, label, soft_label=bool(soft_label), ignore_index=ignore_index, axis=axis
    )
    return (loss, found) if return_softmax else loss


def nll_loss(
    input: Any,
    label: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """The negative of the element of `input` (logarithms of probabilities) that each label names.

    Args:
        input: [N, C] or [N, C, d1, ...].
        label: [N] or [N, d1, ...], whole numbers.
        weight, ignore_index, reduction: see `cross_entropy`.

    Raises:
        ShapeMismatch: the shapes do not fit.
        IndexOutOfRange: a label is neither a class nor `ignore_index`.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[-1.0, -2.0]])
    >>> paddle.nn.functional.nll_loss(x, paddle.to_tensor([1])).item()
    2.0
    """
    check_reduction(reduction, "nll_loss")
    label = _whole(label)
    if label.ndim == input.ndim and input.ndim == 2:
        label = reshape(label, shape=(0,))
    loss = negative(label_pick(input, label, axis=1, ignore_index=ignore_index))
    if weight is not None:
        _check_weight("nll_loss", weight, input._shape[1])
        return _weighted(loss, label_weight(weight, label, ignore_index=ignore_index), reduction)
    if reduction == "mean":
        return ops.labelled_mean(loss, label, ignore_index=ignore_index)
    return reduced(loss, reduction)


def binary_cross_entropy(
    input: Any, label: Any, weight: Any = None, reduction: str = "mean", name: str | None = None
) -> Any:
    """-label * log(input) - (1 - label) * log(1 - input), with logarithms of at least -100.

    Args:
        input: probabilities.
        label: the same shape, numbers in [0, 1].
        weight: multiplies each loss; shape that broadcasts.
        reduction: "mean", "sum" or "none".

    Raises:
        ShapeMismatch: the shapes differ.
        InvalidArgument: `reduction` is another word.

    >>> import paddlite as paddle
    >>> p, label = paddle.to_tensor([0.5]), paddle.to_tensor([1.0])
    >>> round(paddle.nn.functional.binary_cross_entropy(p, label).item(), 4)
    0.6931
    """
    check_reduction(reduction, "binary_cross_entropy")
    loss = loss_ops.bce_loss(input, label)
    return reduced(loss if weight is None else elementwise_mul(loss, weight), reduction)


def binary_cross_entropy_with_logits(
    logit: Any,
    label: Any,
    weight: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
    name: str | None = None,
) -> Any:
    """Binary cross entropy of sigmoid(logit), exact for logits of any size.

    Args:
        logit, label: one shape; labels in [0, 1].
        weight: multiplies each loss; shape that broadcasts.
        reduction: "mean", "sum" or "none".
        pos_weight: multiplies the part of label 1; shape that broadcasts.

    Raises:
        ShapeMismatch: the shapes do not fit.
        InvalidArgument: `reduction` is another word.

    >>> import paddlite as paddle
    >>> x, label = paddle.to_tensor([-1000.0]), paddle.to_tensor([1.0])
    >>> paddle.nn.functional.binary_cross_entropy_with_logits(x, label).item()
    1000.0
    """
    check_reduction(reduction, "binary_cross_entropy_with_logits")
    loss = loss_ops.bce_with_logits(logit, label, pos_weight)
    return reduced(loss if weight is None else elementwise_mul(loss, weight), reduction)
