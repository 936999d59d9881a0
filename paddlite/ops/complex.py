"""Complex numbers from their parts and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import COMPLEX, COMPLEX_OF, F64
from paddlite.core.errors import DTypeMismatch, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.core.promote import promote_types
from paddlite.ops.arithmetic import cast_like, elementwise_mul, real
from paddlite.ops.infer import broadcast_shapes, real_of, require_floating
from paddlite.ops.like import unbroadcast


def _imag_infer(x: Meta) -> Meta:
    if x.dtype not in COMPLEX:
        raise DTypeMismatch(f"imag: want a complex tensor, got {x.dtype}")
    return Meta(x.shape, real_of(x.dtype))


@defop("imag", infer=_imag_infer, check=True, vjp={"x": lambda g, like_x: _times_i(g, like_x)})
def imag(xp: Any, x: Any) -> Any:
    return x.imag.copy()


def _times_i(g: Any, like: Any) -> Any:
    return elementwise_mul(cast_like(g, like), 1j)


def _complex_infer(x: Meta, y: Meta) -> Meta:
    require_floating("complex", real=x, imag=y)
    dtype = promote_types(x.dtype, y.dtype)
    if dtype in COMPLEX:
        raise DTypeMismatch(f"complex: the parts must be real, got {x.dtype} and {y.dtype}")
    return Meta(broadcast_shapes(x.shape, y.shape, "complex"), COMPLEX_OF[dtype])


@defop(
    "complex",
    infer=_complex_infer,
    check=True,
    elementwise=True,
    vjp={
        "x": lambda g, like_x: cast_like(unbroadcast(real(g), like_x), like_x),
        "y": lambda g, like_y: cast_like(unbroadcast(imag(g), like_y), like_y),
    },
)
def make_complex(xp: Any, x: Any, y: Any) -> Any:
    """x + i y."""
    wide = np.complex128 if F64 in (x.dtype, y.dtype) else np.complex64
    out = xp.empty(broadcast_shapes(x.shape, y.shape, "complex"), wide)
    out.real[...] = x
    out.imag[...] = y
    return out


def _as_complex_infer(x: Meta) -> Meta:
    require_floating("as_complex", x=x)
    if not x.shape or x.shape[-1] not in (2, -1) or x.dtype not in COMPLEX_OF:
        raise ShapeMismatch(
            f"as_complex: want a real tensor whose last axis holds the two parts, got {x.dtype} {list(x.shape)}"
        )
    return Meta(x.shape[:-1], COMPLEX_OF[x.dtype])


@defop("as_complex", infer=_as_complex_infer, check=True, vjp={"x": lambda g: as_real(g)})
def as_complex(xp: Any, x: Any) -> Any:
    """x[..., 0] + i x[..., 1]."""
    out = xp.empty(x.shape[:-1], np.complex128 if x.dtype == F64 else np.complex64)
    out.real[...] = x[..., 0]
    out.imag[...] = x[..., 1]
    return out


def _as_real_infer(x: Meta) -> Meta:
    if x.dtype not in COMPLEX:
        raise DTypeMismatch(f"as_real: want a complex tensor, got {x.dtype}")
    return Meta((*x.shape, 2), real_of(x.dtype))


@defop("as_real", infer=_as_real_infer, check=True, vjp={"x": lambda g: as_complex(g)})
def as_real(xp: Any, x: Any) -> Any:
    """The parts of `x` on a new last axis of size 2."""
    out = xp.empty((*x.shape, 2), real_of(x.dtype))
    out[..., 0] = x.real
    out[..., 1] = x.imag
    return out
