"""Tell glibc to keep freed memory, so that fresh NumPy arrays do not page-fault on every step."""

from __future__ import annotations

import ctypes
import os
import sys

_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD = -1, -2, -3
_SETTINGS = ((_M_MMAP_THRESHOLD, 1 << 30), (_M_TRIM_THRESHOLD, 2**31 - 1), (_M_TOP_PAD, 64 << 20))

OPT_OUT = "PADDLITE_NO_MALLOPT"


def tune() -> bool:
    """Apply the settings; True where glibc took them.

    glibc hands blocks over 128 KiB back to the system when they are freed, and each new one is then faulted in
    page by page: a third of a Transformer step.  Set PADDLITE_NO_MALLOPT=1 to leave the allocator alone.
    """
    if not sys.platform.startswith("linux") or os.environ.get(OPT_OUT, "0") not in ("", "0"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return all(mallopt(option, value) == 1 for option, value in _SETTINGS)
