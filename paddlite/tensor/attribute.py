"""What a tensor says about itself."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import FROM_NUMPY
from paddlite.core.tensor import TensorBase
from paddlite.tensor.convert import to_tensor


def is_tensor(x: Any) -> bool:
    """True for tensors and static variables."""
    return isinstance(x, TensorBase)


def is_floating_point(x: Any) -> bool:
    """True where the elements are float16, bfloat16, float32 or float64."""
    return FROM_NUMPY[x._dtype].is_floating


def is_integer(x: Any) -> bool:
    """True where the elements are whole numbers (bool is not counted)."""
    return FROM_NUMPY[x._dtype].category == "integer"


def is_complex(x: Any) -> bool:
    """True where the elements are complex."""
    return FROM_NUMPY[x._dtype].is_complex


def rank(input: Any) -> Any:
    """The number of axes, as a 0-D int32 tensor."""
    return to_tensor(len(input._shape), dtype="int32")


__all__ = ["is_complex", "is_floating_point", "is_integer", "is_tensor", "rank"]
METHODS = __all__
