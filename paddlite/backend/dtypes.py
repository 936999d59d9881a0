"""Data types: one `DType` object a type, tied to the NumPy dtype that holds its values."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np


class DType:
    """A tensor's element type, such as `paddle.float32`.

    Instances are singletons.  They compare equal to their own name and to the NumPy dtype, so
    `x.dtype == "float32"` and `x.dtype == np.float32` both hold.
    """

    __slots__ = ("category", "dtype", "itemsize", "name")

    def __init__(self, name: str, dtype: Any, category: str):
        self.name = name
        self.dtype = np.dtype(dtype)  # np.dtype(paddle.float32) reads this attribute
        self.itemsize = self.dtype.itemsize
        self.category = category

    @property
    def is_floating(self) -> bool:
        return self.category == "floating"

    @property
    def is_complex(self) -> bool:
        return self.category == "complex"

    def __repr__(self) -> str:
        return f"paddle.{self.name}"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self is other
        if isinstance(other, str):
            return other.removeprefix("paddle.") == self.name
        if isinstance(other, (np.dtype, type)):
            try:
                return np.dtype(other) == self.dtype
            except TypeError:
                return False
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple:
        return (as_dtype, (self.name,))


bool_ = DType("bool", np.bool_, "bool")
uint8 = DType("uint8", np.uint8, "integer")
uint16 = DType("uint16", np.uint16, "integer")
uint32 = DType("uint32", np.uint32, "integer")
uint64 = DType("uint64", np.uint64, "integer")
int8 = DType("int8", np.int8, "integer")
int16 = DType("int16", np.int16, "integer")
int32 = DType("int32", np.int32, "integer")
int64 = DType("int64", np.int64, "integer")
float16 = DType("float16", np.float16, "floating")
bfloat16 = DType("bfloat16", ml_dtypes.bfloat16, "floating")
float32 = DType("float32", np.float32, "floating")
float64 = DType("float64", np.float64, "floating")
complex64 = DType("complex64", np.complex64, "complex")
complex128 = DType("complex128", np.complex128, "complex")

ALL = (
    bool_, uint8, uint16, uint32, uint64, int8, int16, int32, int64,
    float16, bfloat16, float32, float64, complex64, complex128,
)  # fmt: skip

BY_NAME = {d.name: d for d in ALL} | {
    "float": float32, "double": float64, "half": float16, "int": int32, "long": int64, "short": int16,
}  # fmt: skip
FROM_NUMPY = {d.dtype: d for d in ALL}

BOOL, INT32, INT64 = bool_.dtype, int32.dtype, int64.dtype
F16, BF16, F32, F64 = float16.dtype, bfloat16.dtype, float32.dtype, float64.dtype
C64, C128 = complex64.dtype, complex128.dtype

HALF = frozenset((F16, BF16))
FLOATING = frozenset((F16, BF16, F32, F64))
COMPLEX = frozenset((C64, C128))
INEXACT = FLOATING | COMPLEX
INTEGER = frozenset(d.dtype for d in ALL if d.category == "integer")
INTEGRAL = INTEGER | {BOOL}
EVERY = frozenset(d.dtype for d in ALL)
FULL = EVERY - HALF  # what NumPy computes in natively, at speed and with IEEE rounding

REAL_OF = {C64: F32, C128: F64}
COMPLEX_OF = {F16: C64, BF16: C64, F32: C64, F64: C128}


def as_dtype(spec: Any) -> DType:
    """The `DType` that `spec` names: a `DType`, a name, a NumPy dtype or a Python type.

    Raises:
        TypeError: `spec` names no data type of this framework.
    """
    if isinstance(spec, DType):
        return spec
    if isinstance(spec, str):
        found = BY_NAME.get(spec.removeprefix("paddle.").removeprefix("paddlite."))
        if found is not None:
            return found
    elif spec is float:
        return float32
    elif spec is int:
        return int64
    try:
        return FROM_NUMPY[np.dtype(spec) if spec is not None else None]  # NumPy takes None for float64
    except (KeyError, TypeError):
        raise TypeError(f"{spec!r} is no data type here; choose one of {', '.join(d.name for d in ALL)}") from None


def numpy_dtype(spec: Any) -> np.dtype:
    """The NumPy dtype for `spec` (see `as_dtype`)."""
    return spec if type(spec) is np.dtype and spec in FROM_NUMPY else as_dtype(spec).dtype


def is_floating(dtype: np.dtype) -> bool:
    return dtype in FLOATING


def finfo_bits(dtype: np.dtype) -> int:
    """Mantissa bits including the hidden one: how fine the grid of `dtype` is."""
    return ml_dtypes.finfo(dtype).nmant + 1
