"""Ops that only rearrange: the same elements under another shape.  Most give views."""

from __future__ import annotations

import math
from typing import Any

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import OPS, defop
from paddlite.ops.dynamic import known_sizes, resolved
from paddlite.ops.infer import axes_in, axis_in, same
from paddlite.ops.like import reshape_like, zeros_like


def resolved_shape(shape: tuple[int, ...], given: tuple[int, ...]) -> tuple[int, ...]:
    """`shape` with 0 replaced by the size of `given` at that place; the array module works out a -1.

    Where there are no elements, nothing follows from their number: -1 becomes what the other sizes leave over.
    """
    if 0 not in shape:
        return shape
    if 0 not in given:
        return tuple([given[i] if size == 0 and i < len(given) else size for i, size in enumerate(shape)])
    if shape.count(-1) != 1:
        return shape
    rest, known = (math.prod([s for s in sizes if s > 0]) for sizes in (given, shape))
    return tuple([rest // known if size == -1 else size for size in shape])


def _reshape_infer(x: Meta, *, shape: tuple[int, ...]) -> Meta:
    sizes = list(resolved_shape(shape, x.shape))
    if sizes.count(-1) > 1 and x.known:
        raise InvalidArgument(f"reshape: at most one size of {list(shape)} may be -1")
    if any(s < -1 for s in sizes):
        raise InvalidArgument(f"reshape: sizes must be >= -1, got {list(shape)}")
    total = x.size
    if total < 0:
        return Meta(tuple(sizes), x.dtype)
    if -1 in sizes:
        known = math.prod([s for s in sizes if s != -1])
        if known == 0 or total % known:
            raise ShapeMismatch(f"reshape: {total} elements of shape {list(x.shape)} do not fit into {list(shape)}")
        sizes[sizes.index(-1)] = total // known
    if math.prod(sizes) != total:
        raise ShapeMismatch(
            f"reshape: shape {list(x.shape)} has {total} elements, but {list(shape)} asks for "
            f"{math.prod(sizes)}. Use -1 for the one size to work out."
        )
    return Meta(tuple(sizes), x.dtype)


@defop(
    "reshape2",
    infer=_reshape_infer,
    view=True,
    native_half=True,
    vjp={"x": lambda g, like_x: reshape_like(g, like_x)},
)
def reshape(xp: Any, x: Any, *, shape: tuple[int, ...]) -> Any:
    return x.reshape(resolved_shape(shape, x.shape))


def _reshape_by_infer(x: Meta, *sizes: Meta, shape: tuple) -> Meta:
    known = known_sizes(shape)
    return Meta(resolved_shape(known, x.shape), x.dtype)


@defop(
    "reshape_by",
    infer=_reshape_by_infer,
    native_half=True,
    amp_inputs=("x",),
    vjp={"x": lambda g, like_x: reshape_like(g, like_x)},
)
def reshape_by(xp: Any, x: Any, *sizes: Any, shape: tuple) -> Any:
    """`reshape` to a shape with sizes that are tensors; the result has memory of its own."""
    return x.reshape(resolved_shape(resolved(shape, sizes), x.shape)).copy()


def _merged(shape: tuple[int, ...], start_axis: int, stop_axis: int) -> tuple[int, ...]:
    """`shape` with the axes from `start_axis` to `stop_axis` made one."""
    rank = len(shape)
    if not rank:
        return (1,)
    start, stop = axis_in(start_axis, rank, "flatten"), axis_in(stop_axis, rank, "flatten")
    if start > stop:
        raise InvalidArgument(f"flatten: start_axis {start_axis} must not come after stop_axis {stop_axis}")
    inner = shape[start : stop + 1]
    return (*shape[:start], -1 if -1 in inner else math.prod(inner), *shape[stop + 1 :])


def _flatten_infer(x: Meta, *, start_axis: int = 0, stop_axis: int = -1) -> Meta:
    return Meta(_merged(x.shape, start_axis, stop_axis), x.dtype)


@defop(
    "flatten_contiguous_range",
    infer=_flatten_infer,
    view=True,
    native_half=True,
    vjp={"x": lambda g, like_x: reshape_like(g, like_x)},
)
def flatten(xp: Any, x: Any, *, start_axis: int = 0, stop_axis: int = -1) -> Any:
    return x.reshape(_merged(x.shape, start_axis, stop_axis))


def _divided(shape: tuple[int, ...], axis: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """`shape` with `axis` replaced by axes of `sizes`, of which one may be -1."""
    axis = axis_in(axis, len(shape), "unflatten")
    if sizes.count(-1) > 1 or any(s < -1 for s in sizes):
        raise InvalidArgument(f"unflatten: at most one size of {list(sizes)} may be -1, and none less")
    size, known = shape[axis], math.prod([s for s in sizes if s != -1])
    if size >= 0:
        fits = known == size if -1 not in sizes else known > 0 and size % known == 0
        if not fits:
            raise ShapeMismatch(f"unflatten: axis {axis} of size {size} cannot become {list(sizes)}")
        sizes = tuple([size // known if s == -1 else s for s in sizes])
    return (*shape[:axis], *sizes, *shape[axis + 1 :])


def _unflatten_infer(x: Meta, *, axis: int, shape: tuple[int, ...]) -> Meta:
    return Meta(_divided(x.shape, axis, shape), x.dtype)


@defop(
    "unflatten",
    infer=_unflatten_infer,
    view=True,
    native_half=True,
    vjp={"x": lambda g, like_x: reshape_like(g, like_x)},
)
def unflatten(xp: Any, x: Any, *, axis: int, shape: tuple[int, ...]) -> Any:
    """`axis` divided into axes of the sizes `shape`."""
    return x.reshape(_divided(x.shape, axis, shape))


def _transpose_infer(x: Meta, *, perm: tuple[int, ...]) -> Meta:
    rank = len(x.shape)
    if len(perm) != rank:
        raise ShapeMismatch(f"transpose: perm {list(perm)} names {len(perm)} axes, but the tensor has {rank}")
    return Meta(tuple([x.shape[a] for a in axes_in(list(perm), rank, "transpose")] if rank else []), x.dtype)


def inverse_permutation(perm: tuple[int, ...]) -> tuple[int, ...]:
    rank = len(perm)
    back = [0] * rank
    for i, axis in enumerate(perm):
        back[axis % rank] = i
    return tuple(back)


@defop(
    "transpose2",
    infer=_transpose_infer,
    view=True,
    native_half=True,
    vjp={"x": lambda g, perm: transpose(g, perm=inverse_permutation(perm))},
)
def transpose(xp: Any, x: Any, *, perm: tuple[int, ...]) -> Any:
    return x.transpose(perm)


def _squeezed(shape: tuple[int, ...], axes: Any) -> tuple[int, ...]:
    if axes is None or axes == ():
        return tuple([s for s in shape if s != 1])
    if len(axes) == 1 and -len(shape) <= axes[0] < len(shape):
        axis = axes[0] % len(shape)
        return shape if shape[axis] != 1 else (*shape[:axis], *shape[axis + 1 :])
    dropped = [a for a in axes_in(list(axes), len(shape), "squeeze") if shape[a] == 1]
    return tuple([s for i, s in enumerate(shape) if i not in dropped])


def _squeeze_infer(x: Meta, *, axes: Any = None) -> Meta:
    return Meta(_squeezed(x.shape, axes), x.dtype)


@defop(
    "squeeze2", infer=_squeeze_infer, view=True, native_half=True, vjp={"x": lambda g, like_x: reshape_like(g, like_x)}
)
def squeeze(xp: Any, x: Any, *, axes: Any = None) -> Any:
    return x.reshape(_squeezed(x.shape, axes))


def _unsqueezed(shape: tuple[int, ...], axes: Any) -> tuple[int, ...]:
    sizes = list(shape)
    for axis in axes:
        sizes.insert(axis_in(axis, len(sizes) + 1, "unsqueeze"), 1)
    return tuple(sizes)


def _unsqueeze_infer(x: Meta, *, axes: tuple[int, ...]) -> Meta:
    return Meta(_unsqueezed(x.shape, axes), x.dtype)


@defop(
    "unsqueeze2",
    infer=_unsqueeze_infer,
    view=True,
    native_half=True,
    vjp={"x": lambda g, like_x: reshape_like(g, like_x)},
)
def unsqueeze(xp: Any, x: Any, *, axes: tuple[int, ...]) -> Any:
    return x.reshape(_unsqueezed(x.shape, axes))


@defop(
    "view_put",
    infer=same,
    native_half=True,
    vjp={
        "parent": lambda g, like_y, op, attrs: view_put(g, zeros_like(like_y), op=op, attrs=attrs),
        "y": lambda g, op, attrs: OPS[op].call(g, **attrs),
    },
)
def view_put(xp: Any, parent: Any, y: Any, *, op: str, attrs: dict[str, Any]) -> Any:
    """`parent` with the part that the view op `op` shows replaced by `y`."""
    out = parent.copy()
    OPS[op].kernel(xp, out, **attrs)[...] = y
    return out
