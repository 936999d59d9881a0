"""Smooth activations."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.inplace import replace
from paddlite.ops import activation, exp_linear

__all__ = [
    "celu", "elu", "gelu", "log_sigmoid", "logsigmoid", "mish", "selu", "silu", "softplus", "softsign", "swish",
    "tanhshrink",
]  # fmt: skip


def gelu(x: Any, approximate: bool | str = False, name: str | None = None) -> Any:
    """x times the probability that a standard normal number is below x (Hendrycks and Gimpel, 2016).

    Args:
        approximate: True or "tanh" for the approximation by tanh; False or "none" for the exact function.

    Raises:
        InvalidArgument: `approximate` is another word.

    >>> import paddlite as paddle
    >>> round(paddle.nn.functional.gelu(paddle.to_tensor(1.0)).item(), 4)
    0.8413
    """
    if isinstance(approximate, str):
        if approximate not in ("none", "tanh"):
            raise InvalidArgument(f"gelu: approximate must be 'none', 'tanh' or a bool, got {approximate!r}")
        approximate = approximate == "tanh"
    return activation.gelu(x, approximate=bool(approximate))


def silu(x: Any, inplace: bool = False, name: str | None = None) -> Any:
    """x * sigmoid(x); with `inplace` the result takes the place of `x`.

    >>> import paddlite as paddle
    >>> round(paddle.nn.functional.silu(paddle.to_tensor(1.0)).item(), 4)
    0.7311
    """
    return replace(x, lambda: activation.silu(x)) if inplace else activation.silu(x)


def swish(x: Any, name: str | None = None) -> Any:
    """x * sigmoid(x): the same as `silu`."""
    return activation.swish(x)


def mish(x: Any, name: str | None = None) -> Any:
    """x * tanh(log(1 + exp(x))) (Misra, 2019)."""
    return activation.mish(x)


def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """log(1 / (1 + exp(-x))), exact for large |x|.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.log_sigmoid(paddle.to_tensor([-1000.0])).tolist()
    [-1000.0]
    """
    return activation.logsigmoid(x)


logsigmoid = log_sigmoid


def softplus(x: Any, beta: float = 1, threshold: float = 20, name: str | None = None) -> Any:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.softplus(paddle.to_tensor([30.0])).tolist()
    [30.0]
    """
    return activation.softplus(x, beta=float(beta), threshold=float(threshold))


def softsign(x: Any, name: str | None = None) -> Any:
    """x / (1 + |x|)."""
    return activation.softsign(x)


def tanhshrink(x: Any, name: str | None = None) -> Any:
    """x - tanh(x)."""
    return activation.tanh_shrink(x)


def elu(x: Any, alpha: float = 1.0, name: str | None = None) -> Any:
    """x above 0, alpha * (exp(x) - 1) below (Clevert et al., 2015)."""
    return exp_linear.elu(x, alpha=float(alpha))


def celu(x: Any, alpha: float = 1.0, name: str | None = None) -> Any:
    """x above 0, alpha * (exp(x / alpha) - 1) below (Barron, 2017).

    Raises:
        ZeroDivisionError: `alpha` is 0.
    """
    if alpha == 0:
        raise ZeroDivisionError("celu: alpha must not be 0")
    return exp_linear.celu(x, alpha=float(alpha))


def selu(
    x: Any,
    scale: float = 1.0507009873554804934193349852946,
    alpha: float = 1.6732632423543772848170429916717,
    name: str | None = None,
) -> Any:
    """scale * elu(x, alpha), which keeps mean 0 and variance 1 (Klambauer et al., 2017).

    Raises:
        InvalidArgument: scale <= 1 or alpha < 0.
    """
    if scale <= 1.0:
        raise InvalidArgument(f"selu: scale must be greater than 1, got {scale}")
    if alpha < 0:
        raise InvalidArgument(f"selu: alpha must be >= 0, got {alpha}")
    return exp_linear.selu(x, scale=float(scale), alpha=float(alpha))
