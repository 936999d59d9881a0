"""Losses of sequences whose alignment with the input is unknown."""

from __future__ import annotations

from typing import Any

from paddlite.nn.functional.loss.reduction import check_reduction, reduced
from paddlite.ops.arithmetic import cast, elementwise_div
from paddlite.ops.ctc import warpctc, warprnnt
from paddlite.ops.power import elementwise_max
from paddlite.ops.reduce import reduce_mean

__all__ = ["ctc_loss", "rnnt_loss"]


def ctc_loss(
    log_probs: Any,
    labels: Any,
    input_lengths: Any,
    label_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    norm_by_times: bool = False,
    zero_infinity: bool = False,
) -> Any:
    """The negative log-probability of each label sequence, over all its alignments with the frames (Graves, 2006).

    Args:
        log_probs: [frames, batch, classes], logits (a softmax is applied) or logarithms of probabilities.
        labels: [batch, length], whole numbers; what lies behind a sample's length is not read.
        input_lengths, label_lengths: [batch].
        blank: the class that stands for no label.
        reduction: "mean" divides each loss by its label length first; "sum"; or "none".
        norm_by_times: divide gradients by the number of frames.
        zero_infinity: accepted: a sequence that cannot be aligned gives 0 and no gradient in any case, as in Paddle.

    Raises:
        ShapeMismatch: the shapes do not fit.
        IndexOutOfRange: a label is no class.
        InvalidArgument: `blank` is no class, or `reduction` unknown.

    >>> import paddlite as paddle
    >>> logits, one = paddle.zeros([1, 1, 2]), paddle.to_tensor([1])
    >>> round(paddle.nn.functional.ctc_loss(logits, paddle.to_tensor([[1]]), one, one).item(), 4)
    0.6931
    """
    check_reduction(reduction, "ctc_loss")
    loss = warpctc(
        log_probs, labels, input_lengths, label_lengths, blank=int(blank), norm_by_times=bool(norm_by_times)
    )[0]
    if reduction == "mean":
        return reduce_mean(elementwise_div(loss, elementwise_max(cast(label_lengths, dtype=loss._dtype), 1.0)))
    return reduced(loss, reduction)


def rnnt_loss(
    input: Any,
    label: Any,
    input_lengths: Any,
    label_lengths: Any,
    blank: int = 0,
    fastemit_lambda: float = 0.001,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """The negative log-probability of each label sequence under an RNN transducer (Graves, 2012).

    Args:
        input: logarithms of probabilities [batch, frames, length + 1, classes].
        label: [batch, length], whole numbers.
        input_lengths, label_lengths: [batch].
        blank: the class that moves on to the next frame.
        fastemit_lambda: the share by which gradients of emitting labels are raised (Yu et al., 2021).
        reduction: "mean", "sum" or "none".

    Raises:
        ShapeMismatch: the shapes do not fit.
        IndexOutOfRange: a label is no class.
        InvalidArgument: `reduction` is another word.
    """
    check_reduction(reduction, "rnnt_loss")
    loss = warprnnt(
        input, label, input_lengths, label_lengths, blank=int(blank), fastemit_lambda=float(fastemit_lambda)
    )[0]
    return reduced(loss, reduction)
