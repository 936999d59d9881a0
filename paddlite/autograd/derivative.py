"""Jacobian and Hessian matrices, row by row as they are asked for."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from paddlite.autograd.backward import grad
from paddlite.core.errors import DTypeMismatch, IndexOutOfRange, InvalidArgument, ShapeMismatch
from paddlite.core.meta import Size
from paddlite.core.op import OPS
from paddlite.core.tensor import Tensor, TensorBase
from paddlite.ops.index import basic_index
from paddlite.ops.like import zeros_like
from paddlite.ops.shape import reshape


class Jacobian:
    """The matrix of derivatives of `ys` with respect to `xs`, computed by rows when they are first indexed.

    Index it as a tensor; `J[:]` is the whole.  It takes part in arithmetic and has a tensor's methods, for which the
    whole is computed.
    """

    def __init__(self, ys: Any, xs: Any, is_batched: bool = False):
        self._ys, self._xs = ys, xs
        self._row_axis = (1 if is_batched else 0) if len(ys._shape) > is_batched else None
        self._rows: dict[int, Any] = {}
        y, x = ys._shape, xs._shape
        self.shape = Size([*y, *x[1:]] if is_batched else [*y, *x])

    def __getitem__(self, index: Any) -> Any:
        items = _expanded(index, len(self.shape))
        if self._row_axis is None:
            return basic_index(self._row(0), index=items)
        count = self.shape[self._row_axis]
        wanted = items[self._row_axis]
        if isinstance(wanted, slice):
            numbers = range(*wanted.indices(count))
            rows = [self._row(i) for i in numbers]
            if not rows:
                return basic_index(self._whole(), index=items)
            block = OPS["stack"].call(*rows, axis=self._row_axis)
            rest = (*items[: self._row_axis], slice(None), *items[self._row_axis + 1 :])
            return basic_index(block, index=rest)
        if not -count <= wanted < count:
            raise IndexOutOfRange(f"row {wanted} of a Jacobian with {count} rows; want [{-count}, {count})")
        rest = (*items[: self._row_axis], *items[self._row_axis + 1 :])
        return basic_index(self._row(wanted % count), index=rest)

    def _row(self, number: int) -> Any:
        if number not in self._rows:
            y = self._ys
            if self._row_axis is not None:
                y = basic_index(y, index=(*(slice(None),) * self._row_axis, number))
            [found] = grad(y, self._xs, create_graph=True, allow_unused=True)
            self._rows[number] = zeros_like(self._xs) if found is None else found
        return self._rows[number]

    def _whole(self) -> Any:
        return self[(slice(None),) * len(self.shape)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(Tensor, name):
            raise AttributeError(f"{type(self).__name__} has no attribute '{name}'")
        return getattr(self._whole(), name)


def _forwarded(name: str) -> Any:
    def operate(self: Jacobian, *args: Any) -> Any:
        given = [a._whole() if isinstance(a, Jacobian) else a for a in args]
        return getattr(operator, name)(self._whole(), *given)

    return operate


def _reflected(name: str) -> Any:
    def operate(self: Jacobian, other: Any) -> Any:
        return getattr(operator, name)(other, self._whole())

    return operate


for _name in ("add", "sub", "mul", "truediv", "matmul", "pow", "lt", "le", "gt", "ge", "eq", "ne", "neg", "abs"):
    setattr(Jacobian, f"__{_name}__", _forwarded(_name))
for _name in ("add", "sub", "mul", "truediv", "matmul"):
    setattr(Jacobian, f"__r{_name}__", _reflected(_name))
Jacobian.__hash__ = object.__hash__  # type: ignore[method-assign]


class Hessian(Jacobian):
    """The matrix of second derivatives: the `Jacobian` of a gradient."""


def _expanded(index: Any, rank: int) -> tuple:
    """One int or slice an axis."""
    items = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis in [i for i in items if not isinstance(i, TensorBase)]:
        at = items.index(Ellipsis)
        items[at : at + 1] = [slice(None)] * (rank - len(items) + 1)
    if rank == 0 and items == [slice(None)]:
        return ()  # J[:] is the whole, also of a number
    if len(items) > rank:
        raise IndexOutOfRange(f"{len(items)} indices for a Jacobian of {rank} axes")
    result = []
    for item in items:
        if isinstance(item, slice):
            result.append(item)
            continue
        try:
            result.append(operator.index(item))
        except TypeError:
            raise DTypeMismatch(f"a Jacobian takes ints and slices as indices, got {type(item).__name__}") from None
    return tuple(result) + (slice(None),) * (rank - len(result))


def _check_batch_axis(batch_axis: int | None) -> bool:
    if batch_axis not in (None, 0) or batch_axis is False:
        raise InvalidArgument(f"batch_axis must be None or 0, got {batch_axis!r}")
    return batch_axis == 0


def _check_rank(x: Any, batched: bool, what: str) -> None:
    if not isinstance(x, TensorBase):
        raise DTypeMismatch(f"{what} must be a Tensor or a sequence of Tensors, got {type(x).__name__}")
    wanted = (1, 2) if batched else (0, 1)
    if len(x._shape) not in wanted:
        kind = "batch_axis=0" if batched else "batch_axis=None"
        raise ShapeMismatch(
            f"with {kind} {what} must have {wanted[0]} or {wanted[1]} axes, got shape {list(x._shape)}. Flatten it "
            "before the computation starts from it."
        )


def jacobian(ys: Any, xs: Any, batch_axis: int | None = None) -> Any:
    """The Jacobian of `ys` with respect to `xs`; sequences give tuples (of tuples) of one for each pair.

    Args:
        ys: a tensor computed from `xs` (shape [] or [M]; with a batch axis [B] or [B, M]), or a sequence of them.
        xs: a tensor (shape [] or [N]; with a batch axis [B] or [B, N]), or a sequence of them.
        batch_axis: 0 where the first axis counts independent cases; the result is [B, M, N] then, else [M, N].

    Raises:
        ShapeMismatch: a tensor has another number of axes.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> J = paddle.autograd.jacobian(x * x, x)
    >>> J[:].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    batched = _check_batch_axis(batch_axis)
    if isinstance(ys, (tuple, list)):
        return tuple([jacobian(y, xs, batch_axis) for y in ys])
    _check_rank(ys, batched, "ys")
    for x in xs if isinstance(xs, (tuple, list)) else [xs]:
        _check_rank(x, batched, "xs")
    if isinstance(xs, (tuple, list)):
        return tuple([Jacobian(ys, x, batched) for x in xs])
    return Jacobian(ys, xs, batched)


