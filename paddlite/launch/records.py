"""What each rank writes down about itself, and what the launcher reads of it after the end.

`rank0001.start.json` when it is up, `rank0001.exit.json` when it leaves of its own accord.  A rank without the second
was killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from typing import Any


def log_path(logs: Path, rank: int) -> Path:
    return logs / f"rank{rank:04d}.log"


def stacks_path(logs: Path, rank: int) -> Path:
    return logs / f"rank{rank:04d}.stacks.txt"


def _write(path: Path, content: dict[str, Any]) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content))
    os.replace(part, path)


def write_start(logs: Path, rank: int) -> None:
    """Say that the rank is up, and as which process."""
    content = {"rank": rank, "pid": os.getpid(), "host": os.uname().nodename, "time": time.time()}
    _write(logs / f"rank{rank:04d}.start.json", content)


def write_exit(logs: Path, rank: int, kind: str, code: int, trace: str = "") -> None:
    """Say how the rank ends.  Only the first word counts; on a full disk its exit code has to do."""
    path = logs / f"rank{rank:04d}.exit.json"
    if not path.exists():
        with contextlib.suppress(OSError):
            _write(path, {"rank": rank, "kind": kind, "code": code, "time": time.time(), "trace": trace})


def read(logs: Path, what: str) -> dict[int, dict[str, Any]]:
    """The records of all ranks ("start" or "exit"), by rank."""
    found = {}
    for path in sorted(logs.glob(f"rank*.{what}.json")):
        try:
            record = json.loads(path.read_text())
        except (OSError, ValueError):
            continue  # being written, or its rank died while writing it
        found[record["rank"]] = record
    return found
