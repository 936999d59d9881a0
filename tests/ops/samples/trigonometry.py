"""Samples of `ops/trigonometry.py`."""

import numpy as np

from tests.ops.sample import apart, complexes, exactly, normal, positive, sample, uniform

INSIDE = uniform(3, 4, low=-0.9, high=0.9)
FUNCTIONS = {
    "sin": (np.sin, normal(3, 4)),
    "cos": (np.cos, normal(3, 4)),
    "tan": (np.tan, uniform(3, 4)),
    "sinh": (np.sinh, normal(3, 4)),
    "cosh": (np.cosh, normal(3, 4)),
    "asin": (np.arcsin, INSIDE),
    "acos": (np.arccos, INSIDE),
    "atan": (np.arctan, normal(3, 4)),
    "asinh": (np.arcsinh, normal(3, 4)),
    "acosh": (np.arccosh, positive(3, 4, low=1.2, high=3.0)),
    "atanh": (np.arctanh, INSIDE),
}


def slope_of_sinc(x):
    turned = np.pi * x
    return np.where(x == 0, 0, (np.cos(turned) - np.sinc(x)) / np.where(x == 0, 1, x))


SAMPLES = [
    *[sample(name, spec, reference=function) for name, (function, spec) in FUNCTIONS.items()],
    *[
        sample(name, complexes(3), reference=function, note="complex", half=False, tolerance=20.0)
        for name, (function, _) in FUNCTIONS.items()
    ],
    sample("sin", exactly([0, 1, 2]), reference=lambda x: np.sin(x).astype("f4"), note="integers", tolerance=1e3),
    sample("atan2", apart(3, 4), apart(4, step=0.29), reference=np.arctan2),
    sample("atan2", normal(3), 1.0, reference=np.arctan2, note="number"),
    sample("hypot", normal(3, 4), normal(4), reference=np.hypot),
    sample("hypot", exactly([0.0, 3.0]), exactly([0.0, 4.0]), reference=np.hypot, note="zero", gradient=()),
    sample("angle", apart(3, 4), reference=np.angle),
    sample("angle", complexes(3, 2), reference=np.angle, note="complex", half=False),
    sample("angle", exactly([np.nan, -1.0, 0.0]), reference=lambda x: np.array([np.nan, np.pi, 0]), note="nan", gradient=()),
    sample("sinc", apart(3, 4), reference=np.sinc),
    sample("sinc", exactly([0.0, 0.5]), reference=np.sinc, note="zero"),
    sample("sinc", complexes(3), reference=np.sinc, note="complex", half=False, tolerance=20.0),
    sample("sinc_slope", apart(3, 4), reference=slope_of_sinc, second=False, tolerance=4.0),
    sample("sinc_slope", exactly([0.0, 0.5]), reference=slope_of_sinc, second=False, note="zero", tolerance=4.0),
]  # fmt: skip
