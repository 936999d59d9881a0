"""`Executor`: runs a Program for what is fetched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.place import as_place
from paddlite.backend.world import WORLD
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.mode import current, switched
from paddlite.core.program import Program, Value, Variable
from paddlite.core.tensor import Tensor
from paddlite.static.plan import Plan
from paddlite.static.recording import default_main_program


class Executor:
    """Runs Programs.

    >>> import paddlite as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [None, 2])
    ...     y = x * 2
    >>> exe = paddle.static.Executor()
    >>> exe.run(main, feed={"x": [[1.0, 2.0]]}, fetch_list=[y])[0].tolist()
    [[2.0, 4.0]]
    """

    def __init__(self, place: Any = None):
        self.place = device.check_place(as_place(place)) if place is not None else current().place
        self._plans: dict[tuple, Plan] = {}

    def run(
        self,
        program: Program | None = None,
        feed: dict[str, Any] | None = None,
        fetch_list: Any = None,
        return_numpy: bool = True,
        scope: dict[str, Any] | None = None,
        **_: Any,
    ) -> list:
        """The values of `fetch_list`, as NumPy arrays (or tensors where `return_numpy` is False).

        Args:
            program: the Program; the default main one where left out.
            feed: values of the inputs by name.
            fetch_list: variables, captured tensors or names; lists in lists count as one list.

        Raises:
            InvalidArgument: a feed is missing or does not fit; a fetched name is unknown.
            TypeError: `program`, `feed` or what is fetched is of another kind.
            ProgramError: state has no value yet.

        A feed that is no input of the Program is left out with a warning.
        """
        WORLD.beats += 1
        program = program if program is not None else default_main_program()
        if not isinstance(program, Program):
            raise TypeError(f"Executor.run: program must be a Program, got {type(program).__name__}")
        if feed is not None and not isinstance(feed, dict):
            raise TypeError(f"Executor.run: feed must be a dict of values by name, got {type(feed).__name__}")
        fetches = [_value(program, f) for f in _flat(fetch_list)]
        key = (id(program), program.version, tuple(map(id, fetches)))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = Plan(program, fetches)
        with switched(block=None, grad=False, amp=None):
            scope = scope if scope is not None else current().scope
            found = plan.run(feed or {}, scope, current().generator, self.place)
        if return_numpy:
            return [np.array(device.to_host(array)) for array in found]
        return [Tensor(array) for array in found]

    def close(self) -> None:
        """Let go of the prepared plans."""
        self._plans.clear()


def _flat(fetches: Any) -> Iterator[Any]:
    if isinstance(fetches, (list, tuple)):
        for one in fetches:
            yield from _flat(one)
    elif fetches is not None:
        yield fetches


def _value(program: Program, fetched: Any) -> Value:
    if isinstance(fetched, Variable):
        return fetched._value
    if isinstance(fetched, Tensor):
        return program.capture(fetched)
    if not isinstance(fetched, str):
        raise DTypeMismatch(
            f"Executor.run: fetch_list must hold variables, tensors or names, got {type(fetched).__name__}"
        )
    for value in program.values():
        if value.name == fetched:
            return value
    raise InvalidArgument(f"fetch_list: the Program has no variable named {fetched!r}")
