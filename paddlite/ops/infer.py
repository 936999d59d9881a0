"""Shape and dtype rules that many ops share.  Sizes of -1 are known only at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paddlite.backend.dtypes import BOOL, COMPLEX, F32, FLOATING, INTEGRAL, REAL_OF
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.promote import promote_types


def same(x: Meta, *_: Any, **__: Any) -> Meta:
    """The meta of the first input."""
    return Meta(x.shape, x.dtype)


def floating_same(x: Meta, **__: Any) -> Meta:
    """The shape of the input; integers become float32."""
    return Meta(x.shape, F32 if x.dtype in INTEGRAL else x.dtype)


def bool_same(x: Meta, *_: Any, **__: Any) -> Meta:
    return Meta(x.shape, BOOL)


def like_second(g: Meta, x: Meta, *_: Any, **__: Any) -> Meta:
    """The shape of the second input in the dtype of the first: gradients of ops that change the shape."""
    return Meta(x.shape, g.dtype)


def broadcast_shapes(a: tuple[int, ...], b: tuple[int, ...], name: str = "broadcast") -> tuple[int, ...]:
    """The shape to which `a` and `b` broadcast.

    Raises:
        ShapeMismatch: two sizes differ and neither is 1.
    """
    rank = max(len(a), len(b))
    left, right = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    result = []
    for axis, (p, q) in enumerate(zip(left, right)):
        if p == q or q == 1:
            result.append(p)
        elif p == 1:
            result.append(q)
        elif p == -1 or q == -1:
            result.append(max(p, q))
        else:
            raise ShapeMismatch(
                f"{name}: shapes {list(a)} and {list(b)} do not broadcast: axis {axis - rank} has sizes {p} and {q}, "
                "which differ, and neither is 1"
            )
    return tuple(result)


def fits_into(shape: tuple[int, ...], place: tuple[int, ...]) -> bool:
    """True where a value of `shape` can be broadcast to fill `place`; unknown sizes may fit."""
    if len(shape) > len(place):
        return False
    return all(s in (1, p, -1) or p == -1 for s, p in zip(reversed(shape), reversed(place)))


def broadcast(x: Meta, y: Meta, **__: Any) -> Meta:
    return Meta(broadcast_shapes(x.shape, y.shape), promote_types(x.dtype, y.dtype))


def broadcast_bool(x: Meta, y: Meta, **__: Any) -> Meta:
    return Meta(broadcast_shapes(x.shape, y.shape), BOOL)


def real_of(dtype: np.dtype) -> np.dtype:
    """The dtype of the parts of a complex `dtype`; other dtypes as they are."""
    return REAL_OF.get(dtype, dtype)


def axis_in(axis: int, rank: int, name: str, what: str = "axis") -> int:
    """`axis` counted from the front.

    Raises:
        InvalidArgument: it lies outside of [-rank, rank).
    """
    if isinstance(axis, bool) or not isinstance(axis, (int, np.integer)):
        raise DTypeMismatch(f"{name}: {what} must be an int, got {axis!r}")
    if not -rank <= axis < rank and not (rank == 0 and axis in (0, -1)):
        raise InvalidArgument(
            f"{name}: {what} {axis} is out of range for a tensor of {rank} axes; want [{-rank}, {rank})"
        )
    return int(axis) + rank if axis < 0 else int(axis)


def axes_in(axis: int | Sequence[int] | None, rank: int, name: str) -> tuple[int, ...]:
    """The axes that `axis` names, counted from the front; None or an empty list names all.

    Raises:
        InvalidArgument: one is out of range or given twice.
    """
    if axis is None or (isinstance(axis, (list, tuple)) and not axis):
        return tuple(range(rank))
    given = axis if isinstance(axis, (list, tuple)) else (axis,)
    axes = tuple(axis_in(a, rank, name) for a in given)
    if rank == 0:
        return ()
    if len(set(axes)) != len(axes):
        raise InvalidArgument(f"{name}: axis {list(given)} names one axis twice")
    return axes


def reduced_shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdim: bool) -> tuple[int, ...]:
    if keepdim:
        return tuple([1 if i in axes else s for i, s in enumerate(shape)])
    return tuple([s for i, s in enumerate(shape) if i not in axes])


def require_floating(name: str, **metas: Meta) -> None:
    """Raise DTypeMismatch where one of `metas` is not a floating or complex tensor."""
    for argument, meta in metas.items():
        if meta.dtype not in FLOATING and meta.dtype not in COMPLEX:
            raise DTypeMismatch(f"{name}: {argument} must be floating point, got {meta.dtype}")


def require_integer(name: str, **metas: Meta) -> None:
    """Raise DTypeMismatch where one of `metas` is not an integer tensor."""
    for argument, meta in metas.items():
        if meta.dtype not in INTEGRAL or meta.dtype == BOOL:
            raise DTypeMismatch(f"{name}: {argument} must be an integer tensor, got {meta.dtype}")


def merge_size(a: int, b: int, name: str, what: str) -> int:
    """The size that two sizes, which must be equal, have; -1 gives way to what is known."""
    if a == b or b == -1:
        return a
    if a == -1:
        return b
    raise ShapeMismatch(f"{name}: {what} must agree, got {a} and {b}")
