"""Samples of `ops/cross_entropy.py` and `ops/label.py`."""

import numpy as np
from scipy import special

from paddlite.core.errors import DTypeMismatch, ShapeMismatch
from tests.ops.sample import exactly, integers, normal, positive, sample

LABEL = exactly([2, 0, 3])
SOME = exactly([2, -100, 3])


def targets(label, x, axis, soft_label, ignore_index, smoothing):
    """The smoothed distributions, and 1 where a label counts, with the class axis last."""
    classes = x.shape[-1]
    if soft_label:
        return np.moveaxis(label, axis, -1) * (1 - smoothing) + smoothing / classes, np.ones(x.shape[:-1])
    label = label.reshape(x.shape[:-1])
    valid = label != ignore_index
    return np.eye(classes)[label * valid] * (1 - smoothing) + smoothing / classes, valid.astype("f8")


def entropy(logits, label, soft_label=False, ignore_index=-100, axis=-1, smoothing=0.0):
    x = np.moveaxis(logits, axis, -1)
    q, valid = targets(label, x, axis, soft_label, ignore_index, smoothing)
    loss = -(q * special.log_softmax(x, -1)).sum(-1) * valid
    if soft_label or label.ndim == logits.ndim:
        loss = np.expand_dims(loss, axis)
    return special.softmax(logits, axis), loss


def entropy_slope(p, label, dloss, soft_label, ignore_index, axis, smoothing):
    x = np.moveaxis(p, axis, -1)
    q, valid = targets(label, x, axis, soft_label, ignore_index, smoothing)
    slope = (x * q.sum(-1, keepdims=True) - q) * (dloss.reshape(x.shape[:-1]) * valid)[..., None]
    return np.moveaxis(slope, -1, axis)


def pick(x, label, axis=-1, ignore_index=-100):
    x = np.moveaxis(x, axis, -1)
    q, valid = targets(label, x, axis, False, ignore_index, 0.0)
    return ((x * q).sum(-1) * valid).reshape(label.shape)


def put(dy, label, like, axis, ignore_index):
    out = np.moveaxis(np.zeros(like.shape), axis, -1)
    q, valid = targets(label, out, axis, False, ignore_index, 0.0)
    return np.moveaxis(q * (dy.reshape(valid.shape) * valid)[..., None], -1, axis)


def mean_slope(dy, label, ignore_index):
    valid = label != ignore_index
    return valid * dy / max(valid.sum(), 1)


EXTREME = exactly([[1e4, -1e4, 0.0], [0.0, -np.inf, 0.0], [3e4, 3e4, 3e4]])
BAD = (
    ((normal(3, 4), exactly([1, 2])), {}, ShapeMismatch),
    ((normal(3, 4), exactly([1.0, 2.0, 0.0])), {}, DTypeMismatch),
)

