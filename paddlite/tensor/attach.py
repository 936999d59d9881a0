"""How row 4 adds methods to tensors: one function serves `paddle.f(x)`, `x.f()` and, where there is one, `x.f_()`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from paddlite.core.inplace import become, replace
from paddlite.core.tensor import TensorBase


def method(function: Callable) -> Callable:
    """Attach `function` to tensors under its own name; its first parameter is the tensor."""
    setattr(TensorBase, function.__name__, function)
    return function


def attach(functions: Iterable[Callable]) -> None:
    """`method` for several functions."""
    for function in functions:
        method(function)


def _named(changed: Callable, function: Callable) -> Callable:
    changed.__name__ = changed.__qualname__ = f"{function.__name__}_"
    changed.__doc__ = f"The in-place form of `{function.__name__}`: changes `x` and gives it back."
    return changed


def in_place_form(function: Callable) -> Callable:
    """`function_`: the same computation, whose result takes the place of the first argument."""

    @functools.wraps(function)
    def changed(x: Any, *args: Any, **kwargs: Any) -> Any:
        return replace(x, lambda: function(x, *args, **kwargs))

    return _named(changed, function)


def reshaping_form(function: Callable) -> Callable:
    """`function_` for functions that change the shape or the dtype: the first argument stands for the result."""

    @functools.wraps(function)
    def changed(x: Any, *args: Any, **kwargs: Any) -> Any:
        return become(x, lambda before: function(before, *args, **kwargs))

    return _named(changed, function)
