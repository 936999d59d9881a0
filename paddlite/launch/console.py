"""What the ranks print, on its way to the user's console."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from typing import BinaryIO

_BANNER = re.compile(
    rb"^(=+$|= +(BAD TERMINATION|PID |EXIT CODE|CLEANING UP|YOU CAN IGNORE|KILLED BY|RANK )|"
    rb"YOUR APPLICATION TERMINATED|This typically refers|Please see the FAQ|=*\s*$|"
    rb"Abort\(\d+\) on node|application called MPI_Abort|In: PMI_Abort|\[proxy:|\[mpiexec@|-{20,}|"
    rb"MPI_ABORT was invoked|with errorcode|NOTE: invoking MPI_ABORT|You may or may not see|prterun|Primary job)"
)


class Forward(threading.Thread):
    """Passes on what comes out of a pipe, keeping mpiexec's own complaints for the log.

    The launcher says in its own words how a run ended; a second report by mpiexec, which knows process ids but no
    ranks, only hides it.
    """

    def __init__(self, source: int, sink: BinaryIO, log: BinaryIO):
        super().__init__(daemon=True)
        self._source, self._sink, self._log = source, sink, log
        self.complaints: list[bytes] = []

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
                self._pass_on(line + b"\n")
            if rest and not _BANNER.match(rest):  # a progress bar waits for no newline
                self._write(rest)
                rest = b""
        if rest:
            self._pass_on(rest)
        os.close(self._source)

    def _pass_on(self, line: bytes) -> None:
        if _BANNER.match(line) and line.strip():
            self.complaints.append(line)
            with contextlib.suppress(OSError):  # a full disk
                self._log.write(line)
                self._log.flush()
        else:
            self._write(line)

    def _write(self, data: bytes) -> None:
        try:
            self._sink.write(data)
            self._sink.flush()
        except (OSError, ValueError):
            pass  # the console is gone; the run goes on

    def text(self) -> str:
        """mpiexec's own words."""
        return b"".join(self.complaints).decode(errors="replace")
