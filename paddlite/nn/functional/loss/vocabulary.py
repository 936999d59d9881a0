"""Losses for many classes: trees of classes, clusters of classes, margins between classes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from paddlite.core.errors import IndexOutOfRange, InvalidArgument
from paddlite.nn.functional.loss.reduction import check_reduction, reduced
from paddlite.ops.arithmetic import (
    cast,
    elementwise_add,
    elementwise_mul,
    elementwise_sub,
    negative,
)
from paddlite.ops.compare import greater_equal, less_than, logical_and
from paddlite.ops.cross_entropy import softmax_with_cross_entropy
from paddlite.ops.gather import gather
from paddlite.ops.index import At, index_get
from paddlite.ops.label import label_pick, label_put, tree_path
from paddlite.ops.loss import bce_with_logits
from paddlite.ops.mask import masked_select_grad
from paddlite.ops.matmul import linear, matmul
from paddlite.ops.power import elementwise_max
from paddlite.ops.rectify import hardtanh
from paddlite.ops.reduce import reduce_mean, reduce_sum
from paddlite.ops.select import where
from paddlite.ops.shape import reshape, squeeze, unsqueeze
from paddlite.ops.softmax import log_softmax
from paddlite.ops.trigonometry import acos, cos

__all__ = ["adaptive_log_softmax_with_loss", "hsigmoid_loss", "margin_cross_entropy"]


def hsigmoid_loss(
    input: Any,
    label: Any,
    num_classes: int,
    weight: Any,
    bias: Any = None,
    path_table: Any = None,
    path_code: Any = None,
    is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The sum of binary cross entropies on the way to each label in a tree of classes (Morin and Bengio, 2005).

    Args:
        input: [N, D].
        label: [N] or [N, 1], whole numbers of [0, num_classes).
        num_classes: the number of leaves of a complete binary tree; of inner nodes with a tree of your own.
        weight: [num_classes - 1, D], one row for each inner node.
        bias: [num_classes - 1, 1] or None.
        path_table, path_code: [N, length], the nodes on the way to each label (-1 behind the end) and 1 or 0 for the
            branch taken at each; both or none.
        is_sparse: accepted; gradients are dense.

    Raises:
        InvalidArgument: `num_classes` is below 2, or one of `path_table` and `path_code` is missing.

    Differs: Paddle adds log(2) for each node that a path is shorter than the longest; gradients are the same.

    >>> import paddlite as paddle
    >>> x, w = paddle.zeros([1, 2]), paddle.zeros([3, 2])
    >>> round(paddle.nn.functional.hsigmoid_loss(x, paddle.to_tensor([0]), 4, w).item(), 4)  # 2 log(2)
    1.3863
    """
    if num_classes < 2:
        raise InvalidArgument(f"hsigmoid_loss: num_classes must be >= 2, got {num_classes}")
    if (path_table is None) != (path_code is None):
        raise InvalidArgument("hsigmoid_loss: path_table and path_code go together")
    if path_table is None:
        label = squeeze(label, axes=(-1,)) if label.ndim == 2 else label
        node, branch, valid = tree_path(label, classes=int(num_classes))
    else:
        valid = greater_equal(path_table, 0)
        node, branch = elementwise_max(path_table, 0), path_code
    rows = gather(weight, node, axis=0)  # [N, length, D]
    scores = reduce_sum(elementwise_mul(rows, unsqueeze(input, axes=(1,))), axis=-1)
    if bias is not None:
        scores = elementwise_add(scores, gather(reshape(bias, shape=(-1,)), node, axis=0))
    loss = bce_with_logits(scores, cast(branch, dtype=scores._dtype), None)
    return reduce_sum(where(valid, loss, 0.0), axis=1, keepdim=True)


