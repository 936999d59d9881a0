"""Where the right class stands among the scores: what accuracies are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import F32, INT32, INT64
from paddlite.core.errors import ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import merge_size, require_floating, require_integer


def _check(name: str, x: Meta, label: Meta) -> None:
    require_floating(name, input=x)
    require_integer(name, label=label)
    if not x.shape or len(label.shape) != len(x.shape) or label.shape[-1] != 1:
        raise ShapeMismatch(
            f"{name}: for scores of shape {list(x.shape)} the label must have shape {[*x.shape[:-1], 1]}, got "
            f"{list(label.shape)}"
        )
    for a, b in zip(x.shape[:-1], label.shape):
        merge_size(a, b, name, f"the sizes of scores {list(x.shape)} and label {list(label.shape)}")


def _rank_infer(x: Meta, label: Meta) -> Meta:
    _check("label_rank", x, label)
    return Meta(label.shape, INT64)


@defop("label_rank", infer=_rank_infer, amp="never", check=True)
def label_rank(xp: Any, x: Any, label: Any) -> Any:
    """How many classes score higher than the right one, int64: 0 where it is the best.

    Of equal scores the class with the lower number counts as higher.  A score of NaN comes last.

    Args:
        x: scores [..., classes].
        label: the right classes [..., 1].
    """
    return _ranks(xp, x, label)


def _ranks(xp: Any, x: Any, label: Any) -> Any:
    label = label.astype(INT64)
    score = xp.take_along_axis(x, label, axis=-1)
    before = xp.arange(x.shape[-1]) < label
    higher = ((x > score) | ((x == score) & before)).sum(axis=-1, keepdims=True).astype(INT64)
    return xp.where(score == score, higher, INT64.type(x.shape[-1]))


def _accuracy_infer(x: Meta, label: Meta, *, k: int = 1) -> tuple[Meta, Meta, Meta]:
    _check("accuracy", x, label)
    if not 1 <= k <= x.shape[-1] and x.shape[-1] >= 0:
        raise ShapeMismatch(f"accuracy: k must be from 1 to the number of classes, {x.shape[-1]}; got {k}")
    return Meta((), F32), Meta((), INT32), Meta((), INT32)


@defop("accuracy", infer=_accuracy_infer, amp="never", check=True, outputs=("accuracy", "correct", "total"))
def accuracy(xp: Any, x: Any, label: Any, *, k: int = 1) -> Any:
    """The share of rows of `x` whose right class is among the best `k`, how many those are, and how many rows."""
    total = int(np.prod(label.shape, dtype=np.int64))
    correct = (_ranks(xp, x, label) < k).sum()
    share = correct.astype(F32) / F32.type(max(total, 1))
    return share, correct.astype(INT32), xp.asarray(total, INT32)
