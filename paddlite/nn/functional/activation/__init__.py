"""Activations, by theme: `rectifiers` (piecewise linear), `smooth`, `softmax` and `gated`."""

from paddlite.nn.functional.activation.rectifiers import relu
from paddlite.tensor.activation import softmax

__all__ = ["relu", "softmax"]
INPLACE = ("relu", "softmax")
