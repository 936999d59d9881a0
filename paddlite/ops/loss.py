"""Losses that compare two tensors element by element.  Reductions are separate ops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddlite.backend import special
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.kernel import lifted
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.core.promote import promote_types
from paddlite.ops.activation import sigmoid, softplus
from paddlite.ops.arithmetic import (
    cast,
    elementwise_add,
    elementwise_div,
    elementwise_mul,
    elementwise_sub,
    negative,
)
from paddlite.ops.compare import greater_than
from paddlite.ops.infer import broadcast_shapes
from paddlite.ops.like import unbroadcast
from paddlite.ops.power import elementwise_max, exp, log
from paddlite.ops.rectify import hardtanh

_FACTS: dict[str, Any] = {"amp": "keep32_o1", "wide": True, "elementwise": True}


def one_shape(name: str, **metas: Meta) -> tuple[int, ...]:
    """The shape that all of `metas` have.

    Raises:
        ShapeMismatch: they differ.
    """
    items = list(metas.items())
    first, shape = items[0][0], items[0][1].shape
    for other, meta in items[1:]:
        if len(meta.shape) != len(shape) or any(a != b and -1 not in (a, b) for a, b in zip(shape, meta.shape)):
            raise ShapeMismatch(
                f"{name}: {first} and {other} must have one shape, got {list(shape)} and {list(meta.shape)}"
            )
    return shape


def _product(first: Any, *others: Any) -> Any:
    for factor in others:
        first = elementwise_mul(first, factor)
    return first


def _of_input(name: str) -> Any:
    """`infer` of a loss whose input and label have one shape; the result has the dtype of both."""

    def infer(x: Meta, label: Meta, **_: Any) -> Meta:
        return Meta(one_shape(name, input=x, label=label), promote_types(x.dtype, label.dtype))

    return infer


# ---- binary cross entropy


@defop(
    "bce_loss",
    infer=_of_input("binary_cross_entropy"),
    promote=("x", "label"),
    check=True,
    vjp={
        "x": lambda g, x, label: elementwise_mul(g, _bce_slope(x, label)),
        "label": lambda g, x: elementwise_mul(g, _bce_label_slope(x)),
    },
    **_FACTS,
)
@lifted
def bce_loss(xp: Any, x: Any, label: Any) -> Any:
    """-label log(x) - (1 - label) log(1 - x), with logarithms of at least -100."""
    if xp is np and x.size and (x.min() < 0 or x.max() > 1):
        raise InvalidArgument(
            f"binary_cross_entropy: input must hold probabilities, but has {x.min()} to {x.max()}; "
            "binary_cross_entropy_with_logits takes logits"
        )
    other = 1 - x
    xp.log(other, out=other)
    other = other.clip(-100, math.inf, out=other)
    out = xp.log(x)
    out = out.clip(-100, math.inf, out=out)
    out -= other
    out *= label
    out += other
    return xp.negative(out, out=out)


def _bce_label_slope(x: Any) -> Any:
    hit, miss = log(x), log(elementwise_sub(1.0, x))
    return elementwise_sub(elementwise_max(miss, -100.0), elementwise_max(hit, -100.0))


def _bce_slope(x: Any, label: Any) -> Any:
    spread = elementwise_max(elementwise_mul(x, elementwise_sub(1.0, x)), 1e-12)
    return elementwise_div(elementwise_sub(x, label), spread)


def _bce_logits_infer(x: Meta, label: Meta, pos_weight: Meta | None) -> Meta:
    name = "binary_cross_entropy_with_logits"
    shape = one_shape(name, logit=x, label=label)
    if pos_weight is not None and broadcast_shapes(shape, pos_weight.shape, name) != shape:
        raise ShapeMismatch(f"{name}: pos_weight {list(pos_weight.shape)} does not broadcast to logit {list(shape)}")
    return Meta(shape, x.dtype)


def _bce_logits_x(g: Any, x: Any, label: Any, pos_weight: Any) -> Any:
    if pos_weight is None:
        return elementwise_mul(g, elementwise_sub(sigmoid(x), label))
    falling = elementwise_mul(_weight_of(label, pos_weight), sigmoid(negative(x)))
    return elementwise_mul(g, elementwise_sub(elementwise_sub(1.0, label), falling))


def _bce_logits_label(g: Any, x: Any, pos_weight: Any) -> Any:
    if pos_weight is None:
        return negative(elementwise_mul(g, x))
    more = elementwise_mul(elementwise_sub(pos_weight, 1.0), _softplus_of_negative(x))
    return elementwise_mul(g, elementwise_sub(more, x))


def _weight_of(label: Any, pos_weight: Any) -> Any:
    return elementwise_add(elementwise_mul(elementwise_sub(pos_weight, 1.0), label), 1.0)


def _softplus_of_negative(x: Any) -> Any:
    return softplus(negative(x), threshold=math.inf)


@defop(
    "sigmoid_cross_entropy_with_logits",
    infer=_bce_logits_infer,
    promote=("x", "label", "pos_weight"),
    check=True,
    vjp={
        "x": _bce_logits_x,
        "label": _bce_logits_label,
        "pos_weight": lambda g, x, label, like_pos_weight: unbroadcast(
            _product(g, label, _softplus_of_negative(x)), like_pos_weight
        ),
    },
    **_FACTS,
)
@lifted
def bce_with_logits(xp: Any, x: Any, label: Any, pos_weight: Any) -> Any:
    """-w label log(sigmoid(x)) - (1 - label) log(1 - sigmoid(x)), exact for large |x|; w is `pos_weight` or 1."""
    fall = xp.abs(x)
    xp.negative(fall, out=fall)
    xp.exp(fall, out=fall)
    out = special.log1p(xp, fall)
    if pos_weight is None:
        out += x.clip(0, math.inf)
        out -= xp.multiply(x, label, out=fall)
        return out
    out -= x.clip(-math.inf, 0, out=fall)
    out *= (pos_weight - 1) * label + 1
    xp.subtract(1, label, out=fall)
    fall *= x
    out += fall
    return out


# ---- divergences and distances


def _log_of_target(target: Any, log_target: bool) -> Any:
    return target if log_target else log(elementwise_max(target, _TINY))


_TINY = float(np.finfo(np.float32).tiny)


def _kl_weight(target: Any, log_target: bool) -> Any:
    return exp(target) if log_target else elementwise_max(target, 0.0)


def _kl_target(g: Any, x: Any, target: Any, log_target: bool) -> Any:
    difference = elementwise_sub(_log_of_target(target, log_target), x)
    if log_target:
        return _product(g, exp(target), elementwise_add(difference, 1.0))
    counts = cast(greater_than(target, 0.0), dtype=target._dtype)
    return _product(g, counts, elementwise_add(difference, 1.0))


def _kl_infer(x: Meta, target: Meta, *, log_target: bool = False) -> Meta:
    return Meta(broadcast_shapes(x.shape, target.shape, "kl_div"), promote_types(x.dtype, target.dtype))


@defop(
    "kldiv_loss",
    infer=_kl_infer,
    promote=("x", "target"),
    vjp={
        "x": lambda g, target, like_x, log_target: unbroadcast(
            negative(elementwise_mul(g, _kl_weight(target, log_target))), like_x
        ),
        "target": lambda g, x, target, like_target, log_target: unbroadcast(
            _kl_target(g, x, target, log_target), like_target
        ),
    },
    **_FACTS,
)
@lifted
def kldiv_loss(xp: Any, x: Any, target: Any, *, log_target: bool = False) -> Any:
    """target (log(target) - x), 0 where target <= 0; `target` may be given as its logarithm."""
    if log_target:
        return xp.exp(target) * (target - x)
    weight = target.clip(0, math.inf)
    out = xp.log(xp.maximum(weight, _TINY)) - x
    out *= weight
    return out


def _huber_infer(x: Meta, label: Meta, *, delta: float = 1.0) -> Meta:
    return Meta(broadcast_shapes(x.shape, label.shape, "huber_loss"), promote_types(x.dtype, label.dtype))


def _huber_slope(g: Any, x: Any, label: Any, delta: float) -> Any:
    return elementwise_mul(g, hardtanh(elementwise_sub(x, label), t_min=-delta, t_max=delta))


@defop(
    "huber_loss",
    infer=_huber_infer,
    promote=("x", "label"),
    vjp={
        "x": lambda g, x, label, like_x, delta: unbroadcast(_huber_slope(g, x, label, delta), like_x),
        "label": lambda g, x, label, like_label, delta: unbroadcast(
            negative(_huber_slope(g, x, label, delta)), like_label
        ),
    },
    **_FACTS,
)
@lifted
def huber_loss(xp: Any, x: Any, label: Any, *, delta: float = 1.0) -> Any:
    """d**2 / 2 for d = x - label of at most `delta`, delta (|d| - delta / 2) beyond."""
    d = x - label
    near = d.clip(-delta, delta)
    d -= near * 0.5  # near (d - near / 2) is both formulas in one
    d *= near
    return d


def _log_loss_slope(x: Any, label: Any, epsilon: float) -> Any:
    hit = elementwise_div(label, elementwise_add(x, epsilon))
    miss = elementwise_div(elementwise_sub(1.0, label), elementwise_sub(1.0 + epsilon, x))
    return elementwise_sub(miss, hit)


@defop(
    "log_loss",
    infer=_of_input("log_loss"),
    promote=("x", "label"),
    check=True,
    vjp={
        "x": lambda g, x, label, epsilon: elementwise_mul(g, _log_loss_slope(x, label, epsilon)),
        "label": lambda g, x, epsilon: elementwise_mul(
            g, elementwise_sub(log(elementwise_sub(1.0 + epsilon, x)), log(elementwise_add(x, epsilon)))
        ),
    },
    **_FACTS,
)
@lifted
def log_loss(xp: Any, x: Any, label: Any, *, epsilon: float = 1e-4) -> Any:
    """-label log(x + epsilon) - (1 - label) log(1 - x + epsilon)."""
    other = xp.log(1 + epsilon - x)
    out = xp.log(x + epsilon)
    out -= other
    out *= label
    out += other
    return xp.negative(out, out=out)
