"""Samples of `ops/sequence.py`."""

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from tests.ops.sample import exactly, integers, sample

LENGTHS = exactly([[1, 3], [0, 2]])


def lengths_as_mask(x, maxlen, dtype):
    return (np.arange(maxlen or x.max()) < x[..., None]).astype(dtype)


def followed(ids, parents):
    out = np.zeros_like(ids)
    for b in range(ids.shape[1]):
        for beam in range(ids.shape[2]):
            k = beam
            for t in range(len(ids) - 1, -1, -1):
                out[t, b, beam] = ids[t, b, k]
                k = parents[t, b, k]
    return out


def covers(outputs, inputs):
    remapped, centers = outputs
    np.testing.assert_array_equal(centers[remapped], inputs[0])
    assert len(centers) == len(set(centers.tolist())) == 8
    assert centers.min() >= 0 and centers.max() < 20


SAMPLES = [
    sample("sequence_mask", LENGTHS, maxlen=4, dtype=np.dtype("f4"), reference=lengths_as_mask),
    sample("sequence_mask", LENGTHS, maxlen=None, dtype=np.dtype("i8"), reference=lengths_as_mask, note="longest"),
    sample("gather_tree", integers(9, 4, 2, 3), integers(3, 4, 2, 3), reference=followed, batch=(0, 1),
           bad=(((integers(9, 2, 3), integers(3, 2, 3)), {}, ShapeMismatch),)),
    sample("class_center_sample", exactly([3, 11, 3, 19, 0]), classes=20, count=8, check=covers,
           bad=(((integers(9, 3),), {"count": 21}, InvalidArgument), ((integers(9, 3, 1),), {}, ShapeMismatch))),
    sample("class_center_sample", exactly([3, 11, 3, 19, 0]), classes=20, count=2, note="few",
           check=lambda outputs, inputs: np.testing.assert_array_equal(outputs[1], [0, 3, 11, 19])),
]  # fmt: skip
