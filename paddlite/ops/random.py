"""Random tensors.  Each call takes one stream of the generator, so eager and recorded calls draw the same numbers.

The optional input `like` gives the shape in place of the attribute `shape`, whose sizes may be tensors (`At`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend import random
from paddlite.backend.dtypes import BF16, F16, F32, F64, FLOATING, HALF, INT64
from paddlite.backend.random import Stream
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.creation import checked_sizes
from paddlite.ops.dynamic import resolved
from paddlite.ops.infer import require_floating, same

_GRID = {F16: 2.0**11, BF16: 2.0**8}  # numbers of [0, 1) on this grid do not become 1 in the half type


def _drawn_infer(like: Meta | None, *sizes: Meta, shape: tuple | None = None, dtype: np.dtype, **_: Any) -> Meta:
    return Meta(like.shape if shape is None else checked_sizes(shape, "random"), dtype)  # type: ignore[union-attr]


def _floating_infer(like: Meta | None, *sizes: Meta, shape: tuple | None = None, dtype: np.dtype, **_: Any) -> Meta:
    if dtype not in FLOATING:
        raise DTypeMismatch(f"random: want a floating-point dtype, got {dtype}")
    return _drawn_infer(like, *sizes, shape=shape, dtype=dtype)


def _shape(like: Any, shape: tuple | None, sizes: tuple) -> tuple[int, ...]:
    return like.shape if shape is None else resolved(shape, sizes)


def _unit(xp: Any, stream: Stream, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """Numbers of [0, 1) in float32 or float64; for half types, ones that stay below 1 in these."""
    if dtype not in HALF:
        return random.uniform(xp, stream, shape, dtype)
    grid = F32.type(_GRID[dtype])
    return xp.floor(random.uniform(xp, stream, shape, F32) * grid) / grid


_RANDOM: dict[str, Any] = {
    "shape_only": ("like",), "random": True, "check": True, "native_half": True, "amp": "never",
}  # fmt: skip


@defop("uniform_random", infer=_floating_infer, **_RANDOM)
def uniform_random(
    xp: Any,
    like: Any,
    *sizes: Any,
    shape: tuple | None = None,
    low: float = 0.0,
    high: float = 1.0,
    dtype: np.dtype,
    stream: Stream,
) -> Any:
    """Numbers of [low, high)."""
    drawn = _unit(xp, stream, _shape(like, shape, sizes), dtype)
    if low != 0.0 or high != 1.0:
        kind = drawn.dtype.type
        drawn *= kind(high - low)
        drawn += kind(low)
    return drawn.astype(dtype, copy=False)


@defop("gaussian_random", infer=_floating_infer, **_RANDOM)
def gaussian_random(
    xp: Any,
    like: Any,
    *sizes: Any,
    shape: tuple | None = None,
    mean: float = 0.0,
    std: float = 1.0,
    dtype: np.dtype,
    stream: Stream,
) -> Any:
    """Normally distributed numbers."""
    drawn = random.normal(xp, stream, _shape(like, shape, sizes), F64 if dtype == F64 else F32)
    kind = drawn.dtype.type
    if std != 1.0:
        drawn *= kind(std)
    if mean != 0.0:
        drawn += kind(mean)
    return drawn.astype(dtype, copy=False)


def _integer_infer(
    like: Meta | None, *sizes: Meta, shape: tuple | None = None, low: int, high: int, dtype: np.dtype, **_: Any
) -> Meta:
    if high <= low:
        raise InvalidArgument(f"randint: high must be greater than low, got low={low} and high={high}")
    return _drawn_infer(like, *sizes, shape=shape, dtype=dtype)


@defop("randint", infer=_integer_infer, **_RANDOM)
def randint(
    xp: Any,
    like: Any,
    *sizes: Any,
    shape: tuple | None = None,
    low: int,
    high: int,
    dtype: np.dtype,
    stream: Stream,
) -> Any:
    """Whole numbers of [low, high)."""
    return random.integers(xp, stream, low, high, _shape(like, shape, sizes), INT64).astype(dtype)


def _permutation_infer(*, n: int, dtype: np.dtype, stream: Any) -> Meta:
    if n < 0:
        raise InvalidArgument(f"randperm: n must be >= 0, got {n}")
    return Meta((n,), dtype)


@defop("randperm", infer=_permutation_infer, random=True, check=True, native_half=True, amp="never")
def randperm(xp: Any, *, n: int, dtype: np.dtype, stream: Stream) -> Any:
    """The numbers 0..n-1 in random order."""
    return random.permutation(xp, stream, n).astype(dtype)


def _floating_same(name: str) -> Any:
    def infer(x: Meta, **_: Any) -> Meta:
        require_floating(name, x=x)
        return same(x)

    return infer


@defop("bernoulli", infer=_floating_same("bernoulli"), random=True, check=True)
def bernoulli(xp: Any, x: Any, *, stream: Stream) -> Any:
    """1 with the probability that `x` gives, else 0."""
    return (random.uniform(xp, stream, x.shape, x.dtype) < x).astype(x.dtype)


def _on_host(xp: Any, x: Any) -> np.ndarray:
    return x if xp is np else x.get()


@defop("poisson", infer=_floating_same("poisson"), random=True, check=True)
def poisson(xp: Any, x: Any, *, stream: Stream) -> Any:
    """Poisson counts with the rates `x`, drawn on the host."""
    return xp.asarray(random.host_generator(stream).poisson(_on_host(xp, x)).astype(x.dtype))


@defop("standard_gamma", infer=_floating_same("standard_gamma"), random=True, check=True)
def standard_gamma(xp: Any, x: Any, *, stream: Stream) -> Any:
    """Gamma distributed numbers of scale 1 with the shapes `x`, drawn on the host."""
    return xp.asarray(random.host_generator(stream).standard_gamma(_on_host(xp, x)).astype(x.dtype))


def _binomial_infer(count: Meta, prob: Meta, *, stream: Any) -> Meta:
    require_floating("binomial", prob=prob)
    if count.shape != prob.shape:
        raise ShapeMismatch(f"binomial: count {list(count.shape)} and prob {list(prob.shape)} must have one shape")
    return Meta(count.shape, INT64)


@defop("binomial", infer=_binomial_infer, random=True, check=True, amp="never")
def binomial(xp: Any, count: Any, prob: Any, *, stream: Stream) -> Any:
    """How many of `count` trials succeed with probability `prob`, drawn on the host."""
    trials = _on_host(xp, count).astype(INT64)
    return xp.asarray(random.host_generator(stream).binomial(trials, _on_host(xp, prob)).astype(INT64))


def _multinomial_infer(x: Meta, *, num_samples: int, replacement: bool, stream: Any) -> Meta:
    require_floating("multinomial", x=x)
    if len(x.shape) not in (1, 2):
        raise ShapeMismatch(f"multinomial: x must have 1 or 2 axes, got shape {list(x.shape)}")
    if num_samples < 1 or (not replacement and 0 <= x.shape[-1] < num_samples):
        raise InvalidArgument(
            f"multinomial: cannot draw {num_samples} of {x.shape[-1]} categories; want at least 1 and, without "
            "replacement, at most all"
        )
    return Meta((*x.shape[:-1], num_samples), INT64)


@defop("multinomial", infer=_multinomial_infer, random=True, check=True, amp="never")
def multinomial(xp: Any, x: Any, *, num_samples: int, replacement: bool, stream: Stream) -> Any:
    """Category numbers drawn with probabilities in proportion to the rows of `x`."""
    weights = x.reshape(-1, x.shape[-1]).astype(F64)
    if xp is np:
        _check_weights(weights, 1 if replacement else num_samples)
    rows = weights.shape[0]
    if replacement:
        bounds = xp.cumsum(weights, axis=1)
        bounds /= bounds[:, -1:]
        row = xp.arange(rows, dtype=F64)[:, None]
        drawn = random.uniform(xp, stream, (rows, num_samples), F64)
        found = xp.searchsorted((bounds + row).reshape(-1), (drawn + row).reshape(-1), side="right")
        numbers = found.reshape(rows, num_samples) - xp.arange(rows)[:, None] * x.shape[-1]
        numbers = xp.minimum(numbers, x.shape[-1] - 1)
    else:  # exponential noise over weight, smallest first (Efraimidis and Spirakis, "Weighted random sampling", 2006)
        noise = -xp.log1p(-random.uniform(xp, stream, weights.shape, F64))
        numbers = xp.argsort(noise / weights, axis=1)[:, :num_samples]
    return numbers.astype(INT64).reshape((*x.shape[:-1], num_samples))


def _check_weights(weights: np.ndarray, least: int) -> None:
    if not (weights >= 0).all() or not np.isfinite(weights).all():
        raise InvalidArgument("multinomial: probabilities must be finite and >= 0")
    if weights.size and int((weights > 0).sum(1).min()) < least:
        raise InvalidArgument(f"multinomial: a row has fewer than {least} categories of positive probability")
