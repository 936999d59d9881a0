"""AMP for a recorded Program: every call goes through `dispatch` once more, with the guard on."""

from __future__ import annotations

from typing import Any

from paddlite.amp.policy import Casts
from paddlite.core.dispatch import dispatch
from paddlite.core.mode import switched
from paddlite.core.program import Program, Value, Variable


def with_casts(program: Program, casts: Casts) -> tuple[Program, dict[Value, Variable]]:
    """A copy of `program` with the casts that AMP asks for, and what stands in it for each value of the original.

    The casts are those that the eager guard makes, call by call, since the same code makes them.  To be used before
    gradients are recorded.
    """
    copy = Program()
    moved: dict[Value, Any] = {}
    for name, value in program.feeds.items():
        moved[value] = copy.data(name, value.shape, value.dtype)
        moved[value].stop_gradient = value.stop_gradient
    for slot in program.state.values():
        moved[slot.value] = Variable(copy.capture(slot.tensor)) if slot.tensor is not None else _named(copy, slot.value)
    with switched(block=copy.global_block(), amp=casts):
        for call in program.global_block().nodes:
            if call.implied:
                continue  # promotion is worked out anew, from the dtypes that AMP chooses
            attrs = {k: v for k, v in call.attrs.items() if k != "stream" or not call.op.random}
            inputs = tuple([moved[v] if isinstance(v, Value) else v for v in call.given])
            out = dispatch(call.op, inputs, attrs)
            for value, variable in zip(call.outputs, out if isinstance(out, tuple) else (out,)):
                moved[value] = variable
    return copy, moved


def _named(copy: Program, value: Value) -> Variable:
    from paddlite.core.program import Slot

    made = Value(copy.global_block(), value.name, value.meta, value.stop_gradient)
    copy.state[value.name] = Slot(made, None)
    return Variable(made)
