"""Comparisons and logic; the result is a bool tensor, through which no gradient flows."""

from __future__ import annotations

from collections.abc import Callable

from paddlite.core.op import def_ufunc
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
