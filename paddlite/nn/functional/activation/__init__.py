"""Activations, by theme: `rectifiers` (piecewise linear), `smooth`, `softmax` and `gated`."""

from paddlite.nn.functional.activation.gated import glu, swiglu
from paddlite.nn.functional.activation.rectifiers import (
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    maxout,
    prelu,
    relu,
    relu6,
    rrelu,
    softshrink,
    thresholded_relu,
)
from paddlite.nn.functional.activation.smooth import (
    celu,
    elu,
    gelu,
    log_sigmoid,
    logsigmoid,
    mish,
    selu,
    silu,
    softplus,
    softsign,
    swish,
    tanhshrink,
)
from paddlite.nn.functional.activation.softmax import gumbel_softmax, log_softmax
from paddlite.tensor import tanh
from paddlite.tensor.activation import sigmoid, softmax

__all__ = [
    "celu", "elu", "gelu", "glu", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
    "log_sigmoid", "log_softmax", "logsigmoid", "maxout", "mish", "prelu", "relu", "relu6", "rrelu", "selu", "sigmoid",
    "silu", "softmax", "softplus", "softshrink", "softsign", "swiglu", "swish", "tanh", "tanhshrink",
    "thresholded_relu",
]  # fmt: skip
INPLACE = ("elu", "hardtanh", "leaky_relu", "relu", "softmax", "tanh", "thresholded_relu")
