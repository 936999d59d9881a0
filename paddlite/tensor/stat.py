"""Statistics: spread, quantiles, counts."""

from __future__ import annotations

from typing import Any

from paddlite.backend import device
from paddlite.backend.dtypes import F32, F64, FLOATING
from paddlite.core.dispatch import cast_to
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ProgramError, ShapeMismatch
from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor
from paddlite.ops import arithmetic, power, reduce, statistics
from paddlite.ops.index import basic_index
from paddlite.ops.matmul import matmul
from paddlite.ops.quantile import Quantiles, median_index, quantile_take
from paddlite.ops.scaling import clip
from paddlite.ops.shape import reshape, transpose
from paddlite.tensor.arguments import axis_argument, int_argument, write

__all__ = [
    "bincount", "histogram", "histogram_bin_edges", "histogramdd", "median", "nanmedian", "nanquantile",
    "quantile", "std", "var",
]  # fmt: skip
METHODS = [*__all__, "corrcoef", "cov"]
INPLACE = ()


def var(
    x: Any,
    axis: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    name: str | None = None,
    *,
    correction: float = 1,
    out: Any = None,
) -> Any:
    """The variance of the elements, over all axes or those named.

    Args:
        x: a real tensor; integers become float32.
        axis: an int, a list of ints or an integer tensor; None for all axes.
        unbiased: divide by the number of elements less 1 (the default) or, where False, by the number of elements.
        keepdim: keep reduced axes with size 1.
        name: not used; there for compatibility.
        correction: what is taken from the number of elements, where `unbiased` is left out.

    Raises:
        InvalidArgument: an axis is out of range or named twice.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 2.0, 6.0])
    >>> paddle.var(x).item(), round(paddle.var(x, unbiased=False).item(), 4)
    (7.0, 4.6667)
    """
    correction = correction if unbiased is None else int(unbiased)
    result = statistics.variance(x, axis=axis_argument(axis, "var"), keepdim=keepdim, correction=correction)
    return result if out is None else write(out, result)


def std(x: Any, axis: Any = None, unbiased: bool = True, keepdim: bool = False, name: str | None = None) -> Any:
    """The standard deviation, the root of `var`, whose arguments it has.

    >>> import paddlite as paddle
    >>> paddle.std(paddle.to_tensor([1.0, 1.0, 4.0]), unbiased=False).item()
    1.4142135381698608
    """
    return power.sqrt(var(x, axis, unbiased, keepdim))


def median(
    x: Any, axis: Any = None, keepdim: bool = False, mode: str = "avg", name: str | None = None, *, out: Any = None
) -> Any:
    """The middle element in order, over all axes or one; NaN where there is a NaN.

    Args:
        x: a real tensor; the mean of two integers is float32.
        axis: an int or None for all axes.
        keepdim: keep reduced axes with size 1.
        mode: of two middle elements give the mean ("avg") or the smaller one ("min").

    Returns the median; with `mode="min"` and an `axis` also its index (int64).

    Raises:
        InvalidArgument: `mode` or `axis` is wrong.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[1.0, 4.0, 2.0, 3.0]])
    >>> paddle.median(x).item(), [part.tolist() for part in paddle.median(x, axis=1, mode="min")]
    (2.5, [[2.0], [2]])
    """
    result = _median(x, axis, keepdim, mode, False, "median")
    return result if out is None else write(out, result)


def nanmedian(x: Any, axis: Any = None, keepdim: bool = False, mode: str = "avg", name: str | None = None) -> Any:
    """The middle of the elements that are not NaN; NaN where there are none.  Arguments as for `median`.

    `axis` may also be a list of ints.

    >>> import paddlite as paddle
    >>> paddle.nanmedian(paddle.to_tensor([1.0, float("nan"), 3.0])).item()
    2.0
    """
    return _median(x, axis, keepdim, mode, True, "nanmedian")


def _median(x: Any, axis: Any, keepdim: bool, mode: str, skip_nan: bool, function: str) -> Any:
    if mode not in ("avg", "min"):
        raise InvalidArgument(f"{function}: mode must be 'avg' or 'min', got {mode!r}")
    axis = axis_argument(axis, function)
    how = Quantiles((0.5,), axis, keepdim, "midpoint" if mode == "avg" else "lower", skip_nan)
    if x._dtype in FLOATING:
        value = quantile_take(x, x, how=how)
    else:
        wide = cast_to(x, F64)
        value = cast_to(quantile_take(wide, wide, how=how), F32 if mode == "avg" else x._dtype)
    if mode == "avg" or not isinstance(axis, int):
        return value
    return value, median_index(x, axis=axis, keepdim=keepdim, skip_nan=skip_nan)


