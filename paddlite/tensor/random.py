"""Random tensors: the same numbers for one seed, run at once or recorded."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.dtypes import COMPLEX, FLOATING, INTEGRAL, numpy_dtype
from paddlite.backend.random import Stream
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.inplace import replace
from paddlite.core.mode import current
from paddlite.core.tensor import Tensor, TensorBase
from paddlite.ops import random as ops
from paddlite.ops.arithmetic import cast
from paddlite.tensor.arguments import int_argument
from paddlite.tensor.creation import made, ones_like
from paddlite.tensor.sizes import sizes_argument


def _dtype(dtype: Any) -> np.dtype:
    return current().default_dtype if dtype is None else numpy_dtype(dtype)


def _placed(shape: Any, dtype: Any, more: tuple, function: str) -> tuple[tuple, tuple, np.dtype]:
    """Sizes, the variables among them and the dtype; sizes may be given one by one, as in rand(2, 3)."""
    if type(dtype) is int:
        shape, dtype = (shape, dtype, *more), None
    items, held = sizes_argument(shape, function)
    return items, held, _dtype(dtype)


def _seeded(seed: int) -> dict[str, Any]:
    return {"stream": Stream(int(seed), 0)} if seed else {}


def rand(
    shape: Any,
    dtype: Any = None,
    *more: int,
    name: str | None = None,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """Numbers that are uniformly distributed over [0, 1); arguments as for `zeros`.

    >>> import paddlite as paddle
    >>> paddle.rand([2, 3]).shape
    paddle.Size([2, 3])
    """
    items, held, target = _placed(shape, dtype, more, "rand")
    return made(ops.uniform_random(None, *held, shape=items, dtype=target), out, device, requires_grad)


def uniform(
    shape: Any,
    dtype: Any = None,
    min: float = 0,
    max: float = 1.0,
    seed: int = 0,
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """Numbers that are uniformly distributed over [min, max).

    Args:
        shape: see `zeros`.
        dtype: a floating-point type; left out, the default dtype.
        seed: a number other than 0 gives the same tensor at every call.

    Raises:
        TypeError: `dtype` is not floating point.
    """
    items, held, target = _placed(shape, dtype, (), "uniform")
    drawn = ops.uniform_random(None, *held, shape=items, low=float(min), high=float(max), dtype=target, **_seeded(seed))
    return made(drawn, out, device, requires_grad)


def standard_normal(
    shape: Any,
    dtype: Any = None,
    *more: int,
    name: str | None = None,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """Numbers of the normal distribution with mean 0 and standard deviation 1; arguments as for `zeros`."""
    items, held, target = _placed(shape, dtype, more, "standard_normal")
    if target in COMPLEX:
        return made(_complex_normal(items, held, target), out, device, requires_grad)
    return made(ops.gaussian_random(None, *held, shape=items, dtype=target), out, device, requires_grad)


def _complex_normal(items: tuple, held: tuple, dtype: np.dtype) -> Any:
    """Complex numbers whose parts have variance 1/2 each."""
    from paddlite.ops.complex import as_complex

    part = np.dtype(f"f{dtype.itemsize // 2}")
    return as_complex(ops.gaussian_random(None, *held, shape=(*items, 2), std=0.5**0.5, dtype=part))


def randn(
    shape: Any,
    dtype: Any = None,
    *more: int,
    name: str | None = None,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """The same as `standard_normal`."""
    return standard_normal(shape, dtype, *more, out=out, device=device, requires_grad=requires_grad)


def normal(mean: Any = 0.0, std: Any = 1.0, shape: Any = None, name: str | None = None, *, out: Any = None) -> Any:
    """Normally distributed numbers.

    Args:
        mean, std: numbers, or floating tensors that give the mean and standard deviation of each element, broadcast;
            gradients flow into them.
        shape: sizes; only where both are numbers, and [1] where it is left out.

    >>> import paddlite as paddle
    >>> paddle.normal(paddle.zeros([3]), 0.0).tolist()
    [0.0, 0.0, 0.0]
    """
    if not isinstance(mean, TensorBase) and not isinstance(std, TensorBase):
        items, held = sizes_argument([1] if shape is None else shape, "normal")
        if isinstance(mean, complex):
            return made(_complex_normal(items, held, np.dtype(np.complex64)) * std + mean, out)
        drawn = ops.gaussian_random(
            None, *held, shape=items, mean=float(mean), std=float(std), dtype=current().default_dtype
        )
        return made(drawn, out)
    like = mean if isinstance(mean, TensorBase) else std
    if like._dtype not in FLOATING:
        raise DTypeMismatch(f"normal: mean and std must be floating point, got {like._dtype}")
    if isinstance(mean, TensorBase) and isinstance(std, TensorBase) and mean._shape != std._shape:
        like = mean + std  # of the shape that both broadcast to
    return made(mean + ops.gaussian_random(like, dtype=like._dtype) * std, out)


def gaussian(
    shape: Any, mean: float = 0.0, std: float = 1.0, seed: int = 0, dtype: Any = None, name: str | None = None
) -> Any:
    """Normally distributed numbers of a given shape and dtype."""
    items, held, target = _placed(shape, dtype, (), "gaussian")
    return ops.gaussian_random(None, *held, shape=items, mean=mean, std=std, dtype=target, **_seeded(seed))


def log_normal(mean: Any = 1.0, std: Any = 2.0, shape: Any = None, name: str | None = None) -> Any:
    """e to the power of `normal(mean, std, shape)`."""
    return normal(mean, std, shape).exp()


def rand_like(
    input: Any, name: str | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """Uniform numbers of [0, 1) in the shape of `input`, and in its dtype unless `dtype` is given."""
    target = input._dtype if dtype is None else numpy_dtype(dtype)
    return made(ops.uniform_random(input, dtype=target), None, device, requires_grad)


def randn_like(
    x: Any, dtype: Any = None, name: str | None = None, *, device: Any = None, requires_grad: bool = False
) -> Any:
    """Standard normal numbers in the shape of `x`, and in its dtype unless `dtype` is given."""
    target = x._dtype if dtype is None else numpy_dtype(dtype)
    return made(ops.gaussian_random(x, dtype=target), None, device, requires_grad)


def randint(low: Any = 0, high: Any = None, shape: Any = (1,), dtype: Any = None, name: str | None = None) -> Any:
    """Whole numbers of [low, high); with one bound, of [0, low).

    Args:
        dtype: element type; left out, int64.

    Raises:
        ValueError: there is no number between the bounds.

    >>> import paddlite as paddle
    >>> paddle.randint(3, 4, [2]).tolist()
    [3, 3]
    """
    low, high = _bounds(low, high, "randint")
    items, held = sizes_argument(shape, "randint")
    target = np.dtype(np.int64) if dtype is None else numpy_dtype(dtype)
    return ops.randint(None, *held, shape=items, low=low, high=high, dtype=target)


def _bounds(low: Any, high: Any, function: str) -> tuple[int, int]:
    if high is None:
        low, high = 0, low
    return int_argument(low, function, "low"), int_argument(high, function, "high")


def randint_like(x: Any, low: Any = 0, high: Any = None, dtype: Any = None, name: str | None = None) -> Any:
    """Whole numbers of [low, high) in the shape of `x`, and in its dtype unless `dtype` is given."""
    low, high = _bounds(low, high, "randint_like")
    return ops.randint(x, low=low, high=high, dtype=x._dtype if dtype is None else numpy_dtype(dtype))


def randperm(
    n: Any,
    dtype: Any = "int64",
    name: str | None = None,
    *,
    out: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """The numbers 0..n-1 in random order, 1-D.

    >>> import paddlite as paddle
    >>> sorted(paddle.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    drawn = ops.randperm(n=int_argument(n, "randperm", "n"), dtype=numpy_dtype(dtype))
    return made(drawn, out, device, requires_grad)


def bernoulli(x: Any, p: float | None = None, name: str | None = None) -> Any:
    """1 with the probability that each element of `x` gives (or with probability `p`), else 0; in the dtype of `x`.

    Raises:
        ValueError: a probability lies outside of [0, 1].
    """
    if p is not None:
        x = ones_like(x) * p
    if isinstance(x, Tensor) and isinstance(x._data, np.ndarray) and x._data.size:
        low, high = float(x._data.min()), float(x._data.max())
        if not (low >= 0 and high <= 1):
            raise InvalidArgument(f"bernoulli: probabilities must lie in [0, 1], got [{low}, {high}]")
    return ops.bernoulli(x)


def poisson(x: Any, name: str | None = None) -> Any:
    """Numbers of the Poisson distribution with the rates `x`, in its dtype."""
    return ops.poisson(x)


def standard_gamma(x: Any, name: str | None = None) -> Any:
    """Numbers of the gamma distribution with the shapes `x` and scale 1, in its dtype."""
    return ops.standard_gamma(x)


def binomial(count: Any, prob: Any, name: str | None = None) -> Any:
    """How many of `count` trials succeed with probability `prob`, int64; both tensors have one shape."""
    return ops.binomial(count, prob)


def multinomial(
    x: Any, num_samples: Any = 1, replacement: bool = False, name: str | None = None, *, out: Any = None
) -> Any:
    """Category numbers drawn with probabilities in proportion to `x`, int64.

    Args:
        x: weights, [categories] or [rows, categories], none negative.
        num_samples: how many to draw (a row).
        replacement: True where a category may come several times.

    Raises:
        ValueError: there are not enough categories of positive weight.

    >>> import paddlite as paddle
    >>> paddle.multinomial(paddle.to_tensor([0.0, 1.0]), 3, replacement=True).tolist()
    [1, 1, 1]
    """
    count = int_argument(num_samples, "multinomial", "num_samples")
    return made(ops.multinomial(x, num_samples=count, replacement=replacement), out)


def _uniform_of(x: Any) -> Any:
    """Numbers of [0, 1) in the shape of `x`, float32 or the wider dtype of `x`."""
    return ops.uniform_random(x, dtype=np.dtype(np.float64) if x._dtype == np.float64 else np.dtype(np.float32))


def uniform_(x: Any, min: float = 0, max: float = 1.0, seed: int = 0, name: str | None = None) -> Any:
    """Overwrite `x` with uniform numbers of [min, max); gives `x`."""
    return replace(x, lambda: ops.uniform_random(x, low=float(min), high=float(max), dtype=x._dtype, **_seeded(seed)))


def normal_(x: Any, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> Any:
    """Overwrite `x` with normally distributed numbers; gives `x`."""
    return replace(x, lambda: ops.gaussian_random(x, mean=float(mean), std=float(std), dtype=x._dtype))


def log_normal_(x: Any, mean: float = 1.0, std: float = 2.0, name: str | None = None) -> Any:
    """Overwrite `x` with e to the power of normally distributed numbers; gives `x`."""
    return replace(x, lambda: ops.gaussian_random(x, mean=float(mean), std=float(std), dtype=x._dtype).exp())


def exponential_(x: Any, lam: float = 1.0, name: str | None = None) -> Any:
    """Overwrite `x` with numbers of the exponential distribution with rate `lam`; gives `x`.

    The inverse of the distribution function is applied to uniform numbers: -log(1 - u) / lam.
    """
    if lam <= 0:
        raise InvalidArgument(f"exponential_: the rate must be greater than 0, got {lam}")
    return replace(x, lambda: (1.0 - _uniform_of(x)).log() * (-1.0 / lam))


def cauchy_(x: Any, loc: float = 0, scale: float = 1, name: str | None = None) -> Any:
    """Overwrite `x` with numbers of the Cauchy distribution: loc + scale * tan(pi * (u - 1/2)); gives `x`."""
    return replace(x, lambda: ((_uniform_of(x) - 0.5) * np.pi).tan() * scale + loc)


def geometric_(x: Any, probs: Any, name: str | None = None) -> Any:
    """Overwrite `x` with how many trials it takes to succeed with probability `probs`; gives `x`.

    Differs: the numbers are whole, 1 or more; Paddle's are the continuous ones before rounding up.
    """
    failing = (1.0 - probs).log() if isinstance(probs, TensorBase) else float(np.log1p(-probs))
    return replace(x, lambda: ((1.0 - _uniform_of(x)).log() / failing).ceil().clip(min=1.0))


def bernoulli_(x: Any, p: Any = 0.5, name: str | None = None) -> Any:
    """Overwrite `x` with 1 with probability `p` (a number or a tensor), else with 0; gives `x`."""
    return replace(x, lambda: cast(_uniform_of(x) < p, dtype=x._dtype))


def random_(x: Any, from_: int = 0, to: int | None = None, *, generator: Any = None) -> Any:
    """Overwrite `x` with whole numbers of [from_, to), or of all that its dtype holds exactly; gives `x`.

    Args:
        to: left out, the numbers begin at 0 if `from_` is left out too.
    """
    if to is None:
        to = int(np.iinfo(x._dtype).max) if x._dtype in INTEGRAL else 2 ** (np.finfo(x._dtype).nmant + 1)
    if to <= from_:
        raise InvalidArgument(f"random_: `to` must be greater than `from_`, got {from_} and {to}")
    return replace(x, lambda: ops.randint(x, low=from_, high=to, dtype=x._dtype))


__all__ = [
    "bernoulli", "bernoulli_", "binomial", "cauchy_", "geometric_", "log_normal", "log_normal_", "multinomial",
    "normal", "normal_", "poisson", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm",
    "standard_gamma", "standard_normal", "uniform",
]  # fmt: skip
METHODS = (
    "bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "multinomial", "normal_", "random_",
    "uniform_",
)  # fmt: skip
