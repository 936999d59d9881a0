"""Row 3: mixed precision: the guard, loss scaling, and networks in half precision."""

from __future__ import annotations

from paddlite.amp import amp_lists, debugging
from paddlite.amp.auto_cast import (
    amp_guard,
    auto_cast,
    get_autocast_cpu_dtype,
    get_autocast_dtype,
    get_autocast_gpu_dtype,
    is_autocast_enabled,
    is_bfloat16_supported,
    is_float16_supported,
)
from paddlite.amp.decorate import amp_decorate, decorate
from paddlite.amp.grad_scaler import AmpScaler, GradScaler

__all__ = [
    "AmpScaler",
    "GradScaler",
    "amp_decorate",
    "amp_guard",
    "amp_lists",
    "auto_cast",
    "debugging",
    "decorate",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_enabled",
    "is_bfloat16_supported",
    "is_float16_supported",
]
