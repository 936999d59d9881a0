"""LeNet, a small network for digits."""

from __future__ import annotations

from typing import Any

from paddlite.nn import Conv2D, Layer, Linear, MaxPool2D, ReLU, Sequential
from paddlite.ops.shape import flatten


class LeNet(Layer):
    """Two convolutions with pools and three linear maps, for images of 28 by 28 with one channel.

    After LeCun et al., "Gradient-based learning applied to document recognition" (1998).

    Args:
        num_classes: how many scores it gives an image; 0 for the features [N, 16, 5, 5] alone.

    >>> import paddlite as paddle
    >>> net = paddle.vision.models.LeNet()
    >>> sum(parameter.numpy().size for parameter in net.parameters())
    61610
    """

    def __init__(self, num_classes: int = 10):
        super().__init__()
        self.num_classes = num_classes
        self.features = Sequential(
            Conv2D(1, 6, 3, padding=1),
            ReLU(),
            MaxPool2D(2, 2),
            Conv2D(6, 16, 5),
            ReLU(),
            MaxPool2D(2, 2),
        )
        if num_classes > 0:
            self.fc = Sequential(Linear(16 * 5 * 5, 120), Linear(120, 84), Linear(84, num_classes))

    def forward(self, inputs: Any) -> Any:
        x = self.features(inputs)
        return self.fc(flatten(x, start_axis=1)) if self.num_classes > 0 else x
