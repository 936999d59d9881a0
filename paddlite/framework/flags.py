"""Paddle's global flags: one that does something here, and those that scripts may set without effect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from paddlite.amp import debugging
from paddlite.core.errors import InvalidArgument
from paddlite.core.mode import current

_WITHOUT_EFFECT = {
    "FLAGS_allocator_strategy": "auto_growth",
    "FLAGS_benchmark": False,
    "FLAGS_conv_workspace_size_limit": 512,
    "FLAGS_cudnn_deterministic": True,  # results are deterministic always
    "FLAGS_cudnn_exhaustive_search": False,
    "FLAGS_eager_delete_tensor_gb": 0.0,
    "FLAGS_embedding_deterministic": 1,
    "FLAGS_fraction_of_gpu_memory_to_use": 0.92,
    "FLAGS_gpu_memory_limit_mb": 0,
    "FLAGS_use_stride_kernel": True,
}
_CHECK, _LEVEL = "FLAGS_check_nan_inf", "FLAGS_check_nan_inf_level"
_DEFAULTS = {_CHECK: False, _LEVEL: 0, **_WITHOUT_EFFECT}
_KEPT = "flags"  # in the session


def set_flags(flags: dict[str, Any]) -> None:
    """Set global flags by name.

    `FLAGS_check_nan_inf` looks for NaN and infinity in what every op gives: at `FLAGS_check_nan_inf_level` 0 the first
    is an error, at 1 a line is printed, at 2 float32 values beyond float16's range are, at 3 every output (see
    `paddlite.amp.debugging`). Flags of Paddle's memory pools and of cuDNN are kept without effect.

    Raises:
        ValueError: a name that is no flag here.
        TypeError: `flags` is no dict.

    >>> import paddlite as paddle
    >>> paddle.set_flags({"FLAGS_check_nan_inf": True})
    >>> paddle.get_flags("FLAGS_check_nan_inf")
    {'FLAGS_check_nan_inf': True}
    >>> paddle.set_flags({"FLAGS_check_nan_inf": False})
    """
    if not isinstance(flags, dict):
        raise TypeError(f"set_flags: want a dict of flags, got {type(flags).__name__}")
    for name in flags:
        _known(name, "set")
    kept = current().session.setdefault(_KEPT, dict(_DEFAULTS))
    kept.update({name: type(_DEFAULTS[name])(value) for name, value in flags.items()})
    if _CHECK not in flags and _LEVEL not in flags:
        return
    if kept[_CHECK]:
        levels = [*debugging.DebugMode]
        mode = levels[min(kept[_LEVEL], len(levels) - 1)]
        debugging.enable_tensor_checker(debugging.TensorCheckerConfig(True, mode))
    else:
        debugging.disable_tensor_checker()


def get_flags(flags: str | Iterable[str]) -> dict[str, Any]:
    """The values of flags, by name.

    Raises:
        ValueError: a name that is no flag here.
    """
    kept = current().session.get(_KEPT, _DEFAULTS)
    names = [flags] if isinstance(flags, str) else list(flags)
    return {name: kept[_known(name, "get")] for name in names}


def _known(name: str, verb: str) -> str:
    if name not in _DEFAULTS:
        raise InvalidArgument(f"{verb}_flags: there is no flag {name!r}; known are {', '.join(sorted(_DEFAULTS))}")
    return name
