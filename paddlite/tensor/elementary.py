"""Functions of one number, element by element: powers, logarithms, angles, rounding, signs."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from paddlite.backend.dtypes import BOOL, COMPLEX, INTEGRAL
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.promote import NUMBERS
from paddlite.ops import arithmetic, power, rounding, scaling, trigonometry
from paddlite.tensor.arguments import write

__all__ = [
    "abs", "acos", "acosh", "angle", "asin", "asinh", "atan", "atanh", "ceil", "clamp", "clip", "conj", "cos", "cosh",
    "deg2rad", "exp", "expm1", "floor", "frac", "log", "log1p", "log2", "log10", "nan_to_num", "neg",
    "negative", "positive", "rad2deg", "reciprocal", "round", "rsqrt", "sgn", "sign", "signbit", "sin", "sinc", "sinh",
    "sqrt", "square", "stanh", "tan", "tanh", "trunc",
]  # fmt: skip
METHODS = [name for name in __all__ if name != "positive"]
INPLACE = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "clamp", "clip", "cos", "cosh", "exp", "expm1",
    "floor", "frac", "log", "log10", "log1p", "log2", "nan_to_num", "neg", "reciprocal", "round", "rsqrt", "sin",
    "sinc", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
)  # fmt: skip


def exp(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """e to the power of each element.

    Args:
        x: a floating or complex tensor; integers become float32.
        name: not used; there for compatibility.

    >>> import paddlite as paddle
    >>> paddle.exp(paddle.to_tensor([0.0])).tolist()
    [1.0]
    """
    result = power.exp(x)
    return result if out is None else write(out, result)


def expm1(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """exp(x) - 1, exact also where `x` is close to 0; see `exp`."""
    result = power.expm1(x)
    return result if out is None else write(out, result)


def log(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The natural logarithm; -inf at 0, NaN for negative numbers.  Integers become float32.

    >>> import paddlite as paddle
    >>> paddle.log(paddle.to_tensor([1.0, 0.0])).tolist()
    [0.0, -inf]
    """
    result = power.log(x)
    return result if out is None else write(out, result)


