"""Distances and similarities as layers."""

from __future__ import annotations

from typing import Any

from paddlite.nn import functional as F
from paddlite.nn.layer.layers import Layer

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Layer):
    """The p-norm of x - y + epsilon along the last axis.

    Args:
        p: of the norm.
        epsilon: added to each difference.
        keepdim: keep the last axis, of size 1.
    """

    def __init__(self, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False, name: str | None = None):
        super().__init__()
        self.p, self.epsilon, self.keepdim, self.name = p, epsilon, keepdim, name

    def forward(self, x: Any, y: Any) -> Any:
        return F.pairwise_distance(x, y, self.p, self.epsilon, self.keepdim)

    def extra_repr(self) -> str:
        text = f"p={self.p}"
        if self.epsilon != 1e-6:
            text += f", epsilon={self.epsilon}"
        if self.keepdim:
            text += f", keepdim={self.keepdim}"
        return text + (f", name={self.name}" if self.name else "")


class CosineSimilarity(Layer):
    """The cosine of the angle between x1 and x2 along `axis`; `eps` is the smallest product of lengths."""

    def __init__(self, axis: int = 1, eps: float = 1e-8):
        super().__init__()
        self._axis, self._eps = axis, eps

    def forward(self, x1: Any, x2: Any) -> Any:
        return F.cosine_similarity(x1, x2, self._axis, self._eps)

    def extra_repr(self) -> str:
        return f"axis={self._axis}, eps={self._eps}"
