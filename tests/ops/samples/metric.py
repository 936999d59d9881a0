"""Samples of `ops/metric.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch, ShapeMismatch
from tests.ops.sample import apart, exactly, integers, normal, sample


def rank(x, label):
    order = np.argsort(-x, axis=-1, kind="stable")
    return np.argmax(order == label, axis=-1)[..., None]


def accuracy(x, label, k=1):
    right = rank(x, label) < k
    return (np.asarray(right.mean(), "f4"), np.asarray(right.sum(), "i4"), np.asarray(right.size, "i4"))


SAMPLES = [
    sample(
        "label_rank",
        apart(3, 5),
        integers(5, 3, 1),
        reference=rank,
        batch=(0, 1),
        bad=(
            ((normal(3, 5), integers(5, 3)), {}, ShapeMismatch),
            ((normal(3, 5), integers(5, 4, 1)), {}, ShapeMismatch),
            ((normal(3, 5), normal(3, 1)), {}, DTypeMismatch),
            ((integers(5, 3, 5), integers(5, 3, 1)), {}, DTypeMismatch),
        ),
    ),
    sample(
        "label_rank", apart(2, 3, 4), integers(4, 2, 3, 1, dtype="int32"), reference=rank, batch=(0, 1), note="rows"
    ),
    sample(
        "label_rank",
        exactly([[1.0, 1.0, 1.0], [np.nan, 0.0, 1.0], [np.nan, 0.0, 1.0]]),
        exactly([[1], [0], [2]]),
        reference=lambda x, label: np.array([[1], [3], [0]]),
        batch=(0, 1),
        half=False,
        note="ties and NaN",
    ),
    sample(
        "accuracy",
        apart(6, 5),
        integers(5, 6, 1),
        k=2,
        reference=accuracy,
        batch=(0, 1),
        bad=(((normal(3, 5), integers(5, 3, 1)), {"k": 6}, ShapeMismatch),),
    ),
]
