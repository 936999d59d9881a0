"""Samples of `ops/activation.py`, `ops/rectify.py` and `ops/exp_linear.py`."""

import numpy as np
from scipy import special

from paddlite.core.errors import ShapeMismatch
from tests.ops.sample import apart, exactly, integers, normal, positive, sample, uniform

WIDE = exactly([[-30.0, -7.0, -2.5, -0.4], [0.3, 1.1, 6.0, 25.0]])
sigmoid = special.expit


def bell(x):
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def gelu(x, approximate=False):
    if not approximate:
        return x * special.ndtr(x)
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def gelu_slope(x, dy, approximate):
    if not approximate:
        return dy * (special.ndtr(x) + x * bell(x))
    eps = 1e-6
    return dy * (gelu(x + eps, True) - gelu(x - eps, True)) / (2 * eps)


def mish_slope(x, dy):
    t = np.tanh(np.log1p(np.exp(x)))
    return dy * (t + x * (1 - t * t) * sigmoid(x))


def silu_slope(x, dy):
    return dy * sigmoid(x) * (1 + x * (1 - sigmoid(x)))


def softplus(x, beta=1.0, threshold=20.0):
    return np.where(x * beta > threshold, x, np.log1p(np.exp(np.minimum(x * beta, 50))) / beta)


def exp_linear(x, outer, inner, rate):
    return outer * np.where(x > 0, x, inner * np.expm1(rate * np.minimum(x, 0)))


def exp_linear_slope(x, dy, outer, inner, rate):
    return dy * outer * np.where(x > 0, 1, inner * rate * np.exp(rate * np.minimum(x, 0)))


SMOOTH = {
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
    "swish": lambda x: x * sigmoid(x),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "logsigmoid": special.log_expit,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "tanh_shrink": lambda x: x - np.tanh(x),
    "gelu": gelu,
    "softplus": softplus,
}
SLOPES = {
    "sigmoid_grad": lambda y, dy: dy * y * (1 - y),
    "silu_grad": silu_slope,
    "swish_grad": silu_slope,
    "mish_grad": mish_slope,
    "logsigmoid_grad": lambda x, dy: dy * sigmoid(-x),
    "softsign_grad": lambda x, dy: dy / (1 + np.abs(x)) ** 2,
}

