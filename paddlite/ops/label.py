"""Picking by hard labels: the element of each row that its label names, and the weight of each label's class."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddlite.backend.dtypes import BOOL, INT64
from paddlite.core.errors import ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.accumulate import sums_by_number
from paddlite.ops.cross_entropy import Labels, chosen, classes_last, picked_shape, without_axis
from paddlite.ops.embedding import checked_rows
from paddlite.ops.infer import like_second, require_integer
from paddlite.ops.masked import fill


def _pick_infer(x: Meta, label: Meta, *, axis: int = -1, ignore_index: int = -100) -> Meta:
    return Meta(picked_shape("label_pick", x, label, axis), x.dtype)


@defop(
    "label_pick",
    infer=_pick_infer,
    amp="keep32_o1",
    amp_inputs=("x",),
    check=True,
    vjp={"x": lambda g, label, like_x, axis, ignore_index: label_put(
        g, label, like_x, axis=axis, ignore_index=ignore_index
    )},
)  # fmt: skip
def label_pick(xp: Any, x: Any, label: Any, *, axis: int = -1, ignore_index: int = -100) -> Any:
    """The element along `axis` that each label names; 0 for labels to be ignored."""
    rows = classes_last(xp, x, axis)
    labels = Labels(xp, "label_pick", without_axis(label, rows), rows.shape[-1], ignore_index)
    out = xp.asarray(rows[chosen(xp, labels.index)])
    if labels.valid is not None:
        fill(xp, out, ~labels.valid, 0)
    return out.reshape(label.shape)


def _put_infer(dy: Meta, label: Meta, like: Meta, *, axis: int, ignore_index: int) -> Meta:
    return Meta(like.shape, dy.dtype)


@defop(
    "label_put",
    infer=_put_infer,
    amp_inputs=("dy",),
    shape_only=("like",),
    vjp={"dy": lambda g, label, axis, ignore_index: label_pick(g, label, axis=axis, ignore_index=ignore_index)},
)
def label_put(xp: Any, dy: Any, label: Any, like: Any, *, axis: int, ignore_index: int) -> Any:
    """Zeros like `like` with `dy` at the places that `label_pick` takes from."""
    out = xp.zeros(like.shape, dy.dtype)
    rows = classes_last(xp, out, axis)
    labels = Labels(xp, "label_pick", without_axis(label, rows), rows.shape[-1], ignore_index)
    amount = dy.reshape(labels.index.shape)
    if labels.valid is not None:
        amount = amount * labels.valid.astype(dy.dtype)
    rows[chosen(xp, labels.index)] = amount
    return out


def _weight_infer(weight: Meta, label: Meta, *, ignore_index: int = -100) -> Meta:
    if len(weight.shape) != 1:
        raise ShapeMismatch(f"class weights must have shape [classes], got {list(weight.shape)}")
    return Meta(label.shape, weight.dtype)


@defop(
    "label_weight",
    infer=_weight_infer,
    amp="keep32_o1",
    amp_inputs=("weight",),
    check=True,
    vjp={"weight": lambda g, label, like_weight, ignore_index: label_weight_grad(
        g, label, like_weight, ignore_index=ignore_index
    )},
)  # fmt: skip
def label_weight(xp: Any, weight: Any, label: Any, *, ignore_index: int = -100) -> Any:
    """The weight of each label's class; 0 for labels to be ignored."""
    labels = Labels(xp, "class weights", label, weight.shape[0], ignore_index)
    out = weight[labels.index]
    return out if labels.valid is None else out * labels.valid.astype(out.dtype)


def _weight_grad_infer(dy: Meta, label: Meta, like: Meta, *, ignore_index: int) -> Meta:
    return like_second(dy, like)


@defop(
    "label_weight_grad",
    infer=_weight_grad_infer,
    amp_inputs=("dy",),
    shape_only=("like",),
    vjp={"dy": lambda g, label, ignore_index: label_weight(g, label, ignore_index=ignore_index)},
)
def label_weight_grad(xp: Any, dy: Any, label: Any, like: Any, *, ignore_index: int) -> Any:
    """`dy` summed over the labels of each class."""
    labels = Labels(xp, "class weights", label, like.shape[0], ignore_index)
    amount = dy if labels.valid is None else dy * labels.valid.astype(dy.dtype)
    return sums_by_number(xp, labels.index.reshape(-1), amount.reshape(-1), like.shape[0]).astype(dy.dtype)


def _leading_infer(label: Meta, *, dtype: Any) -> Meta:
    require_integer("leading_labels", label=label)
    return Meta(label.shape, dtype)


@defop("leading_labels", infer=_leading_infer, amp="never", check=True)
def leading_labels(xp: Any, label: Any, *, dtype: Any) -> Any:
    """1 for each class that a row of `label` [N, C] names before its first -1, 0 for the others; [N, C]."""
    classes = label.shape[1]
    valid = (label != -1).astype(np.int8).cumprod(axis=1).astype(np.bool_)
    Labels(xp, "multi_label_margin_loss", label * valid, classes, -1)
    return ((label[..., None] == xp.arange(classes)) & valid[..., None]).any(axis=1).astype(dtype)


def _path_infer(label: Meta, *, classes: int) -> tuple[Meta, Meta, Meta]:
    require_integer("tree_path", label=label)
    length = (2 * classes - 1).bit_length() - 1
    shape = (*label.shape, length)
    return Meta(shape, INT64), Meta(shape, INT64), Meta(shape, BOOL)


@defop("tree_path", infer=_path_infer, outputs=("node", "branch", "valid"), amp="never", check=True)
def tree_path(xp: Any, label: Any, *, classes: int) -> tuple[Any, Any, Any]:
    """The way from the leaf of each label to the root of a complete binary tree: inner nodes, branches, mask.

    The tree is numbered as a heap: leaf `label + classes`, parent k // 2, inner nodes counted from 0.
    """
    code = checked_rows(xp, "hsigmoid_loss", label, classes)[..., None] + classes
    steps = xp.arange((2 * classes - 1).bit_length() - 1)
    parent = code >> (steps + 1)
    return xp.maximum(parent - 1, 0), (code >> steps) & 1, parent > 0


def _csr_infer(offset: Meta, columns: Meta, *, columns_count: int) -> Meta:
    require_integer("csr_mask", offset=offset, columns=columns)
    rows = offset.shape[-1]
    return Meta((*offset.shape[:-1], rows - 1 if rows > 0 else -1, columns_count), BOOL)


@defop("csr_mask", infer=_csr_infer, amp="never", check=True)
def csr_mask(xp: Any, offset: Any, columns: Any, *, columns_count: int) -> Any:
    """True at the places of sparse matrices in CSR form: `offset` [..., rows + 1], `columns` [..., count]."""
    lead, rows = offset.shape[:-1], offset.shape[-1] - 1
    place = xp.arange(columns.shape[-1])
    row = (offset[..., 1:, None] <= place).sum(axis=-2)  # how many rows end before each entry
    out = xp.zeros((math.prod(lead), rows + 1, columns_count), np.bool_)
    which = xp.arange(out.shape[0])[:, None]
    out[which, row.reshape(out.shape[0], -1), columns.reshape(out.shape[0], -1)] = True
    return out[:, :rows].reshape(*lead, rows, columns_count)
