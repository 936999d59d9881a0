"""Samples of `ops/gradient_clip.py`."""

import numpy as np

from tests.ops.sample import exactly, normal, positive, sample


def squared(*xs):
    return np.asarray(sum(np.sum(x * x) for x in xs))


def shortened(x, max_norm):
    norm = np.sqrt(squared(x))
    return x * (max_norm / norm) if norm > max_norm else x


SAMPLES = [
    sample("global_squared_norm", normal(3, 4), normal(5), normal(2, 1, 2), reference=squared),
    sample("global_squared_norm", normal(0, 4), reference=squared, note="no elements"),
    *[
        sample(
            "clip_factor",
            exactly(value, "float64"),
            max_norm=2.0,
            reference=lambda x, max_norm: np.asarray(min(1.0, max_norm / np.sqrt(x)) if x else 1.0),
            half=False,
            batch=(),
            note=str(value),
        )
        for value in (0.0, 3.0, 25.0)
    ],
    sample("scale_gradient", normal(3, 4), positive(), reference=lambda x, factor: x * factor),
    sample("clip_by_norm", normal(3, 4), max_norm=0.7, reference=shortened, note="long"),
    sample("clip_by_norm", normal(3, 4), max_norm=70.0, reference=shortened, note="short"),
]
