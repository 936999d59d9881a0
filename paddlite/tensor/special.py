"""Special functions, element by element: error function, gamma functions, Bessel functions."""

from __future__ import annotations

import math
from typing import Any

from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.ops import arithmetic, bessel, gamma, incomplete_gamma, special

__all__ = [
    "digamma", "erf", "erfinv", "gammainc", "gammaincc", "gammaln", "i0", "i0e", "i1", "i1e", "lgamma", "logit",
    "multigammaln", "polygamma",
]  # fmt: skip
METHODS = __all__
INPLACE = (
    "digamma", "erf", "erfinv", "gammainc", "gammaincc", "gammaln", "i0", "lgamma", "logit", "multigammaln",
    "polygamma",
)  # fmt: skip


def erf(x: Any, name: str | None = None) -> Any:
    """The error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to `x`; integers become float32.

    >>> import paddlite as paddle
    >>> paddle.erf(paddle.to_tensor([0.0, 10.0])).tolist()
    [0.0, 1.0]
    """
    return special.erf(x)


def erfinv(x: Any, name: str | None = None) -> Any:
    """The number whose `erf` is `x`: infinite at -1 and 1, NaN beyond.  Integers become float32.

    >>> import paddlite as paddle
    >>> paddle.erfinv(paddle.erf(paddle.to_tensor([0.5]))).round(4).tolist()
    [0.5]
    """
    return special.erfinv(x)


def logit(x: Any, eps: float | None = None, name: str | None = None) -> Any:
    """log(x / (1 - x)), the reverse of the sigmoid; integers become float32.

    Args:
        eps: bring `x` into [eps, 1 - eps] first; without it the result is NaN outside of [0, 1].

    >>> import paddlite as paddle
    >>> paddle.logit(paddle.to_tensor([0.5, 1.0])).tolist()
    [0.0, inf]
    """
    return special.logit(x, eps=0.0 if eps is None else float(eps))


def lgamma(x: Any, name: str | None = None) -> Any:
    """The logarithm of the absolute value of the gamma function; infinite at 0, -1, -2, ...  Integers become float32.

    >>> import paddlite as paddle
    >>> paddle.lgamma(paddle.to_tensor([1.0, 5.0])).exp().round(3).tolist()
    [1.0, 24.0]
    """
    return gamma.lgamma(x)


def gammaln(x: Any, name: str | None = None) -> Any:
    """The same as `lgamma`."""
    return gamma.lgamma(x)


def digamma(x: Any, name: str | None = None) -> Any:
    """The derivative of `lgamma`: -inf at 0, NaN at -1, -2, ...  Integers become float32.

    >>> import paddlite as paddle
    >>> paddle.digamma(paddle.to_tensor([1.0])).round(4).tolist()
    [-0.5771999955177307]
    """
    return gamma.digamma(x)


def polygamma(x: Any, n: int, name: str | None = None) -> Any:
    """The `n`-th derivative of `digamma`; integers become float32.

    Raises:
        InvalidArgument: `n` is negative.
        DTypeMismatch: `n` is no int.

    >>> import paddlite as paddle
    >>> round(paddle.polygamma(paddle.to_tensor(1.0), 1).item(), 4)  # pi**2 / 6
    1.6449
    """
    if isinstance(n, bool) or not isinstance(n, int):
        raise DTypeMismatch(f"polygamma: n must be an int, got {n!r}")
    if n < 0:
        raise InvalidArgument(f"polygamma: n must not be negative, got {n}")
    return gamma.polygamma(x, n=n) if n else gamma.digamma(x)


def multigammaln(x: Any, p: int, name: str | None = None) -> Any:
    """The logarithm of the multivariate gamma function of dimension `p`, for x > (p - 1) / 2.

    Raises:
        InvalidArgument: `p` is below 1.

    >>> import paddlite as paddle
    >>> paddle.multigammaln(paddle.to_tensor([3.0]), 2).round(4).tolist()
    [1.5501999855041504]
    """
    if p < 1:
        raise InvalidArgument(f"multigammaln: p must be at least 1, got {p}")
    total = gamma.lgamma(x)
    for j in range(1, p):
        total = arithmetic.elementwise_add(total, gamma.lgamma(arithmetic.elementwise_sub(x, j / 2)))
    return arithmetic.elementwise_add(total, p * (p - 1) / 4 * math.log(math.pi))


def gammainc(x: Any, y: Any, name: str | None = None) -> Any:
    """The integral of t**(x - 1) exp(-t) from 0 to `y`, over gamma(x); elementwise with broadcasting.

    Args:
        x: the orders, positive; no gradient flows to them.
        y: the limits, not negative.

    The result lies in [0, 1]; it is NaN where an order or a limit is not allowed.  Integers become float32.

    >>> import paddlite as paddle
    >>> paddle.gammainc(paddle.to_tensor([1.0]), paddle.to_tensor([0.0])).tolist()
    [0.0]
    """
    return incomplete_gamma.gammainc(x, y)


def gammaincc(x: Any, y: Any, name: str | None = None) -> Any:
    """The integral of t**(x - 1) exp(-t) from `y` on, over gamma(x): 1 - `gammainc`, without loss of digits."""
    return incomplete_gamma.gammaincc(x, y)


def i0(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function of the first kind, of order 0; integers become float32.

    >>> import paddlite as paddle
    >>> paddle.i0(paddle.to_tensor([0.0, 1.0])).round(4).tolist()
    [1.0, 1.2661000490188599]
    """
    return bessel.i0(x)


def i0e(x: Any, name: str | None = None) -> Any:
    """exp(-|x|) times `i0`."""
    return bessel.i0e(x)


def i1(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function of the first kind, of order 1; integers become float32."""
    return bessel.i1(x)


def i1e(x: Any, name: str | None = None) -> Any:
    """exp(-|x|) times `i1`."""
    return bessel.i1e(x)
