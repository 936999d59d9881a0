"""3x3 convolutions of many channels, which the host computes in a way of their own."""

import numpy as np
import pytest

import paddlite as paddle
import paddlite.nn.functional as F
from paddlite.ops import winograd
from paddlite.ops.window import window


def definition(x, weight, bias, pads):
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    patches = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", patches, weight, optimize=True) + bias[:, None, None]


@pytest.mark.parametrize(
    ("batch", "sizes", "pads"),
    [
        (8, (7, 9), [(1, 1), (1, 1)]),
        (8, (8, 10), [(0, 0), (0, 0)]),
        (9, (7, 8), [(2, 0), (0, 2)]),
        (8, (8, 7), [(0, 1), (2, 1)]),
        (1, (20, 21), [(1, 1), (1, 1)]),
        (40, (3, 4), [(1, 1), (1, 1)]),
        (16, (16, 66), [(1, 1), (1, 1)]),
    ],
)
def test_values_and_gradients(batch, sizes, pads):
    rng = np.random.default_rng(0)
    shape = (batch, 48, *sizes)
    x, weight, bias = (rng.standard_normal(s) for s in (shape, (50, 48, 3, 3), (50,)))
    places = window("test", sizes, (3, 3), (1, 1), tuple(pads), (1, 1))
    assert winograd.applies(48, 50, batch, places)
    x, weight, bias = (paddle.to_tensor(a, stop_gradient=False) for a in (x, weight, bias))
    flat = [n for pair in pads for n in pair]
    out = F.conv2d(x, weight, bias, padding=flat)
    np.testing.assert_allclose(out.numpy(), definition(x.numpy(), weight.numpy(), bias.numpy(), pads), atol=1e-11)
    # The gradients are the adjoints of two linear maps: <conv(v, w), g> = <v, dx> and <conv(x, v), g> = <v, dw>.
    g, dx, dw = (rng.standard_normal(s) for s in (out.shape, shape, weight.shape))
    out.backward(paddle.to_tensor(g))
    zero = np.zeros(50)
    slope = np.sum(definition(dx, weight.numpy(), zero, pads) * g)
    assert np.sum(x.grad.numpy() * dx) == pytest.approx(slope, rel=1e-10)
    slope = np.sum(definition(x.numpy(), dw, zero, pads) * g)
    assert np.sum(weight.grad.numpy() * dw) == pytest.approx(slope, rel=1e-10)
    np.testing.assert_allclose(bias.grad.numpy(), g.sum((0, 2, 3)), rtol=1e-10)


def test_float32_is_as_exact_as_the_direct_way():
    rng = np.random.default_rng(1)
    x, weight = rng.standard_normal((8, 64, 12, 12)), rng.standard_normal((64, 64, 3, 3)) / 24
    exact = definition(x, weight, np.zeros(64), [(1, 1), (1, 1)])
    error = []
    for groups in (1, 2):  # with groups the direct way is taken
        w = weight if groups == 1 else weight[:, :32]
        want = exact if groups == 1 else np.concatenate(
            [definition(x[:, h : h + 32], w[h : h + 32], np.zeros(32), [(1, 1), (1, 1)]) for h in (0, 32)], 1
        )  # fmt: skip
        args = [paddle.to_tensor(a.astype("float32")) for a in (x, w)]
        error.append(np.abs(F.conv2d(*args, padding=1, groups=groups).numpy() - want).max())
    assert error[0] < 2e-6
    assert error[0] < 3 * error[1]
