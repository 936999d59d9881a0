"""Bits and divisors of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.backend.dtypes import INTEGRAL
from paddlite.core.errors import DTypeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import def_ufunc, defop
from paddlite.ops.infer import broadcast, require_integer, same


def _whole_infer(name: str, bools: bool) -> Callable:
    def infer(x: Meta, y: Meta | None = None, **_: Any) -> Meta:
        given = {"x": x} if y is None else {"x": x, "y": y}
        if bools:
            for argument, meta in given.items():
                if meta.dtype not in INTEGRAL:
                    raise DTypeMismatch(f"{name}: {argument} must hold integers or bools, got {meta.dtype}")
        else:
            require_integer(name, **given)
        return same(x) if y is None else broadcast(x, y)

    return infer


def _of_two(name: str, ufunc: str, bools: bool, **facts: Any) -> Callable:
    return def_ufunc(name, ufunc, arity=2, infer=_whole_infer(name, bools), promote=("x", "y"), **facts)


bitwise_and = _of_two("bitwise_and", "bitwise_and", True)
bitwise_or = _of_two("bitwise_or", "bitwise_or", True)
bitwise_xor = _of_two("bitwise_xor", "bitwise_xor", True)
bitwise_not = def_ufunc("bitwise_not", "invert", arity=1, infer=_whole_infer("bitwise_not", True))
left_shift = _of_two("bitwise_left_shift", "left_shift", False, check=True)  # NumPy shifts bools, to int8
gcd = _of_two("gcd", "gcd", False)
lcm = _of_two("lcm", "lcm", False)


@defop(
    "bitwise_right_shift",
    infer=_whole_infer("bitwise_right_shift", False),
    promote=("x", "y"),
    elementwise=True,
    check=True,
)
def right_shift(xp: Any, x: Any, y: Any, *, is_arithmetic: bool = True) -> Any:
    """`x` shifted down; zeros come in at the top where `is_arithmetic` is False."""
    if is_arithmetic or x.dtype.kind == "u":
        return xp.right_shift(x, y)
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    return xp.right_shift(x.astype(unsigned), y.astype(unsigned)).astype(x.dtype)
