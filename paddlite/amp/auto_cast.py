"""`auto_cast`: the guard under which ops choose their precision."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from paddlite.amp.amp_lists import resolve
from paddlite.amp.policy import LEVELS, Casts
from paddlite.backend.dtypes import BF16, F16, FROM_NUMPY, DType, as_dtype
from paddlite.core.errors import InvalidArgument
from paddlite.core.mode import current, switch


class auto_cast:
    """While entered, ops run in the precision of their class.  Also a decorator.

    Works on the CPU as on a GPU, with the rounding and the overflow of the low precision.

    Args:
        enable: False switches AMP off inside an outer guard.
        custom_white_list: ops to run in the low precision too (names of `paddle.amp.amp_lists`, or of functions).
        custom_black_list: ops to keep in float32.
        level: "O1": matmul, convolution and the like in the low precision, sensitive ops in float32, the rest as their
            inputs are; "O2": sensitive ops as their inputs are too (for networks from `decorate`); "OD": all but the
            first in float32; "O0": off.
        dtype: "float16" or "bfloat16".
        use_promote: False makes ops that follow their inputs run in the low precision at O2.

    Raises:
        InvalidArgument: an op is in both lists, or the level or dtype is unknown.

    >>> import paddlite as paddle
    >>> x = paddle.ones([2, 2])
    >>> with paddle.amp.auto_cast():
    ...     y = paddle.matmul(x, x)
    >>> y.dtype
    paddle.float16

    Differs: the reference ignores the guard on the CPU.
    """

    def __init__(
        self,
        enable: bool = True,
        custom_white_list: Iterable[str] | None = None,
        custom_black_list: Iterable[str] | None = None,
        level: str = "O1",
        dtype: str | DType = "float16",
        use_promote: bool = True,
    ):
        level = str(level).upper()
        if level not in LEVELS:
            raise InvalidArgument(f"auto_cast: level must be one of {', '.join(LEVELS)}, got {level!r}")
        low = as_dtype(dtype).dtype
        if low not in (F16, BF16):
            raise InvalidArgument(f"auto_cast: dtype must be 'float16' or 'bfloat16', got {dtype!r}")
        white = _names("custom_white_list", custom_white_list)
        black = _names("custom_black_list", custom_black_list)
        both = sorted(white & black)
        if both:
            raise InvalidArgument(f"auto_cast: {', '.join(both)} stand in both custom lists; an op can be in one only")
        self._arguments = (level if enable else "O0", low, white, black, use_promote)
        self._before: list[Any] = []

    def __enter__(self) -> None:
        level, *settings = self._arguments
        self._before.append(current().amp)
        switch(amp=Casts(level, *settings) if level != "O0" else None)

    def __exit__(self, *error: object) -> None:
        switch(amp=self._before.pop())

    def __call__(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return run


amp_guard = auto_cast


def _names(argument: str, given: Iterable[str] | None) -> set[str]:
    if given is None:
        return set()
    if isinstance(given, str):
        raise InvalidArgument(f"auto_cast: {argument} must be a set or list of op names, got the text {given!r}")
    found, complaints = resolve(given)
    for complaint in complaints:
        warnings.warn(f"auto_cast: {argument}: {complaint}", UserWarning, stacklevel=4)
    return found


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """True inside an `auto_cast` that is on."""
    return current().amp is not None


def get_autocast_dtype(device_type: str | None = None) -> DType:
    """The low precision of the guard that is on; float32 where none is."""
    amp = current().amp
    return FROM_NUMPY[amp.dtype] if amp is not None else as_dtype("float32")


get_autocast_cpu_dtype = get_autocast_gpu_dtype = get_autocast_dtype


def is_float16_supported(device: str | None = None) -> bool:
    """True: float16 works on every device.

    Differs: the reference says False on the CPU.
    """
    return True


def is_bfloat16_supported(device: str | None = None) -> bool:
    """True: bfloat16 works on every device."""
    return True
