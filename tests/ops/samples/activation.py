"""Samples of `ops/activation.py`."""

import numpy as np
from scipy import special

from tests.ops.sample import apart, normal, sample

SAMPLES = [
    sample("relu", apart(3, 4), reference=lambda x: np.maximum(x, 0)),
    sample("relu_grad", apart(3, 4), normal(3, 4), reference=lambda y, g: g * (y > 0), gradient=(1,), batch=(0, 1)),
    sample("softmax", normal(3, 4), reference=lambda x: special.softmax(x, -1)),
    sample("softmax", normal(3, 4, 2), axis=1, reference=lambda x, axis: special.softmax(x, axis), note="axis"),
    sample("softmax_grad", normal(3, 4), normal(3, 4), axis=-1, batch=(0, 1),
           reference=lambda y, x, axis: y * (x - (y * x).sum(-1, keepdims=True))),
]  # fmt: skip
