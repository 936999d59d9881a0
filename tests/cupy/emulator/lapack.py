"""NumPy in place of cuSOLVER: the decompositions of `cupy.linalg`, with the parameters that CuPy's functions have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

_UNCHECKED = ("det", "slogdet")  # the others read on the host whether cuSOLVER succeeded, and raise
_NAMES = ("cholesky", "det", "eigh", "eigvalsh", "inv", "pinv", "qr", "slogdet", "solve", "svd")


def _replaced(name: str, real: Callable, uncounted: Callable) -> Callable:
    import cupy
    from cupy.linalg import _util

    signature = inspect.signature(real)

    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        arrays: dict[str, Any] = {n: v for n, v in given.arguments.items() if isinstance(v, (np.ndarray, cupy.ndarray))}
        _util._assert_cupy_array(*arrays.values())
        for name_of, array in arrays.items():
            _util.linalg_common_type(array)  # refuses halves
        if name == "solve":
            _same_batch(*arrays.values())
        if name not in _UNCHECKED:
            cupy.zeros(1, np.int32).get()
        with uncounted():
            for name_of, array in arrays.items():
                given.arguments[name_of] = cupy.asnumpy(array)
            found = getattr(np.linalg, name)(*given.args, **given.kwargs)
            return tuple([cupy.asarray(part) for part in found]) if isinstance(found, tuple) else cupy.asarray(found)

    return function


def _same_batch(a: Any, b: Any) -> None:
    """`cupy.linalg.solve` does not broadcast."""
    if a.shape[:-1] != b.shape[: a.ndim - 1]:
        raise ValueError(
            f"a must have (..., M, M) shape and b must have (..., M) or (..., M, K), got {a.shape}, {b.shape}"
        )


def install(uncounted: Callable) -> None:
    """Let CuPy decompose with this; copies made under `uncounted()` are not those of CuPy."""
    import cupy

    for name in _NAMES:
        setattr(cupy.linalg, name, _replaced(name, getattr(cupy.linalg, name), uncounted))
