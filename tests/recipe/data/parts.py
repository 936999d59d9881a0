"""A network and a data set that draw random numbers in every way there is."""

import os
import random
import resource
import signal
import time
from pathlib import Path

import numpy as np

import paddlite as paddle
from paddlite.recipe.datasets.digits import Digits


class Net(paddle.nn.Layer):
    """Small, with dropout, running statistics, noise of NumPy's and Python's own, and a buffer that training reads."""

    def __init__(self, width=16, noisy=True, centred=False):
        super().__init__()
        nn = paddle.nn
        self.noisy, self.centred = noisy, centred
        self.register_buffer("centre", paddle.zeros([width]), persistable=False)
        self.first = nn.Sequential(nn.Flatten(), nn.Linear(64, width), nn.BatchNorm1D(width), nn.ReLU())
        self.last = nn.Sequential(nn.Dropout(0.3), nn.Linear(width, 10))

    def forward(self, x):
        x = self.first(x)
        if self.noisy and self.training:
            x = x + paddle.to_tensor(np.float32(0.1 * np.random.rand() + 0.1 * random.random()))
            x = x + 0.1 * paddle.randn(x.shape)
        if self.centred and self.training:
            x = x - self.centre
            self.centre.set_value(self.centre * 0.9 + x.detach().astype("float32").mean(0) * 0.1)
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


class Cramped(Noisy):
    """From its making on the process can write no file larger than `limit` bytes."""

    def __init__(self, limit=6000, split="train", size=96):
        super().__init__(split, size)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


class Signalling(Noisy):
    """Sends a signal: as it is made, or the first time that sample `at` is taken.

    It goes to the process itself; or to the one whose number is in the file `to`, and then it is waited until it has
    come round to the process itself.
    """

    def __init__(self, mark, number=15, at=None, split="train", size=96, to=None):
        super().__init__(split, size)
        self.mark, self.number, self.at, self.to = Path(mark), number, at, to
        if at is None:
            self.send()

    def send(self):
        if self.mark.exists():
            return
        self.mark.touch()
        if self.to is None:
            os.kill(os.getpid(), self.number)
            return
        os.kill(int(Path(self.to).read_text()), self.number)
        while not signal.getsignal(self.number).number:
            time.sleep(0.01)

    def __getitem__(self, index):
        if index == self.at:
            self.send()
        return super().__getitem__(index)
