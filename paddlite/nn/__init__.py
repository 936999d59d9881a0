"""Neural networks: layers, their parameters, and functions."""

from paddlite.core.tensor import Parameter
from paddlite.nn import functional, initializer, layer, utils
from paddlite.nn.clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from paddlite.nn.decode import BeamSearchDecoder, dynamic_decode
from paddlite.nn.layer import *  # noqa: F403 - all layers, which their own package lists
from paddlite.nn.layer import loss

# Other names that Paddle has for them
AdaptiveMaxPool1d = layer.AdaptiveMaxPool1D
AdaptiveMaxPool2d = layer.AdaptiveMaxPool2D
AdaptiveMaxPool3d = layer.AdaptiveMaxPool3D
CircularPad1d = layer.CircularPad1D
CircularPad2d = layer.CircularPad2D
CircularPad3d = layer.CircularPad3D
ConstantPad1d = layer.ConstantPad1D
ConstantPad2d = layer.ConstantPad2D
ConstantPad3d = layer.ConstantPad3D
Conv1d = layer.Conv1D
Conv2d = layer.Conv2D
Conv3d = layer.Conv3D
LPPool1d = layer.LPPool1D
LPPool2d = layer.LPPool2D
Module = layer.Layer
ModuleDict = layer.LayerDict
ModuleList = layer.LayerList
ReflectionPad1d = layer.ReflectionPad1D
ReflectionPad2d = layer.ReflectionPad2D
ReflectionPad3d = layer.ReflectionPad3D
ReplicationPad1d = layer.ReplicationPad1D
ReplicationPad2d = layer.ReplicationPad2D
ReplicationPad3d = layer.ReplicationPad3D
SiLU = layer.Silu

__all__ = [
    *layer.__all__,
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "BeamSearchDecoder",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ClipGradByGlobalNorm",
    "ClipGradByNorm",
    "ClipGradByValue",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "LPPool1d",
    "LPPool2d",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "SiLU",
    "dynamic_decode",
    "functional",
    "initializer",
    "layer",
    "loss",
    "utils",
]
