"""What a rank prints: to its log, and for rank 0 (or all, where that is asked for) to the console."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paddlite.launch import records
from paddlite.recipe import stacks


class Tee:
    """A text stream that writes to the console and to the rank's log."""

    def __init__(self, console: Any, log: Any):
        self._console, self.log = console, log

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):  # a full disk: the console still says it
            self.log.write(text)
        return self._console.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self.log.flush()
        self._console.flush()

    def finish(self) -> None:
        """Write what has no end of line yet."""
        with contextlib.suppress(OSError):
            self.log.flush()
        getattr(self._console, "finish", self._console.flush)()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._console, name)


class Numbered:
    """A text stream on which each line begins with the number of the rank; a line is written as a whole."""

    def __init__(self, console: Any, rank: int):
        self._console, self._head, self._rest = console, f"[{rank}] ", ""

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        if lines:
            self._console.write("".join(f"{self._head}{line}\n" for line in lines))
        return len(text)

    def flush(self) -> None:
        self._console.flush()

    def finish(self) -> None:
        """Write what has no end of line yet."""
        if self._rest:
            self.write("\n")
        self.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._console, name)


def redirect(logs: Path, rank: int, show_all: bool) -> None:
    """Rank 0 writes to the console and its log, the others to their logs alone, unless all are to be shown."""
    log = records.log_path(logs, rank).open("a", buffering=1, errors="replace")
    out, error = sys.stdout, sys.stderr
    if show_all:
        out, error = Numbered(out, rank), Numbered(error, rank)  # type: ignore[assignment]
    elif rank != 0:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    if show_all or rank == 0:
        sys.stdout, sys.stderr = Tee(out, log), Tee(error, log)  # type: ignore[assignment]
    faulthandler.enable(log)
    stacks.on_signal(logs, rank)


def note(trace: str) -> None:
    """Put down how this rank fails: in its log, and on the console unless our launcher shows it there, last of all."""
    if isinstance(sys.stderr, Tee) and "PADDLITE_WATCHED_BY" in os.environ:
        with contextlib.suppress(OSError):
            sys.stderr.log.write(trace)
    else:
        print(trace, end="", file=sys.stderr)


def finish() -> None:
    """Write what a rank has printed so far."""
    for stream in (sys.stdout, sys.stderr):
        stream.finish() if isinstance(stream, Tee) else stream.flush()


@contextmanager
def logged(logs: Path) -> Iterator[Any]:
    """While entered, what the one process of a run prints goes to its log too, which is given."""
    before = sys.stdout, sys.stderr
    dumps = stacks.on_signal(logs, 0)
    with records.log_path(logs, 0).open("a", buffering=1, errors="replace") as log:
        sys.stdout, sys.stderr = Tee(sys.stdout, log), Tee(sys.stderr, log)  # type: ignore[assignment]
        try:
            yield log
        finally:
            sys.stdout, sys.stderr = before
            stacks.off_signal(dumps)
            stacks.clear(logs, empty_only=True)
