"""Samples of `ops/statistics.py` and `ops/quantile.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.ops.quantile import Quantiles
from tests.ops.sample import complexes, exactly, integers, normal, positive, sample

NAN = np.nan


def over(axis):
    return tuple(axis) if isinstance(axis, list) else axis


def var(x, axis=None, keepdim=False, correction=1):
    return np.var(x, axis=over(axis), keepdims=keepdim, ddof=correction)


def centered(x, axis):
    return x - x.mean(axis=over(axis), keepdims=True)


def cov(x, y, axis=None, keepdim=False, correction=1):
    total = (centered(x, axis) * centered(y, axis)).sum(axis=over(axis), keepdims=keepdim)
    return total / (x.size / total.size - correction)


def deviation(factor, x, axis=None, keepdim=False, correction=1):
    degrees = x.size / factor.size - correction
    factor = factor if keepdim or axis is None else np.expand_dims(factor, axis)
    return factor * centered(x, axis) / degrees


def quantiles(y, x, how):
    function = np.nanquantile if how.skip_nan else np.quantile
    q = how.q if how.several else how.q[0]
    return function(x, q, axis=how.axis, keepdims=how.keepdim, method=how.interpolation)


def twice(spec, *q, note, reference=quantiles, bad=(), batch=(0,), **options):
    """A sample whose values are those that are ranked."""
    how = Quantiles(q, **options)
    return sample(
        "quantile_take", spec, spec, how=how, gradient=(), reference=reference, bad=bad, batch=batch, note=note
    )


ROWS = exactly([[4.0, 1.0, 3.0, 2.0], [8.0, 5.0, 7.0, 6.0]])
HOLES = exactly([[4.0, NAN, 3.0, 2.0], [NAN, NAN, 7.0, NAN], [NAN, NAN, NAN, NAN]])
POINTS = exactly([[0.0, 1.0], [0.5, 2.0], [2.0, 0.1], [-1.0, 1.0], [1.9, 1.9]])
GRID = exactly([0.0, 0.5, 1.0, 2.0])
RANKED = exactly([[0.3, 0.1, 0.4, 0.2], [0.5, 0.8, 0.6, 0.7]])

SAMPLES = [
    sample("variance", normal(3, 4, 2), reference=var, bad=(((complexes(3),), {}, DTypeMismatch), ((normal(3),), {"axis": 1}, InvalidArgument))),
    sample("variance", normal(3, 4, 2), axis=1, correction=0, reference=var, note="population"),
    sample("variance", normal(3, 4, 2), axis=(0, 2), keepdim=True, reference=var, note="axes"),
    sample("variance", integers(9, 3, 4), axis=1, reference=lambda x, axis: var(x, axis).astype("f4"), note="integers", tolerance=1e3),
    sample("variance", normal(3, 1), axis=1, reference=lambda x, axis: np.full(3, NAN), note="one", gradient=()),
    sample("covariance", normal(3, 4), normal(3, 4), reference=cov, batch=(0, 1)),
    sample("covariance", normal(3, 4), normal(3, 4), axis=1, keepdim=True, correction=0, reference=cov, note="axis", batch=(0, 1)),
    sample("deviation", normal(3), normal(3, 4), axis=1, reference=deviation, batch=(0, 1)),
    sample("deviation", normal(1, 4), normal(3, 4), axis=0, keepdim=True, correction=0, reference=deviation, note="kept", batch=(1,)),
    sample("histogram", normal(3, 4), None, bins=5, low=-2.0, high=2.0, reference=lambda x, w, bins, low, high: np.histogram(x, bins, (low, high))[0],
           bad=(((normal(3), normal(4)), {}, ShapeMismatch), ((normal(3), None), {"low": 3.0}, InvalidArgument), ((normal(3), None), {"bins": 0}, InvalidArgument))),
    sample("histogram", exactly([1.0, 2.0, 1.0]), positive(3), bins=4, density=True, note="weights",
           reference=lambda x, w, bins, density: np.histogram(x, bins, weights=w, density=True)[0].astype("f4"), tolerance=1e3),
    sample("histogram_bin_edges", exactly([1.0, 2.0, 1.0]), bins=4, reference=lambda x, bins: np.linspace(1, 2, 5).astype("f4")),
    sample("histogram_bin_edges", exactly([2, 2]), bins=2, reference=lambda x, bins: np.array([1.5, 2.0, 2.5], "f4"), note="equal"),
    sample("histogram_bin_edges", normal(3), bins=2, low=-1.0, high=3.0, reference=lambda x, bins, low, high: np.array([-1, 1, 3], "f4"), note="given"),
    sample("histogramdd", POINTS, None, GRID, exactly([0.0, 1.0, 2.0]), batch=(0,), half=False,
           reference=lambda x, w, *edges: np.histogramdd(x, edges)[0],
           bad=(((normal(3, 3), None, GRID, GRID), {}, ShapeMismatch), ((POINTS, normal(3), GRID, GRID), {}, ShapeMismatch))),
    sample("histogramdd", POINTS, positive(5), GRID, GRID, density=True, half=False, note="density",
           reference=lambda x, w, *edges, density: np.histogramdd(x, edges, weights=w, density=True)[0]),
    sample("bincount", integers(5, 12), None, minlength=7, reference=lambda x, w, minlength: np.bincount(x, minlength=minlength),
           bad=(((normal(3), None), {}, DTypeMismatch), ((integers(3, 2, 2), None), {}, ShapeMismatch),
                ((integers(3, 4), normal(3)), {}, ShapeMismatch), ((integers(3, 4), None), {"minlength": -1}, InvalidArgument))),
    sample("bincount", integers(5, 12), normal(12), reference=np.bincount, note="weights", batch=(0, 1)),
    twice(ROWS, 0.3, axis=1, note="axis", bad=[
        (((ROWS, ROWS), {"how": how}, InvalidArgument))
        for how in (Quantiles((1.5,)), Quantiles((0.5,), interpolation="cubic"), Quantiles((0.5,), axis=2), Quantiles(()))
    ] + [((complexes(3), complexes(3)), {}, DTypeMismatch)]),
    twice(ROWS, 0.3, 0.5, axis=1, several=True, keepdim=True, note="several"),
    twice(ROWS, 0.4, note="all", batch=()),
    twice(exactly(np.arange(24.0).reshape(2, 3, 4) * 7 % 11), 0.4, axis=(0, 2), keepdim=True, note="axes"),
    *[twice(ROWS, 0.3, axis=0, interpolation=way, note=way) for way in ("lower", "higher", "midpoint", "nearest")],
    twice(HOLES, 0.4, axis=1, note="nan"),
    twice(exactly(HOLES.make(None)[:2]), 0.4, 1.0, axis=1, skip_nan=True, several=True, note="skip nan"),
    twice(HOLES, 0.4, axis=1, skip_nan=True, note="only nan", reference=lambda y, x, how: np.array([2.8, 7.0, NAN])),
    twice(exactly([[np.inf, np.inf, 1.0]]), 0.9, axis=1, note="infinite", reference=lambda y, x, how: np.array([np.inf])),
    twice(exactly(np.zeros((2, 0))), 0.5, axis=1, note="no elements", reference=lambda y, x, how: np.full(2, NAN)),
    sample("quantile_take", normal(2, 4), RANKED, how=Quantiles((0.3, 0.9), axis=1, several=True), gradient=(0,), batch=(0, 1),
           reference=lambda y, x, how: np.stack([picked(y, x, 0.9), picked(y, x, 2.7)]), note="values"),
    sample("quantile_put", normal(2), RANKED, how=Quantiles((0.5,), axis=1), gradient=(0,), batch=(0, 1),
           reference=lambda y, x, how: y[:, None] * np.array([[0.5, 0, 0, 0.5], [0, 0, 0.5, 0.5]])),
    sample("quantile_put", normal(), HOLES, how=Quantiles((0.5,), skip_nan=True), gradient=(0,), batch=(),
           reference=lambda y, x, how: y * np.array([[0.5, 0, 0.5, 0], [0] * 4, [0] * 4]), note="skip nan"),
    sample("median_index", ROWS, axis=1, reference=lambda x, axis: np.array([3, 3])),
    sample("median_index", HOLES, axis=1, skip_nan=True, keepdim=True, reference=lambda x, **_: np.array([[2], [2], [0]]), note="skip nan"),
    sample("median_index", HOLES, axis=1, reference=lambda x, axis: np.array([1, 0, 0]), note="nan"),
]  # fmt: skip


def picked(y, x, position):
    """Linear interpolation between the values of `y` at two ranks of `x`."""
    order = np.argsort(x, -1)
    low, part = int(position), position - int(position)
    lower, upper = (np.take_along_axis(y, order[:, i : i + 1], -1)[:, 0] for i in (low, low + 1))
    return lower + part * (upper - lower)
