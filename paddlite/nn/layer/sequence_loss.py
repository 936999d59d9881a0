"""Losses of sequences against shorter ones as layers."""

from __future__ import annotations

from typing import Any

from paddlite.nn import functional as F
from paddlite.nn.layer.loss_base import Loss

__all__ = ["CTCLoss", "RNNTLoss"]


class CTCLoss(Loss):
    """Connectionist temporal classification (Graves et al., 2006).

    Args:
        blank: the class that stands for "nothing".
        reduction: "mean", "sum" or "none".
        zero_infinity: give 0 in place of infinity where a label is too long for its input.
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False):
        super().__init__(reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(
        self, log_probs: Any, labels: Any, input_lengths: Any, label_lengths: Any, norm_by_times: bool = False
    ) -> Any:
        return F.ctc_loss(
            log_probs,
            labels,
            input_lengths,
            label_lengths,
            self.blank,
            self.reduction,
            norm_by_times=norm_by_times,
            zero_infinity=self.zero_infinity,
        )


class RNNTLoss(Loss):
    """The loss of sequence transducers (Graves, 2012).

    Args:
        blank: the class that stands for "nothing".
        fastemit_lambda: weight of the FastEmit regularisation.
        reduction: "mean", "sum" or "none".
    """

    def __init__(
        self, blank: int = 0, fastemit_lambda: float = 0.001, reduction: str = "mean", name: str | None = None
    ):
        super().__init__(reduction, name)
        self.blank, self.fastemit_lambda = blank, fastemit_lambda

    def forward(self, input: Any, label: Any, input_lengths: Any, label_lengths: Any) -> Any:
        return F.rnnt_loss(input, label, input_lengths, label_lengths, self.blank, self.fastemit_lambda, self.reduction)
