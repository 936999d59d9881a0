"""Layer norm: each row brought to mean 0 and variance 1, then scaled and shifted (Ba et al., 2016)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddlite.core.errors import ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop, joint
from paddlite.ops.arithmetic import cast_like
from paddlite.ops.infer import axis_in
from paddlite.ops.like import reshape_like
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.rows import row_dot, row_sum
from paddlite.ops.shape import reshape
from paddlite.ops.standardize import second_gradients, statistics_dtype

_BLOCK = 192 * 1024  # elements of rows that are worked on at a time, so that they stay in the cache


def _norm_infer(
    x: Meta, scale: Meta | None, bias: Meta | None, *, begin_norm_axis: int = 1, epsilon: float = 1e-5
) -> tuple[Meta, Meta, Meta]:
    begin = axis_in(begin_norm_axis, len(x.shape), "layer_norm", "begin_norm_axis")
    for name, meta in (("weight", scale), ("bias", bias)):
        if meta is not None and -1 not in x.shape[begin:] and meta.size != math.prod(x.shape[begin:]):
            raise ShapeMismatch(
                f"layer_norm: {name} must have {math.prod(x.shape[begin:])} elements for the normalised sizes "
                f"{list(x.shape[begin:])}, got shape {list(meta.shape)}"
            )
    statistics = Meta(x.shape[:begin], statistics_dtype(x.dtype))
    return Meta(x.shape, x.dtype), statistics, statistics


def _blocks(xp: Any, rows: int, width: int) -> list[slice]:
    step = rows if xp is not np or rows * width < 4 * _BLOCK else max(1, _BLOCK // width)
    return [slice(i, i + step) for i in range(0, rows, max(1, step))]


def _flat(parameter: Any, dtype: np.dtype) -> Any:
    return None if parameter is None else parameter.reshape(-1).astype(dtype, copy=False)


def _norm_rule(
    g_out: Any,
    x: Any,
    scale: Any,
    like_bias: Any,
    mean: Any,
    variance: Any,
    begin_norm_axis: int,
    epsilon: float,
    needs: Any,
) -> tuple:
    dx, dscale, dbias = layer_norm_grad(
        x, scale, mean, variance, g_out, begin_norm_axis=begin_norm_axis, epsilon=epsilon
    )
    return dx, as_parameter(dscale, scale) if needs[1] else None, as_parameter(dbias, like_bias) if needs[2] else None


def as_parameter(g: Any, like: Any) -> Any:
    """The gradient `g` in the shape and dtype of the parameter."""
    g = g if len(g._shape) == len(like._shape) else reshape_like(g, like)
    return cast_like(g, like)


@defop(
    "layer_norm",
    infer=_norm_infer,
    outputs=("out", "mean", "variance"),
    amp="keep32_o1",
    amp_inputs=("x",),
    wide=True,
    partial_grads=True,
    no_grad_outputs=("mean", "variance"),
    vjp=joint(_norm_rule),
)
def layer_norm(
    xp: Any, x: Any, scale: Any, bias: Any, *, begin_norm_axis: int = 1, epsilon: float = 1e-5
) -> tuple[Any, Any, Any]:
    """(x - mean) / sqrt(variance + epsilon) * scale + bias over the axes from `begin_norm_axis` on."""
    begin = begin_norm_axis % x.ndim
    count, width = math.prod(x.shape[:begin]), math.prod(x.shape[begin:])
    if (scale is not None and scale.size != width) or (bias is not None and bias.size != width):
        _norm_infer(x, scale, bias, begin_norm_axis=begin_norm_axis)
    rows, scale, bias = x.reshape(count, width), _flat(scale, x.dtype), _flat(bias, x.dtype)
    out = xp.empty((count, width), x.dtype)
    mean, variance = xp.empty((count, 1), x.dtype), xp.empty((count, 1), x.dtype)
    for part in _blocks(xp, count, width):
        given, made = rows[part], out[part]
        middle = row_sum(xp, given)
        middle *= 1 / max(width, 1)
        xp.subtract(given, middle, out=made)
        spread = row_dot(xp, made, made)
        spread *= 1 / max(width, 1)
        mean[part], variance[part] = middle, spread
        spread += epsilon
        xp.sqrt(spread, out=spread)
        made *= xp.reciprocal(spread, out=spread)
        if scale is not None:
            made *= scale
        if bias is not None:
            made += bias
    return out.reshape(x.shape), mean.reshape(x.shape[:begin]), variance.reshape(x.shape[:begin])


def _grad_infer(
    x: Meta, scale: Meta | None, mean: Meta, variance: Meta, dy: Meta, *, begin_norm_axis: int, epsilon: float
) -> tuple[Meta, Meta, Meta]:
    begin = axis_in(begin_norm_axis, len(x.shape), "layer_norm", "begin_norm_axis")
    parameter = Meta(x.shape[begin:], statistics_dtype(x.dtype) if scale is None else scale.dtype)
    return Meta(x.shape, x.dtype), parameter, parameter


def _grad_rule(
    g_dx: Any, g_dscale: Any, g_dbias: Any, x: Any, scale: Any, dy: Any, begin_norm_axis: int, epsilon: float
) -> tuple:
    rank = len(x._shape)
    begin = begin_norm_axis % rank
    spread = scale
    if scale is not None and len(scale._shape) != rank - begin:
        spread = reshape(scale, shape=x._shape[begin:])
    axis = tuple(range(begin, rank))
    for_x, for_scale, for_dy = second_gradients(x, spread, dy, (g_dx, g_dscale, g_dbias), axis, epsilon)
    if scale is None or for_scale is None:
        return for_x, None, None, None, for_dy
    if begin:
        for_scale = reduce_sum(for_scale, axis=tuple(range(begin)))
    return for_x, as_parameter(for_scale, scale), None, None, for_dy


@defop(
    "layer_norm_grad",
    infer=_grad_infer,
    outputs=("dx", "dscale", "dbias"),
    amp_inputs=("x", "dy"),
    wide=True,
    partial_grads=True,
    vjp=joint(_grad_rule),
)
def layer_norm_grad(
    xp: Any, x: Any, scale: Any, mean: Any, variance: Any, dy: Any, *, begin_norm_axis: int, epsilon: float
) -> tuple[Any, Any, Any]:
    """The gradients for x, scale and bias; `mean` and `variance` are those of the rows of `x`."""
    begin = begin_norm_axis % x.ndim
    count, width = math.prod(x.shape[:begin]), math.prod(x.shape[begin:])
    rows, ups, parameter = x.reshape(count, width), dy.reshape(count, width), _flat(scale, x.dtype)
    mean, r = mean.reshape(count, 1), 1 / xp.sqrt(variance.reshape(count, 1) + epsilon)
    share = (parameter if scale is not None else xp.ones(width, x.dtype)) * (1 / max(width, 1))
    out = xp.empty((count, width), x.dtype)
    dscale, dbias = xp.zeros(width, x.dtype), xp.zeros(width, x.dtype)
    for part in _blocks(xp, count, width):
        up, made, inverse = ups[part], out[part], r[part]
        centred = rows[part] - mean[part]
        xp.multiply(up, centred, out=made)
        dscale += inverse[:, 0] @ made
        dbias += xp.ones(len(up), x.dtype) @ up
        slope = (made @ share)[:, None]  # mean(dy scale (x - mean))
        slope *= inverse
        slope *= inverse
        level = (up @ share)[:, None]
        centred *= slope
        if scale is None:
            xp.subtract(up, centred, out=made)
        else:
            xp.multiply(up, parameter, out=made)
            made -= centred
        made -= level
        made *= inverse
    kept = x.shape[begin:]
    dtype = x.dtype if scale is None else scale.dtype
    return (
        out.reshape(x.shape),
        dscale.reshape(kept).astype(dtype, copy=False),
        dbias.reshape(kept).astype(dtype, copy=False),
    )