SAMPLES = [
    sample("softmax_with_cross_entropy", normal(3, 4), LABEL, reference=entropy, batch=(0, 1), bad=BAD),
    sample("softmax_with_cross_entropy", normal(3, 4), SOME, reference=entropy, batch=(0, 1), note="ignored"),
    sample("softmax_with_cross_entropy", normal(3, 4), exactly([[2], [0], [3]], "int32"), ignore_index=0,
           reference=entropy, batch=(0, 1), note="column"),
    sample("softmax_with_cross_entropy", normal(3, 4), SOME, smoothing=0.1, reference=entropy, batch=(0, 1), note="smooth"),
    sample("softmax_with_cross_entropy", normal(2, 4, 3), integers(4, 2, 3), axis=1, reference=entropy, batch=(0, 1),
           note="axis"),
    sample("softmax_with_cross_entropy", normal(2, 4, 3), integers(4, 2, 1, 3), axis=1, smoothing=0.2, reference=entropy,
           batch=(0, 1), note="axis kept"),
    sample("softmax_with_cross_entropy", normal(3, 4), positive(3, 4), soft_label=True, reference=entropy, batch=(0, 1),
           note="soft", bad=(((normal(3, 4), normal(3, 1)), {}, ShapeMismatch),)),
    sample("softmax_with_cross_entropy", normal(2, 4, 3), positive(2, 4, 3), soft_label=True, axis=1, smoothing=0.1,
           reference=entropy, batch=(0, 1), note="soft axis"),
    sample("softmax_with_cross_entropy", EXTREME, exactly([0, 2, 1]), note="extreme", gradient=(), second=False,
           reference=lambda x, label: (special.softmax(x, -1), np.array([0, np.log(2), np.log(3)]))),
    sample("softmax_with_cross_entropy", EXTREME, exactly([[1.0, 0, 0], [0.5, 0, 0.5], [0.2, 0.4, 0.4]]), soft_label=True,
           note="extreme soft", gradient=(), second=False,
           reference=lambda x, label, soft_label: (special.softmax(x, -1), np.array([[0], [np.log(2)], [np.log(3)]]))),
    sample("softmax_with_cross_entropy_grad", positive(3, 4), SOME, normal(3), soft_label=False, ignore_index=-100, axis=-1,
           smoothing=0.0, reference=entropy_slope, batch=(0, 1, 2)),
    sample("softmax_with_cross_entropy_grad", positive(2, 4, 3), integers(4, 2, 3), normal(2, 3), soft_label=False,
           ignore_index=1, axis=1, smoothing=0.1, reference=entropy_slope, batch=(0, 1, 2), note="axis",
           gradient=(0, 2)),
    sample("softmax_with_cross_entropy_grad", positive(3, 4), positive(3, 4), normal(3, 1), soft_label=True,
           ignore_index=-100, axis=-1, smoothing=0.1, reference=entropy_slope, batch=(0, 1, 2), note="soft"),
    sample("labelled_mean", normal(3), SOME, ignore_index=-100, batch=(0, 1),
           reference=lambda x, label, ignore_index: (x[0] + x[2]) / 2,
           bad=(((normal(3), exactly([1, 2])), {}, ShapeMismatch),)),
    sample("labelled_mean", normal(2, 3), integers(4, 2, 3), ignore_index=-100, note="all count", batch=(0, 1),
           reference=lambda x, label, ignore_index: x.mean()),
    sample("labelled_mean", normal(2), exactly([1, 1]), ignore_index=1, note="none counts", batch=(0, 1),
           reference=lambda x, label, ignore_index: 0.0 * x[0]),
    sample("labelled_mean", normal(0), exactly([], "int64"), ignore_index=1, note="no labels", batch=(0, 1), second=False,
           reference=lambda x, label, ignore_index: np.float64(np.nan), gradient=()),
    sample("labelled_mean_grad", exactly(0.7), SOME, ignore_index=-100, batch=(1,), reference=mean_slope),
    sample("labelled_mean_grad", exactly(0.7), LABEL, ignore_index=-100, batch=(1,), reference=mean_slope, note="all count"),
    sample("label_pick", normal(3, 4), SOME, reference=pick, batch=(0, 1), bad=BAD),
    sample("label_pick", normal(2, 4, 3), integers(4, 2, 3, dtype="uint8"), axis=1, ignore_index=2, reference=pick,
           batch=(0, 1), note="axis"),
    sample("label_put", normal(3), SOME, normal(3, 4), axis=-1, ignore_index=-100, reference=put, batch=(0, 1, 2)),
    sample("label_put", normal(2, 3), integers(4, 2, 3), normal(2, 4, 3), axis=1, ignore_index=2, reference=put,
           batch=(0, 1, 2), note="axis"),
    sample("label_weight", positive(4), SOME, batch=(1,), reference=lambda w, label: w[[2, 0, 3]] * [1, 0, 1],
           bad=(((normal(4, 1), exactly([1])), {}, ShapeMismatch),)),
    sample("label_weight_grad", normal(3), exactly([2, 2, -100]), normal(4), ignore_index=-100, batch=(0, 1),
           reference=lambda dy, label, like, ignore_index: np.array([0, 0, dy[0] + dy[1], 0])),
    sample("leading_labels", exactly([[0, 2, -1], [-1, 1, 0], [1, 0, 2]]), dtype=np.dtype("f4"),
           reference=lambda label, dtype: np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1]], "f4"),
           bad=(((exactly([[0.5]]),), {}, DTypeMismatch),)),
    sample("tree_path", exactly([0, 3, 4]), classes=5,
           reference=lambda label, classes: (np.array([[1, 0, 0], [3, 1, 0], [3, 1, 0]]), np.array([[1, 0, 1], [0, 0, 0], [1, 0, 0]]),
                                             np.array([[1, 1, 0], [1, 1, 1], [1, 1, 1]], bool)),
           bad=(((exactly([0.5]),), {}, DTypeMismatch),)),
    sample("csr_mask", exactly([[[0, 2, 2, 3]]]), exactly([[[0, 3, 1]]]), columns_count=4, batch=(0, 1),
           reference=lambda offset, columns, columns_count: np.array([[[[1, 0, 0, 1], [0] * 4, [0, 1, 0, 0]]]], bool)),
]  # fmt: skip
