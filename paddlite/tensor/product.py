"""Products of vectors and matrices other than `matmul`, and functions made of them."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import ShapeMismatch
from paddlite.ops import arithmetic, power, rearrange, reduce, select
from paddlite.ops import kron as blocks
from paddlite.ops.compare import equal, greater_than
from paddlite.ops.infer import axis_in, merge_size
from paddlite.ops.infer import broadcast_shapes as shapes_of_two
from paddlite.ops.matmul import matmul
from paddlite.ops.shape import reshape
from paddlite.tensor.arguments import write

__all__ = [
    "addmm", "baddbmm", "broadcast_shapes", "dot", "ger", "inner", "kron", "outer", "renorm", "trace",
]  # fmt: skip
METHODS = [name for name in __all__ if name != "ger"]
INPLACE = ("addmm", "baddbmm", "renorm")


def dot(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The sum of x * y over the last axis, of vectors [n] or rows of vectors [rows, n].

    Raises:
        ShapeMismatch: the shapes differ, or have more than 2 axes.

    >>> import paddlite as paddle
    >>> paddle.dot(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).item()
    11.0
    """
    if len(x._shape) != len(y._shape) or not 1 <= len(x._shape) <= 2:
        raise ShapeMismatch(f"dot: vectors or rows of vectors of one shape are wanted, got {x.shape} and {y.shape}")
    for a, b in zip(x._shape, y._shape):
        merge_size(a, b, "dot", "the sizes of x and y")
    if len(x._shape) == 1:
        result = matmul(x, y)
    else:
        product = arithmetic.elementwise_mul(x, y)
        result = arithmetic.cast_like(reduce.reduce_sum(product, axis=-1), product)
    return result if out is None else write(out, result)


def inner(x: Any, y: Any, name: str | None = None) -> Any:
    """The sums of products over the last axes of `x` and `y`: shape x.shape[:-1] + y.shape[:-1]; a 0-D one scales.

    Raises:
        ShapeMismatch: the last sizes differ.

    >>> import paddlite as paddle
    >>> paddle.inner(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([1.0, 1.0])).tolist()
    [3.0, 7.0]
    """
    if not x._shape or not y._shape:
        return arithmetic.elementwise_mul(x, y)
    if len(y._shape) <= 2:
        return matmul(x, y, transpose_y=True)
    rows = matmul(x, reshape(y, shape=(-1, y._shape[-1])), transpose_y=True)
    return reshape(rows, shape=(*x._shape[:-1], *y._shape[:-1]))


def outer(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """All products of an element of `x` and one of `y`, both laid flat: [n, m].

    >>> import paddlite as paddle
    >>> paddle.outer(paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    result = arithmetic.elementwise_mul(reshape(x, shape=(-1, 1)), reshape(y, shape=(1, -1)))
    return result if out is None else write(out, result)


def ger(x: Any, y: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The same as `outer`."""
    return outer(x, y, out=out)


def addmm(input: Any, x: Any, y: Any, beta: float = 1.0, alpha: float = 1.0, name: str | None = None) -> Any:
    """beta * input + alpha * (x @ y), for matrices `x` and `y` and an `input` that broadcasts with their product.

    Raises:
        ShapeMismatch: the sizes do not fit.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[1.0, 2.0]])
    >>> paddle.addmm(paddle.to_tensor([[10.0]]), x, x.t(), beta=0.5).tolist()
    [[10.0]]
    """
    return _added(input, x, y, beta, alpha, 2, "addmm")


def baddbmm(input: Any, x: Any, y: Any, beta: float = 1.0, alpha: float = 1.0, name: str | None = None) -> Any:
    """beta * input + alpha * (x @ y), for batches of matrices; see `addmm`."""
    return _added(input, x, y, beta, alpha, 3, "baddbmm")


def _added(input: Any, x: Any, y: Any, beta: float, alpha: float, rank: int, function: str) -> Any:
    if len(x._shape) != rank or len(y._shape) != rank:
        raise ShapeMismatch(f"{function}: x and y must have {rank} axes, got {x.shape} and {y.shape}")
    product = matmul(x, y)
    if alpha != 1:
        product = arithmetic.elementwise_mul(product, alpha)
    if beta == 0:
        return product
    return arithmetic.elementwise_add(input if beta == 1 else arithmetic.elementwise_mul(input, beta), product)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None) -> Any:
    """The sum of the diagonal of the matrices that `axis1` and `axis2` of `x` hold.

    Args:
        offset: how far to the right of the main diagonal (to the left where negative).

    Raises:
        InvalidArgument: an axis is out of range, or both are the same.

    >>> import paddlite as paddle
    >>> paddle.trace(paddle.to_tensor([[1, 2], [3, 4]])).item()
    5
    """
    total = reduce.reduce_sum(rearrange.diagonal(x, offset=offset, axis1=axis1, axis2=axis2), axis=-1)
    return arithmetic.cast_like(total, x)


def kron(x: Any, y: Any, name: str | None = None) -> Any:
    """The Kronecker product: every element of `x` times the whole of `y`, for tensors of any rank.

    >>> import paddlite as paddle
    >>> paddle.kron(paddle.to_tensor([[1, 2]]), paddle.to_tensor([[1], [3]])).tolist()
    [[1, 2], [3, 6]]
    """
    return blocks.kron(x, y)


def renorm(x: Any, p: float, axis: int, max_norm: float) -> Any:
    """`x` with the slices along `axis` scaled down so that none has a p-norm above `max_norm`.

    Raises:
        InvalidArgument: `axis` is out of range.

    >>> import paddlite as paddle
    >>> out = paddle.renorm(paddle.to_tensor([[3.0, 4.0], [0.5, 0.25]]), p=2, axis=0, max_norm=1.0)
    >>> out.round(4).tolist()[1], out.square().sum(axis=1).round(4).tolist()[0]
    ([0.5, 0.25], 1.0)
    """
    rank = len(x._shape)
    axis = axis_in(axis, rank, "renorm")
    others = tuple([i for i in range(rank) if i != axis])
    total = power.elementwise_pow(arithmetic.absolute(x), float(p))
    if others:
        total = reduce.reduce_sum(total, axis=others, keepdim=True)
    size = power.elementwise_pow(select.where(equal(total, 0), 1.0, total), 1.0 / p)  # no infinite slope at 0
    shrink = arithmetic.elementwise_div(float(max_norm), arithmetic.elementwise_add(size, 1e-7))
    too_long = greater_than(select.where(equal(total, 0), 0.0, size), float(max_norm))
    return arithmetic.elementwise_mul(x, select.where(too_long, shrink, 1.0))


def broadcast_shapes(*shapes: Any) -> list[int]:
    """The shape to which tensors of any number of shapes broadcast.

    Raises:
        ShapeMismatch: they do not.

    >>> import paddlite as paddle
    >>> paddle.broadcast_shapes([2, 1], [3], [1, 1, 1])
    [1, 2, 3]
    """
    result: tuple[int, ...] = ()
    for shape in shapes:
        result = shapes_of_two(result, tuple(shape), "broadcast_shapes")
    return list(result)
