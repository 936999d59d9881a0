"""Python's operators on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.core.op import OPS
from paddlite.core.promote import NUMBERS
from paddlite.core.tensor import TensorBase
from paddlite.ops import arithmetic, bitwise, compare, matmul, power


def _binary(op: Callable) -> Callable:
    def operate(self: Any, other: Any) -> Any:
        return op(self, other)

    return operate


def _reflected(op: Callable) -> Callable:
    def operate(self: Any, other: Any) -> Any:
        return op(other, self)

    return operate


_ARITHMETIC = {
    "add": arithmetic.elementwise_add,
    "sub": arithmetic.elementwise_sub,
    "mul": arithmetic.elementwise_mul,
    "truediv": arithmetic.elementwise_div,
    "floordiv": power.elementwise_floordiv,
    "mod": power.elementwise_mod,
    "pow": power.elementwise_pow,
    "matmul": matmul.matmul,
}
for _name, _op in _ARITHMETIC.items():
    setattr(TensorBase, f"__{_name}__", _binary(_op))
    setattr(TensorBase, f"__r{_name}__", _reflected(_op))

_COMPARISON = {
    "lt": compare.less_than,
    "le": compare.less_equal,
    "gt": compare.greater_than,
    "ge": compare.greater_equal,
}
for _name, _op in _COMPARISON.items():
    setattr(TensorBase, f"__{_name}__", _binary(_op))


def _comparable(other: Any) -> bool:
    return isinstance(other, (TensorBase, np.ndarray, *NUMBERS))


def _eq(self: Any, other: Any) -> Any:
    return compare.equal(self, other) if _comparable(other) else NotImplemented


def _ne(self: Any, other: Any) -> Any:
    return compare.not_equal(self, other) if _comparable(other) else NotImplemented


def _logical(bitwise: str, logical: Callable) -> Callable:
    def operate(self: Any, other: Any) -> Any:
        if self._dtype == np.bool_:
            return logical(self, other)
        return OPS[bitwise].call(self, other)

    return operate


TensorBase.__eq__ = _eq  # type: ignore[method-assign,assignment]
TensorBase.__ne__ = _ne  # type: ignore[method-assign,assignment]
TensorBase.__hash__ = object.__hash__  # type: ignore[method-assign]
TensorBase.__neg__ = lambda self: arithmetic.negative(self)  # type: ignore[attr-defined]
TensorBase.__pos__ = lambda self: self  # type: ignore[attr-defined]
TensorBase.__abs__ = lambda self: arithmetic.absolute(self)  # type: ignore[attr-defined]
for _name, _bits, _truth in (
    ("and", "bitwise_and", compare.logical_and),
    ("or", "bitwise_or", compare.logical_or),
    ("xor", "bitwise_xor", compare.logical_xor),
):
    setattr(TensorBase, f"__{_name}__", _logical(_bits, _truth))
    setattr(TensorBase, f"__r{_name}__", _logical(_bits, _truth))
TensorBase.__invert__ = lambda self: OPS["bitwise_not"].call(self)  # type: ignore[attr-defined]
for _name, _shift in (("lshift", bitwise.left_shift), ("rshift", bitwise.right_shift)):
    setattr(TensorBase, f"__{_name}__", _binary(_shift))
    setattr(TensorBase, f"__r{_name}__", _reflected(_shift))
TensorBase.__array_ufunc__ = None  # type: ignore[attr-defined]  # ndarray + tensor gives a tensor
