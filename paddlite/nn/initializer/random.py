"""Initializers that draw random values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddlite.backend import random
from paddlite.backend.dtypes import F64
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.mode import current
from paddlite.nn.initializer.base import Initializer, calculate_gain, drawn_dtype, fans
from paddlite.nn.initializer.quantile import normal_quantile


def _number(owner: str, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise DTypeMismatch(f"{owner}: {name} must be a number, got {value!r:.60}")
    return float(value)


class Uniform(Initializer):
    """Values of [low, high), all equally likely.

    Raises:
        ValueError: `low` is above `high`.

    >>> import paddlite as paddle
    >>> weight = paddle.nn.Linear(3, 4, weight_attr=paddle.nn.initializer.Uniform(0.5, 0.75)).weight.numpy()
    >>> bool((weight >= 0.5).all() and (weight < 0.75).all())
    True
    """

    def __init__(self, low: float = -1.0, high: float = 1.0, name: str | None = None):
        self._low, self._high = _number("Uniform", "low", low), _number("Uniform", "high", high)
        if self._low > self._high:
            raise InvalidArgument(f"Uniform: low must not be above high, got low={low} and high={high}")

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        return uniform_values(type(self).__name__, xp, shape, dtype, self._low, self._high)


def uniform_values(name: str, xp: Any, shape: tuple[int, ...], dtype: np.dtype, low: float, high: float) -> Any:
    drawn = random.uniform(xp, current().generator.take(), shape, drawn_dtype(name, dtype))
    drawn *= drawn.dtype.type(high - low)
    drawn += drawn.dtype.type(low)
    return drawn


class Normal(Initializer):
    """Normally distributed values.

    Args:
        mean: their mean.
        std: their standard deviation.
    """

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: str | None = None):
        self._mean, self._std = mean, std

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        mean, std = _number("Normal", "mean", self._mean), _number("Normal", "std", self._std)
        return normal_values("Normal", xp, shape, dtype, mean, std)


def normal_values(name: str, xp: Any, shape: tuple[int, ...], dtype: np.dtype, mean: float, std: float) -> Any:
    drawn = random.normal(xp, current().generator.take(), shape, drawn_dtype(name, dtype))
    drawn *= drawn.dtype.type(std)
    drawn += drawn.dtype.type(mean)
    return drawn


class TruncatedNormal(Initializer):
    """Normally distributed values of which those outside of [a, b] are drawn again.

    Args:
        mean: mean of the distribution before it is cut off.
        std: its standard deviation.
        a: smallest value.
        b: largest value.  Both are values, not multiples of `std`.

    Raises:
        TypeError, ValueError: when a parameter is initialised, where one is no number, `a` is not below `b`, or `std`
            is not positive.
    """

    def __init__(self, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, name: str | None = None):
        self._mean, self._std, self._a, self._b = mean, std, a, b

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        drawn_dtype("TruncatedNormal", dtype)
        given = {"mean": self._mean, "std": self._std, "a": self._a, "b": self._b}
        mean, std, a, b = (_number("TruncatedNormal", name, value) for name, value in given.items())
        if a >= b or std <= 0:
            raise InvalidArgument(f"TruncatedNormal: a must be below b and std above 0, got a={a}, b={b}, std={std}")
        low, high = (_normal_cdf((end - mean) / std) for end in (a, b))
        drawn = random.uniform(xp, current().generator.take(), shape, F64)
        drawn = mean + std * normal_quantile(xp, low + (high - low) * drawn)
        return drawn.clip(a, b)


def _normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


class _Xavier(Initializer):
    def __init__(
        self,
        fan_in: float | None = None,
        fan_out: float | None = None,
        gain: float = 1.0,
        name: str | None = None,
    ):
        self._fan_in, self._fan_out, self._gain = fan_in, fan_out, gain

    def _std(self, shape: tuple[int, ...]) -> float:
        found = fans(shape)
        fan_in = found[0] if self._fan_in is None else self._fan_in
        fan_out = found[1] if self._fan_out is None else self._fan_out
        total = fan_in + fan_out
        return self._gain * math.sqrt(2.0 / total) if total else 0.0


class XavierUniform(_Xavier):
    """Values of [-x, x) with x = gain * sqrt(6 / (fan_in + fan_out)).

    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks" (2010).

    Args:
        fan_in: inputs of each output; left out, worked out of the shape.
        fan_out: outputs of each input, likewise.
        gain: see `calculate_gain`.

    >>> import paddlite as paddle
    >>> weight = paddle.nn.Linear(2, 4, weight_attr=paddle.nn.initializer.XavierUniform()).weight
    >>> bool(abs(weight.numpy()).max() <= 1.0)
    True
    """

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        limit = math.sqrt(3.0) * self._std(shape)
        return uniform_values("XavierUniform", xp, shape, dtype, -limit, limit)


class XavierNormal(_Xavier):
    """Normally distributed values with standard deviation gain * sqrt(2 / (fan_in + fan_out)).

    See `XavierUniform`.
    """

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        return normal_values("XavierNormal", xp, shape, dtype, 0.0, self._std(shape))


class _Kaiming(Initializer):
    def __init__(
        self,
        fan_in: float | None = None,
        negative_slope: float = 0.0,
        nonlinearity: str = "relu",
        mode: str = "fan_in",
    ):
        if mode not in ("fan_in", "fan_out"):
            raise InvalidArgument(f"{type(self).__name__}: mode must be 'fan_in' or 'fan_out', got {mode!r}")
        if fan_in is not None and not fan_in > 0:
            raise InvalidArgument(f"{type(self).__name__}: fan_in must be above 0, got {fan_in}")
        self._gain = calculate_gain(nonlinearity, negative_slope)
        self._fan_in, self._mode = fan_in, mode

    def _std(self, shape: tuple[int, ...]) -> float:
        found = fans(shape)[0 if self._mode == "fan_in" else 1]
        count = found if self._fan_in is None else self._fan_in
        return self._gain / math.sqrt(count) if count else 0.0


class KaimingUniform(_Kaiming):
    """Values of [-x, x) with x = gain * sqrt(3 / fan).

    He et al., "Delving deep into rectifiers" (2015).

    Args:
        fan_in: the fan; left out, worked out of the shape.
        negative_slope: of "leaky_relu".
        nonlinearity: what follows the weight, which decides the gain (see `calculate_gain`).
        mode: "fan_in" keeps the spread of activations, "fan_out" that of gradients.

    Raises:
        ValueError: an unknown mode or nonlinearity.
    """

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        limit = math.sqrt(3.0) * self._std(shape)
        return uniform_values("KaimingUniform", xp, shape, dtype, -limit, limit)


class KaimingNormal(_Kaiming):
    """Normally distributed values with standard deviation gain / sqrt(fan).

    See `KaimingUniform`.
    """

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        return normal_values("KaimingNormal", xp, shape, dtype, 0.0, self._std(shape))


class Orthogonal(Initializer):
    """A weight whose rows (or columns, where those are fewer) are orthogonal and of length `gain`.

    More than two axes are read as [first, all others].  Saxe et al., "Exact solutions to the nonlinear dynamics of
    learning in deep linear neural networks" (2013).

    Raises:
        ValueError: the parameter has fewer than two axes.

    >>> import paddlite as paddle
    >>> weight = paddle.nn.Linear(2, 3, weight_attr=paddle.nn.initializer.Orthogonal()).weight.numpy()
    >>> (weight @ weight.T).round(4).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    True
    """

    def __init__(self, gain: float = 1.0, name: str | None = None):
        self._gain = _number("Orthogonal", "gain", gain)

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        drawn_dtype("Orthogonal", dtype)
        if len(shape) < 2:
            raise InvalidArgument(f"Orthogonal: the parameter needs at least 2 axes, got shape {list(shape)}")
        rows, columns = shape[0], math.prod(shape[1:])
        tall = random.normal(np, current().generator.take(), (max(rows, columns), min(rows, columns)), F64)
        q, r = np.linalg.qr(tall)
        q *= np.where(np.diagonal(r) < 0, -1.0, 1.0)  # else the distribution would not be uniform
        return self._gain * (q.T if rows < columns else q).reshape(shape)
