"""The guard: a small process between the launcher and mpiexec that leaves nothing behind.

It adopts every orphan below it.  When mpiexec ends, or the launcher is gone (its end of a pipe closes), or it is told
to, it kills whatever still lives below it.  So neither a SIGKILL of the launcher nor a rank's children survive a run.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
from typing import NoReturn

from paddlite.launch import processes


class Guard:
    """Handle of the launcher on its guard."""

    def __init__(self, command: list[str], env: dict[str, str], stdout: int, stderr: int):
        control_read, self._control = os.pipe()
        self._status, status_write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._control)
            os.close(self._status)
            _guard(command, env, control_read, status_write, stdout, stderr)
        os.close(control_read)
        os.close(status_write)
        self.code: int | None = None

    def tell(self, word: bytes) -> None:
        """Send a request.

        Args:
            word: b"t" to pass SIGTERM on to mpiexec, b"o" to kill orphans (what a rank left behind holds the pipes
                that mpiexec reads to their end), b"k" to kill everything.
        """
        with contextlib.suppress(OSError):  # it may have ended
            os.write(self._control, word)

    def wait(self, seconds: float) -> bool:
        """Wait for mpiexec to end and all below it to be gone; False where the time passed first."""
        if self.code is not None:
            return True
        if not select.select([self._status], [], [], max(0.0, seconds))[0]:
            return False
        said = os.read(self._status, 16)
        self.code = int(said) if said else 128 + signal.SIGKILL  # the guard itself was killed
        if not said:
            processes.kill_descendants(os.getpid())
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        return True


def _guard(command: list[str], env: dict[str, str], control: int, status: int, stdout: int, stderr: int) -> NoReturn:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
        signal.signal(number, signal.SIG_IGN)
    os.setsid()
    processes.adopt_orphans()
    code = 1
    try:
        mpiexec = subprocess.Popen(
            command,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            preexec_fn=_before_exec,
            pass_fds=(),
        )
        os.close(stdout)
        os.close(stderr)
        code = _watch(mpiexec, control)
    finally:
        processes.kill_descendants(os.getpid())
        with contextlib.suppress(OSError):
            os.write(status, str(code).encode())
        os._exit(0)


def _before_exec() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
        signal.signal(number, signal.SIG_DFL)
    processes.die_with_parent(signal.SIGTERM)


def _watch(mpiexec: subprocess.Popen, control: int) -> int:
    """Wait for the end of mpiexec, for a request, or for the launcher to be gone."""
    pause = 0.005
    while mpiexec.poll() is None:
        if select.select([control], [], [], pause)[0]:
            word = os.read(control, 1)
            if word == b"t":
                mpiexec.terminate()
            elif word == b"o":
                processes.kill_orphans(mpiexec.pid)
            else:  # b"k", or the launcher is gone
                mpiexec.kill()
                processes.kill_descendants(os.getpid())
                mpiexec.wait()
                break
        pause = min(0.05, pause * 1.5)
    code = mpiexec.returncode
    return 128 - code if code < 0 else code
