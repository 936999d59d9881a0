"""Losses as layers.  What each computes is said at the function of the same name in `nn.functional`."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.nn import functional as F
from paddlite.nn.layer.loss_base import Loss
from paddlite.nn.layer.margin_loss import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from paddlite.nn.layer.sequence_loss import CTCLoss, RNNTLoss
from paddlite.nn.layer.vocabulary_loss import AdaptiveLogSoftmaxWithLoss, HSigmoidLoss

__all__ = [
    "AdaptiveLogSoftmaxWithLoss", "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss",
    "CrossEntropyLoss", "GaussianNLLLoss", "HSigmoidLoss", "HingeEmbeddingLoss", "KLDivLoss", "L1Loss", "MSELoss",
    "MarginRankingLoss", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss",
    "PoissonNLLLoss", "RNNTLoss", "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]  # fmt: skip


class CrossEntropyLoss(Loss):
    """The cross entropy between scores and labels; see `nn.functional.cross_entropy`.

    Args:
        weight: one weight a class, or None.
        ignore_index: labels of this number do not count.
        reduction: "mean" over the labels that count, "sum" or "none".
        soft_label: labels are distributions over the classes.
        axis: where the classes are.
        use_softmax: False where the input holds probabilities already.
        label_smoothing: how much of each label is spread over all classes, from 0 to 1.

    Raises:
        ValueError: an unknown reduction, or a label_smoothing outside of [0, 1].

    >>> import paddlite as paddle
    >>> loss = paddle.nn.CrossEntropyLoss()
    >>> round(loss(paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([1])).item(), 4)
    0.6931
    """

    def __init__(
        self,
        weight: Any = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        soft_label: bool = False,
        axis: int = -1,
        use_softmax: bool = True,
        label_smoothing: float = 0.0,
        name: str | None = None,
    ):
        super().__init__(reduction, name)
        if not 0.0 <= label_smoothing <= 1.0:
            raise InvalidArgument(f"CrossEntropyLoss: label_smoothing must lie in [0, 1], got {label_smoothing}")
        self.weight, self.ignore_index, self.soft_label, self.axis = weight, ignore_index, soft_label, axis
        self.use_softmax, self.label_smoothing = use_softmax, label_smoothing

    def forward(self, input: Any, label: Any) -> Any:
        return F.cross_entropy(
            input,
            label,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            soft_label=self.soft_label,
            axis=self.axis,
            use_softmax=self.use_softmax,
            label_smoothing=self.label_smoothing,
        )


class MSELoss(Loss):
    """(input - label)^2."""

    def __init__(self, reduction: str = "mean"):
        super().__init__(reduction)

    def forward(self, input: Any, label: Any) -> Any:
        return F.mse_loss(input, label, self.reduction)


class L1Loss(Loss):
    """|input - label|."""

    def __init__(self, reduction: str = "mean", name: str | None = None):
        super().__init__(reduction, name)

    def forward(self, input: Any, label: Any) -> Any:
        return F.l1_loss(input, label, self.reduction)


class SmoothL1Loss(Loss):
    """Half the square of small differences, a straight line for those beyond `delta`.

    Args:
        reduction: "mean", "sum" or "none".
        delta: where the line begins.
        is_huber: True for Huber's loss; False divides it by `delta`.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0, is_huber: bool = True, name: str | None = None):
        super().__init__(reduction, name)
        self.delta, self.is_huber = delta, is_huber

    def forward(self, input: Any, label: Any) -> Any:
        return F.smooth_l1_loss(input, label, self.reduction, self.delta, self.is_huber)


class BCELoss(Loss):
    """The cross entropy of yes-or-no labels, from probabilities.

    Args:
        weight: multiplies each value, or None.
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", name: str | None = None):
        super().__init__(reduction, name)
        self.weight = weight

    def forward(self, input: Any, label: Any) -> Any:
        return F.binary_cross_entropy(input, label, self.weight, self.reduction)


class BCEWithLogitsLoss(Loss):
    """The cross entropy of yes-or-no labels, from scores before the sigmoid.

    Args:
        weight: multiplies each value, or None.
        reduction: "mean", "sum" or "none".
        pos_weight: multiplies what positive labels cost, or None.
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None, name: str | None = None):
        super().__init__(reduction, name)
        self.weight, self.pos_weight = weight, pos_weight

    def forward(self, logit: Any, label: Any) -> Any:
        return F.binary_cross_entropy_with_logits(logit, label, self.weight, self.reduction, self.pos_weight)


class NLLLoss(Loss):
    """Minus the log-probability of the right class.

    Args:
        weight: one weight a class, or None.
        ignore_index: labels of this number do not count.
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", name: str | None = None):
        super().__init__(reduction, name)
        self._weight, self._ignore_index = weight, ignore_index

    def forward(self, input: Any, label: Any) -> Any:
        return F.nll_loss(input, label, self._weight, self._ignore_index, self.reduction)


class KLDivLoss(Loss):
    """The divergence of the distribution `label` from the one whose logarithm is `input`.

    Args:
        reduction: "mean" over all elements, "batchmean" over the samples, "sum" or "none".
        log_target: `label` holds logarithms too.
    """

    _reductions = ("mean", "batchmean", "sum", "none")

    def __init__(self, reduction: str = "mean", log_target: bool = False):
        super().__init__(reduction)
        self.log_target = log_target

    def forward(self, input: Any, label: Any) -> Any:
        return F.kl_div(input, label, self.reduction, self.log_target)


class PoissonNLLLoss(Loss):
    """Minus the log-probability of counts under Poisson distributions.

    Args:
        log_input: `input` is the logarithm of the rate.
        full: add Stirling's approximation of the logarithm of label!.
        epsilon: keeps the logarithm of a rate of 0 finite.
        reduction: "mean", "sum" or "none".
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        epsilon: float = 1e-8,
        reduction: str = "mean",
        name: str | None = None,
    ):
        super().__init__(reduction, name)
        if epsilon <= 0:
            raise InvalidArgument(f"PoissonNLLLoss: epsilon must be above 0, got {epsilon}")
        self._log_input, self._full, self._epsilon = log_input, full, epsilon

    def forward(self, input: Any, label: Any) -> Any:
        return F.poisson_nll_loss(input, label, self._log_input, self._full, self._epsilon, self.reduction)


class GaussianNLLLoss(Loss):
    """Minus the log-probability of labels under normal distributions with means `input` and given variances.

    Args:
        full: add the constant log(2 pi) / 2.
        epsilon: the smallest variance.
        reduction: "mean", "sum" or "none".
    """

    def __init__(self, full: bool = False, epsilon: float = 1e-6, reduction: str = "mean", name: str | None = None):
        super().__init__(reduction, name)
        self.full, self.epsilon = full, epsilon

    def forward(self, input: Any, label: Any, variance: Any) -> Any:
        return F.gaussian_nll_loss(input, label, variance, self.full, self.epsilon, self.reduction)
