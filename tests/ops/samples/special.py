"""Samples of `ops/special.py`, `ops/bessel.py`, `ops/gamma.py` and `ops/incomplete_gamma.py`."""

import numpy as np
from scipy import special

from paddlite.core.errors import InvalidArgument
from tests.ops.sample import exactly, integers, normal, positive, sample, uniform

INF, NAN = np.inf, np.nan
WIDE = exactly(np.concatenate([-np.geomspace(1e-9, 12, 40)[::-1], np.geomspace(1e-9, 12, 40)]))
ORDERS = exactly(np.concatenate([np.geomspace(1e-3, 2e4, 60), [600.0, 600.0, 600.0]]))
LIMITS = exactly(np.concatenate([np.geomspace(1e-3, 2e4, 60) * np.linspace(0.5, 1.6, 60), [1.0, 600.0, 900.0]]))


def one(name, spec, function, **options):
    return sample(name, spec, reference=function, **options)


def many(function):
    """`function` of SciPy with our argument name for the order."""
    return lambda x, n: function(n, x)


SAMPLES = [
    one("erf", normal(3, 4), special.erf),
    one("erf", WIDE, special.erf, note="wide"),
    one("erf", exactly([NAN, INF, -INF, 0.0]), special.erf, gradient=(), note="special"),
    one("erf", exactly([0, 1, 2]), lambda x: special.erf(x).astype("f4"), note="integers", tolerance=1e3),
    one("erf", uniform(70000, low=-4, high=4), special.erf, note="blocks", gradient=(), half=False),
    one("erfinv", uniform(3, 4, low=-0.95, high=0.95), special.erfinv),
    one("erfinv", exactly([0.0, 1e-12, 1 - 1e-12, -1.0, 1.0, 1.5, NAN, -0.9999]), special.erfinv, gradient=(), half=False, note="special"),
    one("logit", uniform(3, 4, low=0.1, high=0.9), lambda x: np.log(x / (1 - x))),
    one("logit", exactly([-0.5, 0.05, 0.5, 0.95, 1.5]), lambda x, eps: special.logit(np.clip(x, eps, 1 - eps)), eps=0.1, note="eps"),
    one("logit", exactly([0.0, 1.0, 2.0]), special.logit, gradient=(), note="ends"),
    *[
        case
        for name, function in (("i0", special.i0), ("i1", special.i1), ("i0e", special.i0e), ("i1e", special.i1e))
        for case in (
            one(name, exactly([[0.3, -0.7, 2.5], [-4.0, 7.9, 9.5]]), function, tolerance=4.0),
            one(name, exactly([0.0, INF, NAN]), lambda x, e=name.endswith("e"), f=function: np.array([f(0), 0 if e else INF, NAN]), gradient=(), note="special"),
            one(name, exactly([25.0, -40.0, 80.0]), function, half=False, note="far"),
        )
    ],
    one("i1", exactly([0.0]), special.i1, note="zero"),
    one("lgamma", positive(3, 4, low=0.1, high=12.0), special.gammaln, tolerance=4.0),
    one("lgamma", exactly([-0.5, -1.3, -7.2]), special.gammaln, note="negative", tolerance=20.0),
    one("lgamma", exactly([0.0, -1.0, INF, NAN, 1.0, 2.0, 1e4, 1e-10]), special.gammaln, gradient=(), half=False, note="special"),
    one("digamma", positive(3, 4, low=0.2, high=12.0), special.digamma, tolerance=4.0),
    one("digamma", exactly([-0.5, -1.3, -7.2]), special.digamma, note="negative", tolerance=200.0),
    one("digamma", exactly([0.0, -1.0, INF, NAN, 1e4]), special.digamma, gradient=(), half=False, note="special"),
    *[one("polygamma", positive(3, 4, low=0.5, high=12.0), many(special.polygamma), n=n, note=str(n), tolerance=20.0, half=n < 3) for n in (1, 2, 5)],
    one("polygamma", exactly([-0.5, -1.3]), lambda x, n: special.polygamma(n, x + 2) + 1 / x**2 + 1 / (x + 1) ** 2, n=1, note="negative",
        tolerance=1e3, bad=(((normal(3),), {"n": 0}, InvalidArgument),)),
    one("polygamma", exactly([INF, NAN, 0.0]), lambda x, n: np.array([0, NAN, -INF]), n=2, gradient=(), note="special"),
    sample("gammainc", positive(3, 4), positive(4), reference=special.gammainc, gradient=(1,)),
    sample("gammaincc", positive(3, 4), positive(4), reference=special.gammaincc, gradient=(1,)),
    sample("gammainc", ORDERS, LIMITS, reference=special.gammainc, gradient=(), half=False, note="orders"),
    sample("gammaincc", ORDERS, LIMITS, reference=special.gammaincc, gradient=(), half=False, note="orders"),
    sample("gammainc", exactly([1.0, -1.0, 2.0, 2.0]), exactly([0.0, 1.0, INF, -1.0]), gradient=(), note="special",
           reference=lambda x, y: np.array([0, NAN, 1, NAN])),
    sample("gammaincc", integers(5, 3, low=1), integers(5, 3, low=1), reference=lambda x, y: special.gammaincc(x, y).astype("f4"), note="integers",
           tolerance=1e3),
]  # fmt: skip
