"""LeNet has the reference's parameters and trains."""

import numpy as np

import paddlite as paddle
from paddlite.vision.models import LeNet


def images(count):
    rng = np.random.default_rng(0)
    return paddle.to_tensor(rng.standard_normal((count, 1, 28, 28)).astype("float32"))


def test_parameters_are_named_and_shaped_like_the_reference():
    found = [(name, p.name, p.shape) for name, p in LeNet(num_classes=7).named_parameters()]
    assert found == [
        ("features.0.weight", "conv2d_0.w_0", [6, 1, 3, 3]),
        ("features.0.bias", "conv2d_0.b_0", [6]),
        ("features.3.weight", "conv2d_1.w_0", [16, 6, 5, 5]),
        ("features.3.bias", "conv2d_1.b_0", [16]),
        ("fc.0.weight", "linear_0.w_0", [400, 120]),
        ("fc.0.bias", "linear_0.b_0", [120]),
        ("fc.1.weight", "linear_1.w_0", [120, 84]),
        ("fc.1.bias", "linear_1.b_0", [84]),
        ("fc.2.weight", "linear_2.w_0", [84, 7]),
        ("fc.2.bias", "linear_2.b_0", [7]),
    ]


def test_scores_and_features():
    assert LeNet()(images(2)).shape == [2, 10]
    assert LeNet(num_classes=0)(images(2)).shape == [2, 16, 5, 5]


def test_gradients_reach_every_parameter():
    net = LeNet()
    net(images(2)).backward(paddle.to_tensor(np.ones((2, 10), "float32")))
    assert all(np.abs(p.grad.numpy()).max() > 0 for p in net.parameters())
