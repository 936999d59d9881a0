"""Gradients in a Program: the reverse walk, recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddlite.autograd.walk import reverse_walk
from paddlite.core.errors import NoGradient
from paddlite.core.mode import current, switched
from paddlite.core.program import Value, Variable
from paddlite.ops.like import full_like


def append_gradients(
    roots: Sequence[Variable],
    targets: Sequence[Variable | Value] | None = None,
    seeds: Sequence[Variable | None] | None = None,
    blocked: Sequence[Variable] = (),
) -> dict[Value, Variable]:
    """Record the gradients of the sum of `roots`; gives them by value.

    Args:
        targets: what to differentiate with respect to; None stands for every leaf that wants a gradient.
        seeds: the gradient that each root starts with; None stands for ones.
        blocked: variables through which nothing flows.

    Raises:
        NoGradient: no root depends on a value with stop_gradient=False.
    """
    pairs = [(r, s) for r, s in zip(roots, seeds or [None] * len(roots)) if not r.stop_gradient]
    if not pairs:
        raise NoGradient("no root of these gradients depends on a variable with stop_gradient=False")
    program = roots[0].block.program
    edges = None if targets is None else [value_of(program, t) for t in targets]
    found: dict[Value, Variable] = {}
    with switched(block=roots[0].block, amp=None, grad=current().grad), role(program, "backward"):
        start = [s if s is not None else full_like(r, value=1.0) for r, s in pairs]
        reverse_walk(
            [r._edge for r, _ in pairs],
            start,
            found.__setitem__,
            targets=edges,
            stop_at=[b._value for b in blocked],
            retain=True,
        )
    return found


def value_of(program: Any, target: Any) -> Value:
    """What the Program knows a target by: a value, a variable, or an eager tensor that it has captured."""
    if isinstance(target, Value):
        return target
    return target._value if isinstance(target, Variable) else program.capture(target)


class role:
    """Calls recorded while entered carry this role."""

    def __init__(self, program: Any, role: str):
        self._program, self._role = program, role

    def __enter__(self) -> None:
        self._before, self._program.role = self._program.role, self._role

    def __exit__(self, *error: object) -> None:
        self._program.role = self._before
