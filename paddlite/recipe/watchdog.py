"""A thread that notices when no step ends any more, writes down where every thread is, and ends the run."""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
import time
from pathlib import Path

STALLED = 70


class Watchdog:
    """Call `beat()` at each sign of life; after `timeout` seconds without one the process ends with exit code 70.

    The stacks go to `logs/rank0000.stacks.txt` and the last lines to the log.
    """

    def __init__(self, run: Path, rank: int, timeout: float):
        self.timeout = timeout
        self._path = run / "logs" / f"rank{rank:04d}.stacks.txt"
        self._rank = rank
        self._last = time.monotonic()
        self._stop = threading.Event()
        self._warned = False
        self._thread = threading.Thread(target=self._watch, name="paddlite-watchdog", daemon=True)

    def __enter__(self) -> Watchdog:
        if self.timeout > 0:
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def beat(self) -> None:
        """Note that the run is alive."""
        self._last = time.monotonic()
        self._warned = False

    def _watch(self) -> None:
        while not self._stop.wait(min(1.0, self.timeout / 10)):
            silent = time.monotonic() - self._last
            if silent > self.timeout:
                self._end(silent)
            elif silent > min(60.0, self.timeout / 2) and not self._warned:
                self._warned = True
                self._say(f"no step has ended for {silent:.0f} s; at {self.timeout:g} s the run is stopped")

    def _say(self, text: str) -> None:
        print(f"paddlite: rank {self._rank}: {text}", file=sys.stderr, flush=True)

    def _end(self, silent: float) -> None:
        with self._path.open("a") as file:
            file.write(f"rank {self._rank}, process {os.getpid()}: no step ended for {silent:.0f} s\n")
            file.flush()
            faulthandler.dump_traceback(file, all_threads=True)
        self._say(f"stalled: no step ended for {silent:.0f} s; where each thread is stands in {self._path}")
        _record(self._path.parent, self._rank, silent)
        _abort()


def _record(logs: Path, rank: int, silent: float) -> None:
    """What the launcher reads of this rank's end (see `launch/records.py`)."""
    import json

    path = logs / f"rank{rank:04d}.exit.json"
    trace = f"no step ended for {silent:.0f} s (stall_timeout); the stacks are in {logs / f'rank{rank:04d}.stacks.txt'}"
    content = {"rank": rank, "kind": "stalled", "code": STALLED, "time": time.time(), "trace": trace}
    if not path.exists():
        path.write_text(json.dumps(content))


def _abort() -> None:
    time.sleep(0.5)  # the other ranks stall at the same time: let them write their stacks down too
    os._exit(STALLED)
