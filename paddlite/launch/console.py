"""What the ranks print, on its way to the user's console."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
from typing import BinaryIO

# mpiexec complains in blocks between two rules, of "=" (MPICH) or "-" (Open MPI), which begin with words of these;
# what it says besides is known line by line.  A rule alone may be the user's, of a table for instance.
_RULE = re.compile(rb"(={60,}|-{60,})\s*$")
_FIRST = re.compile(
    rb"= +BAD TERMINATION|MPI_ABORT was invoked|(prterun|mpirun|mpiexec)\b.*(noticed|exited|detected|process)|"
    rb"Primary job +terminated|A call to MPI|This help section"
)
_LINE = re.compile(
    rb"YOUR APPLICATION TERMINATED WITH THE EXIT|This typically refers to a problem with your application|"
    rb"Please see the FAQ page for debugging|Abort\(\d+\) on node|application called MPI_Abort|In: PMI_Abort|"
    rb"\[proxy:\d|\[mpiexec@|\[warn\] Epoll|\x00+\s*$|(prterun|mpirun|mpiexec)\b.*(Forwarding signal|killed by)"
)


def say(text: str) -> None:
    """Tell the user something, if there is still someone who listens; details are the lines that are indented."""
    lines = [line if line.startswith(" ") else f"paddlite.launch: {line}" for line in text.splitlines()]
    with contextlib.suppress(OSError, ValueError):
        print("\n".join(lines), file=sys.stderr, flush=True)


class Forward(threading.Thread):
    """Passes on what comes out of a pipe, keeping mpiexec's own complaints for the log.

    The launcher says in its own words how a run ended; a second report by mpiexec, which knows process ids but no
    ranks, only hides it.
    """

    def __init__(self, source: int, sink: BinaryIO, log: BinaryIO):
        super().__init__(daemon=True)
        self._source, self._sink, self._log = source, sink, log
        self.complaints: list[bytes] = []
        self._held = b""  # blank lines and a rule, until it is known whose they are
        self._block: bytes | None = None  # the sign of the rule that ends the block we are in
        self._inside = False  # the last that was written was no whole line

    def run(self) -> None:
        rest = b""
        while True:
            try:
                chunk = os.read(self._source, 65536)
            except OSError:
                break
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._line(line + b"\n")
            held = self._block is not None or self._held.strip() or _begins_a_complaint(rest)
            if rest and not held:
                self._write(rest)  # a progress bar waits for no newline
                self._inside = True
                rest = b""
        if rest:
            self._line(rest)
        if not self.complaints:
            self._write(b"")
        os.close(self._source)

    def _line(self, line: bytes) -> None:
        rule = _RULE.match(line)
        if self._inside:
            self._write(line)
            self._inside = False
        elif self._block is not None:
            self._keep(line)
            if rule and line[:1] == self._block:
                self._block = None
        elif self._held.strip() and _FIRST.match(line):
            self._block = self._held.strip()[:1]
            self._keep(self._held.lstrip() + line)
            self._held = b""
        elif _LINE.match(line):
            self._held = self._held.rstrip(b"\n")
            self._keep(line)
        elif rule or not line.strip():
            if self._held.strip():
                self._write(b"")
            self._held += line
        else:
            self._write(line)

    def _keep(self, line: bytes) -> None:
        self.complaints.append(line)
        with contextlib.suppress(OSError):  # a full disk
            self._log.write(line)
            self._log.flush()

    def _write(self, data: bytes) -> None:
        """Pass on what was held back, and `data`."""
        data, self._held = self._held + data, b""
        try:
            self._sink.write(data)
            self._sink.flush()
        except (OSError, ValueError):
            pass  # the console is gone; the run goes on

    def text(self) -> str:
        """mpiexec's own words."""
        return b"".join(self.complaints).decode(errors="replace")


def _begins_a_complaint(rest: bytes) -> bool:
    """True where what has no end of line yet may turn out to be mpiexec's."""
    return rest[:1] in b"=-[\x00" or _LINE.match(rest) is not None or _FIRST.match(rest) is not None
