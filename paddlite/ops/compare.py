"""Comparisons and logic; the result is a bool tensor, through which no gradient flows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddlite.backend.dtypes import BOOL, F64, INTEGRAL
from paddlite.core.meta import Meta
from paddlite.core.op import def_ufunc, defop
from paddlite.ops.infer import bool_same, broadcast_bool


def _of_two(name: str, ufunc: str) -> Callable:
    return def_ufunc(name, ufunc, arity=2, infer=broadcast_bool, promote=("x", "y"))


equal = _of_two("equal", "equal")
not_equal = _of_two("not_equal", "not_equal")
less_than = _of_two("less_than", "less")
less_equal = _of_two("less_equal", "less_equal")
greater_than = _of_two("greater_than", "greater")
greater_equal = _of_two("greater_equal", "greater_equal")
logical_and = _of_two("logical_and", "logical_and")
logical_or = _of_two("logical_or", "logical_or")
logical_xor = _of_two("logical_xor", "logical_xor")
logical_not = def_ufunc("logical_not", "logical_not", arity=1, infer=bool_same)
isfinite = def_ufunc("isfinite_v2", "isfinite", arity=1, infer=bool_same)
isinf = def_ufunc("isinf_v2", "isinf", arity=1, infer=bool_same)
isnan = def_ufunc("isnan_v2", "isnan", arity=1, infer=bool_same)


def _close_infer(x: Meta, y: Meta, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Meta:
    return broadcast_bool(x, y)


@defop("isclose", infer=_close_infer, promote=("x", "y"), elementwise=True)
def isclose(xp: Any, x: Any, y: Any, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """|x - y| <= atol + rtol * |y|, where y is finite; infinities are close to themselves."""
    if x.dtype in INTEGRAL:
        x, y = x.astype(F64), y.astype(F64)
    size = xp.abs(y)
    close = xp.abs(x - y) <= size.dtype.type(atol) + size.dtype.type(rtol) * size
    close = (close & xp.isfinite(y)) | (x == y)
    return close | (xp.isnan(x) & xp.isnan(y)) if equal_nan else close


def _all_infer(x: Meta, y: Meta) -> Meta:
    return Meta((), BOOL)


@defop("equal_all", infer=_all_infer, promote=("x", "y"))
def equal_all(xp: Any, x: Any, y: Any) -> Any:
    """True where shapes and all elements are equal."""
    return (x == y).all() if x.shape == y.shape else xp.zeros((), BOOL)


def _isin_infer(x: Meta, among: Meta, *, invert: bool = False) -> Meta:
    return Meta(x.shape, BOOL)


@defop("isin", infer=_isin_infer, promote=("x", "among"))
def isin(xp: Any, x: Any, among: Any, *, invert: bool = False) -> Any:
    """True where an element of `x` is one of `among`."""
    return xp.isin(x, among, invert=invert)
