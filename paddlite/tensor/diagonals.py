"""Diagonals and triangles of matrices; complex numbers from and into their parts."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import COMPLEX
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.ops import arithmetic, rearrange
from paddlite.ops import complex as complex_ops
from paddlite.ops.shape import flatten
from paddlite.ops.trigonometry import cos, sin
from paddlite.tensor.arguments import int_argument
from paddlite.tensor.creation import made


def tril(x: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """A copy of the matrices `x` with zeros above diagonal `diagonal`.

    >>> import paddlite as paddle
    >>> paddle.tril(paddle.ones([2, 3])).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """
    return rearrange.tril_triu(x, diagonal=int_argument(diagonal, "tril", "diagonal"), lower=True)


def triu(x: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """A copy of the matrices `x` with zeros below diagonal `diagonal`."""
    return rearrange.tril_triu(x, diagonal=int_argument(diagonal, "triu", "diagonal"), lower=False)


def diag(x: Any, offset: int = 0, padding_value: float = 0, name: str | None = None) -> Any:
    """A matrix with the vector `x` on diagonal `offset` and `padding_value` elsewhere, or that diagonal of a matrix.

    >>> import paddlite as paddle
    >>> paddle.diag(paddle.to_tensor([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    return rearrange.diag(
        x if x._shape else flatten(x), offset=int_argument(offset, "diag", "offset"), padding_value=padding_value
    )


def diagflat(x: Any, offset: int = 0, name: str | None = None) -> Any:
    """A matrix of zeros with all elements of `x` on diagonal `offset`."""
    return rearrange.diag(flatten(x), offset=int_argument(offset, "diagflat", "offset"))


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices over the axes `dim1` and `dim2` with the last axis of `input` on diagonal `offset`.

    >>> import paddlite as paddle
    >>> paddle.diag_embed(paddle.ones([2, 3])).shape
    paddle.Size([2, 3, 3])
    """
    return rearrange.diag_embed(input, offset=int_argument(offset, "diag_embed", "offset"), dim1=dim1, dim2=dim2)


def vander(x: Any, n: int | None = None, increasing: bool = False, name: str | None = None) -> Any:
    """The powers of each element of the vector `x` in a row, from n - 1 down to 0, or up from 0.

    Args:
        n: how many powers; left out, as many as `x` has elements.

    >>> import paddlite as paddle
    >>> paddle.vander(paddle.to_tensor([2.0, 3.0]), 3).tolist()
    [[4.0, 2.0, 1.0], [9.0, 3.0, 1.0]]
    """
    if len(x._shape) != 1 or (n is not None and n < 0):
        raise InvalidArgument(f"vander: want a vector and n >= 0, got shape {list(x._shape)} and n={n}")
    from paddlite.tensor.ranges import arange

    count = x._shape[0] if n is None else n
    powers = arange(count, dtype=x.dtype) if increasing else arange(count - 1, -1, -1, dtype=x.dtype)
    return x.unsqueeze(-1) ** powers


def real(x: Any, name: str | None = None) -> Any:
    """The real part of a complex tensor.

    Raises:
        TypeError: `x` is not complex.

    >>> import paddlite as paddle
    >>> paddle.real(paddle.to_tensor([1 + 2j])).tolist()
    [1.0]
    """
    if x._dtype not in COMPLEX:
        raise DTypeMismatch(f"real: want a complex tensor, got {x._dtype}")
    return arithmetic.real(x)


def imag(x: Any, name: str | None = None) -> Any:
    """The imaginary part of a complex tensor; see `real`."""
    return complex_ops.imag(x)


def as_complex(x: Any, name: str | None = None) -> Any:
    """x[..., 0] + i x[..., 1], for a real tensor whose last axis has size 2.

    >>> import paddlite as paddle
    >>> paddle.as_complex(paddle.to_tensor([[1.0, 2.0]])).tolist()
    [(1+2j)]
    """
    return complex_ops.as_complex(x)


def as_real(x: Any, name: str | None = None) -> Any:
    """The parts of a complex tensor on a new last axis of size 2."""
    return complex_ops.as_real(x)


def view_as_complex(input: Any) -> Any:
    """The same as `as_complex`."""
    return complex_ops.as_complex(input)


def view_as_real(input: Any) -> Any:
    """The same as `as_real`."""
    return complex_ops.as_real(input)


def complex(real: Any, imag: Any, name: str | None = None, *, out: Any = None) -> Any:
    """real + i imag, elementwise with broadcasting: complex64 of float32 parts, complex128 of float64 ones.

    >>> import paddlite as paddle
    >>> paddle.complex(paddle.to_tensor([1.0]), paddle.to_tensor([2.0])).tolist()
    [(1+2j)]
    """
    result = complex_ops.make_complex(real, imag)
    return result if out is None else made(result, out)


def polar(abs: Any, angle: Any, name: str | None = None, *, out: Any = None) -> Any:
    """The complex numbers of absolute value `abs` and angle `angle` (in radians).

    >>> import paddlite as paddle
    >>> paddle.polar(paddle.to_tensor([2.0]), paddle.to_tensor([0.0])).tolist()
    [(2+0j)]
    """
    return complex(abs * cos(angle), abs * sin(angle), out=out)


__all__ = [
    "as_complex", "as_real", "complex", "diag", "diag_embed", "diagflat", "imag", "polar", "real", "tril", "triu",
    "vander", "view_as_complex", "view_as_real",
]  # fmt: skip
METHODS = [name for name in __all__ if name != "complex"]
INPLACE = ("tril", "triu")
