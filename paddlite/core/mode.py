"""What is switched on for the code that runs now: gradients, AMP, recording, the default device.

A `Mode` never changes; switching something on means entering a changed copy, so that threads and coroutines cannot
disturb each other and leaving always restores.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np

from paddlite.backend.device import CPU
from paddlite.backend.dtypes import F32
from paddlite.backend.place import Place
from paddlite.backend.random import Generator
from paddlite.core.names import Names


class Mode:
    """The switches (immutable), and the objects with state that a session owns."""

    __slots__ = (
        "amp", "block", "default_dtype", "generator", "grad", "hooked", "initializers", "names", "place",
        "saved_hooks", "scope", "session", "watch",
    )  # fmt: skip

    def __init__(
        self,
        grad: bool = True,
        amp: Any = None,
        block: Any = None,
        place: Place = CPU,
        generator: Generator | None = None,
        names: Names | None = None,
        scope: dict[str, Any] | None = None,
        default_dtype: np.dtype = F32,
        initializers: tuple[Any, Any] = (None, None),
        session: dict[str, Any] | None = None,
        saved_hooks: tuple[Any, Any] | None = None,
        watch: Any = None,
    ):
        self.grad = grad
        self.amp = amp  # a cast policy with `cast(op, inputs) -> inputs`, or None
        self.block = block  # the Block that records every call, or None
        self.place = place
        self.generator = generator if generator is not None else Generator()
        self.names = names if names is not None else Names()
        self.scope = scope if scope is not None else {}  # values of Programs' state, by name
        self.session = session if session is not None else {}  # what higher rows keep: default Programs, flags
        self.default_dtype = default_dtype  # of tensors made of Python floats, and of new parameters
        self.initializers = initializers  # of weights and of biases, in place of the layers' own
        self.saved_hooks = saved_hooks  # pack and unpack what the tape keeps
        self.watch = watch  # `watch(name of the op, arrays that it gave)` after every eager call and gradient, or None
        self.hooked = amp is not None or block is not None or watch is not None

    def changed(self, **switches: Any) -> Mode:
        kept = {name: getattr(self, name) for name in _FIELDS if name not in switches}
        return Mode(**kept, **switches)


_FIELDS = (
    "grad", "amp", "block", "place", "generator", "names", "scope", "default_dtype", "initializers", "session",
    "saved_hooks", "watch",
)  # fmt: skip
_mode: ContextVar[Mode] = ContextVar("paddlite_mode", default=Mode())  # noqa: B039 - a Mode is immutable
current = _mode.get


class switched(contextlib.ContextDecorator):
    """Enter a Mode that differs from the current one in `switches`; leaving restores just these."""

    def __init__(self, **switches: Any):
        self._switches = switches
        self._before: list[dict[str, Any]] = []

    def __enter__(self) -> Mode:
        mode = current()
        self._before.append({name: getattr(mode, name) for name in self._switches})
        changed = mode.changed(**self._switches)
        _mode.set(changed)
        return changed

    def __exit__(self, *error: object) -> None:
        _mode.set(current().changed(**self._before.pop()))


def switch(**switches: Any) -> None:
    """Change the current Mode for good (`enable_static`, `set_device`, `set_grad_enabled`)."""
    _mode.set(current().changed(**switches))


@contextlib.contextmanager
def fresh() -> Iterator[Mode]:
    """A Mode with nothing switched on, a new generator, new names and an empty scope: for tests."""
    token = _mode.set(Mode())
    try:
        yield current()
    finally:
        _mode.reset(token)
