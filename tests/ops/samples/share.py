"""Samples of `ops/share.py`."""

from tests.ops.sample import normal, sample

SAMPLES = [
    sample("share_data", normal(3, 4), reference=lambda x: x),
    sample("with_data", normal(3, 4), normal(3, 4), reference=lambda x, y: y, gradient=(), batch=(0, 1)),
]