def hessian(ys: Tensor, xs: Any, batch_axis: int | None = None) -> Any:
    """The second derivatives of `ys` with respect to `xs`; a sequence gives a tuple of tuples, one for each pair.

    Args:
        ys: one number computed from `xs` (with a batch axis: one a case, shape [B] or [B, 1]).
        xs: as in `jacobian`.
        batch_axis: 0 where the first axis counts independent cases; the result is [B, N, N] then, else [N, N].

    Raises:
        InvalidArgument: `ys` holds more than one number (a case).

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor(3.0, stop_gradient=False)
    >>> paddle.autograd.hessian(x**3, x)[...].item()
    18.0
    """
    batched = _check_batch_axis(batch_axis)
    inputs: Sequence[Any] = xs if isinstance(xs, (tuple, list)) else [xs]
    if not isinstance(ys, TensorBase):
        raise DTypeMismatch(f"hessian: ys must be a Tensor, got {type(ys).__name__}")
    for x in inputs:
        _check_rank(x, batched, "xs")
    numbers = 1
    for size in ys._shape[batched:]:
        numbers *= size
    if numbers != 1:
        raise InvalidArgument(
            f"hessian: ys must hold one number{' a case' if batched else ''}, got shape {list(ys._shape)}"
        )
    ys = reshape(ys, shape=ys._shape[:batched])
    slopes = [Jacobian(ys, x, batched)._whole() for x in inputs]
    result = tuple([tuple([Hessian(slope, x, batched) for x in inputs]) for slope in slopes])
    return result if isinstance(xs, (tuple, list)) else result[0][0]
