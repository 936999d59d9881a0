"""Metrics of yes-or-no predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument
from paddlite.metric.base import Metric, as_array


class Precision(Metric):
    """Of the samples called positive, the share that are.

    >>> import numpy as np
    >>> import paddlite as paddle
    >>> metric = paddle.metric.Precision()
    >>> metric.update(np.array([0.1, 0.6, 0.8]), np.array([0, 1, 0]))
    >>> metric.accumulate()
    0.5
    """

    def __init__(self, name: str = "precision", *args: Any, **kwargs: Any):
        self._name = name
        self.reset()

    def update(self, preds: Any, labels: Any) -> None:
        """Take account of a batch.

        Args:
            preds: probabilities of "positive", [N] or [N, 1]; 0.5 and more count as positive.
            labels: 0 or 1, of as many elements.
        """
        called = np.floor(as_array("Precision", "preds", preds) + 0.5).astype(np.int32).ravel() == 1
        right = as_array("Precision", "labels", labels).ravel() == 1
        self.tp += int((called & right).sum())
        self.fp += int((called & ~right).sum())

    def reset(self) -> None:
        self.tp = self.fp = 0

    def accumulate(self) -> float:
        """tp / (tp + fp); 0 where nothing was called positive."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0

    def name(self) -> str:
        return self._name


class Recall(Metric):
    """Of the samples that are positive, the share called so.

    >>> import numpy as np
    >>> import paddlite as paddle
    >>> metric = paddle.metric.Recall()
    >>> metric.update(np.array([0.1, 0.6, 0.8]), np.array([1, 1, 0]))
    >>> metric.accumulate()
    0.5
    """

    def __init__(self, name: str = "recall", *args: Any, **kwargs: Any):
        self._name = name
        self.reset()

    def update(self, preds: Any, labels: Any) -> None:
        """Take account of a batch; arguments as for `Precision.update`, but exactly 0.5 counts as negative."""
        called = np.rint(as_array("Recall", "preds", preds)).astype(np.int32).ravel() == 1
        right = as_array("Recall", "labels", labels).ravel() == 1
        self.tp += int((called & right).sum())
        self.fn += int((~called & right).sum())

    def reset(self) -> None:
        self.tp = self.fn = 0

    def accumulate(self) -> float:
        """tp / (tp + fn); 0 where no sample was positive."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0

    def name(self) -> str:
        return self._name


class Auc(Metric):
    """The area under the curve of right against wrong alarms, or of precision against recall.

    Probabilities are counted in `num_thresholds` + 1 bins, so that memory does not grow with the samples.

    Args:
        curve: "ROC" (trapezoids), or "PR" (steps, the average precision).
            Differs: the reference gives the area of "ROC" for every name.
        num_thresholds: how fine the bins are.
        name: the metric's name.

    Raises:
        ValueError: another curve.

    >>> import numpy as np
    >>> import paddlite as paddle
    >>> metric = paddle.metric.Auc()
    >>> metric.update(np.array([[0.9, 0.1], [0.4, 0.6], [0.7, 0.3]]), np.array([0, 1, 1]))
    >>> metric.accumulate()
    1.0
    """

    def __init__(self, curve: str = "ROC", num_thresholds: int = 4095, name: str = "auc", *args: Any, **kwargs: Any):
        if curve not in ("ROC", "PR"):
            raise InvalidArgument(f"Auc: curve must be 'ROC' or 'PR', got {curve!r}")
        if num_thresholds < 1:
            raise InvalidArgument(f"Auc: num_thresholds must be at least 1, got {num_thresholds}")
        self._curve, self._num_thresholds, self._name = curve, num_thresholds, name
        self.reset()

    def update(self, preds: Any, labels: Any) -> None:
        """Take account of a batch.

        Args:
            preds: probabilities [N, 2] of "negative" and "positive", or [N] or [N, 1] of "positive" alone.
            labels: 0 or 1, of N elements.

        Raises:
            ValueError: a probability lies outside of [0, 1].
        """
        preds = as_array("Auc", "preds", preds)
        chances = (preds[:, -1] if preds.ndim > 1 else preds).astype(np.float64)
        labels = as_array("Auc", "labels", labels).ravel() != 0
        if chances.size and not (chances.min() >= 0 and chances.max() <= 1):
            raise InvalidArgument("Auc: probabilities must lie in [0, 1]")
        bins = (chances * self._num_thresholds).astype(np.int64)
        self._stat_pos += np.bincount(bins[labels], minlength=self._num_thresholds + 1)
        self._stat_neg += np.bincount(bins[~labels], minlength=self._num_thresholds + 1)

    def reset(self) -> None:
        self._stat_pos = np.zeros(self._num_thresholds + 1, np.int64)
        self._stat_neg = np.zeros(self._num_thresholds + 1, np.int64)

    def accumulate(self) -> float:
        """The area; 0 where there were no positive or no negative samples."""
        right = np.cumsum(self._stat_pos[::-1], dtype=np.float64)
        wrong = np.cumsum(self._stat_neg[::-1], dtype=np.float64)
        if not right[-1] or not wrong[-1]:
            return 0.0
        if self._curve == "PR":
            steps = np.diff(right, prepend=0.0)
            return float((steps * right / np.maximum(right + wrong, 1)).sum() / right[-1])
        heights = (right + np.concatenate([[0.0], right[:-1]])) / 2
        return float((np.diff(wrong, prepend=0.0) * heights).sum() / (right[-1] * wrong[-1]))

    def name(self) -> str:
        return self._name
