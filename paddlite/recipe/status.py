"""`status.json`: how a run stands, for people and for other programs."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from paddlite.recipe import codes
from paddlite.recipe.errors import writing_to

STATES = {codes.OK: "complete", codes.STOPPED: "stopped", codes.INTERRUPTED: "stopped"}


def write(run: Path, state: str, **facts: Any) -> None:
    """Note the state of a run (running, complete, stopped, failed) and facts, over what was noted before."""
    content = {**read(run), "state": state, "time": round(time.time(), 3), **facts}
    part = run / f".status.{os.getpid()}"
    part.write_text(json.dumps({k: v for k, v in content.items() if v is not None}, indent=1) + "\n")
    os.replace(part, run / "status.json")


def begun(run: Path, processes: int) -> None:
    """Note that a run begins, or goes on.

    Raises:
        StorageError: the folder of the run cannot be written to.
    """
    started = read(run).get("started", round(time.time(), 3))
    with writing_to(run):
        write(run, "running", started=started, processes=processes, code=None, first_failed_rank=None, message=None)


def ended(run: Path, code: int, rank: int | None = None, message: str = "") -> int:
    """Note how a run ended; gives `code` back.  Where that cannot be written, it is said.

    Args:
        rank: the rank that failed first, where one did.
        message: what was said about it.
    """
    failed = code not in STATES
    try:
        write(
            run,
            STATES.get(code, "failed"),
            code=code,
            first_failed_rank=rank if failed else None,
            message=(message.strip().splitlines() or [None])[-1] if failed else None,
        )
    except OSError as error:  # it must not hide what ended the run
        print(f"warning: {run / 'status.json'} cannot be written: {error.strerror}", file=sys.stderr, flush=True)
    return code


def read(run: Path) -> dict[str, Any]:
    """What is noted of a run; empty where nothing is."""
    try:
        return json.loads((run / "status.json").read_text())
    except (OSError, ValueError):
        return {}
