"""Unique names: new ones, and a fresh count of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from paddlite.core import mode
from paddlite.core.mode import current, switched
from paddlite.core.names import Names


def generate(key: str) -> str:
    """A name that begins with `key` and was not given before.

    >>> import paddlite as paddle
    >>> with paddle.utils.unique_name.guard():
    ...     [paddle.utils.unique_name.generate("fc") for _ in range(2)]
    ['fc_0', 'fc_1']
    """
    return current().names.new(key)


def switch(new_generator: Any = None) -> Names:
    """Count anew from now on (or go on counting in `new_generator`); gives what counted so far."""
    before = current().names
    mode.switch(names=new_generator if isinstance(new_generator, Names) else Names())
    return before


@contextlib.contextmanager
def guard(new_generator: str | bytes | Names | None = None) -> Iterator[None]:
    """While entered, names are counted anew; text given here begins each of them."""
    if isinstance(new_generator, bytes):
        new_generator = new_generator.decode()
    names = new_generator if isinstance(new_generator, Names) else Names(new_generator or "")
    with switched(names=names):
        yield


__all__ = ["generate", "guard", "switch"]
