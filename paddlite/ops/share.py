"""Two tensors over one memory, and one tensor in place of another: what `detach` and in-place changes are made of."""

from __future__ import annotations

from typing import Any

from paddlite.core.op import defop
from paddlite.ops.infer import like_second, same


@defop("share_data", infer=same, amp="never", view=True, native_half=True)
def share_data(xp: Any, x: Any) -> Any:
    """`x` itself, without its gradient."""
    return x.view()


def _second(x: Any, y: Any) -> Any:
    return like_second(y, x)


@defop("with_data", infer=_second, amp="never", shape_only=("x",), native_half=True, vjp={"x": lambda g: g})
def with_data(xp: Any, x: Any, y: Any) -> Any:
    """The values of `y` in place of those of `x`; the gradient goes to `x`."""
    return y.copy()
