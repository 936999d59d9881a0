"""The training jobs that are measured, once in Paddle's words (for Paddle and for us) and once in torch's."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

BATCHES = {"mlp": (64, 784), "lenet": (64, 1, 28, 28), "transformer": (16, 64, 128)}


def batch(job: str) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and labels, the same for every framework."""
    rng = np.random.RandomState(0)
    shape = BATCHES[job]
    return rng.randn(*shape).astype("float32"), rng.randint(0, 10, shape[0]).astype("int64")


def training_step(framework: str, job: str) -> Callable[[], float]:
    """A function that runs forward, backward and the optimizer once and gives the loss."""
    return _torch_step(job) if framework == "torch" else _paddle_step(import_module(framework), job)


def _paddle_net(paddle: Any, job: str) -> Any:
    nn = paddle.nn
    if job == "mlp":
        return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    if job == "lenet":
        return nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Flatten(), nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10),
        )  # fmt: skip

    class Classifier(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(128, 4, 512, dropout=0.1), 2)
            self.head = nn.Linear(128, 10)

        def forward(self, x: Any) -> Any:
            return self.head(self.encoder(x).mean(1))

    return Classifier()


def _paddle_step(paddle: Any, job: str) -> Callable[[], float]:
    if hasattr(paddle, "set_num_threads"):
        paddle.set_num_threads(1)
    paddle.seed(0)
    net = _paddle_net(paddle, job)
    optimizer = paddle.optimizer.AdamW if job == "transformer" else paddle.optimizer.Adam
    optimizer = optimizer(learning_rate=1e-3, parameters=net.parameters())
    inputs, labels = map(paddle.to_tensor, batch(job))
    cross_entropy = paddle.nn.functional.cross_entropy

    def step() -> float:
        loss = cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return float(loss)

    return step


def _torch_net(torch: Any, job: str) -> Any:
    nn = torch.nn
    if job == "mlp":
        return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    if job == "lenet":
        return nn.Sequential(
            nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2, 2),
            nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2, 2),
            nn.Flatten(), nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10),
        )  # fmt: skip

    class Classifier(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.1, batch_first=True)
            self.encoder = nn.TransformerEncoder(layer, 2)
            self.head = nn.Linear(128, 10)

        def forward(self, x: Any) -> Any:
            return self.head(self.encoder(x).mean(1))

    return Classifier()


def _torch_step(job: str) -> Callable[[], float]:
    torch = import_module("torch")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net = _torch_net(torch, job)
    optimizer = torch.optim.AdamW if job == "transformer" else torch.optim.Adam
    optimizer = optimizer(net.parameters(), 1e-3)
    inputs, labels = map(torch.from_numpy, batch(job))
    cross_entropy = torch.nn.functional.cross_entropy

    def step() -> float:
        loss = cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return float(loss)

    return step
