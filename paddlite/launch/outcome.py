"""How a run ended: which rank failed first, why, and with which exit code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from paddlite.launch import codes, records


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
    if clean and number != 2:
        return Outcome(codes.STOPPED, "stopped on request after a checkpoint; run again with --resume to go on")
    saved = " after a checkpoint; run again with --resume to go on" if clean else ""
    return Outcome(
        own, f"stopped by {'Ctrl-C' if number == 2 else codes.describe(own).removeprefix('killed by ')}{saved}"
    )


def _stopped_together(code: int) -> Outcome:
    """All ranks of a recipe have stopped at the same step, since one of them, or the launcher, was asked to."""
    if code not in (codes.STOPPED, codes.INTERRUPTED):  # checkpoint.on_signal is off
        return Outcome(code, f"stopped by {codes.describe(code).removeprefix('killed by ')}, without a checkpoint")
    how = "by Ctrl-C" if code == codes.INTERRUPTED else "on request"
    return Outcome(code, f"stopped {how} after a checkpoint; run again with --resume to go on")


def _told(record: dict[str, Any], logs: Path) -> Outcome:
    rank, code = record["rank"], record["code"]
    lines = record["trace"].rstrip().splitlines()
    how = f"({record['kind']}): {codes.describe(code)}"
    head = f"rank {rank} failed first {how}; its log is {records.log_path(logs, rank)}"
    return Outcome(code, "\n".join([*[f"  {line}" for line in lines[-12:]], head]), rank)


def _silent(silent: list[int], starts: dict, nproc: int, mpiexec_code: int, complaints: str, logs: Path) -> Outcome:
    never = [rank for rank in range(nproc) if rank not in starts]
    if len(never) == nproc:
        text = f"no rank came up; mpiexec ended with {codes.describe(mpiexec_code or codes.LOST)}"
        return Outcome(mpiexec_code or codes.LOST, f"{complaints.strip()}\n{text}".strip())
    rank = _blamed(starts, complaints)
    signal = _signal(mpiexec_code, complaints)
    if signal is not None:
        code = codes.of_signal(signal)
        who = f"rank {rank}" if rank is not None else f"one of the ranks {silent}"
        at = records.log_path(logs, rank) if rank is not None else logs
        return Outcome(code, f"{who} was {codes.describe(code)}; see {at}", rank)
    which = ", ".join(map(str, silent))
    text = f"rank {which} ended without a word (os._exit, or killed); see {logs}"
    return Outcome(mpiexec_code if 0 < mpiexec_code < 128 else codes.LOST, text, silent[0])


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
    found = re.search(r"(?:signal|EXIT STRING:.*signal)[^\d]{0,12}(\d+)", complaints)
    if found:
        return int(found[1])
    return code - 128 if code > 128 else None
