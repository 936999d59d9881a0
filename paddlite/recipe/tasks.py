"""Kinds of tasks: what a batch is, its loss, and what is measured."""

from __future__ import annotations

from typing import Any, NamedTuple

import paddlite as paddle
from paddlite.nn import functional as F


class Sums(NamedTuple):
    """Totals of an evaluation, to be added up over batches and ranks."""

    loss: float
    correct: float
    count: int


class Classify:
    """Images (or other inputs) with one class each.  Metrics: `loss` (mean cross entropy), `acc`."""

    metrics = ("loss", "acc")

    def __init__(self, loss: Any = None):
        self.loss_function = loss if loss is not None else F.cross_entropy

    def loss(self, model: Any, batch: Any) -> Any:
        """The mean loss of a batch, a 0-D tensor."""
        inputs, labels = batch
        return self.loss_function(model(inputs), labels)

    def sums(self, model: Any, batch: Any) -> Sums:
        """Totals over a batch, without gradients."""
        inputs, labels = batch
        scores = model(inputs)
        count = labels.shape[0]
        right = (scores.argmax(-1) == labels.reshape([-1])).astype("float32").sum()
        return Sums(float(self.loss_function(scores, labels)) * count, float(right), count)

    def measured(self, sums: Sums) -> dict[str, float]:
        """The metrics that totals stand for."""
        return {"loss": sums.loss / sums.count, "acc": sums.correct / sums.count}


class LanguageModel:
    """Sequences of symbols and the same one later.  Metrics: `loss` (nats a symbol), `perplexity`."""

    metrics = ("loss", "perplexity")

    def __init__(self, loss: Any = None):
        self.loss_function = loss if loss is not None else F.cross_entropy

    def loss(self, model: Any, batch: Any) -> Any:
        """The mean loss of a batch, a 0-D tensor."""
        inputs, labels = batch
        scores = model(inputs)
        return self.loss_function(scores.reshape([-1, scores.shape[-1]]), labels.reshape([-1]))

    def sums(self, model: Any, batch: Any) -> Sums:
        """Totals over a batch, without gradients."""
        count = batch[1].size
        return Sums(float(self.loss(model, batch)) * count, 0.0, count)

    def measured(self, sums: Sums) -> dict[str, float]:
        """The metrics that totals stand for."""
        loss = sums.loss / sums.count
        return {"loss": loss, "perplexity": float(paddle.exp(paddle.to_tensor(loss)))}


TASKS = {"classify": Classify, "lm": LanguageModel}
