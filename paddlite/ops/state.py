"""Writing persistable state: running statistics and other buffers."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import same


def _infer(state: Meta, value: Meta) -> Meta:
    if len(state.shape) != len(value.shape) or any(s != v and v != -1 for s, v in zip(state.shape, value.shape)):
        raise ShapeMismatch(f"assign_state: state {list(state.shape)} cannot take a value of shape {list(value.shape)}")
    return same(state)


@defop("assign_state", infer=_infer, amp="never", native_half=True, check=True, writes=("state",))
def assign_state(xp: Any, state: Any, value: Any) -> Any:
    """Copy `value` into the memory of `state`, which is given back."""
    state[...] = value
    return state