SAMPLES = [
    *[sample(name, apart(3, 4), reference=f) for name, f in SMOOTH.items()],
    *[sample(name, WIDE, reference=f, note="wide range", second=False, gradient=()) for name, f in SMOOTH.items()],
    *[sample(name, apart(3, 4), normal(3, 4), reference=f, batch=(0, 1)) for name, f in SLOPES.items()],
    sample("sigmoid", integers(5, 3), reference=lambda x: sigmoid(x).astype("f4"), note="integers", tolerance=1e3),
    sample("gelu", apart(3, 4), approximate=True, reference=gelu, note="tanh"),
    sample("gelu_grad", apart(3, 4), normal(3, 4), approximate=False, reference=gelu_slope, batch=(0, 1)),
    sample("gelu_grad", apart(3, 4), normal(3, 4), approximate=True, reference=gelu_slope, batch=(0, 1), note="tanh"),
    sample("softplus", normal(3, 4), beta=2.0, threshold=1.0, reference=softplus, note="linear above"),
    sample("softplus_grad", apart(3, 4), normal(3, 4), beta=2.0, threshold=15.0, batch=(0, 1),
           reference=lambda x, dy, beta, threshold: dy * np.where(x * beta > threshold, 1, sigmoid(beta * x))),
    sample("swiglu", normal(3, 4), normal(3, 4), reference=lambda x, y: x * sigmoid(x) * y, batch=(0, 1)),
    sample("swiglu", normal(3, 4), normal(4), reference=lambda x, y: x * sigmoid(x) * y, note="broadcast"),
    # exponential below 0
    sample("elu", apart(3, 4), reference=lambda x: exp_linear(x, 1, 1, 1)),
    sample("elu", apart(3, 4), alpha=0.4, reference=lambda x, alpha: exp_linear(x, 1, alpha, 1), note="alpha"),
    sample("celu", apart(3, 4), alpha=1.7, reference=lambda x, alpha: exp_linear(x, 1, alpha, 1 / alpha)),
    sample("selu", apart(3, 4), reference=lambda x: exp_linear(x, 1.0507009873554805, 1.6732632423543772, 1)),
    sample("exp_linear_grad", apart(3, 4), normal(3, 4), outer=1.5, inner=0.4, rate=0.7, batch=(0, 1),
           reference=exp_linear_slope),
    # piecewise linear
    sample("relu", apart(3, 4), reference=lambda x: np.maximum(x, 0)),
    sample("relu", integers(5, 3, low=-4), reference=lambda x: np.maximum(x, 0), note="integers"),
    sample("relu_grad", apart(3, 4), normal(3, 4), reference=lambda y, g: g * (y > 0), gradient=(1,), batch=(0, 1)),
    sample("relu6", apart(4, 10), reference=lambda x: np.clip(x, 0, 6)),
    sample("brelu", apart(3, 4), t_min=-1.5, t_max=0.5, reference=lambda x, t_min, t_max: np.clip(x, t_min, t_max)),
    sample("inside_grad", apart(3, 4), normal(3, 4), low=-1.0, high=1.2, batch=(0, 1),
           reference=lambda y, g, low, high: g * ((y > low) & (y < high))),
    sample("hard_sigmoid", apart(3, 8), slope=0.2, offset=0.4,
           reference=lambda x, slope, offset: np.clip(x * slope + offset, 0, 1)),
    sample("hard_swish", apart(3, 8), reference=lambda x: x * np.clip(x + 3, 0, 6) / 6),
    sample("hard_swish_grad", apart(3, 8), normal(3, 8), batch=(0, 1),
           reference=lambda x, dy: dy * np.where(x <= -3, 0, np.where(x >= 3, 1, (2 * x + 3) / 6))),
    *[
        sample("leaky_relu", apart(3, 4), alpha=a, reference=lambda x, alpha: np.where(x > 0, x, alpha * x), note=f"{a}")
        for a in (0.01, -0.5, 2.0)
    ],
    sample("leaky_relu_grad", apart(3, 4), normal(3, 4), alpha=0.3, batch=(0, 1),
           reference=lambda x, dy, alpha: dy * np.where(x > 0, 1, alpha)),
    sample("prelu", apart(2, 3, 4), positive(3, 1), reference=lambda x, a: np.where(x > 0, x, a * x),
           bad=(((normal(2, 3), normal(2, 2, 3)), {}, ShapeMismatch),)),
    sample("hard_shrink", apart(3, 4), threshold=0.5, reference=lambda x, threshold: x * (np.abs(x) > threshold)),
    sample("softshrink", apart(3, 4), threshold=0.5,
           reference=lambda x, threshold: np.sign(x) * np.maximum(np.abs(x) - threshold, 0)),
    sample("outside_grad", apart(3, 4), normal(3, 4), threshold=0.5, batch=(0, 1),
           reference=lambda x, dy, threshold: dy * (np.abs(x) > threshold)),
    sample("thresholded_relu", apart(3, 4), threshold=0.5, value=-2.0,
           reference=lambda x, threshold, value: np.where(x > threshold, x, value)),
    sample("rrelu", apart(3, 4), lower=0.1, upper=0.4, attrs={"training": False}, note="mean slope",
           reference=lambda x, lower, upper, training: (np.where(x > 0, x, x / 4), np.where(x > 0, 1.0, 0.25))),
]  # fmt: skip


def slopes_are_random(outputs, inputs):
    out, noise = [o.astype("f8") for o in outputs]
    x = inputs[0].astype("f8")
    assert np.all(noise[x > 0] == 1)
    below = noise[x < 0]
    assert below.min() > 0.0999 and below.max() < 0.401 and len(np.unique(below)) > below.size // 3
    np.testing.assert_allclose(out, x * noise, rtol=1e-2)


SAMPLES.append(sample("rrelu", apart(10, 12), lower=0.1, upper=0.4, check=slopes_are_random, half=False))
SAMPLES += [sample(name, exactly(0.7), reference=f, note="0-D", batch=()) for name, f in SMOOTH.items()]
SAMPLES += [
    sample(name, exactly(0.7), note="0-D", batch=(), reference=lambda x: x)
    for name in ("relu", "relu6", "brelu", "leaky_relu", "elu", "celu", "hard_shrink")
]
SAMPLES.append(sample("softshrink", exactly(0.7), note="0-D", batch=(), reference=lambda x: x - 0.5))
SAMPLES.append(sample("hard_swish", exactly(0.7), note="0-D", batch=(), reference=lambda x: x * (x + 3) / 6))
SAMPLES.append(sample("hard_sigmoid", exactly(0.6), note="0-D", batch=(), reference=lambda x: x * 0.1666667 + 0.5))
SAMPLES.append(sample("thresholded_relu", exactly(0.7), note="0-D", batch=(), reference=lambda x: x * 0))
SAMPLES.append(sample("gumbel_noise", exactly(0.7), note="0-D", batch=(), check=lambda outputs, inputs: None))
SAMPLES.append(sample("elu", uniform(3, 4, low=-50), reference=lambda x: exp_linear(x, 1, 1, 1), note="far below"))
