"""Losses, by theme: `entropy`, `regression`, `multiclass`, `contrast`, `sequence` and `vocabulary`."""

from paddlite.nn.functional.loss.contrast import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    npair_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from paddlite.nn.functional.loss.entropy import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    nll_loss,
    softmax_with_cross_entropy,
)
from paddlite.nn.functional.loss.multiclass import (
    dice_loss,
    multi_label_margin_loss,
    multi_label_soft_margin_loss,
    multi_margin_loss,
    sigmoid_focal_loss,
    soft_margin_loss,
)
from paddlite.nn.functional.loss.regression import (
    gaussian_nll_loss,
    kl_div,
    l1_loss,
    log_loss,
    mse_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    square_error_cost,
)
from paddlite.nn.functional.loss.sequence import ctc_loss, rnnt_loss
from paddlite.nn.functional.loss.vocabulary import (
    adaptive_log_softmax_with_loss,
    hsigmoid_loss,
    margin_cross_entropy,
)

__all__ = [
    "adaptive_log_softmax_with_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "cosine_embedding_loss", "cross_entropy", "ctc_loss", "dice_loss", "gaussian_nll_loss", "hinge_embedding_loss",
    "hsigmoid_loss", "kl_div", "l1_loss", "log_loss", "margin_cross_entropy", "margin_ranking_loss", "mse_loss",
    "multi_label_margin_loss", "multi_label_soft_margin_loss", "multi_margin_loss", "nll_loss", "npair_loss",
    "poisson_nll_loss", "rnnt_loss", "sigmoid_focal_loss", "smooth_l1_loss", "soft_margin_loss",
    "softmax_with_cross_entropy", "square_error_cost", "triplet_margin_loss", "triplet_margin_with_distance_loss",
]  # fmt: skip
