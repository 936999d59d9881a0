"""How long a run lives on after a fault, as a table of Markdown: `python -m benchmarks.faults [ROUNDS]`.

Two processes exchange a number in every step; one of them fails, or the launcher gets a signal.  Measured is the time
from the fault to the launcher's end; shown is the median.  The figures of the others were measured earlier.
"""

from __future__ import annotations

import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.launch.runs import TRAIN, Run

GRACE = 3.0
STALL = 3.0


class Fault(NamedTuple):
    """A row: what happens, to whom, and what Paddle's launcher, torchrun and mpiexec did."""

    name: str
    fault: str
    code: int
    paddle: str = "not measured"
    torchrun: str = "not measured"
    mpiexec: str = "not measured"
    rank: int = 1
    sent: int | None = None  # a signal to the launcher
    limit: float = 1.0
    script: str = TRAIN


FAULTS = [
    Fault("rank 1 raises", "raise", 1, "1.4 s, code 1, its error not shown", "3.5 s, code 1", "hangs (> 18 s)"),
    Fault("rank 1 `sys.exit(3)`", "exit3", 3, "2.5 s, code 241", "2.2 s, code 1", "hangs (> 6 s)"),
    Fault("rank 1 `sys.exit(0)` early", "exit0", 70, mpiexec="hangs (> 6 s)", limit=GRACE + 1),
    Fault("rank 1 `os._exit(0)`", "_exit0", 70, mpiexec="code 0 (false success, with `-m mpi4py`)"),
    Fault("import error in rank 1 before MPI", "", 1, mpiexec="hangs (> 11 s)",
          script="import os\nif os.environ['PADDLITE_RANK'] == '1':\n"
                 "    open(__import__('sys').argv[3], 'w').write(str(__import__('time').time()))\n"
                 "    import no_such_module\n" + TRAIN),
    Fault("SIGKILL of rank 1", "kill", 137, "1.0 s, code 1, blames rank 0", "2.1 s, code 1",
          "0.04 s, code 9 (with `-m mpi4py`)"),
    Fault("SIGSEGV of rank 1", "segv", 139, mpiexec="code 11 (with `-m mpi4py`)"),
    Fault("SIGKILL of rank 1 with a child", "child", 137, "child left alive", "child left alive",
          "child killed, or mpiexec hangs"),
    Fault("SIGKILL of rank 0 with a child in its own session", "daemon", 137, "child left alive", "child left alive",
          "hangs (58 s, until cleaned up)", rank=0),
    Fault("Ctrl-C (SIGINT to the launcher)", "", 130, "0.7 s, code 2", "2.4 s, code 1",
          "0.1 s, code 130 (with `-m mpi4py`)", sent=signal.SIGINT),
    Fault("SIGTERM to the launcher", "", 143, "1.0 s, code 15", "0.7 s, code 1",
          "0.04 s, code 15 (with `-m mpi4py`)", sent=signal.SIGTERM),
    Fault("SIGKILL of the launcher", "", -9, "2 orphans train on", "2 orphans train on", "ranks die",
          sent=signal.SIGKILL),
    Fault(f"rank 1 is stuck (limit {STALL:g} s)", "sleep", 70, "30 min", "30 min", "never ends", limit=STALL + 2),
    Fault(f"rank 1 is stuck in native code (limit {STALL:g} s)", "native", 70, "30 min", "30 min", "never ends",
          limit=STALL + 2),
    Fault(f"rank 1 is stopped (SIGSTOP, limit {STALL:g} s)", "stop", 70, "30 min", "30 min", "never ends",
          limit=STALL + 2),
]  # fmt: skip


def measure(row: Fault) -> tuple[float, int, int]:
    """Seconds from the fault to the launcher's end, its exit code, and the number of processes left a second later."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["--nproc", 2, "--exit-grace", GRACE, "--stall-timeout", STALL, "train.py", row.fault or "loop"]
        who = row.rank if row.sent is None else 0
        run = Run(Path(folder), *words, who, "MARK", script=row.script)
        try:
            if row.sent is not None:
                run.wait_until_stepping()
                time.sleep(0.2)
                begun = time.time()
                run.send(row.sent)
            code = run.process.wait(60)
            ended = time.time()
            while run.left() and time.time() < ended + 1:
                time.sleep(0.01)
            if row.sent == signal.SIGKILL:
                ended = time.time()  # the launcher's own end says nothing: until all have ended
            if row.sent is None:
                begun = float(run.mark.read_text())
            return ended - begun, code, len(run.left())
        finally:
            run.clean()


def main(argv: Sequence[str]) -> int:
    rounds = int(argv[0]) if argv else 3
    print(f"{rounds} rounds, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start\n")
    print("Ours: seconds from the fault to the launcher's end (median; longest), exit code, processes left.")
    print("The others: PaddlePaddle 3.3.1, torch 2.13, MPICH 5.0, measured earlier on a 2-core machine.\n")
    print("| fault | ours | target | paddle.distributed.launch | torchrun | mpiexec |")
    print("|---|---|---|---|---|---|")
    missed = 0
    for row in FAULTS:
        seen = [measure(row) for _ in range(rounds)]
        seconds = [s for s, _, _ in seen]
        codes, left = {c for _, c, _ in seen}, max(n for _, _, n in seen)
        middle = statistics.median(seconds)
        good = middle <= row.limit and codes == {row.code} and not left
        missed += not good
        ours = f"{middle:.2f} s ({max(seconds):.2f}), code {', '.join(map(str, sorted(codes)))}, {left} left"
        print(
            f"| {row.name} | {ours}{'' if good else ' MISSED'} | {row.limit:g} s, code {row.code} "
            f"| {row.paddle} | {row.torchrun} | {row.mpiexec} |",
            flush=True,
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
