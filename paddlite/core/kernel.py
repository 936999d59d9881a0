"""Running a kernel on arrays: numbers, half types on the host, silence about overflow."""

from __future__ import annotations

import contextvars
import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.backend import half
from paddlite.backend.dtypes import F32, HALF
from paddlite.core.meta import Like, Meta
from paddlite.core.op import Op

_local = threading.local()


def quiet_run() -> Callable:
    """`run(function, *args)` in a context where NumPy does not warn of overflow and invalid values.

    Infinity and NaN are legal values here (loss scaling depends on them).  Entering a ready-made context costs 30 ns;
    `numpy.errstate` 1.4 us.
    """
    try:
        return _local.run
    except AttributeError:
        context = contextvars.copy_context()
        context.run(np.seterr, all="ignore")
        _local.run = context.run
        return context.run


def meta_of(value: Any) -> Any:
    """The `Meta` of an array, scalar or `Like`; other things (None, lists of arrays) as they are."""
    if isinstance(value, Meta):
        return value
    return Meta(value.shape, value.dtype) if hasattr(value, "dtype") else value


def run_kernel(xp: Any, op: Op, arrays: list, attrs: dict[str, Any]) -> Any:
    """The kernel's result: an array, or a tuple of arrays.

    A kernel that computes never sees a half type on the host: NumPy's float16 loops are up to a thousand times slower
    and accumulate in half.  Inputs are widened to float32 and the results rounded to what `infer` says.  On a GPU too,
    where each ufunc would round to half, unless the record says that the kernel needs no widening (`wide=False`).
    There even what a kernel gives that only moves values is rounded: CuPy lacks some functions for bfloat16 and gives
    float32.
    """
    if xp is not np or not op.native_half:
        for array in arrays:
            if getattr(array, "dtype", None) in HALF:
                return _run_on_halves(xp, op, arrays, attrs)
    return as_arrays(xp, quiet_run()(call, op.kernel, xp, arrays, attrs))


def call(kernel: Callable, xp: Any, arrays: list, attrs: dict[str, Any]) -> Any:
    return kernel(xp, *arrays, **attrs)


def as_arrays(xp: Any, out: Any) -> Any:
    """NumPy's scalars (the results of 0-D operations) as 0-D arrays."""
    if type(out) is tuple:
        return tuple([xp.asarray(o) if isinstance(o, np.generic) else o for o in out])
    return xp.asarray(out) if isinstance(out, np.generic) else out


def lifted(kernel: Callable) -> Callable:
    """`kernel`, given 0-D arrays with one axis: NumPy's results of 0-D arrays are scalars, which `out=` cannot take."""

    @functools.wraps(kernel)
    def run(xp: Any, *arrays: Any, **attrs: Any) -> Any:
        if arrays[0].ndim or any(getattr(a, "ndim", 0) for a in arrays):
            return kernel(xp, *arrays, **attrs)
        out = kernel(xp, *[a.reshape(1) if hasattr(a, "reshape") else a for a in arrays], **attrs)
        return tuple([o.reshape(()) for o in out]) if type(out) is tuple else out.reshape(())

    return run


def _widen(array: Any) -> Any:
    dtype = getattr(array, "dtype", None)
    if dtype in HALF:
        if isinstance(array, Meta):
            return Like(array.shape, F32)
        return half.cast(array, F32) if isinstance(array, np.ndarray) else array.astype(F32)
    return array


def _run_on_halves(xp: Any, op: Op, arrays: list, attrs: dict[str, Any]) -> Any:
    told = {k: v for k, v in attrs.items() if k != "out"} if "out" in attrs else attrs
    metas = op.infer(*[meta_of(a) for a in arrays], **told)
    out = quiet_run()(_half_call, xp, op, arrays, attrs, metas)
    return as_arrays(xp, out)


def _half_call(xp: Any, op: Op, arrays: list, attrs: dict[str, Any], metas: Any) -> Any:
    if xp is np or (op.wide and not op.native_half):
        arrays = [_widen(a) for a in arrays]
    out = op.kernel(xp, *arrays, **attrs)
    if type(out) is tuple:
        return tuple([_rounded(o, m) for o, m in zip(out, metas, strict=True)])
    return _rounded(out, metas)


def _rounded(out: Any, meta: Meta) -> Any:
    if out is None or meta.dtype not in HALF or out.dtype == meta.dtype:
        return out
    return half.cast(out, meta.dtype) if isinstance(out, np.ndarray) else out.astype(meta.dtype)
