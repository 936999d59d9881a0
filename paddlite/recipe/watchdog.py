"""Noticing that a run stands still: no step ends any more, but no process dies either.

Under paddlite's launcher a rank only shows that it is alive (`logs/rank0000.alive` is touched), and the launcher judges
(see `launch/stall.py`).  A process that nobody watches, alone or under another launcher, judges itself.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TextIO

from paddlite.backend.world import WORLD
from paddlite.recipe import codes, stacks
from paddlite.recipe.backstop import Backstop

_FOR_OTHERS = 5.0  # seconds for the other ranks to write their stacks
_DEBUGGERS = ("/pdb.py", "/bdb.py", "/pydevd.py", "/debugpy/")


def alive_path(logs: Path, rank: int) -> Path:
    """The file by which a rank shows that its steps end."""
    return logs / f"rank{rank:04d}.alive"


def this_system() -> str:
    """What tells whether two processes can see each other: host name, boot, and name space of process ids.

    Host names alone are not enough: hosts of a cluster may all be called alike, and containers share one.
    """
    parts = [os.uname().nodename]
    with contextlib.suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        parts.append(str(os.stat("/proc/self/ns/pid").st_ino))
    return "/".join(parts)


def warn_after(timeout: float) -> float:
    """Seconds of silence after which there is a warning."""
    return min(60.0, timeout / 2)


class Watchdog:
    """While entered, the steps of this process are watched: each is a `beat()`.

    An optimizer's step, a run of an Executor and a batch of a DataLoader are beats by themselves.  Time in which the
    process is stopped (Ctrl-Z, a suspended job) or a debugger waits for the user does not count.

    Args:
        timeout: seconds without a beat after which the run is ended with exit code 70; 0 for never.
    """

    def __init__(self, run: Path, rank: int, timeout: float):
        self.timeout = timeout
        self._logs, self._rank = run / "logs", rank
        self._stop = threading.Event()
        self._watched_by = os.environ.get("PADDLITE_WATCHED_BY")  # the system of our launcher
        self._backstop: Backstop | None = None
        self._file: TextIO | None = None
        self._thread = threading.Thread(target=self._watch, name="paddlite-watchdog", daemon=True)
        self._on_pause: signal.Handlers | None = None

    def __enter__(self) -> Watchdog:
        if self.timeout > 0:
            if self._watched_by is None:
                self._backstop = Backstop(codes.LOST)
                self._pause_when_stopped()
            self._arm(0.0)  # native code may take the interpreter before the thread has run once
            self._touch()
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        if self.timeout > 0:
            faulthandler.cancel_dump_traceback_later()
            if self._backstop is not None:
                self._backstop.delete()
            if self._on_pause is not None:
                signal.signal(signal.SIGTSTP, self._on_pause)
            if self._file is not None:
                self._file.close()
            alive_path(self._logs, self._rank).unlink(missing_ok=True)

    def beat(self) -> None:
        """Note that the run is alive."""
        WORLD.beats += 1

    def _touch(self) -> None:
        with contextlib.suppress(OSError):  # a full disk
            alive_path(self._logs, self._rank).touch()

    def _watch(self) -> None:
        pause = min(1.0, self.timeout / 20)
        seen, silent, warned, touched = WORLD.beats, 0.0, False, 0.0
        last = time.monotonic()
        while not self._stop.wait(pause):
            now = time.monotonic()
            silent += min(now - last, 2 * pause)  # where it was longer, the process was stopped
            last = now
            if WORLD.beats != seen or _debugged():
                seen, silent, warned = WORLD.beats, 0.0, False
                if now - touched >= self.timeout / 40:
                    touched = now
                    self._touch()
            if self._watched_by is None and silent > self.timeout:
                self._end(silent)
            self._arm(silent)
            if self._watched_by is None and silent > warn_after(self.timeout) and not warned:
                warned = True
                self._say(f"no step has ended for {silent:.0f} s; at {self.timeout:g} s the run is stopped")

    def _arm(self, silent: float) -> None:
        """Set what acts where native code holds the interpreter, and with it this thread."""
        left = self.timeout - silent
        if self._backstop is not None:
            self._backstop.set(left + 1.0)
            if sys.__stderr__ is not None:
                faulthandler.dump_traceback_later(left + 1.0, file=sys.__stderr__)
        elif self._watched_by != this_system() and left > 0:
            # The launcher, on another host, cannot send the signal that asks for stacks: write them in time.
            if self._file is None:
                self._file = stacks.path_of(self._logs, self._rank).open("a")
            faulthandler.dump_traceback_later(left, file=self._file)

    def _pause_when_stopped(self) -> None:
        """Let no timer run while the process is stopped: it would go off at once when the process goes on."""

        def pause(number: int, frame: FrameType | None) -> None:
            self._disarm()
            os.kill(os.getpid(), signal.SIGSTOP)  # here the process stands; the thread sets the timers afterwards

        here = threading.current_thread() is threading.main_thread()
        if here and signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL:
            self._on_pause = signal.signal(signal.SIGTSTP, pause)  # type: ignore[assignment]

    def _say(self, text: str) -> None:
        print(f"paddlite: rank {self._rank}: {text}", file=sys.stderr, flush=True)

    def _end(self, silent: float) -> None:
        """Tell where all ranks are, and leave."""
        from paddlite.launch import records
        from paddlite.recipe import status

        self._disarm()
        if self._backstop is not None:
            self._backstop.set(2 * _FOR_OTHERS)  # native code may take the interpreter again, now
        with stacks.path_of(self._logs, self._rank).open("a") as file:
            faulthandler.dump_traceback(file, all_threads=True)
        ranks = len(records.read(self._logs, "start")) or 1
        if self._rank == 0:  # the others stall at the same time, and write down where they are
            _wait(_FOR_OTHERS, lambda: all(stacks.written(self._logs, rank) for rank in range(ranks)))
            lines, to_blame = stacks.told(self._logs, ranks)
            print("\n".join(["paddlite: where each rank is:", *lines]), file=sys.stderr, flush=True)
        else:
            to_blame = [self._rank]
            _wait(_FOR_OTHERS + 1.0, lambda: bool(records.read(self._logs, "exit")))
        text = f"no step ended for {silent:.0f} s (stall_timeout); the stacks are in {self._logs}"
        blamed = (to_blame or [0])[0]
        print(f"paddlite: rank {blamed} stalled: {text}", file=sys.stderr, flush=True)
        records.write_exit(self._logs, blamed, "stalled", codes.LOST, text)
        status.ended(self._logs.parent, codes.LOST, blamed, text)
        os._exit(codes.LOST)

    def _disarm(self) -> None:
        faulthandler.cancel_dump_traceback_later()
        if self._backstop is not None:
            self._backstop.set(0)


def _wait(seconds: float, ready: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not ready():
        time.sleep(0.02)


def _debugged() -> bool:
    """True where the main thread is in a debugger: it waits for its user, not for another rank."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None:
        if any(part in frame.f_code.co_filename for part in _DEBUGGERS):
            return True
        frame = frame.f_back
    return False