def log2(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The logarithm to base 2; see `log`."""
    result = power.log2(x)
    return result if out is None else write(out, result)


def log10(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The logarithm to base 10; see `log`."""
    result = power.log10(x)
    return result if out is None else write(out, result)


def log1p(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """log(1 + x), exact also where `x` is close to 0; see `log`."""
    result = power.log1p(x)
    return result if out is None else write(out, result)


def sqrt(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The square root; NaN for negative numbers.  Integers become float32."""
    result = power.sqrt(x)
    return result if out is None else write(out, result)


def rsqrt(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """1 / sqrt(x); integers become float32.

    >>> import paddlite as paddle
    >>> paddle.rsqrt(paddle.to_tensor([4.0, 0.0])).tolist()
    [0.5, inf]
    """
    result = power.rsqrt(x)
    return result if out is None else write(out, result)


def square(x: Any, name: str | None = None) -> Any:
    """x * x, in the dtype of `x`.

    >>> import paddlite as paddle
    >>> paddle.square(paddle.to_tensor([-3, 2])).tolist()
    [9, 4]
    """
    return arithmetic.square(x)


def reciprocal(x: Any, name: str | None = None) -> Any:
    """1 / x; integers become float32."""
    return power.reciprocal(x)


def sin(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The sine of each element in radians; integers become float32.

    >>> import paddlite as paddle
    >>> paddle.sin(paddle.to_tensor([0.0])).tolist()
    [0.0]
    """
    result = trigonometry.sin(x)
    return result if out is None else write(out, result)


def cos(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The cosine of each element in radians; see `sin`."""
    result = trigonometry.cos(x)
    return result if out is None else write(out, result)


def tan(x: Any, name: str | None = None) -> Any:
    """The tangent of each element in radians; see `sin`."""
    return trigonometry.tan(x)


def asin(x: Any, name: str | None = None) -> Any:
    """The angle in [-pi/2, pi/2] whose sine is `x`; NaN outside of [-1, 1].  See `sin`."""
    return trigonometry.asin(x)


def acos(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The angle in [0, pi] whose cosine is `x`; NaN outside of [-1, 1].  See `sin`."""
    result = trigonometry.acos(x)
    return result if out is None else write(out, result)


def atan(x: Any, name: str | None = None) -> Any:
    """The angle in (-pi/2, pi/2) whose tangent is `x`; see `sin`."""
    return trigonometry.atan(x)


def sinh(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The hyperbolic sine, (exp(x) - exp(-x)) / 2; see `sin`."""
    result = trigonometry.sinh(x)
    return result if out is None else write(out, result)


def cosh(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The hyperbolic cosine, (exp(x) + exp(-x)) / 2; see `sin`."""
    result = trigonometry.cosh(x)
    return result if out is None else write(out, result)


def tanh(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The hyperbolic tangent, which lies in (-1, 1); integers become float32.

    >>> import paddlite as paddle
    >>> paddle.tanh(paddle.to_tensor([0.0, 100.0])).tolist()
    [0.0, 1.0]
    """
    result = power.tanh(x)
    return result if out is None else write(out, result)


def asinh(x: Any, name: str | None = None) -> Any:
    """The number whose hyperbolic sine is `x`; see `sin`."""
    return trigonometry.asinh(x)


def acosh(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The number >= 0 whose hyperbolic cosine is `x`; NaN where x < 1.  See `sin`."""
    result = trigonometry.acosh(x)
    return result if out is None else write(out, result)


def atanh(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The number whose hyperbolic tangent is `x`; NaN outside of [-1, 1].  See `sin`."""
    result = trigonometry.atanh(x)
    return result if out is None else write(out, result)


def sinc(x: Any, name: str | None = None) -> Any:
    """sin(pi x) / (pi x), which is 1 at 0; see `sin`."""
    return trigonometry.sinc(x)


def abs(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The absolute value; of a complex number its size, a real one.

    >>> import paddlite as paddle
    >>> paddle.abs(paddle.to_tensor([-1.5, 2.0])).tolist()
    [1.5, 2.0]
    """
    result = arithmetic.absolute(x)
    return result if out is None else write(out, result)


def angle(x: Any, name: str | None = None) -> Any:
    """The angle of a complex number in (-pi, pi]; of a real one 0 or pi.

    >>> import paddlite as paddle
    >>> paddle.angle(paddle.to_tensor([1.0, 1j])).tolist()
    [0.0, 1.5707963705062866]
    """
    return trigonometry.angle(x)


def conj(x: Any, name: str | None = None) -> Any:
    """The complex conjugate; a real tensor as it is (a copy)."""
    return arithmetic.conjugate(x)


def ceil(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The smallest whole number that is not below `x`, in the dtype of `x`."""
    result = rounding.ceil(x)
    return result if out is None else write(out, result)


def floor(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The largest whole number that is not above `x`, in the dtype of `x`.

    >>> import paddlite as paddle
    >>> paddle.floor(paddle.to_tensor([-0.5, 1.5])).tolist()
    [-1.0, 1.0]
    """
    result = arithmetic.floor(x)
    return result if out is None else write(out, result)


def trunc(input: Any, name: str | None = None) -> Any:
    """The whole part of each element: what is left without the fraction, in the dtype of `input`."""
    return rounding.trunc(input)


def frac(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The fraction of each element, x - trunc(x), which has the sign of `x`.

    >>> import paddlite as paddle
    >>> paddle.frac(paddle.to_tensor([1.5, -1.5])).tolist()
    [0.5, -0.5]
    """
    result = arithmetic.elementwise_sub(x, rounding.trunc(x))
    return result if out is None else write(out, result)


def round(x: Any, decimals: int = 0, name: str | None = None, *, out: Any = None) -> Any:
    """`x` rounded to `decimals` decimal places (before the point where negative); halves go to the even neighbour.

    >>> import paddlite as paddle
    >>> paddle.round(paddle.to_tensor([0.5, 1.5, -2.4])).tolist()
    [0.0, 2.0, -2.0]
    """
    result = rounding.round_to(x, decimals=decimals) if decimals or x._dtype in COMPLEX else rounding.rint(x)
    return result if out is None else write(out, result)


def sign(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """-1, 0 or 1 as `x` is negative, zero or positive; x / |x| of a complex tensor.

    >>> import paddlite as paddle
    >>> paddle.sign(paddle.to_tensor([-3.0, 0.0, 2.0])).tolist()
    [-1.0, 0.0, 1.0]
    """
    result = rounding.sgn(x) if x._dtype in COMPLEX else arithmetic.sign(x)
    return result if out is None else write(out, result)


def sgn(x: Any, name: str | None = None) -> Any:
    """The same as `sign`."""
    return sign(x)


def signbit(x: Any, name: str | None = None) -> Any:
    """True where the sign bit is set: for negative numbers and -0.0."""
    return rounding.signbit(x)


def neg(x: Any, name: str | None = None) -> Any:
    """-x, in the dtype of `x`.

    Raises:
        DTypeMismatch: `x` is a bool tensor.
    """
    if x._dtype == BOOL:
        raise DTypeMismatch("neg: a bool tensor has no negative; use logical_not, or cast it first")
    return arithmetic.negative(x)


def negative(x: Any, name: str | None = None) -> Any:
    """The same as `neg`."""
    return neg(x)


def positive(x: Any, name: str | None = None) -> Any:
    """`x` itself.

    Raises:
        DTypeMismatch: `x` is a bool tensor.
    """
    if x._dtype == BOOL:
        raise DTypeMismatch("positive: a bool tensor has no sign; cast it first")
    return x


def deg2rad(x: Any, name: str | None = None) -> Any:
    """Degrees to radians; integers become float32.

    >>> import paddlite as paddle
    >>> paddle.deg2rad(paddle.to_tensor([180.0])).tolist()
    [3.1415927410125732]
    """
    return arithmetic.elementwise_mul(x, math.pi / 180)


def rad2deg(x: Any, name: str | None = None) -> Any:
    """Radians to degrees; integers become float32."""
    return arithmetic.elementwise_mul(x, 180 / math.pi)


def stanh(x: Any, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None) -> Any:
    """scale_b * tanh(scale_a * x); integers become float32."""
    return arithmetic.elementwise_mul(power.tanh(arithmetic.elementwise_mul(x, scale_a)), scale_b)


def clip(x: Any, min: Any = None, max: Any = None, name: str | None = None, *, out: Any = None) -> Any:
    """`x` kept between `min` and `max`; the gradient passes where `x` lies inside or on a bound.

    Args:
        x: a tensor of real numbers.
        min: a number or a tensor that broadcasts with `x`; None for no lower bound.
        max: as `min`, for the upper bound.

    Raises:
        InvalidArgument: both are numbers, and `min` is above `max`.

    Differs: bounds may be tensors of any shape that broadcasts; the reference takes one element only.

    >>> import paddlite as paddle
    >>> paddle.clip(paddle.to_tensor([-1.0, 0.5, 7.0]), 0.0, 1.0).tolist()
    [0.0, 0.5, 1.0]
    """
    if isinstance(min, NUMBERS) and isinstance(max, NUMBERS) and min > max:
        raise InvalidArgument(f"clip: min ({min}) must not be above max ({max})")
    result = scaling.clip(x, min, max)
    return result if out is None else write(out, result)


clamp = clip


def nan_to_num(
    x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None, name: str | None = None
) -> Any:
    """`x` with NaN replaced by `nan` and infinities by `posinf` and `neginf`.

    Args:
        posinf: None for the largest number of the dtype.
        neginf: None for the smallest number of the dtype.

    >>> import paddlite as paddle
    >>> paddle.nan_to_num(paddle.to_tensor([float("nan"), float("inf"), 1.0]), posinf=9.0).tolist()
    [0.0, 9.0, 1.0]
    """
    if x._dtype in INTEGRAL:
        return arithmetic.assign(x)
    limits = ml_dtypes.finfo(x._dtype) if x._dtype not in COMPLEX else np.finfo(x._dtype)
    return scaling.nan_to_num(
        x,
        nan=nan,
        posinf=float(limits.max) if posinf is None else posinf,
        neginf=float(limits.min) if neginf is None else neginf,
    )
