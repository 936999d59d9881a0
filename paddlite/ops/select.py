"""Choosing between values by a condition."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import BOOL
from paddlite.core.errors import DTypeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.core.promote import promote_types
from paddlite.ops.infer import broadcast_shapes
from paddlite.ops.like import unbroadcast


def _require_bool(condition: Any) -> None:
    if condition.dtype != BOOL:
        raise DTypeMismatch(f"where: condition must be a bool tensor, got {condition.dtype}; compare it first (x != 0)")


def _where_infer(condition: Meta, x: Meta, y: Meta) -> Meta:
    _require_bool(condition)
    shape = broadcast_shapes(broadcast_shapes(x.shape, y.shape, "where"), condition.shape, "where")
    return Meta(shape, promote_types(x.dtype, y.dtype))


@defop(
    "where",
    infer=_where_infer,
    promote=("x", "y"),
    native_half=True,
    elementwise=True,
    vjp={
        "x": lambda g, condition, like_x: unbroadcast(where(condition, g, 0), like_x),
        "y": lambda g, condition, like_y: unbroadcast(where(condition, 0, g), like_y),
    },
)
def where(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    _require_bool(condition)
    return xp.where(condition, x, y)
