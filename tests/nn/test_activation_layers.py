"""Activation layers call their functions with their settings."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn

F = nn.functional
X = np.linspace(-3, 3, 24, dtype="float32").reshape(2, 4, 3)

CASES = [
    (nn.CELU(0.7), lambda x: F.celu(x, 0.7)),
    (nn.ELU(0.7), lambda x: F.elu(x, 0.7)),
    (nn.GELU(True), lambda x: F.gelu(x, True)),
    (nn.GLU(1), lambda x: F.glu(x, 1)),
    (nn.SELU(1.1, 1.2), lambda x: F.selu(x, 1.1, 1.2)),
    (nn.Hardshrink(0.2), lambda x: F.hardshrink(x, 0.2)),
    (nn.Hardsigmoid(), F.hardsigmoid),
    (nn.Hardswish(), F.hardswish),
    (nn.Hardtanh(-0.5, 0.25), lambda x: F.hardtanh(x, -0.5, 0.25)),
    (nn.LeakyReLU(0.3), lambda x: F.leaky_relu(x, 0.3)),
    (nn.LogSigmoid(), F.log_sigmoid),
    (nn.LogSoftmax(1), lambda x: F.log_softmax(x, 1)),
    (nn.Maxout(2), lambda x: F.maxout(x, 2)),
    (nn.Mish(), F.mish),
    (nn.PReLU(4, 0.1), lambda x: F.prelu(x, paddle.to_tensor([0.1] * 4))),
    (nn.RReLU().eval(), lambda x: F.rrelu(x, training=False)),
    (nn.ReLU(), F.relu),
    (nn.ReLU6(), F.relu6),
    (nn.Sigmoid(), F.sigmoid),
    (nn.Silu(), F.silu),
    (nn.Softmax(1), lambda x: F.softmax(x, 1)),
    (nn.Softmax2D(), lambda x: F.softmax(x, 0)),
    (nn.Softplus(2, 5), lambda x: F.softplus(x, 2, 5)),
    (nn.Softshrink(0.2), lambda x: F.softshrink(x, 0.2)),
    (nn.Softsign(), F.softsign),
    (nn.Swish(), F.swish),
    (nn.Tanhshrink(), F.tanhshrink),
    (nn.ThresholdedReLU(0.5, -1.0), lambda x: F.thresholded_relu(x, 0.5, -1.0)),
]


@pytest.mark.parametrize(("layer", "function"), CASES, ids=[type(layer).__name__ for layer, _ in CASES])
def test_layers_call_their_functions(layer, function):
    x = paddle.to_tensor(X)
    np.testing.assert_array_equal(layer(x).numpy(), function(x).numpy())


def test_tanh():
    np.testing.assert_allclose(nn.Tanh()(paddle.to_tensor(X)).numpy(), np.tanh(X), rtol=1e-6)


def test_prelu_trains_its_slopes():
    layer = nn.PReLU(4)
    layer(paddle.to_tensor(X)).backward(paddle.to_tensor(np.ones_like(X)))
    np.testing.assert_allclose(layer._weight.grad.numpy(), np.minimum(X, 0).sum((0, 2)), rtol=1e-5)


def test_rrelu_draws_in_training_only():
    layer, x = nn.RReLU(0.1, 0.9), paddle.to_tensor(-np.ones(100, "float32"))
    assert np.unique(layer(x).numpy()).size > 50
    np.testing.assert_allclose(layer.eval()(x).numpy(), -0.5, rtol=1e-6)


def test_softmax2d_wants_an_image():
    with pytest.raises(ValueError, match="3 or 4 axes"):
        nn.Softmax2D()(paddle.to_tensor([1.0]))
