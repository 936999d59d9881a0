"""One run writes to a folder at a time: a second `--resume` of a run that is still going is refused."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from paddlite.recipe.errors import StorageError, writing_to


@contextlib.contextmanager
def held(run: Path, seconds: float = 10.0) -> Iterator[None]:
    """Hold the folder `run` for this process; the system lets go of it when the process ends in any way.

    Args:
        seconds: how long to wait for another, which may just be ending.

    Raises:
        StorageError: another process holds it, or the folder cannot be written to.
    """
    with _locked(run, seconds) as handle:
        with contextlib.suppress(OSError):  # a full disk: the lock holds without the text
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()} on {os.uname().nodename}\n".encode(), 0)
        yield


def wait_until_free(run: Path, seconds: float = 10.0) -> None:
    """See that no process holds the folder `run`, before anything in it is touched.

    Raises:
        StorageError: as for `held`.
    """
    with _locked(run, seconds):
        pass


@contextlib.contextmanager
def _locked(run: Path, seconds: float) -> Iterator[int]:
    with writing_to(run):
        handle = os.open(run / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if not _taken(handle, seconds):
            said = os.pread(handle, 200, 0).decode(errors="replace").strip()
            raise StorageError(f"{run} is in use by {said or 'another process'}; wait for its end, or stop it first")
        yield handle
    finally:
        os.close(handle)


def _taken(handle: int, seconds: float) -> bool:
    """True once the lock is ours; also where the file system knows no locks."""
    try:
        import fcntl
    except ImportError:  # not on this system
        return True
    end, pause = time.monotonic() + seconds, 0.01
    while True:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except (BlockingIOError, PermissionError):  # which of them, the system chooses
            if time.monotonic() > end:
                return False
        except OSError:
            return True
        time.sleep(pause)
        pause = min(0.2, pause * 2)
