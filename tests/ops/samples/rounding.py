"""Samples of `ops/rounding.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch
from tests.ops.sample import apart, complexes, exactly, integers, normal, sample

HALVES = exactly([[0.5, 1.5, -0.5], [-2.5, 0.2, 3.7]])

SAMPLES = [
    *[
        sample(name, spec, reference=function, note=note, gradient=() if spec is HALVES else None)
        for name, function in (("ceil", np.ceil), ("trunc", np.trunc), ("rint", np.rint))
        for note, spec in (("", apart(3, 4)), ("halves", HALVES))
    ],
    sample("ceil", integers(9, 3, dtype="int32"), reference=np.copy, note="integers"),
    sample("floor", integers(9, 3, dtype="uint8"), reference=np.copy, note="integers"),
    sample("floor", exactly([True, False]), reference=np.copy, note="bools"),
    sample("round", normal(3, 4), decimals=1, reference=np.round, gradient=(), half=False),
    sample("round", normal(3, scale=100), decimals=-1, reference=np.round, gradient=(), half=False, note="tens"),
    sample("round", complexes(3), reference=np.round, gradient=(), half=False, note="complex"),
    sample("signbit", exactly([-0.0, 0.0, -3.0, np.inf, -np.inf]), reference=np.signbit),
    sample("sgn", complexes(3, 2), reference=lambda x: x / np.abs(x), half=False, tolerance=4.0),
    sample("sgn", exactly([0j, 3 - 4j]), reference=lambda x: np.array([0, 0.6 - 0.8j]), half=False, gradient=(), note="zero"),
    sample("frexp", apart(3, 4), reference=lambda x: tuple(map(np.float64, np.frexp(x))), gradient=(0,),
           bad=(((exactly([1, 2]),), {}, DTypeMismatch),)),
    sample("isreal", exactly([1 + 0j, 2j]), reference=np.isreal),
    sample("isreal", normal(3), reference=np.isreal, note="real"),
]  # fmt: skip
