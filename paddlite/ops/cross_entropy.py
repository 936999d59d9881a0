"""Cross entropy with the softmax inside, and what label losses are made of: picking, class weights, means that count.

Hard labels are whole numbers: shape of the logits without the class axis, or with size 1 there.  A label equal to
`ignore_index` takes no part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import BOOL, INTEGRAL
from paddlite.core.errors import DTypeMismatch, IndexOutOfRange, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import cast, elementwise_add, elementwise_mul, elementwise_sub, negative
from paddlite.ops.compare import not_equal
from paddlite.ops.infer import axis_in
from paddlite.ops.like import full_like
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.rows import row_dot, row_max, row_sum
from paddlite.ops.shape import unsqueeze
from paddlite.ops.softmax import log_softmax, softmax_grad


def picked_shape(name: str, x: Meta, label: Meta, axis: int) -> tuple[int, ...]:
    """The shape of a loss per label.

    Raises:
        DTypeMismatch: the labels are no whole numbers.
        ShapeMismatch: the labels do not lie beside `x`.
    """
    at = axis_in(axis, len(x.shape), name)
    if label.dtype not in INTEGRAL or label.dtype == BOOL:
        raise DTypeMismatch(
            f"{name}: hard labels must be integers, got {label.dtype}; soft_label=True takes probabilities"
        )
    rest = x.shape[:at] + x.shape[at + 1 :]
    kept = (*x.shape[:at], 1, *x.shape[at + 1 :])
    wanted = kept if len(label.shape) == len(x.shape) else rest
    if len(label.shape) != len(wanted) or any(a != b and -1 not in (a, b) for a, b in zip(label.shape, wanted)):
        raise ShapeMismatch(
            f"{name}: label must have the shape of input without axis {axis}, {list(rest)}, or size 1 there, "
            f"{list(kept)}; got input {list(x.shape)} and label {list(label.shape)}"
        )
    return label.shape


class Labels:
    """Hard labels made ready for a kernel: `index` is safe to pick with, `valid` a mask, or None where all count."""

    __slots__ = ("index", "valid")

    def __init__(self, xp: Any, name: str, label: Any, classes: int, ignore_index: int):
        label = label if label.dtype == np.int64 else label.astype(np.int64)
        self.index, self.valid = label, None
        inside = xp is np and (not label.size or int(label.view(np.uint64).max()) < classes)
        if inside and not 0 <= ignore_index < classes:
            return
        self.valid = label != ignore_index
        self.index = label * self.valid
        if xp is np and not inside and int(self.index.view(np.uint64).max()) >= classes:
            bad = label[(self.index < 0) | (self.index >= classes)].flat[0]
            raise IndexOutOfRange(
                f"{name}: label {bad} is out of range; want [0, {classes}) or ignore_index ({ignore_index})"
            )


def classes_last(xp: Any, x: Any, axis: int) -> Any:
    """`x` with the class axis last; `x` itself where it is."""
    return x if axis in (-1, x.ndim - 1) else xp.moveaxis(x, axis, -1)


def without_axis(label: Any, rows: Any) -> Any:
    """Hard labels without a class axis; `rows` has it last."""
    return label if label.ndim < rows.ndim else label.reshape(rows.shape[:-1])


def chosen(xp: Any, index: Any) -> tuple:
    """An index expression for the element of each row that `index` names."""
    rank = index.ndim
    lead = [xp.arange(s).reshape(-1, *[1] * (rank - 1 - i)) for i, s in enumerate(index.shape)]
    return (*lead, index)


def _entropy_infer(
    logits: Meta,
    label: Meta,
    *,
    soft_label: bool = False,
    ignore_index: int = -100,
    axis: int = -1,
    smoothing: float = 0.0,
) -> tuple[Meta, Meta]:
    name = "softmax_with_cross_entropy"
    if not soft_label:
        shape = picked_shape(name, logits, label, axis)
    else:
        at = axis_in(axis, len(logits.shape), name)
        fits = len(label.shape) == len(logits.shape)
        if not fits or any(a != b and -1 not in (a, b) for a, b in zip(label.shape, logits.shape)):
            raise ShapeMismatch(
                f"{name}: soft labels must have the shape of the input, {list(logits.shape)}, got {list(label.shape)}"
            )
        shape = (*logits.shape[:at], 1, *logits.shape[at + 1 :])
    return Meta(logits.shape, logits.dtype), Meta(shape, logits.dtype)


def _logits_rule(
    g_softmax: Any,
    g_loss: Any,
    softmax: Any,
    label: Any,
    soft_label: bool,
    ignore_index: int,
    axis: int,
    smoothing: float,
) -> Any:
    found = None
    if g_loss is not None:
        found = entropy_grad(
            softmax, label, g_loss, soft_label=soft_label, ignore_index=ignore_index, axis=axis, smoothing=smoothing
        )
    if g_softmax is not None:
        other = softmax_grad(softmax, g_softmax, axis=axis)
        found = other if found is None else elementwise_add(found, other)
    return found


def _soft_label_rule(g_loss: Any, logits: Any, axis: int, smoothing: float) -> Any:
    if g_loss is None:
        return None
    return elementwise_mul(negative(g_loss), elementwise_mul(log_softmax(logits, axis=axis), 1.0 - smoothing))


@defop(
    "softmax_with_cross_entropy",
    infer=_entropy_infer,
    outputs=("softmax", "loss"),
    amp="keep32_o1",
    amp_inputs=("logits",),
    wide=True,
    partial_grads=True,
    vjp={"logits": _logits_rule, "label": _soft_label_rule},
)
def softmax_with_cross_entropy(
    xp: Any,
    logits: Any,
    label: Any,
    *,
    soft_label: bool = False,
    ignore_index: int = -100,
    axis: int = -1,
    smoothing: float = 0.0,
) -> tuple[Any, Any]:
    """softmax(logits), and the cross entropy between it and `label` mixed with `smoothing` of the even distribution."""
    attrs = {"soft_label": soft_label, "ignore_index": ignore_index, "axis": axis, "smoothing": smoothing}
    loss_shape = _entropy_infer(logits, label, **attrs)[1].shape
    x = classes_last(xp, logits, axis)
    rows = x - row_max(xp, x)
    if soft_label:
        target = classes_last(xp, label, axis).astype(rows.dtype, copy=False)
        # a class of probability 0 with logit -inf takes no part: 0 times the least number is 0
        picked = row_dot(xp, target, rows.clip(np.finfo(rows.dtype).min, 0))[..., 0]
        mass = row_sum(xp, target)[..., 0]
        valid = None
    else:
        labels = Labels(xp, "softmax_with_cross_entropy", without_axis(label, x), x.shape[-1], ignore_index)
        picked, mass, valid = rows[chosen(xp, labels.index)], 1, labels.valid
    if smoothing:
        picked = picked * (1 - smoothing) + row_sum(xp, rows)[..., 0] * (smoothing / x.shape[-1])
        mass = mass * (1 - smoothing) + smoothing
    xp.exp(rows, out=rows)
    total = row_sum(xp, rows)
    rows *= 1 / total
    loss = xp.log(total[..., 0]) * mass - picked
    if valid is not None:
        loss = xp.where(valid, loss, loss.dtype.type(0))
    return (rows if x is logits else xp.moveaxis(rows, -1, axis)), xp.asarray(loss).reshape(loss_shape)


def _grad_infer(softmax: Meta, label: Meta, dloss: Meta, **_: Any) -> Meta:
    return Meta(softmax.shape, dloss.dtype)


def _grad_softmax_rule(
    g: Any, label: Any, dloss: Any, soft_label: bool, ignore_index: int, axis: int, smoothing: float
) -> Any:
    if soft_label:
        mass = reduce_sum(label, axis=axis, keepdim=True)
        factor = elementwise_mul(dloss, elementwise_add(elementwise_mul(mass, 1.0 - smoothing), smoothing))
        return elementwise_mul(g, factor)
    factor = elementwise_mul(dloss, cast(not_equal(label, ignore_index), dtype=dloss._dtype))
    return elementwise_mul(g, _with_axis(factor, g, axis))


def _with_axis(rows: Any, like: Any, axis: int) -> Any:
    """`rows`, one number a label, with a class axis of size 1."""
    return rows if len(rows._shape) == len(like._shape) else unsqueeze(rows, axes=(axis % len(like._shape),))


def _grad_dloss_rule(
    g: Any, softmax: Any, label: Any, like_dloss: Any, soft_label: bool, ignore_index: int, axis: int, smoothing: float
) -> Any:
    slope = entropy_grad(
        softmax, label, full_like(like_dloss, value=1.0), soft_label=soft_label, ignore_index=ignore_index, axis=axis,
        smoothing=smoothing,
    )  # fmt: skip
    return reduce_sum(elementwise_mul(g, slope), axis=axis, keepdim=len(like_dloss._shape) == len(g._shape))


def _grad_label_rule(g: Any, softmax: Any, dloss: Any, axis: int, smoothing: float) -> Any:
    inner = reduce_sum(elementwise_mul(g, softmax), axis=axis, keepdim=True)
    return elementwise_mul(elementwise_sub(inner, g), elementwise_mul(dloss, 1.0 - smoothing))


@defop(
    "softmax_with_cross_entropy_grad",
    infer=_grad_infer,
    amp_inputs=("softmax", "dloss"),
    wide=True,
    vjp={"softmax": _grad_softmax_rule, "label": _grad_label_rule, "dloss": _grad_dloss_rule},
)
def entropy_grad(
    xp: Any, softmax: Any, label: Any, dloss: Any, *, soft_label: bool, ignore_index: int, axis: int, smoothing: float
) -> Any:
    """(softmax - label) * dloss, for smoothed labels."""
    rows = classes_last(xp, softmax, axis)
    amount = dloss.reshape(rows.shape[:-1])
    classes = rows.shape[-1]
    if soft_label:
        target = classes_last(xp, label, axis).astype(rows.dtype, copy=False)
        out = rows * (row_sum(xp, target) * (1 - smoothing) + smoothing)
        out -= target * (1 - smoothing) if smoothing else target
        out -= smoothing / classes
        out *= amount[..., None]
    else:
        labels = Labels(xp, "softmax_with_cross_entropy", without_axis(label, rows), classes, ignore_index)
        if labels.valid is not None:
            amount = amount * labels.valid
        out = rows * amount[..., None]
        out[chosen(xp, labels.index)] -= amount * (1 - smoothing) if smoothing else amount
        if smoothing:
            out -= (amount * (smoothing / classes))[..., None]
    return out if rows is softmax else xp.moveaxis(out, -1, axis)


def _mean_infer(x: Meta, label: Meta, *, ignore_index: int) -> Meta:
    if len(x.shape) != len(label.shape) or any(a != b and -1 not in (a, b) for a, b in zip(x.shape, label.shape)):
        raise ShapeMismatch(f"labelled_mean: x {list(x.shape)} and label {list(label.shape)} must have one shape")
    return Meta((), x.dtype)


def _valid(xp: Any, label: Any, ignore_index: int, dtype: np.dtype) -> tuple[Any, Any]:
    """(mask of the labels that count or None where all do, their number as an array of `dtype`).

    The number is at least 1, so that the mean of none is 0; 0 where there are no labels at all, whose mean is NaN.
    """
    if not label.size:
        return None, dtype.type(0)
    valid = label != ignore_index
    count = np.count_nonzero(valid) if xp is np else valid.sum()
    if xp is np and count == label.size:
        return None, dtype.type(count)
    return valid, xp.maximum(xp.asarray(count, dtype), dtype.type(min(label.size, 1)))


@defop(
    "labelled_mean",
    infer=_mean_infer,
    amp="keep32_o1",
    amp_inputs=("x",),
    wide=True,
    vjp={"x": lambda g, label, ignore_index: labelled_mean_grad(g, label, ignore_index=ignore_index)},
)
def labelled_mean(xp: Any, x: Any, label: Any, *, ignore_index: int) -> Any:
    """The mean of `x` over the labels that count; 0 where none does."""
    if x.shape != label.shape:
        _mean_infer(x, label, ignore_index=ignore_index)
    valid, count = _valid(xp, label, ignore_index, x.dtype)
    return (x if valid is None else x * valid).sum(dtype=x.dtype) / count


def _mean_grad_infer(dy: Meta, label: Meta, *, ignore_index: int) -> Meta:
    return Meta(label.shape, dy.dtype)


@defop(
    "labelled_mean_grad",
    infer=_mean_grad_infer,
    amp_inputs=("dy",),
    wide=True,
    vjp={"dy": lambda g, label, ignore_index: labelled_mean(g, label, ignore_index=ignore_index)},
)
def labelled_mean_grad(xp: Any, dy: Any, label: Any, *, ignore_index: int) -> Any:
    valid, count = _valid(xp, label, ignore_index, dy.dtype)
    return xp.full(label.shape, dy / count, dy.dtype) if valid is None else valid * (dy / count)
