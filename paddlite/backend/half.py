"""Between float16 and float32 on the host.

NumPy converts element by element, 1.4 to 2.7 ns each; AMP on a CPU spends most of its time there.  Where there is a C
compiler, a loop over the processor's own conversion (F16C on x86, part of ARMv8) does it, with the same bits.
"""

from __future__ import annotations

import functools
import platform
from collections.abc import Callable

import numpy as np

from paddlite.backend import cjit
from paddlite.backend.dtypes import F16, F32

LEAST = 1 << 10  # elements: below it the call costs more than it saves

_SOURCE = """
#if defined(__F16C__)
#include <immintrin.h>
void widen(long n, const unsigned short *restrict x, float *restrict y) {
    long i = 0;
    for (; i + 8 <= n; i += 8) _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i))));
    for (; i < n; i++) y[i] = _cvtsh_ss(x[i]);
}
void narrow(long n, const float *restrict x, unsigned short *restrict y) {
    long i = 0;
    for (; i + 8 <= n; i += 8) _mm_storeu_si128((__m128i *)(y + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), 0));
    for (; i < n; i++) y[i] = _cvtss_sh(x[i], 0);
}
#elif defined(__aarch64__)
void widen(long n, const __fp16 *restrict x, float *restrict y) { for (long i = 0; i < n; i++) y[i] = x[i]; }
void narrow(long n, const float *restrict x, __fp16 *restrict y) { for (long i = 0; i < n; i++) y[i] = (__fp16)x[i]; }
#else
#error "no conversion in hardware"
#endif
"""


@functools.cache
def _loops() -> tuple[Callable, Callable] | None:
    """The two loops of the library, or None where it cannot be had."""
    if platform.machine() not in ("x86_64", "AMD64", "aarch64", "arm64") or not _has_f16c():
        return None
    library = cjit.library(_SOURCE)
    if library is None:
        return None
    import ctypes

    for loop in (library.widen, library.narrow):
        loop.argtypes = [ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_void_p]
        loop.restype = None
    return library.widen, library.narrow


def _has_f16c() -> bool:
    if platform.machine() not in ("x86_64", "AMD64"):
        return True
    try:
        with open("/proc/cpuinfo") as lines:
            return any(" f16c " in f"{line.rstrip()} " for line in lines if line.startswith("flags"))
    except OSError:
        return False


def widened(array: np.ndarray) -> np.ndarray:
    """A float16 array in float32, in the same memory order."""
    return _converted(array, F32, 0)


def narrowed(array: np.ndarray) -> np.ndarray:
    """A float32 array rounded to float16, in the same memory order; what is too large becomes infinite."""
    return _converted(array, F16, 1)


def _converted(array: np.ndarray, dtype: np.dtype, which: int) -> np.ndarray:
    if array.size < LEAST or not _dense(array) or (loops := _loops()) is None:
        return array.astype(dtype)
    out = np.empty_like(array, dtype)
    loops[which](array.size, array.__array_interface__["data"][0], out.__array_interface__["data"][0])
    return out


def _dense(array: np.ndarray) -> bool:
    """True where the elements fill one piece of memory, in whatever order of axes."""
    if array.flags.forc:
        return True
    size = array.itemsize
    for stride, count in sorted(zip(array.strides, array.shape)):
        if count != 1 and stride != size:
            return False
        size *= count
    return True


def cast(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """`array.astype(dtype)`, the fast way between float16 and float32."""
    if array.dtype == F16 and dtype == F32:
        return widened(array)
    if array.dtype == F32 and dtype == F16:
        return narrowed(array)
    return array.astype(dtype)
