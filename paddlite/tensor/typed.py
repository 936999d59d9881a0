"""Tensors by the name of their element type: `paddle.FloatTensor` and its kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.core.tensor import Tensor
from paddlite.tensor.convert import to_tensor
from paddlite.tensor.creation import zeros


def _maker(name: str, dtype: str) -> Callable[..., Tensor]:
    def make(*data: Any) -> Tensor:
        if not data:
            return zeros([0], dtype)
        if all(isinstance(size, int) and not isinstance(size, bool) for size in data):
            return zeros(list(data), dtype)
        if len(data) > 1:
            raise TypeError(f"{name}: want sizes one by one, or data in one argument")
        return to_tensor(data[0], dtype=None if isinstance(data[0], np.ndarray) else dtype)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = (
        f"A {dtype} tensor of the given sizes (one by one), or with the given data (arrays keep their dtype)."
    )
    return make


BFloat16Tensor = _maker("BFloat16Tensor", "bfloat16")
BoolTensor = _maker("BoolTensor", "bool")
ByteTensor = _maker("ByteTensor", "uint8")
CharTensor = _maker("CharTensor", "int8")
DoubleTensor = _maker("DoubleTensor", "float64")
FloatTensor = _maker("FloatTensor", "float32")
HalfTensor = _maker("HalfTensor", "float16")
IntTensor = _maker("IntTensor", "int32")
LongTensor = _maker("LongTensor", "int64")
ShortTensor = _maker("ShortTensor", "int16")

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor",
    "IntTensor", "LongTensor", "ShortTensor",
]  # fmt: skip
