"""What losses have in common: the mean, the sum, or one number each."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.ops.reduce import reduce_mean, reduce_sum


def check_reduction(reduction: str, name: str) -> None:
    """Raise InvalidArgument where `reduction` is not 'mean', 'sum' or 'none'."""
    if reduction not in ("mean", "sum", "none"):
        raise InvalidArgument(f"{name}: reduction must be 'mean', 'sum' or 'none', got {reduction!r}")


def reduced(loss: Any, reduction: str) -> Any:
    """`loss` as `reduction` says."""
    if reduction == "mean":
        return reduce_mean(loss)
    return reduce_sum(loss) if reduction == "sum" else loss
