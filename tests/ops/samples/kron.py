"""Samples of `ops/kron.py`."""

import numpy as np

from tests.ops.sample import complexes, normal, sample


def contract(blocks, other, like, first):
    """By the slope of <blocks, kron>, which is linear in each factor."""
    out = np.zeros(like.shape, np.result_type(blocks, other))
    for place in np.ndindex(like.shape):
        unit = np.zeros(like.shape)
        unit[place] = 1
        out[place] = (blocks * np.conj(np.kron(unit, other) if first else np.kron(other, unit))).sum()
    return out


SAMPLES = [
    sample("kron", normal(2, 3), normal(3, 2), reference=np.kron),
    sample("kron", normal(3), normal(2, 2), reference=np.kron, note="ranks", batch=(1,)),
    sample("kron", normal(), normal(2), reference=np.kron, note="number", batch=(1,)),
    sample("kron", complexes(2, 2), complexes(2, 1), reference=np.kron, note="complex", half=False),
    sample("kron_contract", normal(6, 4), normal(3, 2), normal(2, 2), first=True, reference=contract, batch=()),
    sample("kron_contract", complexes(6, 4), complexes(3, 2), normal(2, 2), first=False, reference=contract, note="second",
           half=False, batch=()),
]  # fmt: skip
