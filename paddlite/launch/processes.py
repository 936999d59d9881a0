"""Processes on Linux: who descends from whom, dying with a parent, adopting orphans."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import time
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def _prctl(option: int, value: int) -> bool:
    try:
        return ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) == 0
    except (OSError, AttributeError):
        return False


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Let the kernel send this process `number` when its parent is gone."""
    _prctl(_PR_SET_PDEATHSIG, number)


def unname_shared_memory() -> None:
    """Remove the names of the memory that MPICH shares on this host: it lasts as long as its processes, killed or not.

    MPICH keeps the name until `MPI_Finalize`, so that each run that is killed would leave megabytes in /dev/shm.
    """
    try:
        mapped = Path("/proc/self/maps").read_text()
    except OSError:
        return
    for path in set(re.findall(r"(/dev/shm/mpich_shm_\w+)$", mapped, re.MULTILINE)):
        Path(path).unlink(missing_ok=True)


def die_with_caller() -> None:
    """Where `paddle.distributed.spawn` started this launcher: end with the process that called it."""
    caller = os.environ.pop("PADDLITE_PARENT", None)
    if caller is not None:
        die_with_parent()
        if os.getppid() != int(caller):
            os._exit(128 + signal.SIGKILL)  # it is gone already


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _parents() -> dict[int, int]:
    """Parent by process id, zombies left out."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if fields[0] != "Z":
            found[int(entry.name)] = int(fields[1])
    return found


def state(pid: int) -> str:
    """The letter by which Linux tells how a process is: R, S, D, T (stopped), Z; empty where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (OSError, IndexError):
        return ""


def alive(pid: int) -> bool:
    """True where the process has not ended."""
    return state(pid) not in ("", "Z", "X")


def descendants(root: int) -> list[int]:
    """Living processes below `root`, parents before children."""
    children: dict[int, list[int]] = {}
    for pid, parent in _parents().items():
        children.setdefault(parent, []).append(pid)
    found, stack = [], [root]
    while stack:
        for pid in children.get(stack.pop(), []):
            found.append(pid)
            stack.append(pid)
    return found


def kill_descendants(root: int, seconds: float = 5.0) -> None:
    """SIGKILL everything below `root`, again until nothing is left (a process may be forking).

    Nothing must be found twice: where a parent dies while processes are being listed, its children seem to be nobody's.
    """
    end, empty = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        alive = descendants(root)
        empty = 0 if alive else empty + 1
        if empty == 2:
            reap()
            return
        for pid in alive:
            send(pid, signal.SIGKILL)
        reap()
        time.sleep(0.01)


def kill_orphans(but: int) -> None:
    """SIGKILL everything below this process, save the child `but` and what descends from it."""
    kept = {but, *descendants(but)}
    for pid in descendants(os.getpid()):
        if pid not in kept:
            send(pid, signal.SIGKILL)
    # The children of this process that ended are left for whoever waits for `but`.


def send(pid: int, number: int) -> bool:
    """Send a signal; False where the process is gone."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def send_to_main_thread(pid: int, number: int) -> None:
    """Send a signal that the main thread handles before anything else, also where the process is stopped now.

    What is sent to a process may be handled by any of its threads, while the main one goes on.
    """
    try:
        ctypes.CDLL(None).tgkill(pid, pid, number)
    except (OSError, AttributeError):  # a C library without it
        send(pid, number)


def reap() -> None:
    """Collect children that have ended."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                return
        except ChildProcessError:
            return
