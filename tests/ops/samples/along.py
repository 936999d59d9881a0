"""Samples of `ops/along.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch, ShapeMismatch
from tests.ops.sample import exactly, normal, sample

PICKS = exactly([[0, 3, -1], [2, 2, 1]])
ORDER = exactly([[1, 0, 2], [2, 1, 0], [0, 2, 1]])


def take(x, index, axis):
    return np.take_along_axis(x, index, axis)


def add(g, index, like, axis, distinct=False):
    out = np.zeros(like.shape)
    for place in np.ndindex(index.shape):
        to = list(place)
        to[axis] = index[place]
        to = [0 if size == 1 else i for i, size in zip(to, like.shape)]
        out[tuple(to)] += g[place]
    return out


SAMPLES = [
    sample("take_along_axis", normal(2, 4), PICKS, axis=1, reference=take, batch=(0, 1)),
    sample("take_along_axis", normal(1, 4), PICKS, axis=1, reference=lambda x, i, axis: take(np.repeat(x, 2, 0), i, axis),
           note="broadcast", batch=(),
           bad=(((normal(3, 4), PICKS), {}, ShapeMismatch), ((normal(4), PICKS), {}, ShapeMismatch),
                ((normal(2, 4), normal(2, 4)), {}, DTypeMismatch))),
    sample("take_along_axis", normal(3, 3), ORDER, axis=0, reference=take, note="first axis"),
    sample("take_along_axis_grad", normal(2, 3), PICKS, normal(2, 4), axis=1, reference=add, batch=(0, 1, 2)),
    sample("take_along_axis_grad", normal(2, 3), PICKS, normal(1, 4), axis=1, reference=add, note="broadcast", batch=()),
    sample("take_along_axis_grad", normal(3, 3), ORDER, normal(3, 3), axis=0, distinct=True, reference=add, note="distinct",
           batch=(0, 2)),
]  # fmt: skip
