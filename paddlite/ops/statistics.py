"""Variance and covariance over axes; counts by value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddlite.backend.dtypes import COMPLEX, F32, F64, INT64, INTEGRAL
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.accumulate import sums_by_number
from paddlite.ops.arithmetic import elementwise_mul
from paddlite.ops.infer import axes_in, like_second, reduced_shape, require_integer
from paddlite.ops.reduce import count_along, reduce_sum, spread_back


def _spread_infer(x: Meta, *_: Meta, axis: Any = None, keepdim: bool = False, correction: float = 1) -> Meta:
    if x.dtype in COMPLEX:
        raise DTypeMismatch("var: complex tensors are not supported; take the real and imaginary parts")
    axes = axes_in(axis, len(x.shape), "var")
    return Meta(reduced_shape(x.shape, axes, keepdim), F32 if x.dtype in INTEGRAL else x.dtype)


def _per(x: Any, axis: Any, correction: float) -> Any:
    """1 / (count - correction); infinite where that is not positive, so that nothing divided gives NaN."""
    degrees = count_along(x, axis) - correction
    return x.dtype.type(1 / degrees if degrees > 0 else np.inf)


def _centered(xp: Any, x: Any, axis: Any) -> Any:
    total = reduce_sum.op.kernel(xp, x, axis=axis, keepdim=True)
    count = count_along(x, axis)
    return x - total * x.dtype.type(1 / count if count else np.nan)


def _variance_rule(g: Any, x: Any, axis: Any, keepdim: bool, correction: float) -> Any:
    return elementwise_mul(deviation(g, x, axis=axis, keepdim=keepdim, correction=correction), 2)


@defop("variance", infer=_spread_infer, floats=True, wide=True, vjp={"x": _variance_rule})
def variance(xp: Any, x: Any, *, axis: Any = None, keepdim: bool = False, correction: float = 1) -> Any:
    """The sum of squared deviations from the mean over `axis`, over count - correction."""
    if x.dtype.kind == "c":
        _spread_infer(x)
    centered = _centered(xp, x, axis)
    centered *= centered
    return reduce_sum.op.kernel(xp, centered, axis=axis, keepdim=keepdim) * _per(x, axis, correction)


@defop(
    "covariance",
    infer=_spread_infer,
    wide=True,
    vjp={
        "x": lambda g, y, axis, keepdim, correction: deviation(g, y, axis=axis, keepdim=keepdim, correction=correction),
        "y": lambda g, x, axis, keepdim, correction: deviation(g, x, axis=axis, keepdim=keepdim, correction=correction),
    },
)
def covariance(xp: Any, x: Any, y: Any, *, axis: Any = None, keepdim: bool = False, correction: float = 1) -> Any:
    """The sum of products of the deviations of `x` and `y` over `axis`, over count - correction."""
    product = _centered(xp, x, axis) * y
    return reduce_sum.op.kernel(xp, product, axis=axis, keepdim=keepdim) * _per(x, axis, correction)


@defop(
    "deviation",
    infer=like_second,
    wide=True,
    vjp={
        "factor": lambda g, x, axis, keepdim, correction: covariance(
            g, x, axis=axis, keepdim=keepdim, correction=correction
        ),
        "x": lambda g, factor, axis, keepdim, correction: deviation(
            factor, g, axis=axis, keepdim=keepdim, correction=correction
        ),
    },
)
def deviation(xp: Any, factor: Any, x: Any, *, axis: Any = None, keepdim: bool = False, correction: float = 1) -> Any:
    """The gradient of a covariance: factor * (x - mean(x)) / (count - correction)."""
    return spread_back(xp, factor * _per(x, axis, correction), x, axis, keepdim) * _centered(xp, x, axis)


def _check_range(low: float, high: float) -> None:
    if high < low or not (np.isfinite(low) and np.isfinite(high)):
        raise InvalidArgument(f"histogram: min ({low}) must not be above max ({high}), and both must be finite")


def _histogram_infer(
    x: Meta, weight: Meta | None, *, bins: int = 100, low: float = 0.0, high: float = 0.0, density: bool = False
) -> Meta:
    if bins < 1:
        raise InvalidArgument(f"histogram: bins must be at least 1, got {bins}")
    _check_range(low, high)
    if weight is not None and weight.shape != x.shape and weight.known and x.known:
        raise ShapeMismatch(
            f"histogram: weight must have the shape of the input, {list(x.shape)}; got {list(weight.shape)}"
        )
    return Meta((bins,), F32 if density or weight is not None else INT64)


@defop("histogram", infer=_histogram_infer, check=True)
def histogram(
    xp: Any, x: Any, weight: Any, *, bins: int = 100, low: float = 0.0, high: float = 0.0, density: bool = False
) -> Any:
    """How many elements (or how much weight) fall into each of `bins` equal parts of [low, high]."""
    dtype = F32 if density or weight is not None else INT64
    if xp is not np:  # CuPy's waits for the bounds
        edges = bin_edges.op.kernel(xp, x, bins=bins, low=low, high=high, dtype=F64)
        counts = _grid_counts(xp, (x.reshape(-1),), None if weight is None else weight.reshape(-1), (edges,))
        return (counts / counts.sum() / xp.diff(edges) if density else counts).astype(dtype)
    between = None if low == high == 0 else (low, high)
    return np.histogram(x, bins=bins, range=between, weights=weight, density=density)[0].astype(dtype)


def _edges_infer(x: Meta, *, bins: int = 100, low: float = 0.0, high: float = 0.0, dtype: np.dtype = F32) -> Meta:
    return Meta((bins + 1,), dtype)


@defop("histogram_bin_edges", infer=_edges_infer)
def bin_edges(xp: Any, x: Any, *, bins: int = 100, low: float = 0.0, high: float = 0.0, dtype: np.dtype = F32) -> Any:
    """The bounds of the parts that `histogram` counts in."""
    _check_range(low, high)
    if low == high == 0 and x.size:
        low, high = x.min(), x.max()
    apart = xp.asarray(high > low)
    low, high = xp.where(apart, low, low - 0.5), xp.where(apart, high, high + 0.5)
    steps = xp.arange(bins + 1) / bins
    edges = (low + (high - low) * steps).astype(dtype)
    edges[-1] = high.astype(dtype)  # what rounding made of it may lie below the greatest element
    return edges


def _dd_infer(x: Meta, weights: Meta | None, *edges: Meta, density: bool = False) -> Meta:
    if len(x.shape) != 2 or (x.shape[1] != len(edges) and x.shape[1] >= 0):
        raise ShapeMismatch(
            f"histogramdd: points of as many numbers as there are axes of bins are wanted, [n, {len(edges)}]; got "
            f"{list(x.shape)}"
        )
    if weights is not None and weights.shape != x.shape[:1] and weights.known and x.known:
        raise ShapeMismatch(f"histogramdd: weights must have shape {list(x.shape[:1])}, got {list(weights.shape)}")
    return Meta(tuple([-1 if e.shape[0] < 0 else e.shape[0] - 1 for e in edges]), x.dtype)


@defop("histogramdd", infer=_dd_infer, check=True)
def histogramdd(xp: Any, x: Any, weights: Any, *edges: Any, density: bool = False) -> Any:
    """How many of the points `x` [n, axes] (or how much weight) fall into each cell of a grid."""
    counts = _grid_counts(xp, x.T, weights, edges).astype(x.dtype)
    if not density:
        return counts
    counts = counts / counts.sum()
    for axis, bounds in enumerate(edges):
        counts = counts / xp.diff(bounds).reshape((-1,) + (1,) * (len(edges) - 1 - axis))
    return counts


def _grid_counts(xp: Any, columns: Any, weights: Any, edges: tuple) -> Any:
    """How many points (or how much weight), given by their coordinates, fall into each cell; float64."""
    sizes = [e.shape[0] - 1 for e in edges]
    cell, inside = xp.zeros(columns[0].shape, INT64), xp.ones(columns[0].shape, bool)
    for column, bounds, size in zip(columns, edges, sizes):
        place = xp.searchsorted(bounds, column, side="right") - 1
        place = xp.where(column == bounds[-1], size - 1, place)  # the last cell has its upper bound
        inside &= (place >= 0) & (place < size)
        cell = cell * size + place.clip(0, size - 1)
    amounts = inside if weights is None else xp.where(inside, weights, weights.dtype.type(0))
    return sums_by_number(xp, cell, amounts, math.prod(sizes)).reshape(sizes)


def _bincount_infer(x: Meta, weights: Meta | None, *, minlength: int = 0) -> Meta:
    require_integer("bincount", x=x)
    if len(x.shape) != 1:
        raise ShapeMismatch(f"bincount: a 1-D tensor is wanted, got shape {list(x.shape)}")
    if weights is not None and weights.shape != x.shape and weights.known and x.known:
        raise ShapeMismatch(f"bincount: weights must have shape {list(x.shape)}, got {list(weights.shape)}")
    if minlength < 0:
        raise InvalidArgument(f"bincount: minlength must not be negative, got {minlength}")
    return Meta((-1,), INT64 if weights is None else F32 if weights.dtype in INTEGRAL else weights.dtype)


@defop("bincount", infer=_bincount_infer, check=True)
def bincount(xp: Any, x: Any, weights: Any, *, minlength: int = 0) -> Any:
    """How often (or with how much weight) each of the numbers 0, 1, 2, ... occurs."""
    if xp is np and x.size and int(x.min()) < 0:
        raise InvalidArgument(f"bincount: the numbers must not be negative, got {int(x.min())}")
    counts = xp.bincount(x, weights, minlength)
    return counts if weights is None else counts.astype(F32 if weights.dtype in INTEGRAL else weights.dtype)
