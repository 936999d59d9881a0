"""What losses have in common: the mean, the sum, or one number each."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.ops.reduce import reduce_mean, reduce_sum


def check_reduction(reduction: str, name: str) -> None:
    """Raise InvalidArgument where `reduction` is not 'mean', 'sum' or 'none'."""
    if reduction not in ("mean", "sum", "none"):
        raise InvalidArgument(f"{name}: reduction must be 'mean', 'sum' or 'none', got {reduction!r}")


def check_one_shape(name: str, **given: Any) -> None:
    """Raise ShapeMismatch where the tensors, given by their names, differ in shape; broadcasting would hide it."""
    shapes = [x._shape for x in given.values()]
    for shape in shapes[1:]:
        if len(shape) != len(shapes[0]) or any(a != b and -1 not in (a, b) for a, b in zip(shapes[0], shape)):
            raise ShapeMismatch(
                f"{name}: {' and '.join(given)} must have one shape, got {' and '.join(str(list(s)) for s in shapes)}"
            )


def reduced(loss: Any, reduction: str) -> Any:
    """`loss` as `reduction` says."""
    if reduction == "mean":
        return reduce_mean(loss)
    return reduce_sum(loss) if reduction == "sum" else loss
