"""Scaling, clipping, interpolation, and other elementwise functions that have parameters."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop, joint
from paddlite.core.promote import promote_types
from paddlite.core.tensor import TensorBase
from paddlite.ops.arithmetic import (
    binary,
    conj,
    elementwise_add,
    elementwise_mul,
    elementwise_sub,
    quotient_infer,
    sign,
)  # fmt: skip
from paddlite.ops.compare import equal, greater_than, isfinite, less_than, logical_and, logical_or
from paddlite.ops.infer import broadcast, broadcast_shapes, merge_size, same
from paddlite.ops.like import reshape_like, unbroadcast, zeros_like
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.select import where


def _scale_infer(x: Meta, factor: Meta, *, bias: float = 0.0, bias_after_scale: bool = True) -> Meta:
    if factor.size not in (1, -1):
        raise ShapeMismatch(f"scale: the factor must have one element, got shape {list(factor.shape)}")
    return Meta(x.shape, promote_types(x.dtype, factor.dtype))


def _factor_rule(g: Any, x: Any, like_factor: Any, bias: float, bias_after_scale: bool) -> Any:
    scaled = x if bias_after_scale or not bias else elementwise_add(x, bias)
    return reshape_like(reduce_sum(elementwise_mul(g, conj(scaled))), like_factor)


@defop(
    "scale",
    infer=_scale_infer,
    elementwise=True,
    promote=("x", "factor"),
    wide=True,
    vjp={"x": lambda g, factor: scale(g, conj(factor)), "factor": _factor_rule},
)
def scale(xp: Any, x: Any, factor: Any, *, bias: float = 0.0, bias_after_scale: bool = True) -> Any:
    """factor * x + bias, or factor * (x + bias)."""
    if getattr(factor, "shape", ()):
        factor = factor.reshape(())
    if not bias:
        return x * factor
    bias = x.dtype.type(bias)
    out = x * factor if bias_after_scale else x + bias
    if bias_after_scale:
        out += bias
    else:
        out *= factor
    return out


def _clip_infer(x: Meta, low: Meta | None, high: Meta | None) -> Meta:
    shape, dtype = x.shape, x.dtype
    for bound in (low, high):
        if bound is not None:
            shape = broadcast_shapes(shape, bound.shape, "clip")
            dtype = promote_types(dtype, bound.dtype)
    return Meta(shape, dtype)


def _low_rule(g: Any, x: Any, low: Any, high: Any, like_low: Any) -> Any:
    chosen = less_than(x, low)
    if high is not None:
        chosen = logical_and(chosen, less_than(low, high))
    return unbroadcast(where(chosen, g, 0), like_low)


def _high_rule(g: Any, x: Any, low: Any, high: Any, like_high: Any) -> Any:
    chosen = greater_than(x, high)
    if low is not None:
        chosen = logical_or(chosen, greater_than(low, high))
    return unbroadcast(where(chosen, g, 0), like_high)


@defop(
    "clip",
    infer=_clip_infer,
    elementwise=True,
    promote=("x", "low", "high"),
    vjp={
        "x": lambda g, x, out, like_x: unbroadcast(where(equal(x, out), g, 0), like_x),
        "low": _low_rule,
        "high": _high_rule,
    },
)
def clip(xp: Any, x: Any, low: Any, high: Any) -> Any:
    """`x` kept between the bounds, each of which may be None; the gradient passes where `x` is on or inside them."""
    if low is None or high is None:
        if low is not None:
            return xp.maximum(x, low)
        return xp.positive(x) if high is None else xp.minimum(x, high)
    return x.clip(low, high)


def _three_infer(x: Meta, y: Meta, weight: Meta) -> Meta:
    both = broadcast(x, y)
    return Meta(broadcast_shapes(both.shape, weight.shape, "lerp"), promote_types(both.dtype, weight.dtype))


def _rest(weight: Any) -> Any:
    return elementwise_sub(1, weight) if isinstance(weight, TensorBase) else 1 - weight


def _weight_rule(g: Any, x: Any, y: Any, like_weight: Any) -> Any:
    return unbroadcast(elementwise_mul(g, conj(elementwise_sub(y, x))), like_weight)


@defop(
    "lerp",
    infer=_three_infer,
    elementwise=True,
    wide=True,
    promote=("x", "y", "weight"),
    floats=True,
    vjp={
        "x": lambda g, weight, like_x: unbroadcast(elementwise_mul(g, conj(_rest(weight))), like_x),
        "y": lambda g, weight, like_y: unbroadcast(elementwise_mul(g, conj(weight)), like_y),
        "weight": _weight_rule,
    },
)
def lerp(xp: Any, x: Any, y: Any, weight: Any) -> Any:
    return x + weight * (y - x)


def _value_rule(g: Any, x: Any, like_y: Any) -> Any:
    return unbroadcast(where(equal(x, 0), g, 0), like_y)


@defop(
    "elementwise_heaviside",
    infer=broadcast,
    promote=("x", "y"),
    elementwise=True,
    vjp={"x": lambda like_x: zeros_like(like_x), "y": _value_rule},
)
def heaviside(xp: Any, x: Any, y: Any) -> Any:
    """0 where x < 0, 1 where x > 0, `y` where x is 0, NaN where x is NaN."""
    one, zero = x.dtype.type(1), x.dtype.type(0)
    side = xp.where(x > zero, one, xp.where(x < zero, zero, x))
    return xp.where(x == zero, y, side)


copysign = binary(
    "copysign",
    "copysign",
    {
        "x": lambda g, x, out, like_x: unbroadcast(elementwise_mul(g, elementwise_mul(sign(x), sign(out))), like_x),
        "y": lambda like_y: zeros_like(like_y),
    },
    infer=quotient_infer,
    floats=True,
)
nextafter = binary("nextafter", "nextafter", infer=quotient_infer, floats=True)


@defop("nan_to_num", infer=same, elementwise=True, vjp={"x": lambda g, x: where(isfinite(x), g, 0)})
def nan_to_num(xp: Any, x: Any, *, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Any:
    """`x` with NaN and the infinities replaced; None stands for the largest and the smallest finite number."""
    return xp.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def _sum_infer(*xs: Meta) -> Meta:
    if not xs:
        raise InvalidArgument("add_n: the list of tensors is empty")
    shape, dtype = xs[0].shape, xs[0].dtype
    for x in xs[1:]:
        if len(x.shape) != len(shape):
            raise ShapeMismatch(f"add_n: all tensors must have one shape, got {list(shape)} and {list(x.shape)}")
        shape = tuple([merge_size(a, b, "add_n", "the sizes") for a, b in zip(shape, x.shape)])
        if x.dtype != dtype:
            raise DTypeMismatch(f"add_n: all tensors must have one dtype, got {dtype} and {x.dtype}")
    return Meta(shape, dtype)


@defop("sum", infer=_sum_infer, elementwise=True, check=True, vjp=joint(lambda g, needs: [g] * len(needs)))
def add_n(xp: Any, *xs: Any) -> Any:
    """The sum of tensors of one shape."""
    if len(xs) == 1:
        return xs[0].copy()
    out = xs[0] + xs[1]
    for x in xs[2:]:
        out += x
    return out
