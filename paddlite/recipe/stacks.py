"""Where each rank is: its Python stacks, written on request and told on the console."""

from __future__ import annotations

import faulthandler
import re
import signal
from pathlib import Path
from typing import TextIO

_FRAME = re.compile(r'\s*File "(?P<file>.*)", line \d+ in ')
_OWN = re.compile(r"paddlite/launch/|<frozen runpy>|/runpy\.py$")
_EXCHANGE = re.compile(r"paddlite/distributed/|/mpi4py/")
_LONGEST = 12


def path_of(logs: Path, rank: int) -> Path:
    """The file of a rank's stacks."""
    return logs / f"rank{rank:04d}.stacks.txt"


def on_signal(logs: Path, rank: int) -> TextIO:
    """From now on SIGUSR2 writes the stacks of all threads of this process to its file, whatever it is doing.

    The handler is C's: it works where native code holds the interpreter.  Gives the file.
    """
    file = path_of(logs, rank).open("a")
    faulthandler.register(signal.SIGUSR2, file, all_threads=True)
    return file


def off_signal(file: TextIO) -> None:
    """From now on SIGUSR2 does what it did before; the file is closed."""
    faulthandler.unregister(signal.SIGUSR2)
    file.close()


def clear(logs: Path, empty_only: bool = False) -> None:
    """Remove the files of stacks, or those in which there is none."""
    for path in logs.glob("rank*.stacks.txt"):
        if not empty_only or path.stat().st_size == 0:
            path.unlink(missing_ok=True)


def written(logs: Path, rank: int) -> bool:
    """True once there are stacks of this rank."""
    try:
        return path_of(logs, rank).stat().st_size > 0
    except OSError:
        return False


def main_thread(text: str) -> list[str]:
    """The frames of the main thread in the last dump of a file, the innermost first; without the launcher's own."""
    frames: list[str] = []
    for line in text.splitlines():
        if "most recent call first" in line:
            frames = []  # the main thread is the last of a dump
        elif (found := _FRAME.match(line)) and not _OWN.search(found["file"]):
            frames.append(line.strip())
    return frames


def waits_for_others(frames: list[str]) -> bool:
    """True where the rank is inside an exchange with the others: it is not the one to blame."""
    found = _FRAME.match(frames[0]) if frames else None
    return found is not None and _EXCHANGE.search(found["file"]) is not None


def told(logs: Path, ranks: int, stopped: frozenset[int] = frozenset()) -> tuple[list[str], list[int]]:
    """What to say of where the ranks are, and which of them wait for no other.

    Args:
        stopped: ranks whose process had been stopped (SIGSTOP).
    """
    lines, to_blame = [], []
    for rank in range(ranks):
        try:
            frames = main_thread(path_of(logs, rank).read_text(errors="replace"))
        except OSError:
            frames = []
        how = ", whose process was stopped (SIGSTOP)" if rank in stopped else ""
        if not frames:
            lines.append(f"  rank {rank}{how}: no stack could be had")
            to_blame.append(rank)
            continue
        if waits_for_others(frames) and not how:
            how = ", which waits for the others"
        else:
            to_blame.append(rank)
        lines.append(f"  rank {rank}{how}, most recent call first:")
        lines += [f"    {frame}" for frame in frames[:_LONGEST]]
        if len(frames) > _LONGEST:
            lines.append(f"    and {len(frames) - _LONGEST} more, see {path_of(logs, rank)}")
    return lines, sorted(set(to_blame) & stopped) + [r for r in to_blame if r not in stopped]
