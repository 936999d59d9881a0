"""Layers in a Program with unknown sizes give the bits that they give eagerly."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn
from paddlite.backend.random import Generator
from paddlite.core.program import Program, recording
from paddlite.static.plan import Plan

RNG = np.random.default_rng(0)


def convolutional():
    return nn.Sequential(
        nn.Conv2D(3, 4, 3, padding=1),
        nn.BatchNorm2D(4),
        nn.ReLU(),
        nn.MaxPool2D(2),
        nn.AdaptiveAvgPool2D(1),
        nn.Flatten(),
        nn.Linear(4, 2),
        nn.Softmax(),
    )


def resizing():
    return nn.Sequential(
        nn.GroupNorm(2, 4), nn.InstanceNorm2D(4), nn.Upsample(scale_factor=2), nn.PixelShuffle(2), nn.Pad2D(1)
    )


CASES = {
    "convolutional": (convolutional, [-1, 3, 8, 8]),
    "resizing": (resizing, [-1, 4, 6, 6]),
    "embedding": (lambda: nn.Sequential(nn.Embedding(10, 4), nn.LayerNorm(4), nn.Dropout(0.5)), [-1, 5]),
    "lstm": (lambda: nn.LSTM(4, 5, 2, direction="bidirect"), [-1, 7, 4]),
    "cell": (lambda: nn.RNN(nn.GRUCell(4, 5)), [-1, 3, 4]),
    "encoder": (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2), [-1, 5, 4]),
    "weight norm": (lambda: nn.utils.weight_norm(nn.Linear(4, 3)), [-1, 4]),
    "spectral norm": (lambda: nn.utils.spectral_norm(nn.Linear(4, 3)), [-1, 4]),
}


def first(out):
    return out[0] if isinstance(out, tuple) else out


@pytest.mark.parametrize("name", CASES)
def test_recorded_layers_give_the_bits_of_eager_ones(name):
    make, shape = CASES[name]
    net, program = make().eval(), Program()
    dtype = "int64" if name == "embedding" else "float32"
    with recording(program):
        out = first(net(program.data("x", shape, dtype)))
    for batch in (2, 3):
        sizes = [batch, *shape[1:]]
        x = RNG.integers(0, 10, sizes) if name == "embedding" else RNG.standard_normal(sizes).astype(dtype)
        (static,) = Plan(program, [out._value]).run({"x": x}, {}, Generator())
        np.testing.assert_array_equal(static, first(net(paddle.to_tensor(x))).numpy())


def test_statistics_and_singular_vectors_are_written_at_each_run():
    norm, spectral = nn.BatchNorm1D(4), nn.utils.spectral_norm(nn.Linear(4, 3))
    program = Program()
    with recording(program):
        out = spectral(norm(program.data("x", [-1, 4], "float32")))
    before = spectral.weight_u.numpy()
    plan = Plan(program, [out._value])
    x = RNG.standard_normal((6, 4)).astype("float32")
    plan.run({"x": x}, {}, Generator())
    np.testing.assert_allclose(norm._mean.numpy(), 0.1 * x.mean(0), rtol=1e-5)
    once = spectral.weight_u.numpy()
    assert not np.allclose(before, once)
    plan.run({"x": x}, {}, Generator())
    np.testing.assert_allclose(norm._mean.numpy(), 0.19 * x.mean(0), rtol=1e-5)
