"""Group norm (Wu and He, 2018) and instance norm (Ulyanov et al., 2016): means and variances within one sample."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument
from paddlite.core.meta import Meta
from paddlite.core.op import defop, joint
from paddlite.ops.batch_norm import channel_axis, check_channels
from paddlite.ops.channels import channel_dot, channel_sum, channels_last, combine, skewed
from paddlite.ops.layer_norm import as_parameter
from paddlite.ops.like import reshape_like
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.shape import inverse_permutation, reshape, transpose
from paddlite.ops.standardize import second_gradients, statistics_dtype


class Samples:
    """Arrays of one shape looked at sample by sample, for sums and maps per sample and channel ([samples, channels]).

    Where the channels lie closest together in memory each sample is a view [rows, channels]; else all are one view
    [1, samples * channels, inner].
    """

    __slots__ = ("apart", "axis", "channels", "samples", "shape", "xp")

    def __init__(self, xp: Any, x: Any, axis: int):
        self.xp, self.axis, self.shape = xp, axis, x.shape
        self.samples, self.channels = x.shape[0], x.shape[axis]
        inner = math.prod(x.shape[1:]) // max(1, self.channels)
        self.apart = xp is np and inner > 1 and channels_last(x, axis)

    def views(self, x: Any) -> list:
        if self.apart:
            return [v.reshape(-1, self.channels) for v in np.moveaxis(x, self.axis, -1)]
        return [self.xp.moveaxis(x, self.axis, 1).reshape(1, self.samples * self.channels, -1)]

    def _table(self, values: list) -> Any:
        return (np.stack(values) if self.apart else values[0]).reshape(self.samples, self.channels)

    def sums(self, views: list) -> Any:
        return self._table([channel_sum(self.xp, v) for v in views])

    def dots(self, views: list, others: list) -> Any:
        return self._table([channel_dot(self.xp, v, w) for v, w in zip(views, others)])

    def combined(self, terms: list, shift: Any, dtype: np.dtype) -> Any:
        """The sum of views * factors plus `shift`, in the shape and memory order of the arrays."""
        rest = tuple([s for i, s in enumerate(self.shape) if i not in (0, self.axis)])
        if not self.apart:
            flat = [(views[0], factor.reshape(-1)) for views, factor in terms]
            out = combine(self.xp, flat, shift.reshape(-1)).reshape(self.samples, self.channels, *rest)
            return self.xp.ascontiguousarray(self.xp.moveaxis(out, 1, self.axis))
        out = np.empty((self.samples, *rest, self.channels), dtype)
        for n in range(self.samples):
            combine(np, [(views[n], factor[n]) for views, factor in terms], shift[n], out[n])
        return np.moveaxis(out, -1, self.axis)


def _grouped(table: Any, groups: int) -> Any:
    """Sums over the channels of each group, [samples, groups]."""
    return table if groups == table.shape[1] else table.reshape(len(table), groups, -1).sum(axis=-1)


def _spread(table: Any, channels: int) -> Any:
    """One value a group, repeated for each of its channels."""
    return table if table.shape[1] == channels else table.repeat(channels // table.shape[1], axis=1)


def _check(name: str, x: Meta, scale: Meta | None, bias: Meta | None, groups: int, data_format: str) -> Meta:
    axis = channel_axis(name, data_format, len(x.shape))
    check_channels(name, x, axis, weight=scale, bias=bias)
    if groups < 1 or (x.shape[axis] >= 0 and x.shape[axis] % groups):
        raise InvalidArgument(f"{name}: {x.shape[axis]} channels do not divide into {groups} groups")
    return Meta((x.shape[0], groups), statistics_dtype(x.dtype))


def _group_infer(
    x: Meta, scale: Meta | None, bias: Meta | None, *, groups: int, epsilon: float = 1e-5, data_format: str = "NCHW"
) -> tuple[Meta, Meta, Meta]:
    statistics = _check("group_norm", x, scale, bias, groups, data_format)
    return Meta(x.shape, x.dtype), statistics, statistics


def _instance_infer(
    x: Meta, scale: Meta | None, bias: Meta | None, *, epsilon: float = 1e-5, data_format: str = "NCHW"
) -> tuple[Meta, Meta, Meta]:
    channels = x.shape[channel_axis("instance_norm", data_format, len(x.shape))]
    statistics = _check("instance_norm", x, scale, bias, max(channels, 1), data_format)
    return (
        Meta(x.shape, x.dtype),
        Meta((x.shape[0], channels), statistics.dtype),
        Meta((x.shape[0], channels), statistics.dtype),
    )


def _normalized(xp: Any, x: Any, scale: Any, bias: Any, groups: int, epsilon: float, axis: int) -> tuple[Any, Any, Any]:
    if x.size == 0:
        return x.copy(), xp.zeros((x.shape[0], groups), x.dtype), xp.zeros((x.shape[0], groups), x.dtype)
    looked_at = Samples(xp, x, axis)
    views, channels = looked_at.views(x), looked_at.channels
    share = x.shape[0] * groups / x.size
    mean = _grouped(looked_at.sums(views), groups) * share
    variance = _grouped(looked_at.dots(views, views), groups) * share - mean * mean
    centre = mean
    if skewed(xp, mean, variance):
        views, centre = _centred(looked_at, views, mean), mean * 0
        variance = _grouped(looked_at.dots(views, views), groups) * share
    factor = _spread(1 / xp.sqrt(variance + epsilon), channels)
    if scale is not None:
        factor = factor * scale.astype(x.dtype, copy=False)
    shift = -_spread(centre, channels) * factor
    if bias is not None:
        shift += bias.astype(x.dtype, copy=False)
    return looked_at.combined([(views, factor)], shift, x.dtype), mean, variance


def _centred(looked_at: Samples, views: list, mean: Any) -> list:
    table = _spread(mean, looked_at.channels)
    if looked_at.apart:
        return [v - row for v, row in zip(views, table)]
    return [views[0] - table.reshape(1, -1, 1)]


def _rule(
    g_out: Any, x: Any, scale: Any, like_bias: Any, mean: Any, variance: Any, groups: int, epsilon: float,
    data_format: str, needs: tuple,
) -> tuple:  # fmt: skip
    dx, dscale, dbias = group_norm_grad(
        x, scale, mean, variance, g_out, groups=groups, epsilon=epsilon, data_format=data_format
    )
    return dx, as_parameter(dscale, scale) if needs[1] else None, as_parameter(dbias, like_bias) if needs[2] else None


def _instance_rule(
    g_out: Any,
    x: Any,
    scale: Any,
    like_bias: Any,
    mean: Any,
    variance: Any,
    epsilon: float,
    data_format: str,
    needs: tuple,
) -> tuple:
    groups = x._shape[channel_axis("instance_norm", data_format, len(x._shape))]
    return _rule(g_out, x, scale, like_bias, mean, variance, groups, epsilon, data_format, needs)


_FACTS: dict[str, Any] = {
    "outputs": ("out", "mean", "variance"), "amp_inputs": ("x",), "wide": True, "partial_grads": True,
    "no_grad_outputs": ("mean", "variance"),
}  # fmt: skip


@defop("group_norm", infer=_group_infer, amp="keep32_o1", vjp=joint(_rule), **_FACTS)
def group_norm(
    xp: Any, x: Any, scale: Any, bias: Any, *, groups: int, epsilon: float = 1e-5, data_format: str = "NCHW"
) -> tuple[Any, Any, Any]:
    """Each group of channels of each sample brought to mean 0 and variance 1, then scaled and shifted by channel."""
    _group_infer(x, scale, bias, groups=groups, data_format=data_format)
    return _normalized(xp, x, scale, bias, groups, epsilon, channel_axis("group_norm", data_format, x.ndim))


@defop("instance_norm", infer=_instance_infer, vjp=joint(_instance_rule), **_FACTS)
def instance_norm(
    xp: Any, x: Any, scale: Any, bias: Any, *, epsilon: float = 1e-5, data_format: str = "NCHW"
) -> tuple[Any, Any, Any]:
    """Each channel of each sample brought to mean 0 and variance 1, then scaled and shifted."""
    _instance_infer(x, scale, bias, data_format=data_format)
    axis = channel_axis("instance_norm", data_format, x.ndim)
    return _normalized(xp, x, scale, bias, x.shape[axis], epsilon, axis)


def _grad_infer(
    x: Meta, scale: Meta | None, mean: Meta, variance: Meta, dy: Meta, *, groups: int, epsilon: float, data_format: str
) -> tuple[Meta, Meta, Meta]:
    axis = channel_axis("group_norm", data_format, len(x.shape))
    parameter = Meta((x.shape[axis],), statistics_dtype(x.dtype) if scale is None else scale.dtype)
    return Meta(x.shape, x.dtype), parameter, parameter


def _grad_rule(
    g_dx: Any, g_dscale: Any, g_dbias: Any, x: Any, scale: Any, dy: Any, groups: int, epsilon: float, data_format: str
) -> tuple:
    rank = len(x._shape)
    axis = channel_axis("group_norm", data_format, rank)
    order = (0, axis, *[i for i in range(1, rank) if i != axis])
    size = x._shape[axis] // groups

    def parted(t: Any) -> Any:
        """[samples, groups, channels of a group, inner]."""
        return None if t is None else reshape(transpose(t, perm=order), shape=(0, groups, size, -1))

    def whole(t: Any) -> Any:
        return (
            None if t is None else transpose(reshape_like(t, transpose(x, perm=order)), perm=inverse_permutation(order))
        )

    spread, a, b = (None if t is None else reshape(t, shape=(1, groups, size, 1)) for t in (scale, g_dscale, g_dbias))
    for_x, for_scale, for_dy = second_gradients(parted(x), spread, parted(dy), (parted(g_dx), a, b), (2, 3), epsilon)
    if scale is not None and for_scale is not None:
        for_scale = as_parameter(reshape_like(reduce_sum(for_scale, axis=(0, 3)), scale), scale)
    return whole(for_x), for_scale if scale is not None else None, None, None, whole(for_dy)


@defop(
    "group_norm_grad",
    infer=_grad_infer,
    outputs=("dx", "dscale", "dbias"),
    amp_inputs=("x", "dy"),
    wide=True,
    partial_grads=True,
    vjp=joint(_grad_rule),
)
def group_norm_grad(
    xp: Any, x: Any, scale: Any, mean: Any, variance: Any, dy: Any, *, groups: int, epsilon: float, data_format: str
) -> tuple[Any, Any, Any]:
    """The gradients for x, scale and bias."""
    dtype = x.dtype if scale is None else scale.dtype
    looked_at = Samples(xp, x, channel_axis("group_norm", data_format, x.ndim))
    if x.size == 0:
        return x.copy(), xp.zeros(looked_at.channels, dtype), xp.zeros(looked_at.channels, dtype)
    views, ups, channels = looked_at.views(x), looked_at.views(dy), looked_at.channels
    share = x.shape[0] * groups / x.size
    mean, variance = mean.astype(x.dtype, copy=False), variance.astype(x.dtype, copy=False)
    if skewed(xp, mean, variance):
        views, mean = _centred(looked_at, views, mean), mean * 0
    r = 1 / xp.sqrt(variance + epsilon)
    level = looked_at.sums(ups)
    slope = (looked_at.dots(ups, views) - _spread(mean, channels) * level) * _spread(r, channels)
    dbias, dscale = level.sum(axis=0), slope.sum(axis=0)
    factor = _spread(r, channels)
    if scale is not None:
        weight = scale.astype(x.dtype, copy=False)
        level, slope, factor = level * weight, slope * weight, factor * weight
    pull = -_grouped(slope, groups) * r * r * share
    shift = -_grouped(level, groups) * r * share - pull * mean
    terms = [(ups, factor), (views, _spread(pull, channels))]
    dx = looked_at.combined(terms, _spread(shift, channels), x.dtype)
    return dx, dscale.astype(dtype, copy=False), dbias.astype(dtype, copy=False)
