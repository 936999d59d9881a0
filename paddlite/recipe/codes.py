"""Exit codes of runs, and what signals mean; the launcher and the commands use them too."""

from __future__ import annotations

import signal

OK = 0
ERROR = 1
USAGE = 64  # a recipe or a command line that cannot be used
UNAVAILABLE = 69  # MPI or a device is missing
LOST = 70  # a rank stalled, or ended without a word
STORAGE = 74  # a file of the run cannot be written, or no checkpoint can be read
STOPPED = 75  # stopped on request after a checkpoint: run it again with --resume
MISMATCH = 78  # mpiexec and the MPI library of mpi4py differ
INTERRUPTED = 130
FINAL = (OK, USAGE, STORAGE, STOPPED, INTERRUPTED)  # another start would end in the same way, or is not wanted


def of_signal(number: int) -> int:
    """The exit code of a process that a signal ended, as shells count."""
    return 128 + number


def describe(code: int) -> str:
    """What an exit code means, where it has a meaning."""
    if code > 128:
        try:
            name = signal.Signals(code - 128).name
        except ValueError:
            return f"exit code {code}"
        hint = {"SIGKILL": ", often the system out of memory", "SIGSEGV": ", a crash in native code"}.get(name, "")
        return f"killed by {name}{hint}"
    meanings = {
        LOST: "lost or stalled",
        STORAGE: "cannot write or read a file of the run",
        STOPPED: "stopped after a checkpoint",
        MISMATCH: "mpiexec and mpi4py use different MPI libraries",
    }
    return meanings.get(code, f"exit code {code}")
