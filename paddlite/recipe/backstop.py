"""What ends a process whose interpreter no longer runs: timers that the C library serves by itself.

A thread of Python is of no use where native code holds the interpreter's lock.  A POSIX timer is: at its end the C
library calls a function of its own, or sends a signal whose handler (faulthandler's) needs no lock.
"""

from __future__ import annotations

import ctypes
import signal

_MONOTONIC, _BY_SIGNAL, _BY_FUNCTION = 1, 0, 2


class _Event(ctypes.Structure):
    """`struct sigevent` of Linux: 64 bytes, of which a function takes the place behind `notify`."""

    _fields_ = [
        ("value", ctypes.c_void_p),
        ("number", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("rest", ctypes.c_char * 32),
    ]


class _Setting(ctypes.Structure):
    """`struct itimerspec`."""

    _fields_ = [(n, ctypes.c_long) for n in ("every_s", "every_ns", "s", "ns")]


class Timer:
    """A timer of this process; where the system has none, one that does nothing."""

    def __init__(self, event: _Event, libc: ctypes.CDLL):
        self._libc, self._event = libc, event
        self._id = ctypes.c_void_p()
        self._made = libc.timer_create(_MONOTONIC, ctypes.byref(event), ctypes.byref(self._id)) == 0

    def set(self, seconds: float) -> None:
        """Go off in `seconds`, whatever was set before; never where it is 0."""
        if self._made:
            whole = int(seconds)
            setting = _Setting(0, 0, whole, int((seconds - whole) * 1e9))
            self._libc.timer_settime(self._id, 0, ctypes.byref(setting), None)

    def delete(self) -> None:
        if self._made:
            self._libc.timer_delete(self._id)
            self._made = False


class Backstop:
    """Writes the stacks (`SIGUSR2`, see `recipe/stacks.py`) and ends the process with `code`, a second later.

    Where nothing calls `set` again before the time is up.  It does not count while it is not set.
    """

    def __init__(self, code: int):
        self._timers: list[Timer] = []
        try:
            libc = ctypes.CDLL(None)
            leave = ctypes.cast(libc._exit, ctypes.c_void_p)
            self._timers = [
                Timer(_Event(None, signal.SIGUSR2, _BY_SIGNAL), libc),
                Timer(_Event(code, 0, _BY_FUNCTION, leave), libc),
            ]
        except (OSError, AttributeError):
            pass  # a C library without them: the thread of the watchdog is all there is

    def set(self, seconds: float) -> None:
        """Act in `seconds`, unless told otherwise before; never where it is 0."""
        for delay, timer in enumerate(self._timers):
            timer.set(seconds + delay if seconds else 0)

    def delete(self) -> None:
        for timer in self._timers:
            timer.delete()
