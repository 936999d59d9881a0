"""The limits of each data type."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from paddlite.backend.dtypes import FROM_NUMPY, INEXACT, INTEGER, REAL_OF, numpy_dtype
from paddlite.core.errors import InvalidArgument


class finfo:
    """The limits of a floating-point dtype, or of the parts of a complex one.

    Attributes: min and max; eps, the distance from 1 to the next number; tiny and smallest_normal, the smallest normal
    number; resolution, a power of ten near eps; bits; dtype, the name.

    Raises:
        ValueError: the dtype holds whole numbers.

    >>> import paddlite as paddle
    >>> paddle.finfo("float16").max
    65504.0
    """

    def __init__(self, dtype: Any):
        found = numpy_dtype(dtype)
        if found not in INEXACT:
            raise InvalidArgument(f"finfo: want a floating-point or complex dtype, got {found}; use iinfo")
        info = ml_dtypes.finfo(REAL_OF.get(found, found))
        self.min, self.max, self.eps = float(info.min), float(info.max), float(info.eps)
        self.resolution = 10.0 ** -int(-math.log10(self.eps))
        self.tiny = self.smallest_normal = float(info.tiny)
        self.bits = int(info.bits)
        self.dtype = FROM_NUMPY[found].name

    def __repr__(self) -> str:
        names = ("min", "max", "eps", "resolution", "smallest_normal", "tiny")
        values = ", ".join(f"{name}={getattr(self, name):g}" for name in names)
        return f"paddle.finfo({values}, bits={self.bits}, dtype={self.dtype})"


class iinfo:
    """The limits of an integer dtype: min, max, bits, and dtype, the name.

    Raises:
        ValueError: the dtype is not an integer type.

    >>> import paddlite as paddle
    >>> paddle.iinfo(paddle.int8)
    paddle.iinfo(min=-128, max=127, bits=8, dtype=int8)
    """

    def __init__(self, dtype: Any):
        found = numpy_dtype(dtype)
        if found not in INTEGER:
            raise InvalidArgument(f"iinfo: want an integer dtype, got {found}; use finfo")
        info = np.iinfo(found)
        self.min, self.max, self.bits = int(info.min), int(info.max), int(info.bits)
        self.dtype = FROM_NUMPY[found].name

    def __repr__(self) -> str:
        return f"paddle.iinfo(min={self.min}, max={self.max}, bits={self.bits}, dtype={self.dtype})"
