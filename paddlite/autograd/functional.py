"""Derivatives of functions, rather than of tensors that were computed already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddlite.autograd.backward import grad
from paddlite.autograd.derivative import Hessian as _HessianOfTensor
from paddlite.autograd.derivative import Jacobian as _JacobianOfTensor
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.core.mode import switched
from paddlite.core.op import OPS
from paddlite.core.tensor import TensorBase
from paddlite.ops.arithmetic import assign
from paddlite.ops.like import full_like, zeros_like
from paddlite.ops.shape import reshape


def vjp(func: Callable, xs: Any, v: Any = None) -> tuple[Any, Any]:
    """`func(*xs)`, and the product of `v` with the Jacobian of `func` there (one reverse pass).

    Args:
        func: takes tensors and gives a tensor or a sequence of tensors.
        xs: a tensor or a sequence of tensors.
        v: shaped as what `func` gives; ones where it is left out.

    Raises:
        ShapeMismatch: `v` does not have the shapes of the outputs.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> paddle.incubate.autograd.vjp(lambda x: x * x, x)[1].tolist()
    [2.0, 4.0]
    """
    inputs, outputs, ys = _called(func, xs)
    found = _gradients(outputs, inputs, _cotangents(v, outputs, "vjp"))
    return ys, _like_given(found, xs)


def jvp(func: Callable, xs: Any, v: Any = None) -> tuple[Any, Any]:
    """`func(*xs)`, and the product of its Jacobian there with `v`: how much the outputs change along `v`.

    Computed by two reverse passes: the first is linear in the gradients that it starts with.

    Args:
        func: takes tensors and gives a tensor or a sequence of tensors.
        xs: a tensor or a sequence of tensors.
        v: shaped as `xs`; ones where it is left out.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> paddle.incubate.autograd.jvp(lambda x: x * x, x, paddle.to_tensor([1.0, 0.0]))[1].tolist()
    [2.0, 0.0]
    """
    inputs, outputs, ys = _called(func, xs)
    along = _cotangents(v, inputs, "jvp")
    seeds = [_wanting(zeros_like(y)) for y in outputs]
    pulled = _gradients(outputs, inputs, seeds)
    pushed = _gradients(pulled, seeds, along)
    return ys, _like_given(pushed, ys)


class Jacobian(_JacobianOfTensor):
    """The Jacobian matrix of `func` at `xs`, computed by rows when they are first indexed.

    All inputs laid end to end are the columns, all outputs the rows: shape [M, N], or [B, M, N] where the first axis
    of every tensor counts independent cases.

    Args:
        func: takes tensors and gives a tensor or a sequence of tensors.
        xs: a tensor or a sequence of tensors.
        is_batched: the first axis counts cases.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[1.0, 2.0]])
    >>> paddle.incubate.autograd.Jacobian(lambda x: x * x, x)[:].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """

    def __init__(self, func: Callable, xs: Any, is_batched: bool = False):
        flat, ys = _flat_call(func, xs, is_batched)
        super().__init__(ys, flat, is_batched)


class Hessian(_HessianOfTensor):
    """The Hessian matrix of `func`, which gives one number (a case), at `xs`; see `Jacobian`.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> paddle.incubate.autograd.Hessian(lambda x: x[0] * x[1], x)[:].tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    def __init__(self, func: Callable, xs: Any, is_batched: bool = False):
        flat, ys = _flat_call(func, xs, is_batched)
        if ys._shape[-1] != 1:
            raise InvalidArgument(f"Hessian: func must give one number{' a case' if is_batched else ''}")
        slope = _JacobianOfTensor(reshape(ys, shape=ys._shape[:-1]), flat, is_batched)
        super().__init__(slope[(slice(None),) * len(slope.shape)], flat, is_batched)


def _sequence(value: Any) -> list:
    found = list(value) if isinstance(value, Sequence) else [value]
    for item in found:
        if not isinstance(item, TensorBase):
            raise DTypeMismatch(f"want a Tensor or a sequence of Tensors, got {type(item).__name__}")
    return found


def _like_given(found: list, given: Any) -> Any:
    return tuple(found) if isinstance(given, Sequence) else found[0]


def _wanting(x: Any) -> Any:
    """A tensor of its own with the values of `x`, whose gradient is wanted."""
    with switched(grad=False):
        copied = assign(x)
    copied.stop_gradient = False
    return copied


def _called(func: Callable, xs: Any) -> tuple[list, list, Any]:
    inputs = [_wanting(x) for x in _sequence(xs)]
    with switched(grad=True):
        ys = func(*inputs)
    return inputs, _sequence(ys), ys


def _cotangents(v: Any, like: list, call: str) -> list:
    if v is None:
        return [full_like(x, value=1.0) for x in like]
    given = _sequence(v)
    if [g._shape for g in given] != [x._shape for x in like]:
        raise ShapeMismatch(
            f"{call}: v must have the shapes {[list(x._shape) for x in like]}, got {[list(g._shape) for g in given]}"
        )
    return given


def _gradients(ys: list, xs: list, seeds: list) -> list:
    found = grad(ys, xs, seeds, create_graph=True, allow_unused=True)
    return [zeros_like(x) if g is None else g for x, g in zip(xs, found)]


def _flat_call(func: Callable, xs: Any, batched: bool) -> tuple[Any, Any]:
    """All inputs as one tensor whose gradient is wanted, and all outputs computed from its parts as one tensor."""
    inputs = _sequence(xs)
    lead = (0,) if batched else ()
    flat = _wanting(_joined(inputs, lead))
    parts, at = [], 0
    with switched(grad=True):
        for x in inputs:
            width = 1
            for size in x._shape[len(lead) :]:
                width *= size
            piece = OPS["slice"].call(flat, index=(*(slice(None),) * len(lead), slice(at, at + width)))
            parts.append(reshape(piece, shape=x._shape))
            at += width
        return flat, _joined(_sequence(func(*parts)), lead)


def _joined(tensors: list, lead: tuple) -> Any:
    return OPS["concat"].call(*[reshape(x, shape=(*lead, -1)) for x in tensors], axis=len(lead))
