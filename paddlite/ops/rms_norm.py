"""RMS norm (Zhang and Sennrich, 2019), and local response normalisation (Krizhevsky et al., 2012)."""

from __future__ import annotations

import math
from typing import Any

from paddlite.core.errors import ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop, joint
from paddlite.ops.infer import axis_in, same
from paddlite.ops.layer_norm import as_parameter
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.rows import row_dot
from paddlite.ops.shape import reshape
from paddlite.ops.standardize import second_gradients, statistics_dtype


def _norm_infer(x: Meta, scale: Meta | None, *, begin_norm_axis: int = -1, epsilon: float = 1e-5) -> tuple[Meta, Meta]:
    begin = axis_in(begin_norm_axis, len(x.shape), "rms_norm", "begin_norm_axis")
    width = Meta(x.shape[begin:], x.dtype).size
    if scale is not None and -1 not in (width, scale.size) and scale.size != width:
        raise ShapeMismatch(
            f"rms_norm: weight must have {width} elements for the normalised sizes {list(x.shape[begin:])}, got shape "
            f"{list(scale.shape)}"
        )
    return Meta(x.shape, x.dtype), Meta(x.shape[:begin], statistics_dtype(x.dtype))


def _rule(g_out: Any, x: Any, scale: Any, inverse: Any, begin_norm_axis: int, epsilon: float, needs: tuple) -> tuple:
    dx, dscale = rms_norm_grad(x, scale, inverse, g_out, begin_norm_axis=begin_norm_axis, epsilon=epsilon)
    return dx, as_parameter(dscale, scale) if needs[1] else None


def _rows(x: Any, begin: int) -> Any:
    return x.reshape(math.prod(x.shape[:begin]), math.prod(x.shape[begin:]))


@defop(
    "rms_norm",
    infer=_norm_infer,
    outputs=("out", "inverse"),
    amp="keep32_o1",
    amp_inputs=("x",),
    check=True,
    wide=True,
    partial_grads=True,
    no_grad_outputs=("inverse",),
    vjp=joint(_rule),
)
def rms_norm(xp: Any, x: Any, scale: Any, *, begin_norm_axis: int = -1, epsilon: float = 1e-5) -> tuple[Any, Any]:
    """(x r scale, r) with r = 1 / sqrt(mean(x**2) + epsilon) over the axes from `begin_norm_axis` on."""
    begin = begin_norm_axis % x.ndim
    rows = _rows(x, begin)
    r = row_dot(xp, rows, rows)
    r *= 1 / max(rows.shape[1], 1)
    r += epsilon
    xp.sqrt(r, out=r)
    xp.reciprocal(r, out=r)
    out = rows * r
    if scale is not None:
        out *= scale.reshape(-1).astype(x.dtype, copy=False)
    return out.reshape(x.shape), r.reshape(x.shape[:begin])


def _grad_infer(
    x: Meta, scale: Meta | None, inverse: Meta, dy: Meta, *, begin_norm_axis: int, epsilon: float
) -> tuple[Meta, Meta]:
    begin = axis_in(begin_norm_axis, len(x.shape), "rms_norm", "begin_norm_axis")
    dtype = statistics_dtype(x.dtype) if scale is None else scale.dtype
    return Meta(x.shape, x.dtype), Meta(x.shape[begin:], dtype)


def _grad_rule(g_dx: Any, g_dscale: Any, x: Any, scale: Any, dy: Any, begin_norm_axis: int, epsilon: float) -> tuple:
    rank = len(x._shape)
    begin = begin_norm_axis % rank
    spread = scale
    if scale is not None and len(scale._shape) != rank - begin:
        spread = reshape(scale, shape=x._shape[begin:])
    axis = tuple(range(begin, rank))
    for_x, for_scale, for_dy = second_gradients(x, spread, dy, (g_dx, g_dscale, None), axis, epsilon, centre=False)
    if scale is None or for_scale is None:
        return for_x, None, None, for_dy
    if begin:
        for_scale = reduce_sum(for_scale, axis=tuple(range(begin)))
    return for_x, as_parameter(for_scale, scale), None, for_dy


@defop(
    "rms_norm_grad",
    infer=_grad_infer,
    outputs=("dx", "dscale"),
    amp_inputs=("x", "dy"),
    wide=True,
    partial_grads=True,
    vjp=joint(_grad_rule),
)
def rms_norm_grad(
    xp: Any, x: Any, scale: Any, inverse: Any, dy: Any, *, begin_norm_axis: int, epsilon: float
) -> tuple[Any, Any]:
    """The gradients for x and scale."""
    begin = begin_norm_axis % x.ndim
    rows, up, r = _rows(x, begin), _rows(dy, begin), inverse.reshape(-1, 1).astype(x.dtype, copy=False)
    width = max(rows.shape[1], 1)
    parameter = xp.ones(width, x.dtype) if scale is None else scale.reshape(-1).astype(x.dtype, copy=False)
    hat = rows * r
    made = up * hat
    dscale = xp.ones(len(up), x.dtype) @ made
    hat *= (made @ (parameter * (1 / width)))[:, None]
    xp.multiply(up, parameter, out=made)
    made -= hat
    made *= r
    dtype = x.dtype if scale is None else scale.dtype
    return made.reshape(x.shape), dscale.reshape(x.shape[begin:]).astype(dtype, copy=False)


def _window_infer(x: Meta, *, axis: int, before: int, after: int) -> Meta:
    axis_in(axis, len(x.shape), "window_sum")
    return same(x)


@defop(
    "window_sum",
    infer=_window_infer,
    wide=True,
    vjp={"x": lambda g, axis, before, after: window_sum(g, axis=axis, before=after, after=before)},
)
def window_sum(xp: Any, x: Any, *, axis: int, before: int, after: int) -> Any:
    """At each place along `axis` the sum of the element, `before` ones before it and `after` ones after it."""
    out = x.copy()
    size = x.shape[axis]
    from_, into = xp.moveaxis(x, axis, 0), xp.moveaxis(out, axis, 0)
    for step in range(1, min(before, size - 1) + 1):
        into[step:] += from_[:-step]
    for step in range(1, min(after, size - 1) + 1):
        into[:-step] += from_[step:]
    return out
