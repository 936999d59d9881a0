"""Power-average pooling: (sum of x ** p over each window) ** (1 / p)."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import cast, elementwise_add, elementwise_mul
from paddlite.ops.compare import equal
from paddlite.ops.pool import avg_pool_grad, check_floating, pool_window, pooled
from paddlite.ops.pool_kernels import sums
from paddlite.ops.power import elementwise_pow
from paddlite.ops.window import batch_last, from_batch_last


def _infer(x: Meta, *, norm_type: float, **attrs: Any) -> Meta:
    if norm_type == 0:
        raise InvalidArgument("lp_pool: norm_type must not be 0")
    return pooled("lp_pool", x, **attrs)


def _rule(g, x, out, norm_type, kernel_size, stride, padding, ceil_mode, data_format) -> Any:
    """x ** (p - 1) times, for each window that an element is in, g * out ** (1 - p); nothing where out is 0."""
    empty = cast(equal(out, 0.0), dtype=out._dtype)
    shares = elementwise_mul(g, elementwise_pow(elementwise_add(out, empty), 1.0 - norm_type))
    shares = elementwise_mul(shares, cast(equal(empty, 0.0), dtype=out._dtype))
    spread = avg_pool_grad(
        shares, x, kernel_size=kernel_size, stride=stride, padding=padding, ceil_mode=ceil_mode, exclusive=False,
        divisor_override=1.0, data_format=data_format,
    )  # fmt: skip
    return elementwise_mul(spread, elementwise_pow(x, norm_type - 1.0))


@defop("lp_pool2d", infer=_infer, check=True, wide=True, vjp={"x": _rule})
def lp_pool2d(xp: Any, x: Any, *, norm_type, kernel_size, stride, padding, ceil_mode, data_format) -> Any:
    check_floating("lp_pool", x)
    places = pool_window("lp_pool", x, kernel_size, stride, padding, ceil_mode, data_format)
    power = x.dtype.type(norm_type)
    total = sums(xp, batch_last(x**power, data_format), places)
    return from_batch_last(total ** x.dtype.type(1.0 / norm_type), data_format)
