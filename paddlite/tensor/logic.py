"""Comparisons, logic, bits, and questions about values."""

from __future__ import annotations

from typing import Any

from paddlite.core.tensor import TensorBase
from paddlite.ops import bitwise, compare, reduce, rounding
from paddlite.tensor.arguments import write
from paddlite.tensor.convert import to_tensor

__all__ = [
    "allclose", "bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "eq", "equal", "equal_all", "gcd", "ge", "greater", "greater_equal",
    "greater_than", "gt", "isclose", "isfinite", "isin", "isinf", "isnan", "isneginf", "isposinf",
    "isreal", "lcm", "le", "less", "less_equal", "less_than", "logical_and", "logical_not", "logical_or",
    "logical_xor", "lt", "ne", "not_equal",
]  # fmt: skip
METHODS = __all__
INPLACE = (
    "bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "equal", "gcd", "greater_equal", "greater_than", "lcm", "less", "less_equal", "less_than",
    "logical_and", "logical_not", "logical_or", "logical_xor", "not_equal",
)  # fmt: skip


def equal(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """True where x == y, elementwise with broadcasting; NaN equals nothing.

    Args:
        x: a tensor.
        y: a tensor whose shape broadcasts with that of `x`, or a number.
        name: not used; there for compatibility.

    Raises:
        ShapeMismatch: the shapes do not broadcast.

    >>> import paddlite as paddle
    >>> paddle.equal(paddle.to_tensor([1, 2]), paddle.to_tensor([1, 3])).tolist()
    [True, False]
    """
    result = compare.equal(x, y)
    return result if out is None else write(out, result)


def not_equal(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """True where x != y; see `equal`."""
    result = compare.not_equal(x, y)
    return result if out is None else write(out, result)


def less_than(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """True where x < y; see `equal`."""
    result = compare.less_than(x, y)
    return result if out is None else write(out, result)


def less_equal(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """True where x <= y; see `equal`."""
    result = compare.less_equal(x, y)
    return result if out is None else write(out, result)


def greater_than(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """True where x > y; see `equal`."""
    result = compare.greater_than(x, y)
    return result if out is None else write(out, result)


def greater_equal(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """True where x >= y; see `equal`."""
    result = compare.greater_equal(x, y)
    return result if out is None else write(out, result)


def less(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The same as `less_than`."""
    result = compare.less_than(x, y)
    return result if out is None else write(out, result)


eq, ne, lt, le, gt, ge, greater = equal, not_equal, less_than, less_equal, greater_than, greater_equal, greater_than


def logical_and(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """True where both are true (not 0), elementwise with broadcasting.

    >>> import paddlite as paddle
    >>> paddle.logical_and(paddle.to_tensor([1, 0]), paddle.to_tensor([2, 3])).tolist()
    [True, False]
    """
    result = compare.logical_and(x, y)
    return result if out is None else write(out, result)


def logical_or(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """True where at least one is true (not 0); see `logical_and`."""
    result = compare.logical_or(x, y)
    return result if out is None else write(out, result)


def logical_xor(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """True where exactly one is true (not 0); see `logical_and`."""
    result = compare.logical_xor(x, y)
    return result if out is None else write(out, result)


def logical_not(x: Any, name: str | None = None, *, out: Any = None) -> Any:
    """True where `x` is false (0)."""
    result = compare.logical_not(x)
    return result if out is None else write(out, result)


def bitwise_and(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """The bits set in both, elementwise with broadcasting; of bools the logical and.

    Raises:
        DTypeMismatch: a tensor does not hold integers or bools.

    >>> import paddlite as paddle
    >>> paddle.bitwise_and(paddle.to_tensor([6]), paddle.to_tensor([3])).tolist()
    [2]
    """
    result = bitwise.bitwise_and(x, y)
    return result if out is None else write(out, result)


def bitwise_or(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """The bits set in at least one; see `bitwise_and`."""
    result = bitwise.bitwise_or(x, y)
    return result if out is None else write(out, result)


def bitwise_xor(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """The bits set in exactly one; see `bitwise_and`."""
    result = bitwise.bitwise_xor(x, y)
    return result if out is None else write(out, result)


def bitwise_not(x: Any, out: Any = None, name: str | None = None) -> Any:
    """All bits turned over; of bools the logical not.  See `bitwise_and`."""
    result = bitwise.bitwise_not(x)
    return result if out is None else write(out, result)


bitwise_invert = bitwise_not


def bitwise_left_shift(x: Any, y: Any, is_arithmetic: bool = True, out: Any = None, name: str | None = None) -> Any:
    """The bits of `x` moved up by `y` places; both ways of shifting give the same here.

    Raises:
        DTypeMismatch: a tensor does not hold integers.
    """
    result = bitwise.left_shift(x, y)
    return result if out is None else write(out, result)


def bitwise_right_shift(x: Any, y: Any, is_arithmetic: bool = True, out: Any = None, name: str | None = None) -> Any:
    """The bits of `x` moved down by `y` places.

    Args:
        is_arithmetic: the sign bit comes in at the top; zeros do where this is False.

    Raises:
        DTypeMismatch: a tensor does not hold integers.

    >>> import paddlite as paddle
    >>> paddle.bitwise_right_shift(paddle.to_tensor([-8]), paddle.to_tensor([1])).tolist()
    [-4]
    """
    result = bitwise.right_shift(x, y, is_arithmetic=is_arithmetic)
    return result if out is None else write(out, result)


def gcd(x: Any, y: Any, name: str | None = None) -> Any:
    """The greatest common divisor of integers, elementwise with broadcasting; never negative.

    >>> import paddlite as paddle
    >>> paddle.gcd(paddle.to_tensor([12, 0]), paddle.to_tensor([-8, 5])).tolist()
    [4, 5]
    """
    return bitwise.gcd(x, y)


def lcm(x: Any, y: Any, name: str | None = None) -> Any:
    """The least common multiple of integers, elementwise with broadcasting; never negative."""
    return bitwise.lcm(x, y)


def isfinite(x: Any, name: str | None = None) -> Any:
    """True where an element is neither infinite nor NaN.

    >>> import paddlite as paddle
    >>> paddle.isfinite(paddle.to_tensor([1.0, float("inf"), float("nan")])).tolist()
    [True, False, False]
    """
    return compare.isfinite(x)


def isinf(x: Any, name: str | None = None) -> Any:
    """True where an element is infinite."""
    return compare.isinf(x)


def isnan(x: Any, name: str | None = None) -> Any:
    """True where an element is NaN."""
    return compare.isnan(x)


def isposinf(x: Any, name: str | None = None) -> Any:
    """True where an element is +inf."""
    return compare.equal(x, float("inf"))


def isneginf(x: Any, name: str | None = None) -> Any:
    """True where an element is -inf."""
    return compare.equal(x, float("-inf"))


def isreal(x: Any, name: str | None = None) -> Any:
    """True where the imaginary part of an element is 0."""
    return rounding.isreal(x)


def isclose(
    x: Any, y: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, name: str | None = None
) -> Any:
    """True where |x - y| <= atol + rtol * |y|, elementwise with broadcasting.

    Args:
        rtol: tolerance relative to `y`.
        atol: absolute tolerance.
        equal_nan: two NaN count as close.

    Differs: a finite number is never close to an infinite one.

    >>> import paddlite as paddle
    >>> paddle.isclose(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0000001, 2.1])).tolist()
    [True, False]
    """
    return compare.isclose(x, y, rtol=float(rtol), atol=float(atol), equal_nan=equal_nan)


def allclose(
    x: Any, y: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, name: str | None = None
) -> Any:
    """True (a 0-D tensor) where all elements are close; see `isclose`."""
    return reduce.reduce_all(isclose(x, y, rtol, atol, equal_nan))


def equal_all(x: Any, y: Any, name: str | None = None) -> Any:
    """True (a 0-D tensor) where shapes and all elements are equal.

    >>> import paddlite as paddle
    >>> paddle.equal_all(paddle.to_tensor([1, 2]), paddle.to_tensor([1, 2, 3])).item()
    False
    """
    return compare.equal_all(x, y)


def isin(x: Any, test_x: Any, assume_unique: bool = False, invert: bool = False, name: str | None = None) -> Any:
    """True where an element of `x` is among those of `test_x`; the opposite where `invert`.

    Args:
        assume_unique: not needed here; there for compatibility.

    >>> import paddlite as paddle
    >>> paddle.isin(paddle.to_tensor([1, 2, 3]), paddle.to_tensor([3, 1])).tolist()
    [True, False, True]
    """
    return compare.isin(_tensor(x), _tensor(test_x), invert=invert)


def _tensor(x: Any) -> Any:
    return x if isinstance(x, TensorBase) else to_tensor(x)
