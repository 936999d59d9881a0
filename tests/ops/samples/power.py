"""Samples of `ops/power.py`."""

import numpy as np

from tests.ops.sample import apart, complexes, exactly, integers, normal, positive, sample

NAN = float("nan")

SAMPLES = [
    sample("exp", normal(3, 4), reference=np.exp),
    sample("exp", complexes(3), reference=np.exp, note="complex", half=False),
    sample("exp", exactly([0, 1, 2]), reference=lambda x: np.exp(x).astype("f4"), note="integers", tolerance=1e3),
    sample("log", positive(3, 4), reference=np.log),
    sample("sqrt", positive(3, 4), reference=np.sqrt),
    sample("expm1", normal(3, 4), reference=np.expm1),
    sample("expm1", complexes(3), reference=np.expm1, note="complex", half=False),
    sample("log1p", positive(3, 4), reference=np.log1p),
    sample("log2", positive(3, 4), reference=np.log2),
    sample("log2", complexes(3), reference=np.log2, note="complex", half=False),
    sample("log10", positive(3, 4), reference=np.log10),
    sample("rsqrt", positive(3, 4), reference=lambda x: 1 / np.sqrt(x)),
    sample("rsqrt", exactly([1, 4]), reference=lambda x: np.array([1, 0.5], "f4"), note="integers"),
    sample("reciprocal", positive(3, 4), reference=np.reciprocal),
    sample("reciprocal", complexes(3), reference=np.reciprocal, note="complex", half=False),
    sample("tanh", normal(3, 4), reference=np.tanh),
    sample("tanh", complexes(3), reference=np.tanh, note="complex", half=False),
    sample("elementwise_pow", positive(3, 4), normal(4), reference=np.power),
    sample("elementwise_pow", normal(3, 4), 2, reference=np.power, note="square"),
    sample("elementwise_pow", normal(3, 4), 3, reference=np.power, note="cube"),
    sample("elementwise_pow", positive(3, 4), 0.5, reference=np.power, note="root"),
    sample("elementwise_pow", 2.0, normal(3, 4), reference=np.power, note="of a number", batch=(1,)),
    sample("elementwise_pow", integers(5, 3, 4), 2, reference=np.power, note="integers"),
    sample("elementwise_pow", normal(3, 4), 1, reference=np.power, note="itself"),
    sample("elementwise_pow", exactly([0.0, 2.0]), 0, reference=np.power, note="exponent 0"),
    sample("elementwise_pow", complexes(3), 3, reference=np.power, note="complex cube", half=False),
    sample("elementwise_pow", complexes(3), complexes(3), reference=np.power, note="complex", half=False),
    sample("elementwise_max", apart(3, 4), apart(4, step=0.29), reference=np.maximum),
    sample("elementwise_min", apart(3, 4), apart(4, step=0.29), reference=np.minimum),
    sample("elementwise_max_part", normal(2, 3), exactly([[1.0], [2.0]]), exactly([1.0, 2.0, NAN]), gradient=(0,),
           reference=lambda g, x, y: g * np.array([[0.5, 0, 0], [1, 0.5, 0]]), batch=(0, 1)),
    sample("elementwise_fmax", apart(3, 4), apart(4, step=0.29), reference=np.fmax),
    sample("elementwise_fmin", apart(3, 4), apart(4, step=0.29), reference=np.fmin),
    sample("elementwise_fmax", exactly([1.0, NAN, NAN]), exactly([NAN, 2.0, NAN]), reference=np.fmax, note="nan", gradient=()),
    sample("logaddexp", normal(3, 4), normal(4), reference=np.logaddexp),
    sample("logaddexp", exactly([1000.0, -1000.0]), 999.0, reference=np.logaddexp, note="large", half=False),
    sample(
        "elementwise_mod",
        positive(3, 4, low=2.1, high=2.9),
        positive(4, low=0.8, high=0.9),
        reference=np.mod,
        half=False,
    ),
    sample("elementwise_mod", integers(20, 3, 4, low=-20), integers(6, 4, low=1), reference=np.mod, note="integers"),
    sample("elementwise_floordiv", integers(20, 3, 4, low=-20), integers(6, 4, low=1), reference=np.floor_divide),
    sample("elementwise_floordiv", normal(3, 4), positive(4), reference=np.floor_divide, note="floats", half=False),
]  # fmt: skip
