"""A network and a data set that draw random numbers in every way there is."""

import os
import random
from pathlib import Path

import numpy as np

import paddlite as paddle
from paddlite.recipe.datasets.digits import Digits


class Net(paddle.nn.Layer):
    """Small, with dropout, running statistics, and noise of NumPy's and Python's own."""

    def __init__(self, width=16, noisy=True):
        super().__init__()
        nn = paddle.nn
        self.noisy = noisy
        self.first = nn.Sequential(nn.Flatten(), nn.Linear(64, width), nn.BatchNorm1D(width), nn.ReLU())
        self.last = nn.Sequential(nn.Dropout(0.3), nn.Linear(width, 10))

    def forward(self, x):
        x = self.first(x)
        if self.noisy and self.training:
            x = x + paddle.to_tensor(np.float32(0.1 * np.random.rand() + 0.1 * random.random()))
            x = x + 0.1 * paddle.randn(x.shape)
        return self.last(x)


class Noisy(paddle.io.Dataset):
    """The first `size` digits, each with noise."""

    def __init__(self, split="train", size=96):
        self.digits, self.size = Digits(split), size

    def __getitem__(self, index):
        image, label = self.digits[index]
        noise = np.random.rand(*image.shape) + random.random() + paddle.rand([1]).item()
        return (image + 0.1 * noise).astype(np.float32), label

    def __len__(self):
        return self.size


class Signalling(Noisy):
    """Sends its own process a signal: as it is made, or the first time that sample `at` is taken."""

    def __init__(self, mark, number=15, at=None, split="train", size=96):
        super().__init__(split, size)
        self.mark, self.number, self.at = Path(mark), number, at
        if at is None:
            self.send()

    def send(self):
        if not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), self.number)

    def __getitem__(self, index):
        if index == self.at:
            self.send()
        return super().__getitem__(index)
