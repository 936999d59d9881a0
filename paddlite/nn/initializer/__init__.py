"""First values of parameters: `paddle.nn.initializer`."""

from paddlite.nn.initializer.base import Initializer, calculate_gain, set_global_initializer
from paddlite.nn.initializer.fixed import Assign, Bilinear, Constant, Dirac
from paddlite.nn.initializer.random import (
    KaimingNormal,
    KaimingUniform,
    Normal,
    Orthogonal,
    TruncatedNormal,
    Uniform,
    XavierNormal,
    XavierUniform,
)

__all__ = [
    "Assign",
    "Bilinear",
    "Constant",
    "Dirac",
    "Initializer",
    "KaimingNormal",
    "KaimingUniform",
    "Normal",
    "Orthogonal",
    "TruncatedNormal",
    "Uniform",
    "XavierNormal",
    "XavierUniform",
    "calculate_gain",
    "set_global_initializer",
]
