"""Measures of how good predictions are: `paddle.metric`."""

from paddlite.core.guard import guard_methods
from paddlite.metric.accuracy import Accuracy, accuracy
from paddlite.metric.base import Metric
from paddlite.metric.binary import Auc, Precision, Recall

__all__ = ["Accuracy", "Auc", "Metric", "Precision", "Recall", "accuracy"]

guard_methods(Accuracy, Auc, Precision, Recall)
