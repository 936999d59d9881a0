"""Type promotion: the one table, and Python numbers that adapt to the tensors beside them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from paddlite.backend.dtypes import BF16, BOOL, COMPLEX, COMPLEX_OF, F16, F32, F64, FLOATING, INT64, INTEGRAL
from paddlite.core.errors import InvalidArgument


@functools.cache
def promote_types(a: np.dtype, b: np.dtype) -> np.dtype:
    """The dtype that holds values of both: complex before float before integer, then the wider."""
    if a == b:
        return a
    if a in INTEGRAL and b in INTEGRAL:
        wide = np.promote_types(a, b)
        return INT64 if wide == F64 else wide  # int64 with uint64
    if a in INTEGRAL or b in INTEGRAL:
        return b if a in INTEGRAL else a
    if {a, b} == {F16, BF16}:
        return F32
    if a in COMPLEX or b in COMPLEX:
        parts = [d if d in COMPLEX else COMPLEX_OF[d] for d in (a, b)]
        return max(parts, key=lambda d: d.itemsize)
    return max((a, b), key=lambda d: d.itemsize)


NUMBERS = (bool, int, float, complex, np.generic)


def scalar_dtype(value: Any, beside: np.dtype) -> np.dtype:
    """The dtype of the result where the number `value` meets a tensor of dtype `beside`: numbers are weak."""
    kind = type(value) if not isinstance(value, np.generic) else _python_kind(value)
    if kind is bool:
        return beside
    if kind is int:
        return INT64 if beside == BOOL else beside
    if kind is float:
        return F32 if beside in INTEGRAL else beside
    return beside if beside in COMPLEX else COMPLEX_OF.get(beside, COMPLEX_OF[F32])


def _python_kind(value: np.generic) -> type:
    kind = value.dtype.kind
    return {"b": bool, "i": int, "u": int, "c": complex}.get(kind, float)


def common_dtype(dtypes: Iterable[np.dtype], numbers: Iterable[Any]) -> np.dtype | None:
    """The dtype to which tensors of `dtypes` and Python `numbers` are brought; None where there is nothing."""
    result: np.dtype | None = None
    for dtype in dtypes:
        result = dtype if result is None else promote_types(result, dtype)
    for number in numbers:
        base = result if result is not None else BOOL
        result = scalar_dtype(number, base)
    return result


def as_scalar(value: Any, dtype: np.dtype) -> np.generic:
    """`value` as a NumPy scalar of `dtype`, which both array modules take beside an array."""
    if dtype == F16:
        with np.errstate(over="ignore"):  # what is too large is infinite, as it is in a tensor
            return dtype.type(value)
    if dtype in FLOATING or dtype in COMPLEX:
        return dtype.type(value)
    try:
        return np.asarray(value).astype(dtype)[()]  # type: ignore[return-value]
    except OverflowError:
        raise InvalidArgument(f"the number {value!r:.40} does not fit into {dtype}") from None