def quantile(
    x: Any,
    q: Any,
    axis: Any = None,
    keepdim: bool = False,
    interpolation: str = "linear",
    name: str | None = None,
    *,
    out: Any = None,
) -> Any:
    """The values below which the part `q` of the elements lies, over all axes or those named.

    Args:
        x: a floating tensor.
        q: a number in [0, 1], or a list or tensor of them, which puts an axis in front of the result.
        axis: an int or a list of ints; None for all axes.
        keepdim: keep reduced axes with size 1.
        interpolation: what to take where the place lies between two elements: "linear", "lower", "higher", "midpoint"
            or "nearest".

    Raises:
        InvalidArgument: `q`, `interpolation` or `axis` is wrong.
        DTypeMismatch: `x` is not floating point.

    >>> import paddlite as paddle
    >>> paddle.quantile(paddle.to_tensor([1.0, 2.0, 3.0, 4.0, 5.0]), [0.25, 0.5]).tolist()
    [2.0, 3.0]
    """
    result = _quantile(x, q, axis, keepdim, interpolation, False, "quantile")
    return result if out is None else write(out, result)


def nanquantile(x: Any, q: Any, axis: Any = None, keepdim: bool = False, interpolation: str = "linear") -> Any:
    """`quantile` of the elements that are not NaN; NaN where there are none."""
    return _quantile(x, q, axis, keepdim, interpolation, True, "nanquantile")


def _quantile(x: Any, q: Any, axis: Any, keepdim: bool, interpolation: str, skip_nan: bool, function: str) -> Any:
    if x._dtype not in FLOATING:
        raise DTypeMismatch(f"{function}: x must be floating point, got {x.dtype}; cast it first")
    if isinstance(q, Variable):
        raise ProgramError(f"{function}: q must be known while a Program is recorded; pass numbers")
    if isinstance(q, Tensor):
        array = device.to_host(q._data)
        # a tensor of one element counts as a number
        q = float(array.item()) if array.size == 1 else [float(p) for p in array.reshape(-1)]
    several = isinstance(q, (list, tuple))
    chosen = tuple([float(p) for p in q]) if several else (float(q),)
    how = Quantiles(chosen, axis_argument(axis, function), keepdim, interpolation, skip_nan, several)
    return quantile_take(x, x, how=how)


def histogram(
    input: Any,
    bins: int = 100,
    min: float = 0.0,
    max: float = 0.0,
    weight: Any = None,
    density: bool = False,
    name: str | None = None,
) -> Any:
    """How many elements fall into each of `bins` equal parts of [min, max]; the last part includes `max`.

    Args:
        input: a real tensor; elements outside are not counted.
        bins: how many parts.
        min: lower bound; where both bounds are 0, they are those of the elements.
        max: upper bound.
        weight: a tensor of the shape of `input`: count these instead of ones.
        density: divide so that the area is 1.

    Returns int64, or float32 with `weight` or `density`.

    Raises:
        InvalidArgument: `bins` is below 1, or `min` above `max`.
        ShapeMismatch: `weight` has another shape.

    >>> import paddlite as paddle
    >>> paddle.histogram(paddle.to_tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3).tolist()
    [0, 2, 1, 0]
    """
    return statistics.histogram(
        input, weight, bins=int_argument(bins, "histogram", "bins"), low=float(min), high=float(max), density=density
    )


def histogram_bin_edges(
    input: Any, bins: int = 100, min: float = 0.0, max: float = 0.0, name: str | None = None
) -> Any:
    """The bounds (float32, one more than `bins`) of the parts that `histogram` counts in."""
    count = int_argument(bins, "histogram_bin_edges", "bins")
    if count < 1:
        raise InvalidArgument(f"histogram_bin_edges: bins must be at least 1, got {count}")
    return statistics.bin_edges(input, bins=count, low=float(min), high=float(max))


def histogramdd(
    x: Any,
    bins: Any = 10,
    ranges: Any = None,
    density: bool = False,
    weights: Any = None,
    name: str | None = None,
) -> tuple[Any, list[Any]]:
    """How many points fall into each cell of a grid, and the bounds of the cells along each axis.

    Args:
        x: floating, of any shape; its last axis holds the numbers of a point.
        bins: how many cells along each axis, an int or a list of ints; or a list of tensors, the rising bounds.
        ranges: lower and upper bound of each axis in turn; those of the points where it is None.
        density: divide so that the volume is 1.
        weights: a tensor of the shape of `x` without the last axis: count these instead of ones.

    Raises:
        InvalidArgument: `bins` or `ranges` does not fit the number of axes.
        ShapeMismatch: `weights` has another shape.

    >>> import paddlite as paddle
    >>> counts, bounds = paddle.histogramdd(paddle.to_tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), bins=[2, 2])
    >>> counts.tolist(), bounds[0].tolist()
    ([[0.0, 1.0], [1.0, 1.0]], [0.0, 1.0, 2.0])
    """
    if x._dtype not in FLOATING:
        raise DTypeMismatch(f"histogramdd: x must be floating point, got {x.dtype}; cast it first")
    axes = x._shape[-1]
    points = reshape(x, shape=(-1, axes))
    given = list(bins) if isinstance(bins, (list, tuple)) else [bins] * axes
    if len(given) != axes or (ranges is not None and len(ranges) != 2 * axes):
        raise InvalidArgument(
            f"histogramdd: points of {axes} numbers want {axes} entries of bins and {2 * axes} of ranges, got "
            f"{len(given)} and {None if ranges is None else len(ranges)}"
        )
    edges = []
    for axis, count in enumerate(given):
        if isinstance(count, (Tensor, Variable)) and count._shape:
            edges.append(count)
            continue
        low, high = (0.0, 0.0) if ranges is None else (float(ranges[2 * axis]), float(ranges[2 * axis + 1]))
        column = basic_index(points, index=(slice(None), axis))
        size = int_argument(count, "histogramdd", "bins")
        edges.append(statistics.bin_edges(column, bins=size, low=low, high=high, dtype=x._dtype))
    if weights is not None:
        weights = reshape(weights, shape=(-1,))
    return statistics.histogramdd(points, weights, *edges, density=density), edges


