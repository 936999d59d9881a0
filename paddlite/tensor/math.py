"""Arithmetic of two tensors, element by element: `paddle.add` and its kin."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import F64, INTEGER, INTEGRAL
from paddlite.core.dispatch import cast_to
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.tensor import TensorBase
from paddlite.ops import arithmetic, power, rounding, scaling, trigonometry
from paddlite.tensor.arguments import write

__all__ = [
    "add", "add_n", "atan2", "copysign", "div", "divide", "floor_divide", "floor_mod", "fmax", "fmin", "frexp",
    "heaviside", "hypot", "increment", "ldexp", "lerp", "logaddexp", "maximum", "minimum", "mod", "mul", "multiply",
    "nextafter", "pow", "remainder", "scale", "sub", "subtract", "true_divide",
]  # fmt: skip
METHODS = __all__
INPLACE = (
    "add", "copysign", "div", "divide", "floor_divide", "floor_mod", "hypot", "ldexp", "lerp", "mod", "mul",
    "multiply", "pow", "remainder", "scale", "sub", "subtract",
)  # fmt: skip


def add(x: Any, y: Any, name: str | None = None, *, alpha: Any = 1, out: Any = None) -> Any:
    """x + alpha * y, elementwise with broadcasting.

    Args:
        x: a tensor of any dtype.
        y: a tensor whose shape broadcasts with that of `x`, or a number.
        name: not used; there for compatibility.
        alpha: a factor of `y`.
        out: a tensor of the result's shape that takes the result in place and is given back; so in all functions here.

    Raises:
        ShapeMismatch: the shapes do not broadcast.

    Differs: tensors of different dtypes are brought to the wider one, also integers with floats; the reference refuses
    some pairs.

    >>> import paddlite as paddle
    >>> paddle.add(paddle.to_tensor([1, 2]), paddle.to_tensor([10, 20])).tolist()
    [11, 22]
    """
    result = arithmetic.elementwise_add(x, y if alpha == 1 else arithmetic.elementwise_mul(y, alpha))
    return result if out is None else write(out, result)


def subtract(x: Any, y: Any, name: str | None = None, *, alpha: Any = 1, out: Any = None) -> Any:
    """x - alpha * y, elementwise with broadcasting; arguments as for `add`."""
    result = arithmetic.elementwise_sub(x, y if alpha == 1 else arithmetic.elementwise_mul(y, alpha))
    return result if out is None else write(out, result)


def multiply(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """x * y, elementwise with broadcasting; arguments as for `add`."""
    result = arithmetic.elementwise_mul(x, y)
    return result if out is None else write(out, result)


def divide(x: Any, y: Any, name: str | None = None, *, rounding_mode: str | None = None, out: Any = None) -> Any:
    """x / y, elementwise with broadcasting; integers are divided as float32.  Arguments as for `add`.

    Args:
        rounding_mode: "trunc" drops the fraction, "floor" rounds down; both keep integers integers.

    Raises:
        ValueError: another `rounding_mode`, or an integer divisor that is 0 and a mode is given.

    >>> import paddlite as paddle
    >>> paddle.divide(paddle.to_tensor([-7, 7]), paddle.to_tensor([2, 2]), rounding_mode="trunc").tolist()
    [-3, 3]
    """
    if rounding_mode is None:
        result = arithmetic.elementwise_div(x, y)
    elif rounding_mode == "floor":
        result = power.elementwise_floordiv(x, y)
    elif rounding_mode == "trunc":
        result = _truncated_quotient(x, y)
    else:
        raise InvalidArgument(f"divide: rounding_mode must be None, 'trunc' or 'floor', got {rounding_mode!r}")
    return result if out is None else write(out, result)


def _truncated_quotient(x: Any, y: Any) -> Any:
    if all(t._dtype in INTEGRAL if isinstance(t, TensorBase) else isinstance(t, int) for t in (x, y)):
        size = power.elementwise_floordiv(arithmetic.absolute(x), arithmetic.absolute(y))
        return arithmetic.elementwise_mul(size, arithmetic.elementwise_mul(arithmetic.sign(x), arithmetic.sign(y)))
    return rounding.trunc(arithmetic.elementwise_div(x, y))


def true_divide(input: Any, other: Any, *, out: Any = None) -> Any:
    """The same as `divide` without rounding."""
    result = arithmetic.elementwise_div(input, other)
    return result if out is None else write(out, result)


def floor_divide(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The quotient x / y rounded down; integers stay integers.  Arguments as for `add`.

    Raises:
        InvalidArgument: an integer divisor is 0.

    >>> import paddlite as paddle
    >>> paddle.floor_divide(paddle.to_tensor([7, -7]), paddle.to_tensor([2, 2])).tolist()
    [3, -4]
    """
    result = power.elementwise_floordiv(x, y)
    return result if out is None else write(out, result)


