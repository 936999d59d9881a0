"""Losses between numbers, and between distributions given by their parameters."""

from __future__ import annotations

import math
from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.nn.functional.loss.reduction import check_one_shape, check_reduction, reduced
from paddlite.ops import loss as ops
from paddlite.ops.arithmetic import (
    absolute,
    cast,
    elementwise_add,
    elementwise_div,
    elementwise_mul,
    elementwise_sub,
    square,
)
from paddlite.ops.compare import greater_than
from paddlite.ops.power import elementwise_max, exp, log
from paddlite.ops.reduce import reduce_mean, reduce_sum
from paddlite.ops.shape import unsqueeze

__all__ = [
    "gaussian_nll_loss", "kl_div", "l1_loss", "log_loss", "mse_loss", "poisson_nll_loss", "smooth_l1_loss",
    "square_error_cost",
]  # fmt: skip


def square_error_cost(input: Any, label: Any) -> Any:
    """(input - label)**2, elementwise with broadcasting.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> paddle.nn.functional.square_error_cost(x, paddle.to_tensor([1.0, 4.0])).tolist()
    [0.0, 4.0]
    """
    return square(elementwise_sub(input, label))


def mse_loss(input: Any, label: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """The mean (or sum, or each) of (input - label)**2; shapes broadcast.

    Args:
        input, label: floating tensors.
        reduction: "mean", "sum" or "none".

    Raises:
        InvalidArgument: `reduction` is another word.
        ShapeMismatch: the shapes do not broadcast.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> paddle.nn.functional.mse_loss(x, paddle.to_tensor([1.0, 4.0])).item()
    2.0
    """
    check_reduction(reduction, "mse_loss")
    return reduced(square_error_cost(input, label), reduction)


def l1_loss(input: Any, label: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """The mean (or sum, or each) of |input - label|; arguments and errors as for `mse_loss`."""
    check_reduction(reduction, "l1_loss")
    return reduced(absolute(elementwise_sub(input, label)), reduction)


def smooth_l1_loss(
    input: Any,
    label: Any,
    reduction: str = "mean",
    delta: float = 1.0,
    is_huber: bool = True,
    name: str | None = None,
) -> Any:
    """Quadratic up to a difference of `delta`, linear beyond (Huber, 1964); arguments and errors as for `mse_loss`.

    Args:
        delta: > 0; the loss of a difference d is d**2 / 2 up to it and delta * (|d| - delta / 2) beyond.
        is_huber: False divides that by `delta`.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 5.0])
    >>> paddle.nn.functional.smooth_l1_loss(x, paddle.to_tensor([2.0, 2.0]), "none").tolist()
    [0.5, 2.5]
    """
    check_reduction(reduction, "smooth_l1_loss")
    check_one_shape("smooth_l1_loss", input=input, label=label)
    out = ops.huber_loss(input, label, delta=float(delta))
    return reduced(out if is_huber else elementwise_mul(out, 1.0 / delta), reduction)


def log_loss(input: Any, label: Any, epsilon: float = 1e-4, name: str | None = None) -> Any:
    """-label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon), elementwise.

    Args:
        input: probabilities [N, 1].
        label: 0 or 1, [N, 1].

    Raises:
        ShapeMismatch: the shapes differ.
    """
    return ops.log_loss(input, label, epsilon=float(epsilon))


def kl_div(input: Any, label: Any, reduction: str = "mean", log_target: bool = False, name: str | None = None) -> Any:
    """The Kullback-Leibler divergence label * (log(label) - input), 0 where label <= 0.

    Args:
        input: logarithms of probabilities.
        label: probabilities, or their logarithms with `log_target`.
        reduction: "mean", "sum", "none", or "batchmean": the sum divided by the first size.

    Raises:
        InvalidArgument: `reduction` is another word.

    >>> import paddlite as paddle
    >>> p = paddle.to_tensor([[0.5, 0.5]])
    >>> paddle.nn.functional.kl_div(paddle.log(p), p).item()
    0.0
    """
    if reduction != "batchmean":
        check_reduction(reduction, "kl_div")
    check_one_shape("kl_div", input=input, label=label)
    out = ops.kldiv_loss(input, label, log_target=bool(log_target))
    if reduction == "batchmean":
        return reduce_mean(reduce_sum(out, axis=tuple(range(1, out.ndim))) if out.ndim > 1 else out)
    return reduced(out, reduction)


def poisson_nll_loss(
    input: Any,
    label: Any,
    log_input: bool = True,
    full: bool = False,
    epsilon: float = 1e-8,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """The negative log-likelihood of counts `label` under Poisson distributions.

    Args:
        input: the logarithm of the expectation, or the expectation itself without `log_input`.
        full: add Stirling's approximation of log(label!) where label > 1.
        epsilon: added to the expectation before its logarithm is taken; > 0.

    Raises:
        InvalidArgument: `epsilon` is not positive, or `reduction` unknown.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.poisson_nll_loss(paddle.to_tensor([0.0]), paddle.to_tensor([3.0])).item()
    1.0
    """
    check_reduction(reduction, "poisson_nll_loss")
    check_one_shape("poisson_nll_loss", input=input, label=label)
    if epsilon <= 0:
        raise InvalidArgument(f"poisson_nll_loss: epsilon must be > 0, got {epsilon}")
    if log_input:
        out = elementwise_sub(exp(input), elementwise_mul(label, input))
    else:
        out = elementwise_sub(input, elementwise_mul(label, log(elementwise_add(input, epsilon))))
    if full:
        many = elementwise_max(label, 1.0)  # where label <= 1 the term is left out
        stirling = elementwise_add(
            elementwise_sub(elementwise_mul(many, log(many)), many),
            elementwise_mul(log(elementwise_mul(many, 2 * math.pi)), 0.5),
        )
        out = elementwise_add(out, elementwise_mul(stirling, cast(greater_than(label, 1.0), dtype=stirling._dtype)))
    return reduced(out, reduction)


def gaussian_nll_loss(
    input: Any,
    label: Any,
    variance: Any,
    full: bool = False,
    epsilon: float = 1e-6,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """The negative log-likelihood of `label` under normal distributions: (log(v) + (input - label)**2 / v) / 2.

    Args:
        input: the means.
        variance: one for each number of `input`, or broadcast, or one for each of its last rows.
        full: add log(2 pi) / 2.
        epsilon: the least variance.

    Raises:
        InvalidArgument: a variance is negative, or `reduction` unknown.

    >>> import paddlite as paddle
    >>> x, v = paddle.to_tensor([1.0]), paddle.to_tensor([1.0])
    >>> paddle.nn.functional.gaussian_nll_loss(x, paddle.to_tensor([3.0]), v).item()
    2.0
    """
    check_reduction(reduction, "gaussian_nll_loss")
    if epsilon <= 0:
        raise InvalidArgument(f"gaussian_nll_loss: epsilon must be > 0, got {epsilon}")
    data = getattr(variance, "_data", None)
    if data is not None and bool((data < 0).any()):
        raise InvalidArgument("gaussian_nll_loss: variance must not be negative")
    if variance.ndim == input.ndim - 1 and tuple(variance._shape) == tuple(input._shape[:-1]):
        variance = unsqueeze(variance, axes=(-1,))
    # below epsilon the variance counts as a constant
    least = elementwise_max(variance, float(epsilon))
    out = elementwise_mul(elementwise_add(log(least), elementwise_div(square_error_cost(input, label), least)), 0.5)
    return reduced(elementwise_add(out, 0.5 * math.log(2 * math.pi)) if full else out, reduction)
