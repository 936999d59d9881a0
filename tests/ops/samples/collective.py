"""Samples of `ops/collective.py`: alone, a process is the sum."""

from tests.ops.sample import normal, sample

SAMPLES = [sample("c_allreduce_sum", normal(3, 4), reference=lambda x: x)]
