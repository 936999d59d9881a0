"""What each rank writes down about itself, and what the launcher reads of it after the end.

`rank0001.start.json` when it is up, `rank0001.exit.json` when it leaves of its own accord.  A rank without the second
was killed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from paddlite.recipe.watchdog import this_system


def log_path(logs: Path, rank: int) -> Path:
    return logs / f"rank{rank:04d}.log"


def _write(path: Path, content: dict[str, Any]) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content))
    os.replace(part, path)


def write_start(logs: Path, rank: int) -> None:
    """Say that the rank is up, and as which process."""
    content = {
        "rank": rank,
        "pid": os.getpid(),
        "host": os.uname().nodename,
        "system": this_system(),
        "time": time.time(),
    }
    _write(logs / f"rank{rank:04d}.start.json", content)


def write_exit(logs: Path, rank: int, kind: str, code: int, trace: str = "") -> None:
    """Say how the rank ends.  Only the first word counts; on a full disk its exit code has to do."""
    path = logs / f"rank{rank:04d}.exit.json"
    if not path.exists():
        try:
            _write(path, {"rank": rank, "kind": kind, "code": code, "time": time.time(), "trace": trace})
        except OSError:  # the launcher cannot tell it then
            print(trace, end="", file=sys.stderr, flush=True)


class Seen:
    """The records of one kind ("start" or "exit") as they appear: each is read once."""

    def __init__(self, logs: Path, what: str):
        self._logs, self._ending = logs, f".{what}.json"
        self._found: dict[int, dict[str, Any]] = {}

    def look(self) -> dict[int, dict[str, Any]]:
        """All that there are by now, by rank."""
        for entry in os.scandir(self._logs):
            if entry.name.endswith(self._ending) and int(entry.name[4 : -len(self._ending)]) not in self._found:
                record = _parsed(Path(entry.path))
                if record is not None:
                    self._found[record["rank"]] = record
        return self._found


def _parsed(path: Path) -> dict[str, Any] | None:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None  # being written, or its rank died while writing it


def read(logs: Path, what: str) -> dict[int, dict[str, Any]]:
    """The records of all ranks ("start" or "exit"), by rank."""
    return dict(sorted(Seen(logs, what).look().items()))
