"""Samples of `ops/embedding.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch, IndexOutOfRange, ShapeMismatch
from tests.ops.sample import exactly, integers, normal, sample

IDS = exactly([[2, 0], [2, 1], [4, 2]])


def lookup(ids, weight, padding_idx=None, scale_grad_by_freq=False):
    out = weight[ids]
    if padding_idx is not None:
        out[ids == padding_idx] = 0
    return out


def lookup_grad(dy, ids, like, padding_idx):
    out = np.zeros(like.shape)
    np.add.at(out, ids, dy)
    if padding_idx is not None:
        out[padding_idx] = 0
    return out


def renorm(weight, ids, max_norm, norm_type=2.0):
    out = weight.copy()
    for i in set(ids.ravel().tolist()):
        norm = np.linalg.norm(out[i], norm_type)
        out[i] *= min(1, max_norm / norm)
    return out


SAMPLES = [
    sample("lookup_table_v2", IDS, normal(5, 3), reference=lookup,
           bad=(((exactly([5]), normal(5, 3)), {}, IndexOutOfRange), ((exactly([1.0]), normal(5, 3)), {}, DTypeMismatch),
                ((exactly([1]), normal(5)), {}, ShapeMismatch))[1:]),
    sample("lookup_table_v2", exactly(3, "uint8"), normal(5, 3), reference=lookup, note="0-D", batch=()),
    sample("lookup_table_v2", IDS, normal(5, 3), padding_idx=2, reference=lookup, note="padding"),
    sample("lookup_table_v2", integers(9, 40, 8, dtype="int32"), normal(9, 16), reference=lookup, note="many"),
    sample("lookup_table_v2_grad", normal(3, 2, 4), IDS, normal(5, 4), padding_idx=None, reference=lookup_grad,
           batch=(0, 1)),
    sample("lookup_table_v2_grad", normal(3, 2, 4), IDS, normal(5, 4), padding_idx=2, reference=lookup_grad, batch=(0, 1),
           note="padding"),
    sample("inverse_frequency", normal(3, 2), IDS, reference=lambda dy, ids: np.array([[1 / 3, 1], [1 / 3, 1], [1, 1 / 3]]),
           batch=(0, 1), tolerance=100),
    sample("embedding_renorm", normal(5, 3), IDS, max_norm=0.5, reference=renorm, batch=(1,), tolerance=1e3, half=False),
    sample("embedding_renorm", normal(5, 3), IDS, max_norm=0.5, norm_type=1.0, reference=renorm, batch=(1,), note="p 1",
           tolerance=1e3, half=False),
    sample("one_hot_v2", IDS, depth=5, reference=lambda x, depth: np.eye(depth, dtype="f4")[x],
           bad=(((exactly([1.0]),), {}, DTypeMismatch),)),
]  # fmt: skip
