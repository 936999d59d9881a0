"""Neural networks: layers, their parameters, and functions."""

from paddlite.core.tensor import Parameter
from paddlite.nn import functional, initializer, utils
from paddlite.nn.clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from paddlite.nn.layer.activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Maxout,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    Sigmoid,
    Silu,
    Softmax,
    Softmax2D,
    Softplus,
    Softshrink,
    Softsign,
    Swish,
    Tanh,
    Tanhshrink,
    ThresholdedReLU,
)
from paddlite.nn.layer.common import Flatten, Identity, Linear
from paddlite.nn.layer.container import LayerDict, LayerList, ParameterDict, ParameterList, Sequential
from paddlite.nn.layer.conv import Conv1D, Conv2D, Conv3D
from paddlite.nn.layer.conv_transpose import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from paddlite.nn.layer.layers import Layer

# Other names that Paddle has for them
Conv1d = Conv1D
Conv2d = Conv2D
Conv3d = Conv3D
Module = Layer
ModuleDict = LayerDict
ModuleList = LayerList
SiLU = Silu

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "ClipGradByGlobalNorm",
    "ClipGradByNorm",
    "ClipGradByValue",
    "Conv1D",
    "Conv1DTranspose",
    "Conv1d",
    "Conv2D",
    "Conv2DTranspose",
    "Conv2d",
    "Conv3D",
    "Conv3DTranspose",
    "Conv3d",
    "Flatten",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "Identity",
    "Layer",
    "LayerDict",
    "LayerList",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "Maxout",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "PReLU",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "RReLU",
    "ReLU",
    "ReLU6",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Silu",
    "Softmax",
    "Softmax2D",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Swish",
    "Tanh",
    "Tanhshrink",
    "ThresholdedReLU",
    "functional",
    "initializer",
    "utils",
]
