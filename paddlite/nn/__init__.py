"""Neural networks: layers, their parameters, and functions."""

from paddlite.core.tensor import Parameter
from paddlite.nn import functional, initializer, utils
from paddlite.nn.clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from paddlite.nn.layer.common import Flatten, Identity, Linear
from paddlite.nn.layer.container import LayerDict, LayerList, ParameterDict, ParameterList, Sequential
from paddlite.nn.layer.layers import Layer

Module, ModuleDict, ModuleList = Layer, LayerDict, LayerList

__all__ = [
    "ClipGradByGlobalNorm",
    "ClipGradByNorm",
    "ClipGradByValue",
    "Flatten",
    "Identity",
    "Layer",
    "LayerDict",
    "LayerList",
    "Linear",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "Sequential",
    "functional",
    "initializer",
    "utils",
]
