"""Constants, and other names of things that are defined elsewhere."""

from __future__ import annotations

import math

from paddlite.backend.dtypes import (
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int16,
    int32,
    int64,
    uint16,
    uint32,
    uint64,
)
from paddlite.backend.random import Generator
from paddlite.core.meta import Size
from paddlite.framework.limits import finfo, iinfo
from paddlite.framework.random import seed

e, pi, inf, nan, newaxis = math.e, math.pi, math.inf, math.nan, None
half, float, double, cfloat, cdouble = float16, float32, float64, complex64, complex128
short, int, long = int16, int32, int64
manual_seed = seed

__all__ = [
    "Generator", "Size", "cdouble", "cfloat", "double", "e", "finfo", "float", "half", "iinfo", "inf", "int", "long",
    "manual_seed", "nan", "newaxis", "pi", "short", "uint16", "uint32", "uint64",
]  # fmt: skip