def remainder(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """x - floor(x / y) * y, which has the sign of `y`.  Arguments as for `add`.

    Raises:
        InvalidArgument: an integer divisor is 0.

    >>> import paddlite as paddle
    >>> paddle.remainder(paddle.to_tensor([7, -7]), 3).tolist()
    [1, 2]
    """
    result = power.elementwise_mod(x, y)
    return result if out is None else write(out, result)


def pow(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """`x` to the power of `y` (a tensor or a number), elementwise with broadcasting.

    Differs: an integer tensor to a power that is no whole number gives float32.

    >>> import paddlite as paddle
    >>> paddle.pow(paddle.to_tensor([2.0, 3.0]), 2).tolist()
    [4.0, 9.0]
    """
    result = power.elementwise_pow(x, y)
    return result if out is None else write(out, result)


def maximum(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The larger of `x` and `y`, elementwise with broadcasting; NaN where either is NaN.

    The gradient goes to the larger one, and half to each where both are equal.

    >>> import paddlite as paddle
    >>> paddle.maximum(paddle.to_tensor([1.0, 5.0]), paddle.to_tensor([3.0, 2.0])).tolist()
    [3.0, 5.0]
    """
    result = power.elementwise_max(x, y)
    return result if out is None else write(out, result)


def minimum(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The smaller of `x` and `y`; the counterpart of `maximum`."""
    result = power.elementwise_min(x, y)
    return result if out is None else write(out, result)


def fmax(x: Any, y: Any, name: str | None = None) -> Any:
    """The larger of `x` and `y`; where one is NaN, the other one.  Equal elements pass the gradient to `x`."""
    return power.elementwise_fmax(x, y)


def fmin(x: Any, y: Any, name: str | None = None) -> Any:
    """The smaller of `x` and `y`; where one is NaN, the other one.  Equal elements pass the gradient to `x`."""
    return power.elementwise_fmin(x, y)


def logaddexp(x: Any, y: Any, name: str | None = None) -> Any:
    """log(exp(x) + exp(y)), elementwise, without overflow; integers become float32."""
    return power.logaddexp(x, y)


def hypot(x: Any, y: Any, name: str | None = None) -> Any:
    """sqrt(x**2 + y**2), elementwise, without overflow; integers become float32."""
    return trigonometry.hypot(x, y)


def atan2(x: Any, y: Any, name: str | None = None) -> Any:
    """The angle in (-pi, pi] of the point at height `x` and distance `y` from the origin; integers become float64.

    >>> import paddlite as paddle
    >>> round(paddle.atan2(paddle.to_tensor(1.0), paddle.to_tensor(-1.0)).item(), 4)
    2.3562
    """
    whole = [isinstance(t, TensorBase) and t._dtype in INTEGRAL for t in (x, y)]
    if whole[0] and whole[1]:
        x = cast_to(x, F64)
    return trigonometry.atan2(x, y)


def copysign(x: Any, y: Any, name: str | None = None) -> Any:
    """The size of `x` with the sign of `y` (-0.0 counts as negative), elementwise; integers become float32."""
    return scaling.copysign(x, y)


def nextafter(x: Any, y: Any, name: str | None = None) -> Any:
    """The floating-point number next to `x` in the direction of `y`, elementwise."""
    return scaling.nextafter(x, y)


def heaviside(x: Any, y: Any, name: str | None = None) -> Any:
    """0 where x < 0, 1 where x > 0, and `y` where x is 0, elementwise with broadcasting.

    >>> import paddlite as paddle
    >>> paddle.heaviside(paddle.to_tensor([-1.0, 0.0, 2.0]), paddle.to_tensor(0.5)).tolist()
    [0.0, 0.5, 1.0]
    """
    return scaling.heaviside(x, y)


def ldexp(x: Any, y: Any, name: str | None = None) -> Any:
    """x * 2**y, elementwise with broadcasting; integers become float32.

    >>> import paddlite as paddle
    >>> paddle.ldexp(paddle.to_tensor([1, 3]), paddle.to_tensor([2, -1])).tolist()
    [4.0, 1.5]
    """
    return arithmetic.elementwise_mul(_floating(x), power.elementwise_pow(2.0, _floating(y)))


def _floating(x: Any) -> Any:
    return arithmetic.elementwise_mul(x, 1.0) if isinstance(x, TensorBase) and x._dtype in INTEGRAL else x


def frexp(x: Any, name: str | None = None) -> tuple[Any, Any]:
    """Mantissas in [0.5, 1) by size and exponents, both in the dtype of `x`, with x = mantissa * 2**exponent.

    Raises:
        DTypeMismatch: `x` is not floating point.

    >>> import paddlite as paddle
    >>> [part.tolist() for part in paddle.frexp(paddle.to_tensor([3.0, -1.0]))]
    [[0.75, -0.5], [2.0, 1.0]]
    """
    return rounding.frexp(x)


def lerp(x: Any, y: Any, weight: Any, name: str | None = None) -> Any:
    """x + weight * (y - x), elementwise with broadcasting; `weight` is a tensor or a number.

    >>> import paddlite as paddle
    >>> paddle.lerp(paddle.to_tensor([0.0, 2.0]), paddle.to_tensor([1.0, 4.0]), 0.5).tolist()
    [0.5, 3.0]
    """
    return scaling.lerp(x, y, weight)


def scale(
    x: Any,
    scale: Any = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> Any:
    """scale * x + bias, or scale * (x + bias) where `bias_after_scale` is False.

    Args:
        x: a tensor; its dtype is kept, except where a fraction meets whole numbers, which gives float32.
        scale: a number, or a tensor of one element.
        bias: a number.
        act: the name of an activation to apply to the result, such as "relu" or "tanh".

    >>> import paddlite as paddle
    >>> paddle.scale(paddle.to_tensor([1.0, 2.0]), scale=2.0, bias=1.0).tolist()
    [3.0, 5.0]
    """
    if getattr(x, "_dtype", None) in INTEGER and not isinstance(scale, TensorBase):
        whole = float(scale).is_integer() and float(bias).is_integer()
        scale, bias = (int(scale), int(bias)) if whole else (float(scale), bias)
    out = scaling.scale(x, scale, bias=bias, bias_after_scale=bias_after_scale)
    return out if act is None else _activation(act)(out)


def _activation(name: str) -> Any:
    from paddlite.core.op import OPS

    if name not in OPS or OPS[name].inputs != ("x",):
        raise InvalidArgument(f"scale: there is no activation {name!r}")
    return OPS[name].call


def increment(x: Any, value: float = 1.0, name: str | None = None) -> Any:
    """Add `value` to the one element of `x` in place; gives `x`.

    Raises:
        ValueError: `x` has more than one element.
    """
    from paddlite.core.inplace import replace

    if any(size not in (1, -1) for size in x._shape):
        raise InvalidArgument(f"increment: x must have one element, got shape {x.shape}")
    return replace(x, lambda: arithmetic.elementwise_add(x, value))


def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of a list of tensors of one shape; of a single tensor, a copy.

    Raises:
        ValueError: the list is empty, or the shapes differ.

    >>> import paddlite as paddle
    >>> paddle.add_n([paddle.to_tensor([1.0]), paddle.to_tensor([2.0]), paddle.to_tensor([3.0])]).tolist()
    [6.0]
    """
    if isinstance(inputs, TensorBase):
        return arithmetic.assign(inputs)
    if not isinstance(inputs, (list, tuple)):
        raise DTypeMismatch(f"add_n: inputs must be a list of tensors, got {type(inputs).__name__}")
    return scaling.add_n(*inputs)


div, mul, sub = divide, multiply, subtract
mod = floor_mod = remainder
