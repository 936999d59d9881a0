"""The arithmetic that gradient rules are written with: sums, products, quotients, conjugates and casts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.backend import half
from paddlite.backend.dtypes import BOOL, COMPLEX, F32, INTEGRAL
from paddlite.core.meta import Meta
from paddlite.core.op import def_ufunc, defop
from paddlite.core.promote import promote_types
from paddlite.core.tensor import TensorBase
from paddlite.ops.compare import equal
from paddlite.ops.infer import broadcast, broadcast_shapes, floating_same, real_of, same
from paddlite.ops.like import unbroadcast, zeros_like


def binary(name: str, ufunc: str, vjp: dict[str, Callable] | None = None, **facts: Any) -> Callable:
    """An elementwise op of `x` and `y` that is one function of the array module; either may be a number."""
    return def_ufunc(name, ufunc, arity=2, vjp=vjp, promote=("x", "y"), **{"infer": broadcast, **facts})


def unary(name: str, ufunc: str, rule: Callable | None = None, **facts: Any) -> Callable:
    """An elementwise op of `x` that is one function of the array module; `floats=True`: integers become float32."""
    infer = facts.pop("infer", floating_same if facts.get("floats") else same)
    return def_ufunc(name, ufunc, arity=1, infer=infer, vjp=None if rule is None else {"x": rule}, **facts)


def conj(x: Any) -> Any:
    """The complex conjugate; a real value itself, at no cost."""
    if isinstance(x, TensorBase):
        return conjugate(x) if x._dtype in COMPLEX else x
    return x.conjugate() if isinstance(x, complex) else x


def real_as(g: Any, like: Any) -> Any:
    """The gradient `g` as an input of the dtype of `like` can take it: a real input takes the real part."""
    return real(g) if g._dtype in COMPLEX and like._dtype not in COMPLEX else g


def quotient_infer(x: Meta, y: Meta, **_: Any) -> Meta:
    """Broadcast shape; the quotient of integers is float32."""
    dtype = promote_types(x.dtype, y.dtype)
    return Meta(broadcast_shapes(x.shape, y.shape), F32 if dtype in INTEGRAL else dtype)


elementwise_add = binary(
    "elementwise_add",
    "add",
    {"x": lambda g, like_x: unbroadcast(g, like_x), "y": lambda g, like_y: unbroadcast(g, like_y)},
)
elementwise_sub = binary(
    "elementwise_sub",
    "subtract",
    {"x": lambda g, like_x: unbroadcast(g, like_x), "y": lambda g, like_y: unbroadcast(negative(g), like_y)},
)
elementwise_mul = binary(
    "elementwise_mul",
    "multiply",
    {
        "x": lambda g, y, like_x: unbroadcast(elementwise_mul(g, conj(y)), like_x),
        "y": lambda g, x, like_y: unbroadcast(elementwise_mul(g, conj(x)), like_y),
    },
)


def _divisor_rule(g: Any, y: Any, out: Any, like_y: Any) -> Any:
    return unbroadcast(negative(elementwise_div(elementwise_mul(g, conj(out)), conj(y))), like_y)


elementwise_div = binary(
    "elementwise_div",
    "true_divide",
    {"x": lambda g, y, like_x: unbroadcast(elementwise_div(g, conj(y)), like_x), "y": _divisor_rule},
    infer=quotient_infer,
    floats=True,
)

negative = unary("negative", "negative", lambda g: negative(g))
conjugate = unary("conj", "conjugate", lambda g: conjugate(g))
square = unary("square", "square", lambda g, x: elementwise_mul(g, elementwise_mul(conj(x), 2)), amp="keep32_o1")
sign = unary("sign", "sign", lambda g: zeros_like(g))


def rounding(name: str, ufunc: str) -> Callable:
    """An elementwise op that rounds in some way: whole numbers stay as they are, and no gradient passes."""

    def kernel(xp: Any, x: Any, *, out: Any = None) -> Any:
        if x.dtype.kind in "biu":
            return xp.positive(x, out=out) if x.dtype != BOOL else x.copy()
        return getattr(xp, ufunc)(x, out=out)

    kernel.__name__ = kernel.__qualname__ = name
    return defop(name, infer=same, elementwise=True, inplace=True, vjp={"x": lambda g: zeros_like(g)})(kernel)


floor = rounding("floor", "floor")


def _cast_infer(x: Meta, *, dtype: np.dtype) -> Meta:
    return Meta(x.shape, dtype)


def cast_like(g: Any, like: Any) -> Any:
    """`g` in the dtype of `like`."""
    return g if g._dtype == like._dtype else cast(g, dtype=like._dtype)


@defop(
    "cast",
    infer=_cast_infer,
    amp="never",
    native_half=True,
    elementwise=True,
    vjp={"x": lambda g, like_x: cast_like(g, like_x)},
)
def cast(xp: Any, x: Any, *, dtype: np.dtype) -> Any:
    if x.dtype.kind == "c" and dtype not in COMPLEX:
        x = x.real
    return half.cast(x, dtype) if isinstance(x, np.ndarray) else x.astype(dtype)


@defop("assign", infer=same, native_half=True, elementwise=True, vjp={"x": lambda g: g})
def assign(xp: Any, x: Any) -> Any:
    return x.copy()


def _real_infer(x: Meta) -> Meta:
    return Meta(x.shape, real_of(x.dtype))


@defop("real", infer=_real_infer, native_half=True, elementwise=True, vjp={"x": lambda g, like_x: cast_like(g, like_x)})
def real(xp: Any, x: Any) -> Any:
    return x.real.copy()


def _abs_rule(g: Any, x: Any, out: Any) -> Any:
    if x._dtype not in COMPLEX:
        return elementwise_mul(g, sign(x))
    return elementwise_mul(g, elementwise_div(x, elementwise_add(out, cast(equal(out, 0.0), dtype=out._dtype))))


@defop("abs", infer=_real_infer, elementwise=True, vjp={"x": _abs_rule})
def absolute(xp: Any, x: Any) -> Any:
    return xp.abs(x)
