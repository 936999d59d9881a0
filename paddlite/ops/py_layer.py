"""The op that stands for a user's `PyLayer` in a Program and on the tape."""

from __future__ import annotations

from typing import Any

from paddlite.core.meta import Meta
from paddlite.core.op import defop, joint


def _infer(*values: Meta, call: Any) -> tuple[Meta, ...]:
    return tuple([Meta(v.shape, v.dtype) for v in values[call.count :]])


@defop(
    "py_layer",
    infer=_infer,
    amp="never",
    outputs=("*outs",),
    native_half=True,
    partial_grads=True,
    vjp=joint(lambda g_outs, call, needs: call.input_gradients(g_outs, needs)),
)
def py_layer(xp: Any, *values: Any, call: Any) -> tuple:
    """The values that the layer's forward computed, which follow its `call.count` inputs; backward is the layer's."""
    return tuple([v.copy() for v in values[call.count :]])
