"""Samples of `ops/power.py`."""

import numpy as np

from tests.ops.sample import apart, complexes, exactly, integers, normal, positive, sample

SAMPLES = [
    sample("exp", normal(3, 4), reference=np.exp),
    sample("exp", complexes(3), reference=np.exp, note="complex", half=False),
    sample("exp", exactly([0, 1, 2]), reference=lambda x: np.exp(x).astype("f4"), note="integers", tolerance=1e3),
    sample("log", positive(3, 4), reference=np.log),
    sample("sqrt", positive(3, 4), reference=np.sqrt),
    sample("tanh", normal(3, 4), reference=np.tanh),
    sample("tanh", complexes(3), reference=np.tanh, note="complex", half=False),
    sample("elementwise_pow", positive(3, 4), normal(4), reference=np.power),
    sample("elementwise_pow", normal(3, 4), 2, reference=np.power, note="square"),
    sample("elementwise_pow", normal(3, 4), 3, reference=np.power, note="cube"),
    sample("elementwise_pow", positive(3, 4), 0.5, reference=np.power, note="root"),
    sample("elementwise_pow", 2.0, normal(3, 4), reference=np.power, note="of a number", batch=(1,)),
    sample("elementwise_pow", integers(5, 3, 4), 2, reference=np.power, note="integers"),
    sample("elementwise_max", apart(3, 4), apart(4, step=0.29), reference=np.maximum),
    sample("elementwise_min", apart(3, 4), apart(4, step=0.29), reference=np.minimum),
    sample(
        "elementwise_mod",
        positive(3, 4, low=2.1, high=2.9),
        positive(4, low=0.8, high=0.9),
        reference=np.mod,
        half=False,
    ),
    sample("elementwise_mod", integers(20, 3, 4, low=-20), integers(6, 4, low=1), reference=np.mod, note="integers"),
    sample("elementwise_floordiv", integers(20, 3, 4, low=-20), integers(6, 4, low=1), reference=np.floor_divide),
]
