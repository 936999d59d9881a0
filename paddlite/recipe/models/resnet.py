"""A small residual network with batch norm, for small images."""

from __future__ import annotations

from typing import Any

from paddlite import nn
from paddlite.nn import functional as F

__all__ = ["SmallResNet"]


class ResidualBlock(nn.Layer):
    """Two 3x3 convolutions with batch norm, added to the input (He et al., 2016)."""

    def __init__(self, in_channels: int, out_channels: int, stride: int = 1):
        super().__init__()
        self.conv1 = nn.Conv2D(in_channels, out_channels, 3, stride, 1, bias_attr=False)
        self.norm1 = nn.BatchNorm2D(out_channels)
        self.conv2 = nn.Conv2D(out_channels, out_channels, 3, 1, 1, bias_attr=False)
        self.norm2 = nn.BatchNorm2D(out_channels)
        self.shortcut = None
        if stride != 1 or in_channels != out_channels:
            self.shortcut = nn.Sequential(
                nn.Conv2D(in_channels, out_channels, 1, stride, bias_attr=False), nn.BatchNorm2D(out_channels)
            )

    def forward(self, x: Any) -> Any:
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return F.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class SmallResNet(nn.Layer):
    """A stem, then one residual block a width; the first keeps the size, each further one halves it.

    Args:
        widths: channels of the blocks.
        num_classes: outputs.
        in_channels: channels of the images.
    """

    def __init__(self, widths: tuple[int, ...] = (16, 32), num_classes: int = 10, in_channels: int = 1):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2D(in_channels, widths[0], 3, 1, 1, bias_attr=False), nn.BatchNorm2D(widths[0]), nn.ReLU()
        )
        pairs = zip((widths[0], *widths), widths)
        blocks = [ResidualBlock(a, b, 1 if i == 0 else 2) for i, (a, b) in enumerate(pairs)]
        self.blocks = nn.Sequential(*blocks)
        self.pool = nn.AdaptiveAvgPool2D(1)
        self.head = nn.Linear(widths[-1], num_classes)

    def forward(self, x: Any) -> Any:
        return self.head(self.pool(self.blocks(self.stem(x))).flatten(1))
