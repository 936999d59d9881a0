"""Samples of `ops/scaling.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from tests.ops.sample import apart, complexes, exactly, integers, normal, sample, uniform

INF, NAN = np.inf, np.nan


def scaled(x, factor, bias=0.0, bias_after_scale=True):
    return x * factor + bias if bias_after_scale else (x + bias) * factor


def clipped(x, low, high):
    return np.clip(x, low, high)


def between(x, y, weight):
    return x + weight * (y - x)


SAMPLES = [
    sample("scale", normal(3, 4), 2.5, reference=scaled, bad=(((normal(3), normal(2)), {}, ShapeMismatch),)),
    sample("scale", normal(3, 4), 2.5, bias=1.5, reference=scaled, note="bias"),
    sample("scale", normal(3, 4), normal(1), bias=1.5, bias_after_scale=False, reference=scaled, note="bias first"),
    sample("scale", normal(3), normal(), bias=1.0, reference=scaled, note="tensor"),
    sample("scale", integers(9, 3), 2, bias=1, reference=scaled, note="integers"),
    sample("scale", complexes(3), complexes(1), bias=0.5, reference=scaled, note="complex", half=False),
    sample("clip", apart(3, 4), -1.0, 1.0, reference=clipped),
    sample("clip", apart(3, 4), None, 1.0, reference=clipped, note="above"),
    sample("clip", apart(3, 4), -1.0, None, reference=clipped, note="below"),
    sample("clip", apart(3, 4), None, None, reference=lambda x, low, high: x, note="free"),
    sample("clip", apart(3, 4), uniform(4, low=-2.1, high=-0.5), uniform(3, 1, low=0.4, high=2.1), reference=clipped, note="tensors",
           batch=(0, 2)),
    sample("clip", apart(3, 4), 0.4, uniform(4, low=-2.1, high=-0.5), reference=clipped, note="crossed"),
    sample("clip", exactly([1, 2, 3]), 1.5, 2.5, reference=lambda x, low, high: np.clip(x, low, high).astype("f4"), note="integers"),
    sample("lerp", normal(3, 4), normal(4), 0.3, reference=between),
    sample("lerp", normal(3, 4), normal(4), normal(3, 1), reference=between, note="tensor", batch=(0, 2)),
    sample("elementwise_heaviside", apart(3, 4), normal(4), reference=np.heaviside),
    sample("elementwise_heaviside", exactly([-1.0, 0.0, 2.0, 0.0]), normal(4), reference=np.heaviside, gradient=(1,), note="zeros"),
    sample("elementwise_heaviside", exactly([NAN, 1.0]), 0.5, reference=np.heaviside, note="nan", gradient=()),
    sample("copysign", apart(3, 4), apart(4, step=0.29), reference=np.copysign),
    sample("copysign", exactly([1.0, -2.0]), exactly([-0.0, 0.0]), reference=np.copysign, gradient=(0,), note="zeros"),
    sample("nextafter", exactly([1.0, 0.0]), 2.0, half=False, reference=lambda x, y: x, note="near"),
    sample("nan_to_num", exactly([NAN, INF, -INF, 1.5]), nan=1.0, posinf=7.0, neginf=-8.0, gradient=(),
           reference=lambda x, **_: np.array([1.0, 7.0, -8.0, 1.5])),
    sample("nan_to_num", normal(3, 4), nan=1.0, posinf=7.0, neginf=-8.0, reference=lambda x, **_: x, note="finite"),
    sample("sum", normal(3, 4), normal(3, 4), normal(3, 4), reference=lambda *xs: sum(xs), batch=(0, 1, 2),
           bad=(((normal(3), normal(4)), {}, ShapeMismatch), ((), {}, InvalidArgument),
                ((normal(3), exactly([1, 2, 3])), {}, DTypeMismatch))),
    sample("sum", normal(3, 4), reference=np.copy, note="one"),
]  # fmt: skip