def bincount(x: Any, weights: Any = None, minlength: Any = 0, name: str | None = None) -> Any:
    """How often each of the numbers 0, 1, 2, ... occurs in `x`, a 1-D integer tensor.

    Args:
        weights: a tensor of the shape of `x`: count these instead of ones.
        minlength: the least length of the result.

    Raises:
        InvalidArgument: an element is negative.

    >>> import paddlite as paddle
    >>> paddle.bincount(paddle.to_tensor([1, 2, 1, 4])).tolist()
    [0, 2, 1, 0, 1]
    """
    return statistics.bincount(x, weights, minlength=int_argument(minlength, "bincount", "minlength"))


def cov(
    x: Any,
    rowvar: bool = True,
    ddof: bool = True,
    fweights: Any = None,
    aweights: Any = None,
    name: str | None = None,
) -> Any:
    """The covariances of variables, [n, n] for n variables; 0-D for one.

    Args:
        x: [variables, observations] floats, or a 1-D tensor of one variable's observations.
        rowvar: False where the rows are observations.
        ddof: divide by the number of observations less 1.
        fweights: how often each observation counts, integers.
        aweights: the weight of each observation.

    Raises:
        ShapeMismatch: `x` has more than 2 axes.

    >>> import paddlite as paddle
    >>> paddle.to_tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]).cov().tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    if not 1 <= len(x._shape) <= 2:
        raise ShapeMismatch(f"cov: x must have 1 or 2 axes, got shape {x.shape}")
    if x._dtype not in FLOATING:
        raise DTypeMismatch(f"cov: x must be floating point, got {x.dtype}; cast it first")
    single = len(x._shape) == 1
    rows = reshape(x, shape=(1, -1)) if single else x if rowvar else transpose(x, perm=(1, 0))
    weights = _weights(fweights, aweights, rows)
    if weights is None:
        centered = arithmetic.elementwise_sub(rows, reduce.reduce_mean(rows, axis=1, keepdim=True))
        degrees: Any = float(rows._shape[1] - int(ddof))
        weighted = centered
    else:
        total = reduce.reduce_sum(weights)
        mean = arithmetic.elementwise_div(
            reduce.reduce_sum(arithmetic.elementwise_mul(rows, weights), axis=1, keepdim=True), total
        )
        centered = arithmetic.elementwise_sub(rows, mean)
        weighted = arithmetic.elementwise_mul(centered, weights)
        degrees = _degrees(total, weights, aweights, ddof)
    out = arithmetic.elementwise_div(matmul(weighted, centered, transpose_y=True), degrees)
    return reshape(out, shape=()) if single or rows._shape[0] == 1 else out


def _weights(fweights: Any, aweights: Any, rows: Any) -> Any:
    given = [cast_to(w, rows._dtype) for w in (fweights, aweights) if w is not None]
    return arithmetic.elementwise_mul(*given) if len(given) == 2 else given[0] if given else None


def _degrees(total: Any, weights: Any, aweights: Any, ddof: bool) -> Any:
    if not ddof:
        return total
    if aweights is None:
        return arithmetic.elementwise_sub(total, 1)
    spread = reduce.reduce_sum(arithmetic.elementwise_mul(weights, cast_to(aweights, weights._dtype)))
    return arithmetic.elementwise_sub(total, arithmetic.elementwise_div(spread, total))


def corrcoef(x: Any, rowvar: bool = True, name: str | None = None) -> Any:
    """The correlations of variables, in [-1, 1]; arguments as for `cov`.

    >>> import paddlite as paddle
    >>> paddle.to_tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]).corrcoef().tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    covariance = cov(x, rowvar)
    if not covariance._shape:
        return arithmetic.elementwise_div(covariance, covariance)
    from paddlite.ops.rearrange import diagonal

    deviation = power.sqrt(diagonal(covariance))
    scaled = arithmetic.elementwise_div(covariance, reshape(deviation, shape=(-1, 1)))
    return clip(arithmetic.elementwise_div(scaled, deviation), -1.0, 1.0)
