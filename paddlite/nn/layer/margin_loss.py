"""Losses over margins and distances.  What each computes is said at the function of its name in `nn.functional`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.nn import functional as F
from paddlite.nn.layer.loss_base import Loss

__all__ = [
    "CosineEmbeddingLoss", "HingeEmbeddingLoss", "MarginRankingLoss", "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss", "MultiMarginLoss", "SoftMarginLoss", "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]  # fmt: skip


class MarginRankingLoss(Loss):
    """max(0, -label * (input - other) + margin), where `label` is 1 or -1."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean", name: str | None = None):
        super().__init__(reduction, name)
        self.margin = margin

    def forward(self, input: Any, other: Any, label: Any) -> Any:
        return F.margin_ranking_loss(input, other, label, self.margin, self.reduction)


class HingeEmbeddingLoss(Loss):
    """The distance `input` where the label is 1, max(0, margin - input) where it is -1."""

    def __init__(self, margin: float = 1.0, reduction: str = "mean", name: str | None = None):
        super().__init__(reduction, name)
        self.margin = margin

    def forward(self, input: Any, label: Any) -> Any:
        return F.hinge_embedding_loss(input, label, self.margin, self.reduction)


class CosineEmbeddingLoss(Loss):
    """1 - cosine similarity where the label is 1, max(0, similarity - margin) where it is -1.

    Raises:
        ValueError: `margin` lies outside of [-1, 1].
    """

    def __init__(self, margin: float = 0, reduction: str = "mean", name: str | None = None):
        super().__init__(reduction, name)
        if not -1 <= margin <= 1:
            raise InvalidArgument(f"CosineEmbeddingLoss: margin must lie in [-1, 1], got {margin}")
        self.margin = margin

    def forward(self, input1: Any, input2: Any, label: Any) -> Any:
        return F.cosine_embedding_loss(input1, input2, label, self.margin, self.reduction)


class SoftMarginLoss(Loss):
    """log(1 + e^(-label * input)), where `label` is 1 or -1."""

    def __init__(self, reduction: str = "mean", name: str | None = None):
        super().__init__(reduction, name)

    def forward(self, input: Any, label: Any) -> Any:
        return F.soft_margin_loss(input, label, self.reduction)


class MultiLabelSoftMarginLoss(Loss):
    """The mean over the classes of the cross entropies of yes-or-no labels."""

    def __init__(self, weight: Any = None, reduction: str = "mean", name: str | None = None):
        super().__init__(reduction, name)
        self.weight = weight

    def forward(self, input: Any, label: Any) -> Any:
        return F.multi_label_soft_margin_loss(input, label, self.weight, self.reduction)


class MultiLabelMarginLoss(Loss):
    """By how much classes that are not labels come within 1 of those that are."""

    def __init__(self, reduction: str = "mean", name: str | None = None):
        super().__init__(reduction, name)

    def forward(self, input: Any, label: Any) -> Any:
        return F.multi_label_margin_loss(input, label, self.reduction)


class MultiMarginLoss(Loss):
    """By how much other classes come within `margin` of the right one, to the power `p` (1 or 2)."""

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Any = None,
        reduction: str = "mean",
        name: str | None = None,
    ):
        super().__init__(reduction, name)
        self.p, self.margin, self.weight = p, margin, weight

    def forward(self, input: Any, label: Any) -> Any:
        return F.multi_margin_loss(input, label, self.p, self.margin, self.weight, self.reduction)


class TripletMarginLoss(Loss):
    """max(0, d(input, positive) - d(input, negative) + margin) with the p-norm as d.

    Args:
        margin: how much farther the negative must be.
        p: of the norm.
        epsilon: added to each difference.
        swap: take the nearer of d(input, negative) and d(positive, negative).
        reduction: "mean", "sum" or "none".
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        epsilon: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
        name: str | None = None,
    ):
        super().__init__(reduction, name)
        self.margin, self.p, self.epsilon, self.swap = margin, p, epsilon, swap

    def forward(self, input: Any, positive: Any, negative: Any) -> Any:
        return F.triplet_margin_loss(
            input,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            epsilon=self.epsilon,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(Loss):
    """`TripletMarginLoss` with a distance of your own: a function of two tensors."""

    def __init__(
        self,
        distance_function: Callable[[Any, Any], Any] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
        name: str | None = None,
    ):
        super().__init__(reduction, name)
        self.margin, self.swap, self.distance_function = margin, swap, distance_function

    def forward(self, input: Any, positive: Any, negative: Any) -> Any:
        return F.triplet_margin_with_distance_loss(
            input,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
