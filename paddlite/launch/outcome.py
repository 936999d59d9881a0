"""How a run ended: which rank failed first, why, and with which exit code."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any, NamedTuple

from paddlite.launch import records
from paddlite.recipe import codes

_DEADLY = frozenset(
    (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM)
)

_SAVED = " after a checkpoint; run again with --resume to go on"


class Outcome(NamedTuple):
    """The launcher's exit code, and what it says last."""

    code: int
    message: str
    rank: int | None = None


def judge(logs: Path, nproc: int, mpiexec_code: int, complaints: str, requested: int | None) -> Outcome:
    """The outcome of a run whose processes have all ended.

    Success needs a word of every rank: mpiexec gives 0 also where a rank left by `os._exit(0)`.

    Args:
        complaints: what mpiexec itself said.
        requested: the signal by which the user asked the launcher to stop, if any.
    """
    exits, starts = records.read(logs, "exit"), records.read(logs, "start")
    failed = sorted((r for r in exits.values() if r["code"]), key=lambda r: r["time"])
    if len(failed) == nproc and all(r["kind"] == "ok" and r["code"] == failed[0]["code"] for r in failed):
        return _stopped_together(failed[0]["code"])
    if requested is not None:
        return _after_request(exits, failed, nproc, requested)
    if failed:
        return _told(failed[0], logs)
    silent = [rank for rank in range(nproc) if rank not in exits]
    if not silent:
        return Outcome(codes.OK, "")
    return _silent(silent, starts, nproc, mpiexec_code, complaints, logs)


def _after_request(exits: dict, failed: list, nproc: int, number: int) -> Outcome:
    clean = len(exits) == nproc and all(r["code"] in (codes.OK, codes.STOPPED) for r in exits.values())
    if clean and all(r["code"] == codes.OK for r in exits.values()):
        return Outcome(codes.OK, "")  # it was done anyway
    own = codes.of_signal(number)
    if clean and number != signal.SIGINT:
        return Outcome(codes.STOPPED, f"stopped on request{_SAVED}")
    saved = _SAVED if clean else ""
    by = "Ctrl-C" if number == signal.SIGINT else _signal_name(own)
    return Outcome(own, f"stopped by {by}{saved}")


def _signal_name(code: int) -> str:
    return codes.describe(code).removeprefix("killed by ")


def _stopped_together(code: int) -> Outcome:
    """All ranks of a recipe have stopped at the same step, since one of them, or the launcher, was asked to."""
    if code not in (codes.STOPPED, codes.INTERRUPTED):  # checkpoint.on_signal is off
        return Outcome(code, f"stopped by {_signal_name(code)}, without a checkpoint")
    how = "by Ctrl-C" if code == codes.INTERRUPTED else "on request"
    return Outcome(code, f"stopped {how}{_SAVED}")


def _told(record: dict[str, Any], logs: Path) -> Outcome:
    rank, code = record["rank"], record["code"]
    if record["kind"] == "stalled":  # where each rank is has been shown
        return Outcome(code, f"rank {rank} stalled: {record['trace']}", rank)
    if record["kind"] == "start timeout":
        return Outcome(code, record["trace"], rank)
    how = f"({record['kind']}): {codes.describe(code)}"
    head = f"rank {rank} failed first {how}; its log is {records.log_path(logs, rank)}"
    return Outcome(code, "\n".join([*_last(record["trace"]), head]), rank)


def _last(text: str, lines: int = 40) -> list[str]:
    return [f"  {line}" for line in text.rstrip().splitlines()[-lines:]]


def _silent(silent: list[int], starts: dict, nproc: int, mpiexec_code: int, complaints: str, logs: Path) -> Outcome:
    if not starts:
        code = mpiexec_code or codes.LOST
        if code in (codes.UNAVAILABLE, codes.MISMATCH):
            return Outcome(code, "no process was started: see the error above")
        text = f"no rank came up; mpiexec ended with {codes.describe(code)}"
        return Outcome(code, "\n".join([*_last(complaints), text]))
    rank = _blamed(starts, complaints)
    number = _signal(mpiexec_code, complaints)
    if number is not None:
        code = codes.of_signal(number)
        who = f"rank {rank}" if rank is not None else f"one of the ranks {', '.join(map(str, silent))}"
        at = records.log_path(logs, rank) if rank is not None else logs
        return Outcome(code, "\n".join([*_crash(at), f"{who} was {codes.describe(code)}; its log is {at}"]), rank)
    silent = silent if rank is None else [rank]
    which = f"rank{'s' if len(silent) > 1 else ''} {', '.join(map(str, silent))}"
    text = f"{which} ended without a word (os._exit, or killed); see {logs}"
    return Outcome(mpiexec_code if 0 < mpiexec_code < 128 else codes.LOST, text, silent[0])


def _crash(log: Path) -> list[str]:
    """What faulthandler wrote about a crash in native code, if this was one."""
    try:
        text = log.read_text(errors="replace")
    except OSError:
        return []
    _, fatal, rest = text.rpartition("Fatal Python error: ")
    return [f"  {line}" for line in (fatal + rest).splitlines()[:12]] if fatal else []


def _blamed(starts: dict, complaints: str) -> int | None:
    """The rank that mpiexec names, by process id (MPICH) or number (Open MPI)."""
    found = re.search(r"process rank (\d+)", complaints)
    if found:
        return int(found[1])
    found = re.search(r"PID\s+(\d+)", complaints)
    if found:
        return next((rank for rank, start in starts.items() if start["pid"] == int(found[1])), None)
    return None


def _signal(code: int, complaints: str) -> int | None:
    """The signal that ended the rank, as mpiexec tells it."""
    found = re.search(r"(?:signal|EXIT STRING:.*signal)[^\d]{0,12}(\d+)", complaints)
    if found:
        return int(found[1])
    if 128 < code < 128 + signal.NSIG:
        return code - 128
    # A rank on another host: mpiexec itself may fail over it, and gives the signal for an exit code.
    found = re.search(r"EXIT CODE: (\d+)", complaints) if code > 128 else None
    return int(found[1]) if found and int(found[1]) in _DEADLY else None
