"""Defaults that a user may change."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import FROM_NUMPY, as_dtype
from paddlite.core.errors import DTypeMismatch
from paddlite.core.mode import current, switch


def set_default_dtype(d: Any) -> None:
    """Set the dtype of tensors made of Python floats, and of new parameters.

    Raises:
        TypeError: `d` is not floating point.
    """
    found = as_dtype(d)
    if not found.is_floating:
        raise DTypeMismatch(f"set_default_dtype: want a floating-point dtype, got {found.name}")
    switch(default_dtype=found.dtype)


def get_default_dtype() -> str:
    """The name of the default dtype, "float32" unless it was changed."""
    return FROM_NUMPY[current().default_dtype].name
