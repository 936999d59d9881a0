"""How often the right class is among the best ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from paddlite.core.program import Variable
from paddlite.core.tensor import Tensor
from paddlite.metric.base import Metric, as_array
from paddlite.ops import metric as ops
from paddlite.ops.arithmetic import cast
from paddlite.ops.compare import equal
from paddlite.ops.search import argmax
from paddlite.ops.shape import unsqueeze


def _as_column(label: Any, rank: int) -> Any:
    """`label` with a last axis of size 1; one-hot rows become class numbers."""
    if label.ndim < rank:
        return unsqueeze(label, axes=(label.ndim,))
    if label._shape[-1] != 1:
        return argmax(label, axis=-1, keepdim=True)
    return label


class Accuracy(Metric):
    """The share of samples whose right class is among the best k, for one or several k.

    Args:
        topk: the values of k.
        name: left out, "acc"; with several k, `_top<k>` is put behind it.

    >>> import paddlite as paddle
    >>> metric = paddle.metric.Accuracy()
    >>> scores = paddle.to_tensor([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]])
    >>> metric.update(metric.compute(scores, paddle.to_tensor([[1], [2]])))
    0.5
    >>> metric.accumulate(), metric.name()
    (0.5, ['acc'])
    """

    def __init__(self, topk: Sequence[int] = (1,), name: str | None = None, *args: Any, **kwargs: Any):
        self.topk = tuple(topk)
        self.maxk = max(self.topk)
        name = name or "acc"
        self._name = [f"{name}_top{k}" for k in self.topk] if self.maxk != 1 else [name]
        self.reset()

    def compute(self, pred: Any, label: Any, *args: Any) -> Any:
        """1 where the right class has that place among the scores, else 0: float32 [..., max(topk)].

        Args:
            pred: scores [..., classes].
            label: the right classes, [..., 1] or [...], or one-hot rows [..., classes].
        """
        rank = ops.label_rank(pred, _as_column(label, pred.ndim))
        places = Tensor(np.arange(min(self.maxk, pred._shape[-1])))
        return cast(equal(rank, places), dtype=np.dtype(np.float32))

    def update(self, correct: Any, *args: Any) -> Any:
        """Take account of what `compute` gave; gives the accuracy of this batch, a list where there are several k."""
        array = as_array("Accuracy", "correct", correct)
        count = math.prod(array.shape[:-1])
        shares = []
        for i, k in enumerate(self.topk):
            right = float(array[..., :k].sum())
            self.total[i] += right
            self.count[i] += count
            shares.append(right / count if count else 0.0)
        return shares[0] if len(shares) == 1 else shares

    def reset(self) -> None:
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def accumulate(self) -> Any:
        """The accuracy over all batches, a list where there are several k; 0 where there was none."""
        shares = [right / count if count else 0.0 for right, count in zip(self.total, self.count)]
        return shares[0] if len(shares) == 1 else shares

    def name(self) -> list[str]:
        return self._name


def accuracy(
    input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None, name: str | None = None
) -> Any:
    """The share of rows whose right class is among the best `k`, a 0-D float32 tensor.

    Args:
        input: scores [N, classes].
        label: the right classes, [N, 1] or [N].
        k: how many classes count.
        correct: a tensor that is overwritten with the number of right rows.
        total: a tensor that is overwritten with the number of rows.

    Raises:
        ValueError: the shapes do not fit, or there are fewer than `k` classes.

    >>> import paddlite as paddle
    >>> scores = paddle.to_tensor([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]])
    >>> paddle.metric.accuracy(scores, paddle.to_tensor([[1], [2]])).item()
    0.5
    """
    if label.ndim == input.ndim - 1:
        label = unsqueeze(label, axes=(label.ndim,))
    share, right, rows = ops.accuracy(input, label, k=k)
    for target, found in ((correct, right), (total, rows)):
        if isinstance(target, Variable):
            target._value = found._value
        elif target is not None:
            target._data[...] = found._data
            target._version[0] += 1
    return share
