"""Batch norm: each channel brought to mean 0 and variance 1 over the batch (Ioffe and Szegedy, 2015)."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop, joint
from paddlite.ops.arithmetic import elementwise_add, elementwise_div, elementwise_mul, elementwise_sub
from paddlite.ops.channels import Channels, channel_dot, channel_sum, combine, moments, skewed
from paddlite.ops.layer_norm import as_parameter
from paddlite.ops.like import full_like
from paddlite.ops.power import sqrt
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.shape import reshape
from paddlite.ops.standardize import second_gradients, statistics_dtype


def channel_axis(name: str, data_format: str, rank: int) -> int:
    """The axis of the channels.

    Raises:
        InvalidArgument: `data_format` is unknown or `x` has too few axes.
    """
    if data_format not in ("NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC", "NDHWC"):
        raise InvalidArgument(
            f"{name}: data_format must be NC, NCL, NCHW, NCDHW, NLC, NHWC or NDHWC, got {data_format!r}"
        )
    if rank < 2:
        raise InvalidArgument(f"{name}: x must have at least 2 axes, a batch and channels; it has {rank}")
    return rank - 1 if data_format.endswith("C") and rank > 2 else 1


def check_channels(name: str, x: Meta, axis: int, **parameters: Meta | None) -> None:
    """Raise ShapeMismatch where a parameter is not of one value a channel."""
    channels = x.shape[axis]
    for parameter, meta in parameters.items():
        if meta is not None and (
            len(meta.shape) != 1 or (meta.shape[0] != channels and -1 not in (meta.shape[0], channels))
        ):
            raise ShapeMismatch(
                f"{name}: {parameter} must have shape [{channels}], one value for each channel of x {list(x.shape)}, "
                f"got {list(meta.shape)}"
            )


def _norm_infer(
    x: Meta, scale: Meta | None, bias: Meta | None, mean: Meta, variance: Meta, *, momentum: float = 0.9,
    epsilon: float = 1e-5, data_format: str = "NCHW", training: bool = False, use_global_stats: bool | None = None,
) -> tuple[Meta, ...]:  # fmt: skip
    axis = channel_axis("batch_norm", data_format, len(x.shape))
    check_channels("batch_norm", x, axis, weight=scale, bias=bias, running_mean=mean, running_var=variance)
    used = Meta((x.shape[axis],), statistics_dtype(x.dtype))
    return Meta(x.shape, x.dtype), Meta(mean.shape, mean.dtype), Meta(variance.shape, variance.dtype), used, used


def _uses_given(training: bool, use_global_stats: bool | None) -> bool:
    return not training if use_global_stats is None else use_global_stats


def _norm_rule(
    g_out: Any, x: Any, scale: Any, like_bias: Any, saved_mean: Any, saved_variance: Any, epsilon: float,
    data_format: str, training: bool, use_global_stats: Any, needs: tuple,
) -> tuple:  # fmt: skip
    dx, dscale, dbias = batch_norm_grad(
        x, scale, saved_mean, saved_variance, g_out, epsilon=epsilon, data_format=data_format,
        given=_uses_given(training, use_global_stats),
    )  # fmt: skip
    return (
        dx,
        as_parameter(dscale, scale) if needs[1] else None,
        as_parameter(dbias, like_bias) if needs[2] else None,
        None,
        None,
    )


@defop(
    "batch_norm",
    infer=_norm_infer,
    outputs=("out", "mean_out", "variance_out", "saved_mean", "saved_variance"),
    amp_inputs=("x",),
    wide=True,
    partial_grads=True,
    no_grad_outputs=("mean_out", "variance_out", "saved_mean", "saved_variance"),
    vjp=joint(_norm_rule),
)
def batch_norm(
    xp: Any, x: Any, scale: Any, bias: Any, mean: Any, variance: Any, *, momentum: float = 0.9, epsilon: float = 1e-5,
    data_format: str = "NCHW", training: bool = False, use_global_stats: bool | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    """(x - m) / sqrt(v + epsilon) * scale + bias for each channel, the new running statistics, m and v.

    m and v are those of the batch in training and the running ones `mean` and `variance` in evaluation, unless
    `use_global_stats` says which.  Running statistics become momentum * old + (1 - momentum) * new, with the variance
    of the batch itself (divided by the number of elements).
    """
    attrs = {"data_format": data_format, "training": training, "use_global_stats": use_global_stats}
    _norm_infer(x, scale, bias, mean, variance, **attrs)
    looked_at = Channels(x, channel_axis("batch_norm", data_format, x.ndim))
    view, kept = looked_at.view(x), 1 - momentum
    if _uses_given(training, use_global_stats) or x.size == 0:
        m, v = mean.astype(x.dtype), variance.astype(x.dtype)
        new_mean, new_variance, centre = mean.copy(), variance.copy(), m
    else:
        m, v, centred = moments(xp, view, looked_at.count)
        view, centre = (view, m) if centred is None else (centred, None)
        new_mean = (mean * momentum + m * kept).astype(mean.dtype, copy=False)
        new_variance = (variance * momentum + v * kept).astype(variance.dtype, copy=False)
    factor = 1 / xp.sqrt(v + epsilon)
    if scale is not None:
        factor = factor * scale.astype(x.dtype, copy=False)
    shift = None if bias is None else bias.astype(x.dtype, copy=False)
    if centre is not None:
        shift = -centre * factor if shift is None else shift - centre * factor
    return looked_at.back(combine(xp, [(view, factor)], shift)), new_mean, new_variance, m, v


def _grad_infer(
    x: Meta, scale: Meta | None, mean: Meta, variance: Meta, dy: Meta, *, epsilon: float, data_format: str, given: bool
) -> tuple[Meta, Meta, Meta]:
    axis = channel_axis("batch_norm", data_format, len(x.shape))
    parameter = Meta((x.shape[axis],), statistics_dtype(x.dtype) if scale is None else scale.dtype)
    return Meta(x.shape, x.dtype), parameter, parameter


def per_channel(values: Any, rank: int, axis: int) -> Any:
    """One value a channel in a shape that broadcasts with a tensor of `rank` axes; None stays None."""
    return None if values is None else reshape(values, shape=(1,) * axis + (-1,) + (1,) * (rank - axis - 1))


def _grad_rule(
    g_dx: Any, g_dscale: Any, g_dbias: Any, x: Any, scale: Any, mean: Any, variance: Any, dy: Any, epsilon: float,
    data_format: str, given: bool,
) -> tuple:  # fmt: skip
    rank = len(x._shape)
    axis = channel_axis("batch_norm", data_format, rank)
    others = tuple(i for i in range(rank) if i != axis)
    spread, a, b = (per_channel(t, rank, axis) for t in (scale, g_dscale, g_dbias))
    if given:
        r = per_channel(elementwise_div(1.0, sqrt(elementwise_add(variance, epsilon))), rank, axis)
        found = _given_rule(x, spread, per_channel(mean, rank, axis), r, dy, (g_dx, a, b))
    else:
        found = second_gradients(x, spread, dy, (g_dx, a, b), others, epsilon)
    for_x, for_scale, for_dy = found
    if scale is not None and for_scale is not None:
        for_scale = as_parameter(reduce_sum(for_scale, axis=others), scale)
    return for_x, for_scale if scale is not None else None, None, None, for_dy


def _given_rule(x: Any, scale: Any, mean: Any, r: Any, dy: Any, gradients: tuple) -> tuple:
    v, a, b = gradients
    for_x = for_scale = for_dy = None
    if v is not None:
        for_scale = elementwise_mul(elementwise_mul(v, dy), r)
        for_dy = elementwise_mul(v, r if scale is None else elementwise_mul(r, scale))
    if a is not None:
        factor = elementwise_mul(a, r)
        for_x = elementwise_mul(dy, factor)
        term = elementwise_mul(elementwise_sub(x, mean), factor)
        for_dy = term if for_dy is None else elementwise_add(for_dy, term)
    if b is not None:
        term = elementwise_mul(full_like(dy, value=1.0), b)
        for_dy = term if for_dy is None else elementwise_add(for_dy, term)
    return for_x, for_scale, for_dy


@defop(
    "batch_norm_grad",
    infer=_grad_infer,
    outputs=("dx", "dscale", "dbias"),
    amp_inputs=("x", "dy"),
    wide=True,
    partial_grads=True,
    vjp=joint(_grad_rule),
)
def batch_norm_grad(
    xp: Any, x: Any, scale: Any, mean: Any, variance: Any, dy: Any, *, epsilon: float, data_format: str, given: bool
) -> tuple[Any, Any, Any]:
    """The gradients for x, scale and bias; `given` where mean and variance do not depend on x."""
    looked_at = Channels(x, channel_axis("batch_norm", data_format, x.ndim))
    view, up = looked_at.view(x), looked_at.view(dy)
    mean = mean.astype(x.dtype, copy=False)
    r = 1 / xp.sqrt(variance.astype(x.dtype, copy=False) + epsilon)
    if skewed(xp, mean, variance):
        view, mean = combine(xp, [(view, xp.ones_like(mean))], -mean), xp.zeros_like(mean)
    dbias = channel_sum(xp, up)
    dscale = (channel_dot(xp, up, view) - mean * dbias) * r
    factor = r if scale is None else r * scale.astype(x.dtype, copy=False)
    if given or x.size == 0:
        dx = combine(xp, [(up, factor)])
    else:
        share = x.dtype.type(1 / looked_at.count)
        slope = -factor * r * dscale * share
        dx = combine(xp, [(up, factor), (view, slope)], -slope * mean - factor * dbias * share)
    dtype = x.dtype if scale is None else scale.dtype
    return looked_at.back(dx), dscale.astype(dtype, copy=False), dbias.astype(dtype, copy=False)
