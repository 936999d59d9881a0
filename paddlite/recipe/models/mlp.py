"""A multi-layer perceptron."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from paddlite import nn

__all__ = ["MLP"]


class MLP(nn.Layer):
    """Linear layers with ReLU between them, over flattened inputs.

    Args:
        in_features: numbers in one sample.
        hidden: widths of the hidden layers.
        num_classes: outputs.
    """

    def __init__(self, in_features: int = 64, hidden: Sequence[int] = (128, 64), num_classes: int = 10):
        super().__init__()
        widths = [in_features, *hidden]
        layers: list[nn.Layer] = [nn.Flatten()]
        for before, after in itertools.pairwise(widths):
            layers += [nn.Linear(before, after), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Linear(widths[-1], num_classes))

    def forward(self, x: Any) -> Any:
        return self.layers(x)
