"""Putting tensors together and taking them apart along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop, joint
from paddlite.ops.infer import axis_in, merge_size


def _one_dtype(name: str, xs: tuple[Meta, ...]) -> np.dtype:
    if not xs:
        raise InvalidArgument(f"{name}: want at least one tensor, got an empty list")
    for k, x in enumerate(xs):
        if x.dtype != xs[0].dtype:
            raise InvalidArgument(
                f"{name}: all tensors must have one dtype, but x[0] is {xs[0].dtype} and x[{k}] is {x.dtype}; "
                "bring them to one with astype"
            )
    return xs[0].dtype


def _concat_infer(*xs: Meta, axis: int = 0) -> Meta:
    dtype = _one_dtype("concat", xs)
    rank = len(xs[0].shape)
    if not rank:
        raise InvalidArgument("concat: 0-D tensors have no axis to join along; use stack")
    axis = axis_in(axis, rank, "concat")
    shape = list(xs[0].shape)
    for x in xs[1:]:
        if len(x.shape) != rank:
            raise ShapeMismatch(
                f"concat: all tensors must have the same number of axes, got {list(xs[0].shape)} and {list(x.shape)}"
            )
        for d, size in enumerate(x.shape):
            if d == axis:
                shape[d] = -1 if -1 in (shape[d], size) else shape[d] + size
            else:
                what = f"sizes of axis {d} (any but axis {axis}) of {list(xs[0].shape)} and {list(x.shape)}"
                shape[d] = merge_size(shape[d], size, "concat", what)
    return Meta(tuple(shape), dtype)


@defop(
    "concat",
    infer=_concat_infer,
    native_half=True,
    vjp=joint(lambda g, like_xs, axis: concat_grad(g, *like_xs, axis=axis)),
)
def concat(xp: Any, *xs: Any, axis: int = 0) -> Any:
    dtype = xs[0].dtype
    for x in xs:
        if x.dtype != dtype:
            _one_dtype("concat", xs)  # raises, where NumPy would promote
    return xp.concatenate(xs, axis)


def _concat_grad_infer(x: Meta, *likes: Meta, axis: int = 0) -> tuple[Meta, ...]:
    return tuple([Meta(like.shape, x.dtype) for like in likes])


@defop(
    "concat_grad",
    infer=_concat_grad_infer,
    outputs=("*outs",),
    shape_only=("likes",),
    native_half=True,
    vjp=joint(lambda g_outs, axis: [concat(*g_outs, axis=axis), *[None] * len(g_outs)]),
)
def concat_grad(xp: Any, x: Any, *likes: Any, axis: int = 0) -> Any:
    """The parts of `x` along `axis`, of the sizes of `likes`; nothing is copied."""
    return pieces(x, [like.shape[axis] for like in likes], axis)


def pieces(x: Any, sizes: list[int] | tuple[int, ...], axis: int) -> tuple:
    """Views of `x` cut along `axis`."""
    before, at, cut = (slice(None),) * (axis % x.ndim), 0, []
    for size in sizes:
        cut.append(x[(*before, slice(at, at + size))])
        at += size
    return tuple(cut)


def section_sizes(size: int, sections: int | tuple[int, ...], name: str) -> tuple[int, ...]:
    """Sizes of the parts of an axis of `size` (-1: unknown): so many equal parts, or given sizes with at most one -1.

    Raises:
        InvalidArgument: they do not add up to `size`.
    """
    if isinstance(sections, int):
        if sections < 1:
            raise InvalidArgument(f"{name}: the number of parts must be at least 1, got {sections}")
        if size >= 0 and size % sections:
            raise InvalidArgument(f"{name}: an axis of size {size} cannot be cut into {sections} equal parts")
        return (size // sections if size >= 0 else -1,) * sections
    known = sum(s for s in sections if s >= 0)
    missing = sum(1 for s in sections if s < 0)
    if missing > 1 or any(s < -1 for s in sections):
        raise InvalidArgument(f"{name}: at most one of the sizes {list(sections)} may be -1, and none less")
    if size < 0:
        return sections
    if known > size or (not missing and known != size):
        raise InvalidArgument(f"{name}: sizes {list(sections)} do not add up to the size of the axis, {size}")
    return tuple([size - known if s < 0 else s for s in sections])


def _split_infer(x: Meta, *, sections: int | tuple[int, ...], axis: int = 0) -> tuple[Meta, ...]:
    axis = axis_in(axis, len(x.shape), "split")
    if not x.shape:
        raise InvalidArgument("split: a 0-D tensor has no axis to cut")
    sizes = section_sizes(x.shape[axis], sections, "split")
    return tuple([Meta((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype) for size in sizes])


@defop(
    "split",
    infer=_split_infer,
    outputs=("*outs",),
    native_half=True,
    vjp=joint(lambda g_outs, axis: [concat(*g_outs, axis=axis)]),
)
def split(xp: Any, x: Any, *, sections: int | tuple[int, ...], axis: int = 0) -> Any:
    axis = axis_in(axis, x.ndim, "split")
    sizes = section_sizes(x.shape[axis], sections, "split")
    return tuple([part.copy() for part in pieces(x, sizes, axis)])


def _stack_infer(*xs: Meta, axis: int = 0) -> Meta:
    dtype = _one_dtype("stack", xs)
    shape = list(xs[0].shape)
    for x in xs[1:]:
        if len(x.shape) != len(shape):
            raise ShapeMismatch(f"stack: all tensors must have one shape, got {list(xs[0].shape)} and {list(x.shape)}")
        shape = [
            merge_size(p, q, "stack", f"sizes of axis {d} of {list(xs[0].shape)} and {list(x.shape)}")
            for d, (p, q) in enumerate(zip(shape, x.shape))
        ]
    axis = axis_in(axis, len(shape) + 1, "stack")
    return Meta((*shape[:axis], len(xs), *shape[axis:]), dtype)


@defop("stack", infer=_stack_infer, native_half=True, vjp=joint(lambda g, axis: unbind(g, axis=axis)))
def stack(xp: Any, *xs: Any, axis: int = 0) -> Any:
    dtype = xs[0].dtype
    for x in xs:
        if x.dtype != dtype:
            _one_dtype("stack", xs)
    return xp.stack(xs, axis)


def _unbind_infer(x: Meta, *, axis: int = 0) -> tuple[Meta, ...]:
    axis = axis_in(axis, len(x.shape), "unbind")
    if not x.shape:
        raise InvalidArgument("unbind: a 0-D tensor has no axis to take apart")
    if x.shape[axis] < 0:
        raise InvalidArgument(
            f"unbind: the size of axis {axis} must be known while recording, got shape {list(x.shape)}"
        )
    return (Meta((*x.shape[:axis], *x.shape[axis + 1 :]), x.dtype),) * x.shape[axis]


def _item_of(index: int, *, axis: int = 0) -> tuple[str, dict[str, Any]]:
    at = (*(slice(None),) * axis, index) if axis >= 0 else (Ellipsis, index, *(slice(None),) * (-1 - axis))
    return "slice", {"index": at}


@defop(
    "unbind",
    infer=_unbind_infer,
    outputs=("*outs",),
    view=_item_of,
    native_half=True,
    vjp=joint(lambda g_outs, axis: [stack(*g_outs, axis=axis)]),
)
def unbind(xp: Any, x: Any, *, axis: int = 0) -> Any:
    """The slices of `x` along `axis`, without that axis: views."""
    axis = axis_in(axis, x.ndim, "unbind")
    before = (slice(None),) * axis
    return tuple([x[(*before, k, ...)] for k in range(x.shape[axis])])


@defop(
    "unstack",
    infer=_unbind_infer,
    outputs=("*outs",),
    native_half=True,
    vjp=joint(lambda g_outs, axis: [stack(*g_outs, axis=axis)]),
)
def unstack(xp: Any, x: Any, *, axis: int = 0) -> Any:
    """As `unbind`, but each slice has memory of its own."""
    return tuple([part.copy() for part in unbind.op.kernel(xp, x, axis=axis)])
