"""Writing, adding and reducing along an axis at the places that `take_along_axis` would read."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import BOOL, F64
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.accumulate import add_rows
from paddlite.ops.arithmetic import cast, conj, elementwise_div, elementwise_mul, elementwise_sub
from paddlite.ops.compare import equal
from paddlite.ops.gather import along_shape, linear, spread_index, take_along_axis
from paddlite.ops.infer import fits_into
from paddlite.ops.like import full_like, unbroadcast, zeros_like
from paddlite.ops.select import where


def _place_shape(x: Meta, index: Meta, axis: int, broadcast: bool) -> tuple[int, ...]:
    shape = along_shape(x, index, axis, "put_along_axis")
    return shape if broadcast else index.shape


def _put_infer(choices: tuple[str, ...]) -> Any:
    def infer(
        x: Meta,
        index: Meta,
        value: Meta,
        *,
        axis: int,
        reduce: str = choices[0],
        include_self: bool = True,
        broadcast: bool = True,
    ) -> Meta:
        if reduce not in choices:
            raise InvalidArgument(f"put_along_axis: reduce must be one of {', '.join(choices)}, got {reduce!r}")
        place = _place_shape(x, index, axis, broadcast)
        if not fits_into(value.shape, place):
            raise ShapeMismatch(
                f"put_along_axis: values {list(value.shape)} do not fit the places {list(place)} that the index names"
            )
        return Meta(x.shape, x.dtype)

    return infer


def _prepared(xp: Any, x: Any, index: Any, value: Any, axis: int, broadcast: bool) -> tuple[Any, Any, Any]:
    """A flat copy of `x`, the places in it, and a value for each."""
    index = spread_index(xp, x, index, axis, broadcast, "put_along_axis")
    places = linear(xp, x.shape, index, axis, "put_along_axis").reshape(-1)
    values = xp.broadcast_to(value, index.shape).reshape(-1).astype(x.dtype, copy=False)
    return x.reshape(-1).copy(), places, values


def _counts(like_x: Any, index: Any, like_value: Any, include_self: bool, where_: dict[str, Any]) -> Any:
    """How many numbers each element of a mean is made of."""
    ones, one = full_like(like_x, value=1), full_like(like_value, value=1)
    return put_along_axis(ones, index, one, reduce="add", include_self=include_self, **where_)


def _target_rule(
    g: Any, like_x: Any, index: Any, like_value: Any, reduce: str, include_self: bool, where_: dict
) -> Any:
    if reduce == "assign" or not include_self:
        return put_along_axis(g, index, zeros_like(like_value), reduce="assign", **where_)
    return g if reduce == "add" else elementwise_div(g, _counts(like_x, index, like_value, True, where_))


def _value_rule(g: Any, like_x: Any, index: Any, like_value: Any, reduce: str, include_self: bool, where_: dict) -> Any:
    if reduce == "mean":
        g = elementwise_div(g, _counts(like_x, index, like_value, include_self, where_))
    taken = take_along_axis(g, index, **where_)
    if reduce == "assign":  # of several values for one place, the last is there
        taken = where(put_winners(like_x, index, **where_), taken, 0)
    return unbroadcast(taken, like_value)


@defop(
    "put_along_axis",
    infer=_put_infer(("assign", "add", "mean")),
    wide=True,
    check=True,
    amp_inputs=("x", "value"),
    vjp={
        "x": lambda g, like_x, index, like_value, axis, reduce, include_self, broadcast: _target_rule(
            g, like_x, index, like_value, reduce, include_self, {"axis": axis, "broadcast": broadcast}
        ),
        "value": lambda g, like_x, index, like_value, axis, reduce, include_self, broadcast: _value_rule(
            g, like_x, index, like_value, reduce, include_self, {"axis": axis, "broadcast": broadcast}
        ),
    },
)
def put_along_axis(
    xp: Any,
    x: Any,
    index: Any,
    value: Any,
    *,
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> Any:
    """`x` with `value` written, added or averaged in where `take_along_axis(x, index)` would read."""
    out, places, values = _prepared(xp, x, index, value, axis, broadcast)
    if reduce == "assign":
        out[places] = values
        return out.reshape(x.shape)
    if not include_self:
        out[places] = out.dtype.type(0)
    add_rows(xp, out.reshape(-1, 1), places, values.reshape(-1, 1))
    if reduce == "mean":
        counts = xp.zeros(out.shape, F64)
        add_rows(xp, counts.reshape(-1, 1), places, xp.ones((places.size, 1), F64))
        counts = xp.maximum(counts + F64.type(include_self), F64.type(1))
        out = (out / counts).astype(x.dtype) if out.dtype.kind in "fc" else out // counts.astype(x.dtype)
    return out.reshape(x.shape)


def _winners_infer(x: Meta, index: Meta, *, axis: int, broadcast: bool = True) -> Meta:
    return Meta(_place_shape(x, index, axis, broadcast), BOOL)


@defop("put_winners", infer=_winners_infer, shape_only=("x",), amp="never")
def put_winners(xp: Any, x: Any, index: Any, *, axis: int, broadcast: bool = True) -> Any:
    """True where a value written by `put_along_axis` is still there afterwards."""
    index = spread_index(xp, x, index, axis, broadcast, "put_along_axis")
    places = linear(xp, x.shape, index, axis, "put_along_axis")
    numbers = xp.arange(places.size, dtype=np.int64).reshape(places.shape)
    last = xp.zeros(int(np.prod(x.shape, dtype=np.int64)), np.int64)
    last[places.reshape(-1)] = numbers.reshape(-1)
    return last[places] == numbers


def _multiply_at(xp: Any, out: Any, places: Any, values: Any) -> Any:
    if xp is np:
        np.multiply.at(out, places, values)
        return out
    order = xp.argsort(places, kind="stable")  # CuPy has no multiply.at: products of runs, by doubling
    places, values = places[order], values[order]
    step = 1
    while step < places.size:
        same = places[step:] == places[:-step]
        values[step:] = xp.where(same, values[step:] * values[:-step], values[step:])
        step *= 2
    last = xp.ones(places.shape, np.bool_)
    last[:-1] = places[1:] != places[:-1]
    factors = xp.ones(out.size + 1, out.dtype)
    factors[xp.where(last, places, out.size)] = values  # what is not whole goes behind the end
    return out * factors[:-1]


def _without_target(g: Any, index: Any, like_value: Any, include_self: bool, where_: dict[str, Any]) -> Any:
    """`g`, with zeros where the values have taken the place of the target."""
    return g if include_self else put_along_axis(g, index, zeros_like(like_value), **where_)


def _others_product(x: Any, index: Any, value: Any, include_self: bool, where_: dict[str, Any]) -> Any:
    """For each value, the product of all other factors of its place; right where factors are zero."""
    zero = equal(value, 0)
    product = put_reduce(x, index, where(zero, 1, value), reduce="mul", include_self=include_self, **where_)
    zeros = put_along_axis(zeros_like(x), index, cast(zero, dtype=x._dtype), reduce="add", **where_)
    other_zeros = elementwise_sub(take_along_axis(zeros, index, **where_), cast(zero, dtype=x._dtype))
    found = elementwise_div(take_along_axis(product, index, **where_), where(zero, 1, value))
    return where(equal(other_zeros, 0), found, 0)


def _reduced_target_rule(
    g: Any, x: Any, index: Any, value: Any, out: Any, reduce: str, include_self: bool, where_: dict
) -> Any:
    if reduce == "mul":
        factor = put_reduce(full_like(x, value=1), index, value, reduce="mul", **where_)
        return _without_target(elementwise_mul(g, conj(factor)), index, value, include_self, where_)
    share, chosen, _ = _shares(g, x, index, value, out, include_self, where_)
    return _without_target(elementwise_mul(share, chosen), index, value, include_self, where_)


def _reduced_value_rule(
    g: Any, x: Any, index: Any, value: Any, out: Any, reduce: str, include_self: bool, where_: dict
) -> Any:
    if reduce == "mul":
        others = _others_product(x, index, value, include_self, where_)
        return unbroadcast(elementwise_mul(take_along_axis(g, index, **where_), conj(others)), value)
    share, _, chosen = _shares(g, x, index, value, out, include_self, where_)
    return unbroadcast(elementwise_mul(take_along_axis(share, index, **where_), chosen), value)


def _shares(g: Any, x: Any, index: Any, value: Any, out: Any, include_self: bool, where_: dict) -> tuple[Any, Any, Any]:
    """`g` divided among tied extremes, and which elements of the target and of the values are extreme."""
    in_target = cast(equal(x, out), dtype=x._dtype)
    in_value = cast(equal(take_along_axis(out, index, **where_), value), dtype=x._dtype)
    ties = put_along_axis(in_target, index, in_value, reduce="add", include_self=include_self, **where_)
    return elementwise_div(g, ties), in_target, in_value


@defop(
    "put_along_axis_reduce",
    infer=_put_infer(("mul", "amin", "amax")),
    wide=True,
    check=True,
    amp_inputs=("x", "value"),
    vjp={
        "x": lambda g, x, index, value, out, axis, reduce, include_self, broadcast: _reduced_target_rule(
            g, x, index, value, out, reduce, include_self, {"axis": axis, "broadcast": broadcast}
        ),
        "value": lambda g, x, index, value, out, axis, reduce, include_self, broadcast: _reduced_value_rule(
            g, x, index, value, out, reduce, include_self, {"axis": axis, "broadcast": broadcast}
        ),
    },
)
def put_reduce(
    xp: Any,
    x: Any,
    index: Any,
    value: Any,
    *,
    axis: int,
    reduce: str = "mul",
    include_self: bool = True,
    broadcast: bool = True,
) -> Any:
    """`x` multiplied by `value`, or the smaller or larger of both, where `take_along_axis(x, index)` would read."""
    out, places, values = _prepared(xp, x, index, value, axis, broadcast)
    if not include_self:
        out[places] = values if reduce != "mul" else out.dtype.type(1)
    if reduce == "mul":
        out = _multiply_at(xp, out, places, values)
    else:
        (xp.minimum if reduce == "amin" else xp.maximum).at(out, places, values)
    return out.reshape(x.shape)
