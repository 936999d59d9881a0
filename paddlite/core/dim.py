"""A size of a variable that only a run knows: -1 to look at, a variable to compute with."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from paddlite.core.op import OPS


class Dim(int):
    """The size of axis `axis` of `variable`.

    As a number it is -1, the mark of an unknown size.  Arithmetic gives a 0-D int64 variable, which has the right
    value at run time: `x.reshape([x.shape[0] * 2, -1])` works for any batch.
    """

    variable: Any
    axis: int

    def __new__(cls, variable: Any, axis: int) -> Dim:
        made = super().__new__(cls, -1)
        made.variable, made.axis = variable, axis
        return made

    @property
    def _block(self) -> Any:
        return self.variable._block

    def value(self) -> Any:
        """The size as a 0-D int64 variable."""
        return OPS["slice"].call(OPS["shape"].call(self.variable), index=(self.axis,))

    def of(self, variable: Any, axis: int) -> bool:
        """True where this is the size of that axis of `variable`."""
        return self.axis == axis and self.variable._value is variable._value

    def __repr__(self) -> str:
        return "-1"

    __str__ = __repr__

    def __deepcopy__(self, memo: dict) -> Dim:
        return self

    def __reduce__(self) -> tuple:
        return (int, (-1,))


def _computed(function: Callable, turned: bool) -> Callable:
    def compute(self: Dim, *others: Any) -> Any:
        values = [other.value() if isinstance(other, Dim) else other for other in others]
        return function(values[0], self.value()) if turned else function(self.value(), *values)

    return compute


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(Dim, f"__{_name}__", _computed(getattr(operator, _name), False))
    setattr(Dim, f"__r{_name}__", _computed(getattr(operator, _name), True))
Dim.__neg__ = _computed(operator.neg, False)  # type: ignore[method-assign]
