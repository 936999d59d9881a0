"""Switching the recording of gradients on and off."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from paddlite.core.mode import current, switch


class _GradMode:
    """A context manager and decorator that sets whether gradients are recorded."""

    _on = False

    def __init__(self) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(current().grad)
        switch(grad=self._on)

    def __exit__(self, *error: object) -> None:
        switch(grad=self._before.pop())

    def __call__(self, function: Callable) -> Callable:
        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def steps(*args: Any, **kwargs: Any) -> Any:
                generator = function(*args, **kwargs)
                sent = None
                while True:
                    with type(self)():
                        try:
                            made = generator.send(sent)
                        except StopIteration as stop:
                            return stop.value
                    sent = yield made

            return steps

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with type(self)():
                return function(*args, **kwargs)

        return run


class no_grad(_GradMode):
    """While entered, no op records gradients.  Also a decorator, with or without parentheses.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> with paddle.no_grad():
    ...     y = x * 2
    >>> y.stop_gradient
    True
    """

    _on = False

    def __new__(cls, function: Callable | None = None) -> Any:
        made = super().__new__(cls)
        if function is None:
            return made
        made.__init__()
        return made(function)


class enable_grad(_GradMode):
    """While entered, ops record gradients, also inside `no_grad`."""

    _on = True


class set_grad_enabled:
    """Set whether gradients are recorded, at once; as a context manager, until it is left."""

    def __init__(self, mode: bool):
        self._before = current().grad
        switch(grad=bool(mode))

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        switch(grad=self._before)


def is_grad_enabled() -> bool:
    """True where ops record gradients now."""
    return current().grad