def margin_cross_entropy(
    logits: Any,
    label: Any,
    margin1: float = 1.0,
    margin2: float = 0.5,
    margin3: float = 0.0,
    scale: float = 64.0,
    group: Any = None,
    return_softmax: bool = False,
    reduction: str | None = "mean",
) -> Any:
    """Cross entropy of scaled cosines, that of the label being cos(margin1 * angle + margin2) - margin3.

    With (1, 0.5, 0) this is ArcFace (Deng et al., 2018), with (1, 0, m) CosFace, with (m, 0, 0) SphereFace.

    Args:
        logits: cosines [N, classes].
        label: [N] or [N, 1], whole numbers.
        scale: what all cosines are multiplied by.
        group: False or None; classes divided among processes are not supported.
        return_softmax: give (loss, softmax).
        reduction: "mean", "sum", or "none" (or None): [N, 1].

    Raises:
        InvalidArgument: `group` is a group, or `reduction` unknown.

    >>> import paddlite as paddle
    >>> cosines, label = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([0])
    >>> loss = paddle.nn.functional.margin_cross_entropy(cosines, label, 1.0, 0.0, 1.0, 10.0)
    >>> round(loss.item(), 4)
    0.6931
    """
    if group not in (None, False):
        raise InvalidArgument(
            "margin_cross_entropy: classes divided among processes are not supported; use group=False"
        )
    check_reduction(reduction or "none", "margin_cross_entropy")
    label = reshape(label, shape=(-1,))
    own = label_pick(logits, label, axis=1, ignore_index=-1)
    moved = own
    if margin1 != 1.0 or margin2 != 0.0:
        angle = acos(hardtanh(own, t_min=-1 + 1e-7, t_max=1 - 1e-7))
        moved = cos(elementwise_add(elementwise_mul(angle, float(margin1)), float(margin2)))
    change = elementwise_sub(moved, elementwise_add(own, float(margin3)))
    changed = elementwise_add(logits, label_put(change, label, logits, axis=1, ignore_index=-1))
    found, loss = softmax_with_cross_entropy(elementwise_mul(changed, float(scale)), label, ignore_index=-1)
    loss = reduced(unsqueeze(loss, axes=(1,)), reduction or "none")
    return (loss, found) if return_softmax else loss


def adaptive_log_softmax_with_loss(
    input: Any,
    label: Any,
    head_weight: Any,
    tail_weights: Sequence[Sequence[Any]],
    cutoffs: Sequence[int],
    head_bias: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """(log-probability of each label, minus their mean) with rare classes in clusters (Grave et al., 2016).

    Args:
        input: [N, D] or [D].
        label: [N] or [], whole numbers.
        head_weight: [D, cutoffs[0] + clusters], for frequent classes and the clusters.
        tail_weights: for each cluster two matrices, [D, hidden] and [hidden, classes of the cluster].
        cutoffs: where each cluster begins, and last the number of classes.
        head_bias: [cutoffs[0] + clusters] or None.

    Raises:
        IndexOutOfRange: a label is no class.

    >>> import paddlite as paddle
    >>> x, w = paddle.zeros([1, 2]), paddle.zeros([2, 3])
    >>> tail = [[paddle.zeros([2, 1]), paddle.zeros([1, 4])]]
    >>> out, loss = paddle.nn.functional.adaptive_log_softmax_with_loss(x, paddle.to_tensor([5]), w, tail, [2, 6])
    >>> round(loss.item(), 4)  # log(3) + log(4)
    2.4849
    """
    if label.ndim == 0:
        row, one = unsqueeze(input, axes=(0,)), unsqueeze(label, axes=(0,))
        out, loss = adaptive_log_softmax_with_loss(row, one, head_weight, tail_weights, cutoffs, head_bias)
        return squeeze(out, axes=(0,)), loss
    cutoffs = [int(c) for c in cutoffs]
    data = getattr(label, "_data", None)
    if data is not None and data.size and not 0 <= int(data.min()) <= int(data.max()) < cutoffs[-1]:
        raise IndexOutOfRange(
            f"adaptive_log_softmax_with_loss: labels must be in [0, {cutoffs[-1]}), got {data.min()} to {data.max()}"
        )
    first = cutoffs[0]
    entry = label  # the label's place among the outputs of the head
    terms = []
    for i, (low, high) in enumerate(pairwise(cutoffs)):
        inside = logical_and(greater_equal(label, low), less_than(label, high))
        entry = where(inside, first + i, entry)
        rows, places = index_get(input, inside, index=(At(0),)), index_get(label, inside, index=(At(0),))
        into, onto = tail_weights[i]
        scores = log_softmax(matmul(matmul(rows, into), onto), axis=1)
        picked = label_pick(scores, elementwise_sub(places, low), axis=1, ignore_index=-1)
        terms.append((picked, inside))
    head = log_softmax(linear(input, head_weight, head_bias), axis=1)
    out = label_pick(head, entry, axis=1, ignore_index=-1)
    for picked, inside in terms:
        out = elementwise_add(out, masked_select_grad(picked, inside, out))
    return out, negative(reduce_mean(out))
